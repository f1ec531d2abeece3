//! The code that an answer rests on, as a thing.

use serde::Serialize;

use crate::answer::SourceCode;

/// schema.org's `SoftwareSourceCode`. Web Chat's main branch shows it behind a button, with the language as title.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SoftwareSourceCode {
    #[serde(rename = "@type")]
    kind: &'static str,
    /// The name of its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub programming_language: Option<String>,
    /// The program.
    pub text: String,
}

impl SoftwareSourceCode {
    /// The thing for this code.
    #[must_use]
    pub fn new(code: &SourceCode) -> Self {
        let SourceCode { text, language } = code.clone();
        Self { kind: "SoftwareSourceCode", programming_language: language, text }
    }
}
