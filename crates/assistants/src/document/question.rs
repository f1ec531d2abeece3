//! The search terms of a question.

use super::language::{Language, is_unspaced_stop_word};
use super::words::{Case, SearchWord, words};

/// The maximum number of words of a question that are looked for; an answer to more would not be read.
const MAX_WORDS: usize = 32;

/// The bytes of a question that are searched with.
const MAX_BYTES: usize = 8 * 1024;

/// The beginning of a question, with which it is searched: however long it is, a search takes no longer.
#[must_use]
pub fn searched(question: &str) -> &str {
    &question[..question.floor_char_boundary(MAX_BYTES)]
}

/// The words of a question. No word in it is an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchQuestion {
    /// Its words that are no stop words; all where it has no others.
    words: Vec<SearchWord>,
    /// Whether the question has nothing but stop words.
    is_idle: bool,
}

impl SearchQuestion {
    /// Reads a question. The stop words of its language are left out where other words remain.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self::read(text, Language::of_question)
    }

    /// Reads a question to documents of these languages.
    pub(super) fn parse_for(documents: &[Language], text: &str) -> Self {
        Self::read(text, |words| Language::of_question_to(documents, words))
    }

    fn read(text: &str, languages: impl Fn(&[SearchWord]) -> Vec<Language>) -> Self {
        let mut all = words(searched(text));
        without_last_letters(&mut all);
        let languages = languages(&all);
        let names = names(&all, &languages);
        let is_listed = |word: &SearchWord| match word.is_unspaced {
            true => is_unspaced_stop_word(&word.text),
            false => !names.contains(word) && languages.iter().any(|language| language.has_stop_word(word)),
        };
        // Hiragana are the endings and particles of Japanese, and words only where nothing else is asked.
        let has_other = all.iter().any(|word| !is_listed(word) && !word.is_hiragana());
        let is_stop_word = |word: &SearchWord| is_listed(word) || has_other && word.is_hiragana();
        let is_idle = all.iter().all(is_stop_word);
        if is_idle {
            return Self { words: all.into_iter().take(MAX_WORDS).collect(), is_idle };
        }
        let mut kept: Vec<SearchWord> = Vec::new();
        for word in all {
            let is_new = kept.iter().all(|other| other.folded() != word.folded());
            if kept.len() < MAX_WORDS && is_new && !is_stop_word(&word) {
                kept.push(word);
            }
        }
        Self { words: kept, is_idle }
    }

    /// The number of its words that are no stop words.
    #[must_use]
    pub fn telling_words(&self) -> usize {
        if self.is_idle { 0 } else { self.words.len() }
    }

    /// The terms to look for in documents of these languages: each word by itself. None for a question of stop words alone.
    pub(super) fn terms(&self, languages: &[Language]) -> Vec<Term> {
        if self.is_idle { Vec::new() } else { self.words.iter().map(|word| Term::of(word, languages)).collect() }
    }

    /// A question of stop words alone, which are everywhere: it is looked for as it stands. One stop word alone is no question.
    pub(super) fn phrase(&self) -> Option<&[SearchWord]> {
        Some(self.words.as_slice()).filter(|words| self.is_idle && words.len() > 1)
    }
}

/// The words of a question that are written as names: in capitals, or with one amid the question. Where most words are, none is told
/// from the others, and in German every noun and some pronouns are.
fn names(words: &[SearchWord], languages: &[Language]) -> Vec<SearchWord> {
    let amid: Vec<&SearchWord> = words.iter().skip(1).collect();
    let high = words.iter().filter(|word| word.case == Case::High).count();
    let first = amid.iter().filter(|word| word.case == Case::First).count();
    let has_names = |count: usize, of: usize| count * 2 < of;
    let mut names: Vec<SearchWord> = Vec::new();
    if has_names(high, words.len()) {
        names.extend(words.iter().filter(|word| word.case == Case::High).cloned());
    }
    if has_names(first, amid.len() + 1) && !languages.contains(&Language::GERMAN) {
        let is_name = |word: &&&SearchWord| word.case == Case::First && word.text.chars().nth(1).is_some();
        names.extend(amid.iter().filter(is_name).map(|word| (*word).clone()));
    }
    names
}

/// Leaves out the last letter of a run that has pairs: it is looked for with them.
fn without_last_letters(words: &mut Vec<SearchWord>) {
    let is_last: Vec<bool> = words
        .iter()
        .enumerate()
        .map(|(at, word)| {
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            let follows = before.is_some_and(|before| before.is_unspaced && before.text.ends_with(&word.text));
            word.is_unspaced && word.text.chars().count() == 1 && follows
        })
        .collect();
    let mut is_last = is_last.into_iter();
    words.retain(|_| !is_last.next().unwrap_or_default());
}

/// A search term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// The word of the question, folded; a beginning of it where only that was found.
    pub(super) text: String,
    /// The words of the index that it is found as: a stem for each language.
    pub(super) stems: Vec<String>,
    pub(super) is_prefix: bool,
    pub(super) is_unspaced: bool,
    /// Whether it is found in capitals alone, since all its other forms are stop words.
    pub(super) is_name: bool,
}

/// Words with fewer letters are not looked for by their beginning.
const MIN_PREFIX: usize = 5;

impl Term {
    pub(super) fn of(word: &SearchWord, languages: &[Language]) -> Self {
        if word.case == Case::High && languages.iter().all(|language| language.has_stop_word(word)) {
            let name = word.name();
            return Self { stems: vec![name.clone()], text: name, is_prefix: false, is_unspaced: false, is_name: true };
        }
        let mut stems: Vec<String> = languages.iter().map(|language| language.stems().of(word)).collect();
        stems.sort_unstable();
        stems.dedup();
        // One letter is found where it begins a pair.
        let is_prefix = word.is_unspaced && word.text.chars().count() == 1;
        Self { text: word.folded(), stems, is_prefix, is_unspaced: word.is_unspaced, is_name: false }
    }

    /// The beginning of words that may be other forms of this one, or made with it: for a word that stands nowhere.
    pub(super) fn beginning(&self) -> Option<Self> {
        let length = self.text.chars().count();
        let is_word = !self.is_unspaced && !self.is_name && length > MIN_PREFIX;
        let text: String = self.text.chars().take(MIN_PREFIX.max(length.saturating_sub(2))).collect();
        is_word.then_some(Self { stems: vec![text.clone()], text, is_prefix: true, is_unspaced: false, is_name: false })
    }

    /// The word as typed without a key for `ä`, `ö` and `ü`: the index has no diacritics.
    pub(super) fn without_umlauts(&self) -> Option<Self> {
        let plain = |text: &str| text.replace("ae", "a").replace("oe", "o").replace("ue", "u");
        let stems: Vec<String> = self.stems.iter().map(|stem| plain(stem)).collect();
        let is_other = !self.is_unspaced && !self.is_name && stems != self.stems;
        is_other.then(|| Self { text: plain(&self.text), stems, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expressions(question: &str) -> Vec<String> {
        let terms = SearchQuestion::parse(question).terms(&[Language::default()]);
        terms.into_iter().map(|term| term.text).collect()
    }

    #[test]
    fn stop_words_are_left_out() {
        assert_eq!(expressions("How many days of leave do I have?"), ["days", "leave"]);
        assert_eq!(expressions("Wie viele Urlaubstage habe ich für Umzüge?"), ["urlaubstage", "umzuge"]);
        assert_eq!(expressions(r#"leave" or title:x* not (y)"#), ["leave", "title", "x"]);
        assert_eq!(expressions("请问年假"), ["问年", "年假"]);
        assert_eq!(expressions("Combien de jours de congés ai-je ?"), ["jours", "conges"]);
        assert_eq!(expressions("¿Cuántos días de vacaciones tengo?"), ["dias", "vacaciones"]);
        assert_eq!(expressions("Kolik dní dovolené mám?"), ["dni", "dovolene"]);
    }

    #[test]
    fn a_name_that_is_a_stop_word_elsewhere_is_looked_for() {
        let words = |question: &str| {
            let question = SearchQuestion::parse_for(&[Language::default()], question);
            question.terms(&[Language::default()]).into_iter().map(|term| term.text).collect::<Vec<_>>()
        };
        for (question, expected) in [
            ("SAP", vec!["sap"]),
            ("MIT license", vec!["mit", "license"]),
            ("Van rental", vec!["van", "rental"]),
            ("What is the rate of the van?", vec!["rate", "van"]),
            ("Quels sont les prix de la location ?", vec!["prix", "location"]),
            ("Who leads IT at Contoso?", vec!["leads", "IT", "contoso"]),
            ("What does Will Smith do in May?", vec!["will", "smith", "may"]),
            ("Which US law is it?", vec!["US", "law"]),
            ("HOW DO I RESET IT?", vec!["reset"]),
            ("How Will It Be Paid?", vec!["paid"]),
            ("Wann bekomme ich Ihre Antwort?", vec!["antwort"]),
        ] {
            assert_eq!(words(question), expected, "{question}");
        }
    }

    #[test]
    fn stop_words_alone_are_a_phrase() {
        let phrase = |question: &str| {
            let question = SearchQuestion::parse(question);
            question.phrase().map(|words| words.iter().map(|word| word.text.clone()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(phrase("To be, or not to be?").as_deref(), Some("to be or not to be"));
        for nothing in ["", "?", "What", "\"\u{0}*", "Is there leave?"] {
            assert_eq!(phrase(nothing), None, "{nothing:?}");
        }
        assert_eq!(SearchQuestion::parse("And what is that?").telling_words(), 0);
    }

    #[test]
    fn a_question_has_its_words_once_and_not_too_many() {
        assert_eq!(expressions("leave LEAVE Léave"), ["leave"]);
        let long: String = (0..100).map(|number| format!("w{number} ")).collect();
        assert_eq!(expressions(&long).len(), MAX_WORDS);
    }

    #[test]
    fn a_beginning_leaves_endings_to_the_text() {
        let beginning =
            |word: &str| SearchQuestion::parse(word).terms(&[Language::default()])[0].beginning().map(|term| term.text);
        assert_eq!(beginning("Kündigungen").as_deref(), Some("kundigung"));
        assert_eq!(beginning("Urlaub").as_deref(), Some("urlau"));
        assert_eq!(beginning("leave"), None);
        assert_eq!(beginning("年假"), None);
    }
}
