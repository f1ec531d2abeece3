//! The result of writing.

use crate::cite::{CitedPlace, Opaque};

/// A text that was written to its end.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) text: String,
    /// The badges in the text, in order. Known only of a copy of the source, as what follows.
    pub(crate) places: Vec<CitedPlace>,
    /// Where a bracket is no text.
    pub(crate) opaque: Vec<Opaque>,
    /// The number of invisible characters that were removed.
    pub(crate) unseen: usize,
}
