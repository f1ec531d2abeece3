//! The forms by which words of a passage are compared with those of a question.

use super::language::{Language, Stems};
use super::words::{Case, SearchWord};

/// The part of the weight of a word that another form of it has.
pub(super) const OTHER_FORM: f64 = 0.7;

/// A word of a passage.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct WordForm {
    /// The word without diacritics; a name in capitals.
    pub(super) text: String,
    pub(super) stem: String,
}

impl WordForm {
    /// The form of a word in a text of this language, whose stems these are.
    pub(super) fn of(word: &SearchWord, language: Language, stems: &Stems) -> Self {
        match word.case {
            Case::High if language.has_stop_word(word) => Self { text: word.name(), stem: word.name() },
            Case::High | Case::First | Case::Low => Self { text: word.folded(), stem: stems.of(word) },
        }
    }
}

/// Whether a word says something about the subject of a text of this language.
pub(super) fn is_telling(word: &SearchWord, language: Language) -> bool {
    word.is_unspaced || !language.has_stop_word(word)
}
