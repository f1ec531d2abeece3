//! Normalizes the words of a text for the search.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

/// The letters of one word; in writing without blanks between words, two letters that stand side by side.
///
/// There a word cannot be told from its neighbours without a dictionary. Pairs of letters need none, and find words of two letters,
/// as most Chinese ones are. A run of letters ends with its last letter alone, so that each letter begins some pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SearchWord {
    /// The word in lower case, with its diacritics, by which stems are found.
    pub(super) text: String,
    /// Whether the word is of a writing without blanks.
    pub(super) is_unspaced: bool,
    /// The case that it is written in.
    pub(super) case: Case,
}

/// The case of a word: names such as `IT`, `US` and `May` are told from other words by it alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Case {
    #[default]
    Low,
    /// The first letter is a capital, as that of each sentence is.
    First,
    /// All letters are capitals, and there are several.
    High,
}

impl Case {
    fn of(first: Option<char>, capitals: usize, letters: usize) -> Self {
        match first {
            Some(_) if capitals > 1 && capitals == letters => Self::High,
            Some(first) if first.is_uppercase() => Self::First,
            _ => Self::Low,
        }
    }
}

impl SearchWord {
    /// Whether its letters are Hiragana.
    pub(super) fn is_hiragana(&self) -> bool {
        self.is_unspaced && self.text.chars().all(|c| Writing::of(c) == Writing::Hiragana)
    }

    /// The word as a name, by which it is found where it is written in capitals and would be a stop word otherwise.
    pub(super) fn name(&self) -> String {
        self.folded().to_uppercase()
    }

    /// The word without the diacritics that writers leave out.
    pub(super) fn folded(&self) -> String {
        if self.is_unspaced { self.text.clone() } else { folded(&self.text) }
    }
}

/// The words of a text in their order.
pub(super) fn words(text: &str) -> Vec<SearchWord> {
    let mut words = Vec::new();
    each_word(text, |text, is_unspaced, case| words.push(SearchWord { text: text.to_owned(), is_unspaced, case }));
    words
}

/// The writings without blanks. A pair of letters of two of them is rarely within a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    /// Words with blanks between them.
    Spaced,
    Hiragana,
    Katakana,
    /// Chinese letters, and the letters of Thai, Lao, Burmese and Khmer.
    Other,
}

impl Writing {
    fn of(c: char) -> Self {
        match u32::from(c) {
            0x3041..=0x309F if c.is_alphabetic() => Self::Hiragana,
            0x30A1..=0x30FF | 0x31F0..=0x31FF if c.is_alphabetic() => Self::Katakana,
            0x0E01..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF if c.is_alphabetic() => Self::Other,
            0x3005..=0x3007 | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF => Self::Other,
            _ => Self::Spaced,
        }
    }
}

/// Tells each word, whether it is of a writing without blanks, and its case.
pub(super) fn each_word(text: &str, mut tell: impl FnMut(&str, bool, Case)) {
    let mut word = String::new();
    let (mut first, mut capitals, mut letters) = (None, 0, 0);
    let mut run: (Writing, Vec<char>) = (Writing::Spaced, Vec::new());
    // Wide letters and ligatures are the letters that they stand for. The blank at the end ends the last word.
    let text: Cow<'_, str> = if text.is_ascii() { text.into() } else { text.nfkc().collect::<String>().into() };
    for c in text.chars().chain([' ']) {
        let writing = Writing::of(c);
        if writing != run.0 {
            pairs(&mut run.1, &mut tell);
            run.0 = writing;
        }
        if writing != Writing::Spaced || !c.is_alphanumeric() {
            if !word.is_empty() {
                tell(&word, false, Case::of(first, capitals, letters));
                word.clear();
                (first, capitals, letters) = (None, 0, 0);
            }
            if writing != Writing::Spaced {
                run.1.push(c);
            }
        } else {
            first = first.or(Some(c));
            (capitals, letters) = (capitals + usize::from(c.is_uppercase()), letters + 1);
            word.extend(c.to_lowercase());
        }
    }
}

fn pairs(run: &mut Vec<char>, tell: &mut impl FnMut(&str, bool, Case)) {
    let mut pair = String::new();
    for at in 0..run.len() {
        pair.clear();
        pair.extend(run.iter().skip(at).take(2));
        tell(&pair, true, Case::Low);
    }
    run.clear();
}

/// The letters without the diacritics of European writings.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.nfd().filter(|c| !matches!(u32::from(*c), 0x0300..=0x036F)).nfc().collect()
}

/// Whether two words are forms of one, as far as their beginnings tell: `policy` and `policies`, `day` and `days`, `Urlaub` and
/// `Urlaubstage`. Both are without diacritics.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let lengths = (one.chars().count(), other.chars().count());
    let (shorter, longer) = (lengths.0.min(lengths.1), lengths.0.max(lengths.1));
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let is_beginning = shared == shorter && (shorter >= 5 || shorter >= 3 && longer - shorter <= 2);
    is_beginning || shared >= 5 && shared + 1 >= shorter && longer - shorter <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.folded()).collect()
    }

    #[test]
    fn words_are_in_lower_case_and_without_diacritics() {
        assert_eq!(texts("Wie lang ist die KÜNDIGUNGSFRIST?"), ["wie", "lang", "ist", "die", "kundigungsfrist"]);
        assert_eq!(texts("\"a\" AND b* (c) NEAR/3 d:e -f\u{0}"), ["a", "and", "b", "c", "near", "3", "d", "e", "f"]);
        assert_eq!(texts(" \u{200b}!"), [""; 0]);
        assert_eq!(texts("Příliš \u{fb01}n ＡＢＣ"), ["prilis", "fin", "abc"]);
    }

    #[test]
    fn writing_without_blanks_comes_in_pairs() {
        assert_eq!(texts("年假有7天, 假 ok"), ["年假", "假有", "有", "7", "天", "假", "ok"]);
        assert_eq!(texts("ビザが要る"), ["ビザ", "ザ", "が", "要", "る"]);
    }

    #[test]
    fn forms_of_one_word_are_alike() {
        for (one, other) in [
            ("day", "days"),
            ("policy", "policies"),
            ("urlaub", "urlaubstage"),
            ("parental", "parents"),
            ("年假", "年假"),
        ] {
            assert!(are_alike(one, other) && are_alike(other, one), "{one} {other}");
        }
        for (one, other) in
            [("in", "inn"), ("day", "dayton"), ("leave", "learn"), ("年假", "年休"), ("contract", "control")]
        {
            assert!(!are_alike(one, other) && !are_alike(other, one), "{one} {other}");
        }
    }
}
