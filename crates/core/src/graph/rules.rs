//! The requirements of a dialect on the graph, as data.

use std::collections::BTreeSet;

/// The graph rules of one dialect for one conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphRules {
    /// The longest abstract, in UTF-16 code units.
    pub abstract_max_utf16: usize,
    /// The upper bound of `abstract_max_utf16`, whatever the caller configures.
    pub abstract_limit_utf16: Option<usize>,
    /// Whether the abstract is plain text, because the channel shows its Markdown raw.
    pub abstract_plain: bool,
    /// Whether a claim without a passage gets its title as abstract.
    pub abstract_required: bool,
    /// The longest title of a claim, in UTF-16 code units.
    pub name_max_utf16: Option<usize>,
    /// The limits of keywords.
    pub keywords: Option<KeywordLimits>,
    /// The hosts whose images may load in a passage.
    pub image_hosts: BTreeSet<String>,
    /// Whether a claim with a passage has no address of its own: its entry in Web Chat's list then opens the passage, and the
    /// badge what the text defines.
    pub lists_passages: bool,
    /// Whether encrypted documents lose their passages.
    pub withhold_encrypted: bool,
    /// The members that a claim has.
    pub members: Members,
    /// The form of sensitivity labels.
    pub labels: LabelForm,
    /// The place of the mark for AI-generated content; `None` for no mark.
    pub ai_mark: Option<AiMark>,
    /// Whether a claim has the icon of its document type.
    pub icons: bool,
    /// Whether a claim has the Adaptive Card of its source.
    pub cards: bool,
    /// Whether the message has the code that the answer rests on.
    pub code: bool,
}

/// The limits of keywords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeywordLimits {
    /// The maximum number of keywords.
    pub count: usize,
    /// The longest keyword, in UTF-16 code units.
    pub max_utf16: usize,
}

/// The members that a claim has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// All members that schema.org defines; the position as a string, the address as in the link definition of the text.
    Full,
    /// Only the members in the contract of Teams; the position as a number, the address unescaped.
    Contract,
}

/// The form of sensitivity labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelForm {
    /// Each label once as a full node, and by reference elsewhere.
    Linked,
    /// One label for the message. A claim repeats it if its own label is the same.
    One,
    /// No labels.
    Absent,
}

/// The place of the mark for AI-generated content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AiMark {
    /// In `keywords`.
    Keywords,
    /// In `additionalType`.
    AdditionalType,
}

impl GraphRules {
    /// The rules of Web Chat. It does not read the abstract, which serves other readers of the activity.
    #[must_use]
    pub fn web_chat() -> Self {
        Self {
            abstract_max_utf16: 480,
            abstract_limit_utf16: None,
            abstract_plain: false,
            abstract_required: false,
            name_max_utf16: None,
            keywords: None,
            image_hosts: BTreeSet::new(),
            lists_passages: false,
            withhold_encrypted: false,
            members: Members::Full,
            labels: LabelForm::Linked,
            ai_mark: Some(AiMark::Keywords),
            icons: false,
            cards: false,
            code: true,
        }
    }

    /// The rules of Teams. Its documentation limits the abstract to 160 units, the title to 80 and the keywords to 3 of 28;
    /// its service refuses an abstract above 480. Its SDKs and emulator require an abstract in every claim
    /// (`docs/guides/teams.md`).
    #[must_use]
    pub fn teams() -> Self {
        Self {
            abstract_max_utf16: 160,
            abstract_limit_utf16: Some(480),
            abstract_plain: true,
            abstract_required: true,
            name_max_utf16: Some(80),
            keywords: Some(KeywordLimits { count: 3, max_utf16: 28 }),
            members: Members::Contract,
            labels: LabelForm::One,
            ai_mark: Some(AiMark::AdditionalType),
            icons: true,
            cards: true,
            code: false,
            ..Self::web_chat()
        }
    }

    /// The rules of Microsoft 365 Copilot: those of Teams without labels, icons and cards, which Copilot does not support.
    #[must_use]
    pub fn m365_copilot() -> Self {
        Self { labels: LabelForm::Absent, icons: false, cards: false, ..Self::teams() }
    }

    /// The rules of a channel with its own markup: those of Web Chat with shorter abstracts. Its reference list is written
    /// from the claims, and shows the abstract of a source without an address.
    #[must_use]
    pub fn chat() -> Self {
        Self { abstract_max_utf16: 160, abstract_plain: true, code: false, ..Self::web_chat() }
    }

    /// The rules of plain text, whose reference list is written from the claims.
    #[must_use]
    pub fn plain() -> Self {
        Self {
            abstract_max_utf16: 160,
            abstract_plain: true,
            members: Members::Contract,
            labels: LabelForm::Absent,
            ai_mark: None,
            code: false,
            ..Self::web_chat()
        }
    }
}
