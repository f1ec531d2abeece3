//! A row of the table: a body and its readings.

use super::reading::Outcome;

/// One body: how it was read, and what is wrong with that.
pub(super) struct Row {
    pub(super) name: String,
    /// The format by which it is counted: the one that is known, else the one that was found.
    pub(super) format: Option<String>,
    pub(super) auto: Outcome,
    /// The reading by name, where a name is known.
    pub(super) named: Option<Outcome>,
    /// The differences from expectations.
    pub(super) verdict: Vec<String>,
}
