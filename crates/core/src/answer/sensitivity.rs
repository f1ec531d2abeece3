//! Sensitivity labels (policy P-11).

use super::Color;

/// A sensitivity label of a document or of a whole answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SensitivityLabel {
    /// The caller's id; it becomes a blank node in JSON-LD.
    pub id: Option<String>,
    /// The text on the shield.
    pub name: Option<String>,
    /// The text of the tooltip.
    pub description: Option<String>,
    /// The priority; higher means more sensitive.
    pub priority: i64,
    /// The color of the shield.
    pub colour: Option<Color>,
    /// Whether the document is encrypted; the shield then shows a lock.
    pub encrypted: bool,
}
