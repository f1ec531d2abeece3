//! To be written.

use serde::Serialize;

use crate::answer::Answer;

/// To be written.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OpenWebUi {}

/// To be written.
#[must_use]
pub fn open_webui(_answer: &Answer) -> OpenWebUi {
    OpenWebUi::default()
}
