//! The service behind an answer.

use crate::url::WebUrl;

/// The service that made the answer; Web Chat shows it beside the time ("Surfaced with …").
#[derive(Clone, Debug, PartialEq)]
pub struct Interpreter {
    /// The text to show.
    pub slogan: String,
    /// The address of its link.
    pub url: Option<WebUrl>,
}

impl Interpreter {
    /// An interpreter.
    #[must_use]
    pub fn new(slogan: impl Into<String>, url: Option<WebUrl>) -> Self {
        Self { slogan: slogan.into(), url }
    }
}
