//! The brackets of markers.

/// The brackets of a marker. [`MarkerGrammar`](super::MarkerGrammar) says which contents are markers for a provider; `cite`
/// reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerForm {
    /// `[1]`, `[doc1]`, `[^1]`, `[plan.pdf]`: models and people write this form.
    Square,
    /// `［1］`: square brackets as Chinese and Japanese keyboards write them.
    FullWidth,
    /// `【1†source】`, `【4:0†plan.pdf】`: the form of OpenAI's file search.
    Lenticular,
    /// A verb and names, separated by U+E202: the form of ChatGPT's web search.
    PrivateUse,
}

impl MarkerForm {
    /// Every form.
    pub const ALL: [Self; 4] = [Self::Square, Self::FullWidth, Self::Lenticular, Self::PrivateUse];

    const fn row(self) -> (char, char) {
        match self {
            Self::Square => ('[', ']'),
            Self::FullWidth => ('［', '］'),
            Self::Lenticular => ('【', '】'),
            Self::PrivateUse => ('\u{e200}', '\u{e201}'),
        }
    }

    /// The first character of a marker.
    #[must_use]
    pub const fn open(self) -> char {
        self.row().0
    }

    /// The last character of a marker.
    #[must_use]
    pub const fn close(self) -> char {
        self.row().1
    }

    /// The form that begins with this character.
    #[must_use]
    pub fn opened_by(c: char) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.open() == c)
    }

    /// The form that ends with this character.
    #[must_use]
    pub fn closed_by(c: char) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.close() == c)
    }
}
