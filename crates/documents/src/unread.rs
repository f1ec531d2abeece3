//! Parts of a document that are known to be there and are not read.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::counted::number;

/// A kind of parts that are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnreadKind {
    /// Sheets of Excel that are not shown.
    HiddenSheets,
    /// Slides with notes for the speaker.
    SpeakerNotes,
    /// Parts with remarks of readers.
    Comments,
    /// Diagrams of numbers.
    Charts,
    /// Drawings of Excel.
    Drawings,
    /// Formulas of HTML.
    Formulas,
    /// Pages and programs inside of a page.
    Embedded,
    /// Pages of a PDF that it counts, and that cannot be found in it.
    MissingPages,
    /// The list of the pages of a PDF. Pages were looked for without it.
    ListOfPages,
}

impl UnreadKind {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::HiddenSheets => ("hidden sheet", "hidden sheets"),
            Self::SpeakerNotes => ("slide's speaker notes", "slides' speaker notes"),
            Self::Comments => ("part with comments", "parts with comments"),
            Self::Charts => ("chart", "charts"),
            Self::Drawings => ("drawing", "drawings"),
            Self::Formulas => ("formula", "formulas"),
            Self::Embedded => ("embedded page", "embedded pages"),
            Self::ListOfPages => {
                ("list of pages, so that some may be missing", "lists of pages, so that some may be missing")
            }
            Self::MissingPages => ("page that the file counts and lacks", "pages that the file counts and lacks"),
        }
    }
}

/// The numbers of parts that are not read, by their kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Unread(BTreeMap<UnreadKind, u32>);

impl Unread {
    /// Whether everything that is known to be there is read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of parts of a kind.
    #[must_use]
    pub fn count(&self, kind: UnreadKind) -> u32 {
        self.0.get(&kind).copied().unwrap_or(0)
    }

    pub(crate) fn add(&mut self, kind: UnreadKind, count: usize) {
        if count > 0 {
            let known = self.0.entry(kind).or_default();
            *known = known.saturating_add(number(count));
        }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self
            .0
            .iter()
            .map(|(kind, count)| {
                let (one, many) = kind.words();
                format!("{count} {}", if *count == 1 { one } else { many })
            })
            .collect();
        write!(f, "not read: {}", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_not_read_are_counted_by_kind() {
        let mut unread = Unread::default();
        unread.add(UnreadKind::Comments, 0);
        assert!(unread.is_empty());
        unread.add(UnreadKind::Charts, 1);
        unread.add(UnreadKind::HiddenSheets, 2);
        assert_eq!(unread.to_string(), "not read: 2 hidden sheets, 1 chart");
        assert_eq!((unread.count(UnreadKind::Charts), unread.count(UnreadKind::Drawings)), (1, 0));
    }
}
