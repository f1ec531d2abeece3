//! To be written.

use serde::Serialize;

use crate::answer::Answer;

/// To be written.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AssistantHub {}

/// To be written.
#[must_use]
pub fn assistanthub(_answer: &Answer) -> AssistantHub {
    AssistantHub::default()
}
