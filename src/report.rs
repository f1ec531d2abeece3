//! What a conversion did beside the activity (policy P-14: nothing is silently lost).

use serde::Serialize;

/// The report that stands beside every conversion.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The provider said that the answer is whole.
    pub complete: bool,
    /// What the provider reported as an error.
    pub error: Option<serde_json::Value>,
    /// Whether the provider used its retrieval tools; unknown is `null`.
    pub tools_invoked: Option<bool>,
    /// One entry for each cited source, in the order of the numbers shown.
    pub cited: Vec<Entry>,
    /// Markers that name no source.
    pub unresolved: Vec<Entry>,
    /// Sources that became one claim.
    pub merged: Vec<Entry>,
    /// What was left out.
    pub dropped: Vec<Entry>,
    /// What could have misled or harmed a reader and was made harmless.
    pub neutralised: Vec<Entry>,
    /// What was shortened.
    pub cut: Vec<Entry>,
    /// Everything else worth knowing.
    pub notes: Vec<Entry>,
}

/// One entry of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// Stable and made for programs.
    pub code: &'static str,
    /// Where.
    pub at: At,
    /// For people.
    pub message: String,
}

/// Where an [`Entry`] happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum At {
    /// A byte offset in the answer's text.
    Offset(usize),
    /// A JSON pointer into the input.
    Pointer(String),
}
