//! What a dialect asks of the text: data, not code.

use std::collections::BTreeSet;

use crate::url::Tracking;

/// The rules of one dialect for one conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether reference definitions are appended.
    pub definitions: bool,
    /// Which numbers readers see (policy P-03).
    pub numbering: Numbering,
    /// Whether two pages of one document are two claims (policy P-04).
    pub pages: Pages,
    /// Which addresses are those of one document.
    pub tracking: Tracking,
    /// Hosts whose images may load, in lower case (policy P-06).
    pub image_hosts: BTreeSet<String>,
    /// Whether a line end inside a paragraph becomes a line break that readers see.
    pub hard_breaks: bool,
    /// Whether the channel draws the text as Markdown. Where it does not, nothing that only Markdown needs is written:
    /// no invisible characters, no escapes of HTML.
    pub markdown: bool,
    /// Whether a code fence that the answer leaves open is closed, because something follows the text.
    pub close_fence: bool,
    /// What happens to a `[n]` that is no marker but equals the number of a claim.
    pub literal_numbers: LiteralNumbers,
    /// The most claims that a message may carry; the markers of later ones vanish.
    pub max_claims: Option<usize>,
    /// Whether nothing but markers is touched: everything else stays as the model wrote it, and every source is itself, also
    /// where two have one address, but for pages of the web (rule N-03). Of the markers that name nothing, only those go that no person can read (rule N-07).
    pub only_markers: bool,
    /// Whether a list of references at the end goes that repeats the sources (policy P-06).
    pub without_bibliography: bool,
}

impl Rules {
    /// The rules of Web Chat.
    #[must_use]
    pub fn web_chat() -> Self {
        Self {
            definitions: true,
            numbering: Numbering::default(),
            pages: Pages::default(),
            tracking: Tracking::default(),
            image_hosts: BTreeSet::new(),
            hard_breaks: false,
            markdown: true,
            close_fence: true,
            literal_numbers: LiteralNumbers::Escape,
            max_claims: None,
            only_markers: false,
            without_bibliography: true,
        }
    }

    /// The rules of Teams, which matches `[n]` in the text to the claim of that number (`docs/guides/teams.md`).
    #[must_use]
    pub fn teams() -> Self {
        Self {
            definitions: false,
            close_fence: false,
            literal_numbers: LiteralNumbers::Break,
            max_claims: Some(TEAMS_MAX_CLAIMS),
            ..Self::web_chat()
        }
    }

    /// The rules of a text that is read as it stands: SMS, e-mail.
    #[must_use]
    pub fn plain() -> Self {
        Self {
            definitions: false,
            markdown: false,
            close_fence: false,
            literal_numbers: LiteralNumbers::Keep,
            ..Self::web_chat()
        }
    }

    /// The rules of a text that goes to a program, not to a channel: each marker is the place of its source (rule N-01).
    #[must_use]
    pub fn numbered() -> Self {
        Self { numbering: Numbering::Provider, only_markers: true, without_bibliography: false, ..Self::plain() }
    }
}

/// Teams refuses a message with more.
const TEAMS_MAX_CLAIMS: usize = 20;

/// What happens to a `[n]` that is no marker but equals the number of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralNumbers {
    /// `&#91;n&#93;`: Markdown makes no link of it.
    Escape,
    /// A U+200B behind the bracket: a search for `[n]` does not find it, whether it reads Markdown or not.
    Break,
    /// It stays, and the report says so.
    Keep,
}

/// Which numbers readers see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Numbering {
    /// 1, 2, 3 by first appearance.
    #[default]
    Dense,
    /// The place of the source in the provider's list.
    Provider,
}

/// What two pages of one document are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pages {
    /// One claim.
    #[default]
    Merge,
    /// Two claims.
    Split,
}
