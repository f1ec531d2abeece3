//! To be written.

use serde::Serialize;
use serde_json::Value;

use crate::answer::Answer;

/// To be written.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Records {}

/// To be written.
#[must_use]
pub fn records(_answer: &Answer, _objects: &[Value]) -> Records {
    Records::default()
}
