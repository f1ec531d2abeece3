//! What a dialect asks of the text: data, not code.

use std::collections::BTreeSet;

/// The rules of one dialect for one conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// Whether reference definitions are appended (policy P-10).
    pub definitions: bool,
    /// Which numbers readers see (policy P-03).
    pub numbering: Numbering,
    /// Whether two pages of one document are two claims (policy P-04).
    pub pages: Pages,
    /// Hosts whose images may load, in lower case (policy P-06).
    pub image_hosts: BTreeSet<String>,
    /// Whether a line end inside a paragraph becomes a line break that readers see.
    pub hard_breaks: bool,
}

impl Rules {
    /// The rules of Web Chat.
    #[must_use]
    pub fn web_chat() -> Self {
        Self {
            definitions: true,
            numbering: Numbering::default(),
            pages: Pages::default(),
            image_hosts: BTreeSet::new(),
            hard_breaks: false,
        }
    }
}

/// Which numbers readers see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Numbering {
    /// 1, 2, 3 by first appearance.
    #[default]
    Dense,
    /// The place of the source in the provider's list.
    Provider,
}

/// What two pages of one document are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pages {
    /// One claim.
    #[default]
    Merge,
    /// Two claims.
    Split,
}
