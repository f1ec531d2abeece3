//! Errors of file uploads.

use crate::channels::direct_line::ActivityError;

/// The media type of the part that is no file, but the activity.
pub(in crate::http) const TEMPLATE: &str = "application/vnd.microsoft.activity";

/// The maximum number of parts of an upload.
pub(in crate::http) const MAX_PARTS: usize = 64;

/// The body of an upload cannot be parsed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UploadError {
    /// The upload says that it has parts, but it has none.
    #[error("the parts of the body cannot be read: {0}")]
    Parts(#[from] multer::Error),
    /// The upload has more parts than anyone needs.
    #[error("an upload has at most {MAX_PARTS} parts")]
    TooManyParts,
    /// The upload is empty.
    #[error("an upload has at least one file or an activity")]
    Empty,
    /// The template is no activity.
    #[error("the part of type {TEMPLATE} is not an activity: {0}")]
    Template(#[from] ActivityError),
}
