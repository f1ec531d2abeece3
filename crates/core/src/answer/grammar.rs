//! The forms of marker that each provider's format uses (policy P-01).

/// The forms of marker that a text may hold. A form that is off is read as plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerGrammar {
    /// `[1]`, `[^1^]`, and lists and ranges of numbers.
    pub numbers: bool,
    /// `[^1]`, and a footnote definition that begins with it. If off, both stay Markdown footnotes (rule N-08).
    pub footnotes: bool,
    /// `[1#part]` counts as `[1]`.
    pub fragments: bool,
    /// The meaning of the number in a marker.
    pub meaning: NumberMeaning,
    /// `[1](url)` and `[[1]](url)`. If off, these are ordinary links.
    pub linked: bool,
    /// `[text](url)` with the address of a source. Off if the provider cites beside the text: then a link is a part of the
    /// text, and the provider cites its sources itself.
    pub links: bool,
    /// `[doc1]`, `[docs1]`, `[doc 1]` and lists of them, in any case.
    pub documents: bool,
    /// `[doc1]` in lower case without blanks, and no other form of `doc` (rule AZ-03).
    pub exact_documents: bool,
    /// `【1】`, `【4:0†name】`.
    pub lenticular: bool,
    /// The number of `【1】` and `【1†name】` is the place of a source. If off, only an annotation gives its source.
    pub lenticular_places: bool,
    /// U+E200 … U+E201.
    pub private_use: bool,
    /// A bracket with a source's id, file name or `file#page=n`.
    pub names: bool,
    /// A bracket whose content is the end of a source's id.
    pub name_ends: bool,
}

/// The meaning of the numbers in markers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberMeaning {
    /// Places in the list of sources. Each form says from which number it counts ([`First`](super::First)).
    #[default]
    Places,
    /// Places that every form counts from 0.
    PlacesFromZero,
    /// Ids of sources, whatever their places are.
    Ids,
}

impl MarkerGrammar {
    /// The default: all forms except `fragments`, `exact_documents` and `name_ends`, with numbers as places.
    pub const ALL: Self = Self {
        numbers: true,
        footnotes: true,
        fragments: false,
        meaning: NumberMeaning::Places,
        linked: true,
        links: true,
        documents: true,
        exact_documents: false,
        lenticular: true,
        lenticular_places: true,
        private_use: true,
        names: true,
        name_ends: false,
    };

    /// No form.
    pub const NONE: Self = Self {
        numbers: false,
        footnotes: false,
        fragments: false,
        meaning: NumberMeaning::Places,
        linked: false,
        links: false,
        documents: false,
        exact_documents: false,
        lenticular: false,
        lenticular_places: false,
        private_use: false,
        names: false,
        name_ends: false,
    };

    /// Only links to the addresses of sources, for formats whose sources have no places in the text.
    pub const LINKS: Self = Self { links: true, ..Self::NONE };

    /// `[docN]` in the form of Azure OpenAI On Your Data (rule AZ-03).
    pub const AZURE_ON_YOUR_DATA: Self =
        Self { footnotes: true, linked: true, links: true, exact_documents: true, ..Self::NONE };

    /// `[N]` as a place in the list of sources, without the bracket forms that Markdown uses otherwise (rule N-08).
    pub const BRACKETED_NUMBERS: Self = Self { numbers: true, links: true, fragments: true, ..Self::NONE };

    /// Like [`BRACKETED_NUMBERS`](Self::BRACKETED_NUMBERS), but `[N]` before a round bracket is a marker too (rule AH-03).
    pub const ASSISTANT_HUB: Self = Self { linked: true, ..Self::BRACKETED_NUMBERS };

    /// `[N]` as the id of a search result.
    pub const BRACKETED_IDS: Self = Self { meaning: NumberMeaning::Ids, ..Self::BRACKETED_NUMBERS };

    /// Brackets that only annotations explain; without an annotation they vanish (rule N-07).
    pub const ANNOTATED: Self = Self { lenticular: true, private_use: true, ..Self::NONE };

    /// Brackets that annotations explain, and numbers, names or own markers of sources that a service lists beside the text.
    pub const LISTED: Self = Self {
        footnotes: true,
        fragments: false,
        names: true,
        lenticular: true,
        private_use: true,
        ..Self::BRACKETED_NUMBERS
    };

    /// `[file.pdf#page=2]`: the end of an entry in the list of sources.
    pub const REFERENCES: Self = Self { links: true, names: true, name_ends: true, ..Self::NONE };

    /// Whether the number in a marker may be the place of a source in the list.
    #[must_use]
    pub fn counts_places(&self) -> bool {
        self.numbers || self.documents || self.exact_documents || self.lenticular_places
    }
}

impl Default for MarkerGrammar {
    fn default() -> Self {
        Self::ALL
    }
}
