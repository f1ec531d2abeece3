//! The languages whose words are reduced to their stems.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use frostem::{Algorithm, Stemmer};

use super::irregular::regular_form;
use super::words::{SearchWord, folded, words};

/// A language with stems and stop words, by its code of two letters. A text of another language counts as English: hardly an
/// English ending fits its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Language(&'static str);

const ENGLISH: Language = Language("en");

impl Language {
    /// German writes more words than names with capitals.
    pub(super) const GERMAN: Self = Self("de");
}

impl Default for Language {
    fn default() -> Self {
        ENGLISH
    }
}

/// The languages of which both libraries know something.
const LANGUAGES: [Language; 19] = [
    ENGLISH,
    Language("de"),
    Language("fr"),
    Language("es"),
    Language("it"),
    Language("pt"),
    Language("nl"),
    Language("cs"),
    Language("pl"),
    Language("da"),
    Language("sv"),
    Language("no"),
    Language("fi"),
    Language("hu"),
    Language("ro"),
    Language("ru"),
    Language("tr"),
    Language("el"),
    Language("ca"),
];

const _: () = assert!(LANGUAGES.len() <= 32, "each has a bit of its own");

/// Words that only a question has, and that say nothing about its subject. The lists of the library are of words that are frequent
/// in texts, and of some languages without these.
const OF_QUESTIONS: [(&str, &str); 5] = [
    (
        "en",
        "also belong belongs could describe done exactly explain get give happen happens hello hi know let like long many may mean means much \
         must need often ok okay please possible say show tell thank thanks too us use used using want way whether whose work \
         working works would yes",
    ),
    (
        "de",
        "ab bekomme bekommen bekommt bitte brauche brauchen braucht dafür danke darf dürfen erkläre etwas gehören gehört geht gibt hallo ja kannst lang lange möglich müssen nein oft sag sage \
         soll sollen sollte viel viele vielen wann warum wem wen wer weshalb wie wieso wieviel wieviele wofür woher wohin worauf",
    ),
    (
        "fr",
        "appartiennent appartient comment combien doit dois faire fait faut où peut peux pouvez pourquoi quand quel quelle quelles quels quoi avoir être \
         expliquez expliquer merci puis",
    ),
    (
        "es",
        "cuál cuáles cuánta cuántas cuánto cuántos cuándo cómo dónde debe debo explique gracias hacer hace puede pueden puedo qué \
         quién",
    ),
    ("cs", "jak jaká jaké jaký kdy kde kdo kolik musím může můžu prosím proč vysvětli děkuji lze"),
];

/// The stop words, folded, each with a bit for every language of which it is one, the first of [`LANGUAGES`] lowest. Each word of a text
/// is looked up once, and not in each language.
static STOP_WORDS: LazyLock<HashMap<String, u32>> = LazyLock::new(|| {
    let mut stop_words: HashMap<String, u32> = HashMap::new();
    for (at, language) in LANGUAGES.into_iter().enumerate() {
        let listed = stop_words::lookup(language.0).unwrap_or_default().iter().copied();
        let asked = OF_QUESTIONS.iter().filter(|(code, _)| *code == language.0);
        let asked = asked.flat_map(|(_, words)| words.split(' '));
        // A form with an apostrophe is two words to the search.
        for word in listed.chain(asked).flat_map(words) {
            *stop_words.entry(word.folded()).or_default() |= 1 << at;
        }
    }
    stop_words
});

/// The stop words of writings without blanks, of which texts are not told apart.
static UNSPACED_STOP_WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let listed = ["zh", "ja"].into_iter().flat_map(|code| stop_words::lookup(code).unwrap_or_default());
    listed.copied().collect()
});

/// Pairs of letters of questions; pairs are no words, so lists of words have few of them.
const UNSPACED_OF_QUESTIONS: &[&str] = &[
    "什麼", "怎麼", "怎样", "多少", "哪里", "哪些", "如何", "可以", "是否", "请问", "請問", "我们", "你们", "为什",
    "為什", "是什", "告诉", "です", "ます", "ませ", "せん", "すか", "とは", "には", "では", "から", "まで", "どう",
    "いつ", "どの", "何時", "何日",
];

/// The letters that a pair of Chinese letters has only between words.
const BETWEEN_WORDS: [char; 7] = ['的', '了', '吗', '呢', '吧', '啊', '嗎'];

/// The least stop words by which a language is known, if English has fewer.
const LEAST: usize = 2;

/// The words of a text that are looked at.
const LOOKED_AT: usize = 2_000;

/// Longer words, in bytes, are keys and the like, and have no endings. A stemmer copies a word for each of its letters that it changes.
const LONGEST: usize = 256;

impl Language {
    /// The language whose stop words a text has most often; English where none is ahead.
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let words: Vec<SearchWord> = texts.into_iter().flat_map(words).take(LOOKED_AT).collect();
        let counts = counts(&words);
        let most = counts.values().copied().max().unwrap_or_default();
        let mut best =
            counts.into_iter().filter(|(_, count)| *count == most && most >= LEAST).map(|(language, _)| language);
        match (best.next(), best.next()) {
            (Some(language), None) => language,
            _ => ENGLISH,
        }
    }

    /// The languages that a question may be in.
    pub(super) fn of_question(words: &[SearchWord]) -> Vec<Self> {
        most(counts(words))
    }

    /// The languages that a question to documents of these languages may be in. One word alone is no sign of another language: `SAP` is a
    /// stop word in Catalan, and `Van` in Dutch.
    pub(super) fn of_question_to(documents: &[Self], words: &[SearchWord]) -> Vec<Self> {
        let mut counts = counts(words);
        counts.retain(|language, count| *count >= LEAST || documents.contains(language));
        most(counts)
    }

    /// Whether the word says nothing about what is asked.
    pub(super) fn has_stop_word(self, word: &SearchWord) -> bool {
        let languages = STOP_WORDS.get(&word.folded()).copied().unwrap_or_default();
        languages != 0
            && LANGUAGES.iter().position(|language| *language == self).is_some_and(|at| languages >> at & 1 == 1)
    }

    /// Reduces words of this language to their stems.
    pub(super) fn stems(self) -> Stems {
        let algorithm = Algorithm::from_name(self.0).ok();
        Stems { stemmer: algorithm.map(Stemmer::new), language: self }
    }
}

/// Whether letters of a writing without blanks say nothing about what is asked.
pub(super) fn is_unspaced_stop_word(letters: &str) -> bool {
    UNSPACED_STOP_WORDS.contains(letters) || UNSPACED_OF_QUESTIONS.contains(&letters) || letters.contains(BETWEEN_WORDS)
}

/// The number of stop words of each language.
fn counts(words: &[SearchWord]) -> BTreeMap<Language, usize> {
    let mut counts = [0; LANGUAGES.len()];
    for word in words.iter().filter(|word| !word.is_unspaced) {
        let mut languages = STOP_WORDS.get(&word.folded()).copied().unwrap_or_default();
        while let Some(count) = counts.get_mut(languages.trailing_zeros() as usize) {
            *count += 1;
            languages &= languages - 1;
        }
    }
    LANGUAGES.into_iter().zip(counts).collect()
}

/// The languages with the most stop words, if there are any.
fn most(counts: BTreeMap<Language, usize>) -> Vec<Language> {
    let most = counts.values().copied().max().unwrap_or_default();
    counts.into_iter().filter(|(_, count)| *count == most && most > 0).map(|(language, _)| language).collect()
}

/// The stems of one language.
#[derive(Clone, Copy)]
pub(super) struct Stems {
    stemmer: Option<Stemmer>,
    language: Language,
}

impl Stems {
    /// The form by which a word is found: its stem, without diacritics.
    pub(super) fn of(&self, word: &SearchWord) -> String {
        let Some(stemmer) = self.stemmer.as_ref().filter(|_| !word.is_unspaced) else { return word.text.clone() };
        if word.text.len() > LONGEST {
            return word.folded();
        }
        let regular = if self.language == ENGLISH { regular_form(&word.text) } else { None };
        folded(&stemmer.stem(regular.unwrap_or(&word.text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(code: &'static str, word: &str) -> String {
        Language(code).stems().of(&words(word)[0])
    }

    #[test]
    fn a_text_is_of_the_language_whose_stop_words_it_has() {
        for (code, text) in [
            ("en", "The certificate expires after a year, and it is renewed by the office."),
            ("de", "Die Kündigungsfrist beträgt drei Monate. Sie endet am Quartalsende."),
            ("fr", "Les salariés ont droit à trente jours de congés par an."),
            ("es", "Los empleados tienen derecho a treinta días de vacaciones al año."),
            ("cs", "Zaměstnanci mají nárok na třicet dní dovolené, která se nepřevádí do dalšího roku."),
            ("en", "年假有十天"),
            ("en", "xyzzy 42"),
        ] {
            assert_eq!(Language::of([text]), Language(code), "{text}");
        }
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (code, one, other) in [
            ("en", "policies", "policy"),
            ("en", "grew", "growing"),
            ("de", "Kündigungen", "Kündigung"),
            ("fr", "congés", "congé"),
            ("es", "vacaciones", "vacación"),
            ("cs", "dovolené", "dovolenou"),
        ] {
            assert_eq!(stem(code, one), stem(code, other), "{one} {other}");
        }
        assert_eq!(stem("de", "Kündigung"), stem("de", "kundigung"), "typed without its dots");
    }

    #[test]
    fn a_word_of_a_million_letters_is_its_own_stem() {
        // Each `y` behind a vowel is one that the English stemmer changes.
        let word = "ay".repeat(500_000);
        assert_eq!(stem("en", &word), word);
    }

    #[test]
    fn every_language_has_stems_and_stop_words() {
        for language in LANGUAGES {
            assert!(language.stems().stemmer.is_some(), "{language:?}");
            let at = LANGUAGES.iter().position(|other| *other == language).expect("a place");
            assert!(STOP_WORDS.values().filter(|languages| **languages >> at & 1 == 1).count() > 30, "{language:?}");
        }
    }
}
