//! The forms of markers, one row each (policy P-01). `cite` reads markers by these rows, and the table in
//! `docs/reference/citations.md` is printed from them.

use super::MarkerGrammar;

/// One form of marker.
#[derive(Debug)]
pub struct MarkerRow {
    /// Markers of the first source, or of the first two, as models write them. The first one stands in the documentation.
    pub samples: &'static [&'static str],
    /// How the text of the marker is read.
    pub reads: Reads,
    /// The words before the number, in lower case; empty for a form without words.
    pub words: &'static [&'static str],
    /// The characters that may stand between a word and its number.
    pub between: &'static str,
    /// The number of the first source.
    pub first: First,
    /// The formats in which it is a marker.
    pub formats: Formats,
    /// Its fate when it names no source.
    pub unresolved: Unresolved,
}

/// How the text of a marker is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Numbers, lists and ranges in square brackets.
    Numbers,
    /// A number behind `^`.
    Footnote,
    /// Numbers behind `doc`.
    Documents,
    /// An id, a file name, or `file#page=n`.
    Name,
    /// Numbers, or two numbers and a name, between `【` and `】`.
    Lenticular,
    /// A verb and names between U+E200 and U+E201.
    PrivateUse,
    /// A word of the row and numbers, in any brackets.
    Word,
    /// A word of the row and numbers, in any brackets or in parentheses.
    WordInParentheses,
    /// Raised digits, digits between two `^`, or digits between `<sup>` and `</sup>`.
    Raised,
    /// Digits between `##` and `$$`.
    Hashes,
    /// Names such as `turn0file0`, without brackets.
    Turn,
}

/// The number of the first source, where numbers are [`Places`](super::NumberMeaning::Places).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// Sources are counted from 1.
    One,
    /// Sources are counted from 0.
    Zero,
    /// From 0 if the answer holds a marker of this form with 0; else from 1, if the answer holds one
    /// with the number of the last source. Without either, nobody knows, and the marker names no source.
    Told,
    /// The form has no numbers.
    Nothing,
}

/// The formats in which a form is a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formats {
    /// All formats, where every number of the marker names a source.
    All,
    /// Formats with [`MarkerGrammar::numbers`].
    Numbers,
    /// Formats with [`MarkerGrammar::footnotes`].
    Footnotes,
    /// Formats with [`MarkerGrammar::documents`]; in one letter case with [`MarkerGrammar::exact_documents`].
    Documents,
    /// Formats with [`MarkerGrammar::names`].
    Names,
    /// Formats with [`MarkerGrammar::lenticular`].
    Lenticular,
    /// Formats with [`MarkerGrammar::private_use`].
    PrivateUse,
}

impl Formats {
    /// Whether a grammar has the form.
    #[must_use]
    pub const fn include(self, grammar: &MarkerGrammar) -> bool {
        match self {
            Self::All => true,
            Self::Numbers => grammar.numbers,
            Self::Footnotes => grammar.footnotes,
            Self::Documents => grammar.documents || grammar.exact_documents,
            Self::Names => grammar.names,
            Self::Lenticular => grammar.lenticular,
            Self::PrivateUse => grammar.private_use,
        }
    }
}

/// The fate of a marker that names no source (policy P-05).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// It is text like any other.
    Text,
    /// It stays, since people write this form too, and the report lists it as unresolved.
    Stays,
    /// It stays, and a note of the report says that it looks like a marker.
    StaysNoted,
    /// It goes, since only machines write this form.
    Vanishes,
}

/// A form without words.
const fn plain(
    samples: &'static [&'static str],
    reads: Reads,
    first: First,
    formats: Formats,
    unresolved: Unresolved,
) -> MarkerRow {
    MarkerRow { samples, reads, words: &[], between: "", first, formats, unresolved }
}

/// A form with words, which only the sources of the answer make a marker.
const fn word(
    samples: &'static [&'static str],
    reads: Reads,
    words: &'static [&'static str],
    between: &'static str,
    first: First,
) -> MarkerRow {
    MarkerRow { samples, reads, words, between, first, formats: Formats::All, unresolved: Unresolved::StaysNoted }
}

/// Every form. The first row that reads a marker has it.
pub static MARKER_ROWS: &[MarkerRow] = &[
    plain(
        &[
            "[1]",
            "[1, 2]",
            "[1; 2]",
            "[1，2]",
            "[1-2]",
            "[^1^]",
            "[^1^, ^2^]",
            "［1］",
            "[1†source]",
            "[1↑source]",
            "[1, p. 3]",
        ],
        Reads::Numbers,
        First::One,
        Formats::Numbers,
        Unresolved::Stays,
    ),
    plain(&["[^1]"], Reads::Footnote, First::One, Formats::Footnotes, Unresolved::Stays),
    plain(
        &["[doc1]", "[Docs 1]", "[doc1, doc2]"],
        Reads::Documents,
        First::One,
        Formats::Documents,
        Unresolved::Vanishes,
    ),
    plain(
        &["【4:0†plan.pdf】", "【1】", "【1†source】"],
        Reads::Lenticular,
        First::One,
        Formats::Lenticular,
        Unresolved::Vanishes,
    ),
    plain(
        &["\u{e200}cite\u{e202}turn0file0\u{e201}"],
        Reads::PrivateUse,
        First::Nothing,
        Formats::PrivateUse,
        Unresolved::Vanishes,
    ),
    plain(&["[plan.pdf]", "[plan.pdf#page=2]"], Reads::Name, First::Nothing, Formats::Names, Unresolved::Text),
    word(
        &[
            "[Source 1]",
            "(source 1)",
            "[Sources 1, 2]",
            "[Source 1, Source 2]",
            "[source:plan.pdf]",
            "[Source 1, p. 3]",
        ],
        Reads::WordInParentheses,
        &["source", "sources", "src"],
        " :#_-",
        First::One,
    ),
    word(
        &["[Quelle 1]", "[Fuente 1]", "（来源1）", "【来源1】", "[출처 1]"],
        Reads::WordInParentheses,
        &[
            "quelle",
            "quellen",
            "fuente",
            "fuentes",
            "fonte",
            "fontes",
            "fonti",
            "bron",
            "bronnen",
            "kilde",
            "kilder",
            "källa",
            "źródło",
            "kaynak",
            "источник",
            "来源",
            "來源",
            "出典",
            "출처",
        ],
        " :：#",
        First::One,
    ),
    word(
        &["[citation:1]", "[citation:1, 2]", "[citation:1][citation:2]"],
        Reads::WordInParentheses,
        &["citation", "citations", "引用"],
        " :：#_",
        First::One,
    ),
    word(&["[cite:1]", "[cite: 1, 2]"], Reads::Word, &["cite", "cit"], " :_", First::One),
    word(
        &["[web:1]", "[search:1]", "[attached_file:1]"],
        Reads::Word,
        &["web", "webpage", "search", "result", "results", "news", "attached_file", "file"],
        ":_",
        First::One,
    ),
    word(&["[ref_id:0]", "[ref_id: 0]"], Reads::Word, &["ref_id"], ":= ", First::Told),
    word(
        &["[ref_1]", "[Ref. 1]", "[REF_1, REF_2]", "[Reference 1]"],
        Reads::Word,
        &["ref", "refs", "reference", "references", "referenz", "referencia", "référence", "参考", "参考文献"],
        " :_.#-",
        First::One,
    ),
    word(
        &["[Document 1]", "[文档1]"],
        Reads::Word,
        &["document", "documents", "dokument", "documento", "文档", "文獻", "文献", "资料", "資料"],
        " :#_-",
        First::One,
    ),
    word(
        &["[Context 1]", "[chunk_1]"],
        Reads::Word,
        &["context", "chunk", "passage", "excerpt", "snippet"],
        " :#_-",
        First::One,
    ),
    word(&["[ID:0]", "[ID: 0, 1]"], Reads::Word, &["id"], ":", First::Told),
    word(&["[S1]", "[S1, S2]"], Reads::Word, &["s"], "", First::One),
    plain(&["^1^", "^1,2^", "¹", "<sup>1</sup>"], Reads::Raised, First::One, Formats::Numbers, Unresolved::StaysNoted),
    plain(&["##0$$", "##0$$ ##1$$"], Reads::Hashes, First::Zero, Formats::All, Unresolved::StaysNoted),
    plain(
        &["turn0file0", "citeturn0file0", "fileciteturn0file0"],
        Reads::Turn,
        First::Nothing,
        Formats::All,
        Unresolved::StaysNoted,
    ),
];

/// The row of the word that a text begins with, and the text behind the word and what may stand between it and a number.
/// `None` when the text begins with no such word. The letter case does not matter.
#[must_use]
pub fn marker_word(text: &str) -> Option<(&'static MarkerRow, &str)> {
    // The words of no language begin with such a character, and most brackets that are looked at do.
    if text.starts_with(|c: char| !c.is_alphabetic()) {
        return None;
    }
    let is_word = |row: &&MarkerRow| matches!(row.reads, Reads::Word | Reads::WordInParentheses);
    MARKER_ROWS.iter().filter(is_word).find_map(|row| {
        let rest = row.words.iter().find_map(|word| number_behind(text, word, row.between))?;
        Some((row, rest))
    })
}

/// The text behind a word and the characters that may stand behind it. `[IDs]` and `[sourced]` go on with a letter, and
/// `[S 1]` with a blank, which may not stand there.
fn number_behind<'t>(text: &'t str, word: &str, between: &str) -> Option<&'t str> {
    let behind = behind_word(text, word)?;
    let rest = behind.trim_start_matches(|c| between.contains(c));
    let is_apart = rest.len() < behind.len() || rest.starts_with(|c: char| c.is_ascii_digit());
    (is_apart && !rest.is_empty()).then_some(rest)
}

/// The text behind a word.
fn behind_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    for expected in word.chars() {
        let c = rest.next()?;
        if c != expected && !c.to_lowercase().eq([expected]) {
            return None;
        }
    }
    Some(rest.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Option<(&'static str, &str)> {
        marker_word(text).map(|(row, rest)| (row.samples[0], rest))
    }

    #[test]
    fn the_word_of_a_marker_is_known_in_any_case() {
        assert_eq!(words("Source 1"), Some(("[Source 1]", "1")));
        assert_eq!(words("SOURCES: 1, 2"), Some(("[Source 1]", "1, 2")));
        assert_eq!(words("来源1"), Some(("[Quelle 1]", "1")));
        assert_eq!(words("ref_id:3"), Some(("[ref_id:0]", "3")));
        assert_eq!(words("ref_3"), Some(("[ref_1]", "3")));
        assert_eq!(words("S1, S2"), Some(("[S1]", "1, S2")));
        assert_eq!(words("Source: plan.pdf"), Some(("[Source 1]", "plan.pdf")));
        for other in ["sourced 1", "S. 3", "S 3", "IDs", "id 3", "web 1", "source", "1", "", "[", "Ümlaut 1"] {
            assert_eq!(words(other), None, "{other:?}");
        }
    }

    #[test]
    fn each_row_has_samples_and_says_what_its_words_are() {
        for row in MARKER_ROWS {
            assert!(!row.samples.is_empty(), "{row:?}");
            let has_words = matches!(row.reads, Reads::Word | Reads::WordInParentheses);
            assert_eq!(has_words, !row.words.is_empty(), "{row:?}");
            assert!(row.words.iter().all(|word| word.to_lowercase() == *word), "{row:?}");
        }
    }
}
