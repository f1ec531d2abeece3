//! The outcome of reading a file of a folder.

use std::sync::Arc;

use citewire_documents::Unreadable;

use super::file::FileContent;
use crate::store::DocumentLoss;

/// The outcome of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// The document can be found and quoted.
    Ready {
        /// The number of pages or slides, where it has any.
        pages: Option<u32>,
        /// The number of passages.
        passages: usize,
        /// The parts of it that could not be read, where some are known.
        loss: Option<Arc<DocumentLoss>>,
        /// The number of its lines that are no text.
        left_out: usize,
    },
    /// The document cannot be read.
    Unreadable(Unreadable),
    /// The file is no document by its name.
    Skipped,
}

impl FileOutcome {
    /// The outcome for a file that was read.
    pub(super) fn of(content: &FileContent) -> Self {
        Self::Ready {
            pages: content.document.pages,
            passages: content.passages.len(),
            loss: content.document.loss.clone(),
            left_out: content.document.left_out,
        }
    }
}
