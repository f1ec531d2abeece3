//! The rules by which the text for a dialect is written.

use std::collections::BTreeSet;

use crate::answer::Pages;
use crate::url::Tracking;

/// The rules of one dialect for one conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether reference definitions are appended.
    pub definitions: bool,
    /// Which numbers readers see (policy P-03).
    pub numbering: Numbering,
    /// Which places of one document are claims of their own (policy P-04).
    pub pages: Pages,
    /// Which query parameters are ignored when addresses are compared.
    pub tracking: Tracking,
    /// Hosts whose images may load, in lower case (policy P-06).
    pub image_hosts: BTreeSet<String>,
    /// Whether a line end inside a paragraph becomes a line break that readers see.
    pub hard_breaks: bool,
    /// Whether the channel draws the text as Markdown. If not, the text gets no invisible characters and no escapes of HTML.
    pub markdown: bool,
    /// Whether the channel draws the text behind block elements of raw HTML. If not, HTML that would cost text is shown as
    /// text.
    pub block_html: bool,
    /// Whether the channel takes Markdown with math and without HTML: Teams' extended Markdown (`docs/guides/teams.md`).
    pub extended: bool,
    /// Whether a blank line parts the items of each list, because the channel draws badges in paragraphs only.
    pub loose_lists: bool,
    /// Whether to close a code fence that the answer leaves open, because something follows the text.
    pub close_fence: bool,
    /// How to write a `[n]` that is no marker but equals the number of a claim.
    pub literal_numbers: LiteralNumbers,
    /// The largest number of claims in a message; `None` is unlimited. The markers of further sources vanish.
    pub max_claims: Option<usize>,
    /// Whether only markers are changed and all other text stays as the model wrote it. Sources with one address then stay
    /// separate, except web pages (rule N-03). Markers without a source stay too, except the forms that no person can read
    /// (rule N-07).
    pub only_markers: bool,
    /// Whether to remove a list of references at the end that repeats the sources (policy P-06).
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
            block_html: false,
            extended: false,
            loose_lists: false,
            close_fence: true,
            literal_numbers: LiteralNumbers::Escape,
            max_claims: None,
            only_markers: false,
            without_bibliography: true,
        }
    }

    /// The rules of channels whose form citewire writes from the Markdown.
    #[must_use]
    pub fn chat() -> Self {
        Self { block_html: true, ..Self::web_chat() }
    }

    /// The rules of Teams, which matches `[n]` in the text to the claim of that number (`docs/guides/teams.md`).
    #[must_use]
    pub fn teams() -> Self {
        Self {
            definitions: false,
            block_html: true,
            loose_lists: true,
            close_fence: false,
            literal_numbers: LiteralNumbers::Break,
            max_claims: Some(TEAMS_MAX_CLAIMS),
            ..Self::web_chat()
        }
    }

    /// The rules of plain text, which is read without being drawn: SMS, e-mail.
    #[must_use]
    pub fn plain() -> Self {
        Self {
            definitions: false,
            markdown: false,
            block_html: true,
            close_fence: false,
            literal_numbers: LiteralNumbers::Keep,
            ..Self::web_chat()
        }
    }

    /// The rules of text for programs instead of channels: each marker is its source's place in the list, from 1 (rule
    /// N-01).
    #[must_use]
    pub fn numbered() -> Self {
        Self { numbering: Numbering::Provider, only_markers: true, without_bibliography: false, ..Self::plain() }
    }
}

/// Teams refuses messages with more claims.
const TEAMS_MAX_CLAIMS: usize = 20;

/// How to write a `[n]` that is no marker but equals the number of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralNumbers {
    /// Write `&#91;n&#93;`, which Markdown does not read as a link.
    Escape,
    /// Write U+200B behind the opening bracket, so that a search for `[n]` finds nothing, in the source or in the drawn
    /// text.
    Break,
    /// Keep it, and note it in the report.
    Keep,
}

/// How claims are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Numbering {
    /// 1, 2, 3 by first appearance.
    #[default]
    Dense,
    /// The place of the source in the provider's list, from 1.
    Provider,
}
