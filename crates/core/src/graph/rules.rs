//! What a dialect asks of the graph: data, not code.

use std::collections::BTreeSet;

/// The rules of one dialect for one conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphRules {
    /// The longest abstract, in UTF-16 units.
    pub abstract_max_utf16: usize,
    /// What `abstract_max_utf16` is held to, whatever the caller wishes.
    pub abstract_limit_utf16: Option<usize>,
    /// Whether a claim without a passage has its title for an abstract.
    pub abstract_required: bool,
    /// The longest title of a claim, in UTF-16 units.
    pub name_max_utf16: Option<usize>,
    /// How many key words a claim may have, and the longest one in UTF-16 units.
    pub keywords: Option<KeywordLimits>,
    /// Hosts whose images may load in a passage.
    pub image_hosts: BTreeSet<String>,
    /// Whether the passages of encrypted documents are left out.
    pub withhold_encrypted: bool,
    /// How much of a document is told.
    pub members: Members,
    /// How sensitivity labels are written.
    pub labels: LabelForm,
    /// Where the message says that a machine wrote it; `None` says it nowhere.
    pub ai_mark: Option<AiMark>,
    /// Whether a claim has the icon of its kind of document.
    pub icons: bool,
    /// Whether a claim has the Adaptive Card of its source.
    pub cards: bool,
}

/// The limits of key words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeywordLimits {
    /// How many.
    pub count: usize,
    /// The longest one, in UTF-16 units.
    pub max_utf16: usize,
}

/// How much of a document is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// All that schema.org has a word for; the position as a string, the address as in the definition of the text.
    Full,
    /// What the contract of Teams names and nothing else; the position as a number, the address as it is.
    Contract,
}

/// How sensitivity labels are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelForm {
    /// Each once as a full node, and referred to elsewhere.
    Linked,
    /// One for the message; a claim repeats it when its label is the same one.
    One,
    /// Not at all.
    Absent,
}

/// Where a message says that a machine wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AiMark {
    /// In `keywords`.
    Keywords,
    /// In `additionalType`.
    AdditionalType,
}

impl GraphRules {
    /// The rules of Web Chat, which reads no abstract; it is there for other readers of the activity.
    #[must_use]
    pub fn web_chat() -> Self {
        Self {
            abstract_max_utf16: 480,
            abstract_limit_utf16: None,
            abstract_required: false,
            name_max_utf16: None,
            keywords: None,
            image_hosts: BTreeSet::new(),
            withhold_encrypted: false,
            members: Members::Full,
            labels: LabelForm::Linked,
            ai_mark: Some(AiMark::Keywords),
            icons: false,
            cards: false,
        }
    }

    /// The rules of Teams. Its documentation says 160 for the abstract, its service refuses a message above 480; the title
    /// and the key words are documented at 80 and 3 of 28. The types of its SDKs and its emulator want an abstract in every claim
    /// (`docs/guides/teams.md`).
    #[must_use]
    pub fn teams() -> Self {
        Self {
            abstract_max_utf16: 160,
            abstract_limit_utf16: Some(480),
            abstract_required: true,
            name_max_utf16: Some(80),
            keywords: Some(KeywordLimits { count: 3, max_utf16: 28 }),
            members: Members::Contract,
            labels: LabelForm::One,
            ai_mark: Some(AiMark::AdditionalType),
            icons: true,
            cards: true,
            ..Self::web_chat()
        }
    }

    /// The rules of Microsoft 365 Copilot: those of Teams, but neither labels nor icons nor cards are supported there.
    #[must_use]
    pub fn m365_copilot() -> Self {
        Self { labels: LabelForm::Absent, icons: false, cards: false, ..Self::teams() }
    }

    /// The rules of a channel with marks of its own: those of Web Chat. Its list of references is written from the claims, with the
    /// beginning of a passage where there is no address.
    #[must_use]
    pub fn chat() -> Self {
        Self { abstract_max_utf16: 160, ..Self::web_chat() }
    }

    /// The rules of a plain text, whose list of references is written from the claims.
    #[must_use]
    pub fn plain() -> Self {
        Self {
            abstract_max_utf16: 160,
            members: Members::Contract,
            labels: LabelForm::Absent,
            ai_mark: None,
            ..Self::web_chat()
        }
    }
}
