//! Configuration errors, with the place of each.

use std::fmt;

/// The source of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultOrigin {
    /// The file, under this key.
    File(String),
    /// The environment, under this name.
    Environment(String),
    /// The command line, for this key.
    Flag(String),
    /// Several settings together.
    Together,
}

impl fmt::Display for FaultOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(key) => write!(f, "{key} in the configuration file"),
            Self::Environment(name) => write!(f, "{name} in the environment"),
            Self::Flag(key) => write!(f, "--{key}"),
            Self::Together => f.write_str("configuration"),
        }
    }
}

/// A configuration error. It never repeats a value, because the value may be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigFault {
    /// The place of the fault: a setting, a file or a variable.
    pub origin: FaultOrigin,
    /// The reason, for the operator.
    pub reason: String,
}

impl ConfigFault {
    pub(super) fn new(origin: FaultOrigin, reason: impl Into<String>) -> Self {
        Self { origin, reason: reason.into() }
    }
}

/// All errors of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError(pub Vec<ConfigFault>);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}: {}", fault.origin, fault.reason)?;
        }
        Ok(())
    }
}
