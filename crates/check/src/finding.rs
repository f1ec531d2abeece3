//! What a check has to say.

use std::fmt;

use serde::Serialize;

/// One thing that a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Finding {
    /// Stable and made for programs.
    pub code: &'static str,
    /// How bad it is: "error", "warning" or "note".
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub severity: Severity,
    /// JSON pointer into the checked document; empty for the whole.
    pub pointer: String,
    /// What a user of the channel would see, and how to mend it.
    pub message: String,
}

/// How bad a [`Finding`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Users see a broken, wrong or dangerous message.
    Error,
    /// Users miss something, or see it on some versions only.
    Warning,
    /// Worth knowing.
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
