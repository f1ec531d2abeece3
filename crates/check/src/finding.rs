//! The findings of a check.

use std::fmt;

use serde::Serialize;

/// One finding of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Finding {
    /// A stable code for programs.
    pub code: &'static str,
    /// The severity: `error`, `warning` or `note`.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub severity: Severity,
    /// A JSON pointer into the checked document; empty for the whole document.
    pub pointer: String,
    /// The effect for users of the channel, and how to fix it.
    pub message: String,
}

/// The severity of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Users see a broken, wrong or dangerous message.
    Error,
    /// Some content is missing, or shows only in some versions of the channel.
    Warning,
    /// A hint without a visible effect.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}
