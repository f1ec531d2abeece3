//! Sensitivity labels (policy P-11).

use super::Color;

/// A sensitivity label of a document or of a whole answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SensitivityLabel {
    /// The caller's id; becomes a blank node.
    pub id: Option<String>,
    /// What is shown.
    pub name: Option<String>,
    /// What the tooltip says.
    pub description: Option<String>,
    /// The higher, the more sensitive.
    pub priority: i64,
    /// The colour of the shield.
    pub colour: Option<Color>,
    /// Whether the document is encrypted: the shield then carries a lock.
    pub encrypted: bool,
}
