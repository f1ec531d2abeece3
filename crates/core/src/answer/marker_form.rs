//! The brackets of markers: one row for each form.

/// The brackets of a marker. Which text between them is a marker, [`MarkerGrammar`](super::MarkerGrammar) says for each provider,
/// and `cite` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerForm {
    /// `[1]`, `[doc1]`, `[^1]`, `[plan.pdf]`: people write it as well.
    Square,
    /// `【1†source】`, `【4:0†plan.pdf】`, as OpenAI's file search does.
    Lenticular,
    /// A verb and names, separated by U+E202, as ChatGPT's web search does.
    PrivateUse,
}

impl MarkerForm {
    /// Every form.
    pub const ALL: [Self; 3] = [Self::Square, Self::Lenticular, Self::PrivateUse];

    const fn row(self) -> (char, char) {
        match self {
            Self::Square => ('[', ']'),
            Self::Lenticular => ('【', '】'),
            Self::PrivateUse => ('\u{e200}', '\u{e201}'),
        }
    }

    /// The character that a marker begins with.
    #[must_use]
    pub const fn open(self) -> char {
        self.row().0
    }

    /// The character that a marker ends with.
    #[must_use]
    pub const fn close(self) -> char {
        self.row().1
    }

    /// The form that begins with a character.
    #[must_use]
    pub fn opened_by(c: char) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.open() == c)
    }

    /// The form that ends with a character.
    #[must_use]
    pub fn closed_by(c: char) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.close() == c)
    }
}
