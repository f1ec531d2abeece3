//! The errors of putting assistants to work, and of changing them.

use super::Faults;
use super::open::OpenError;
use crate::store::StoreError;

/// The longest key of a back end that can be entered, in bytes.
pub(super) const LONGEST_KEY: usize = 4_096;

/// An assistant cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum ManageError {
    /// It is not in the store.
    #[error("the assistant {0} is part of the configuration of the server: change it there")]
    Configured(String),
    /// A setting names it.
    #[error("the setting {0} of the server names this assistant: change it before you delete the assistant")]
    Named(&'static str),
    /// The settings are invalid.
    #[error("{}", lines(.0))]
    Invalid(Faults),
    /// Its secret is that of somebody else.
    #[error("secret_env: {}", taken(.0))]
    SecretTaken(String),
    /// A key can be entered for assistants with a back end alone.
    #[error(
        "the assistant calls no back end that needs a key, so that none can be entered: choose the back end and save first"
    )]
    NoBackEnd,
    /// The settings name a key.
    #[error("the settings name the key of the back end in key_env: leave that out and save first")]
    KeyNamed,
    /// The text cannot be a key.
    #[error("a key has 1 to {} visible ASCII characters and no blanks", LONGEST_KEY)]
    NoKey,
    /// A setting of the configuration says which bot or assistant answers on the channel.
    #[error("{0} of the configuration says who answers on the page: change it there")]
    ChannelTaken(&'static str),
    /// The server does not have its address yet.
    #[error("the server is starting")]
    Starting,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why an assistant cannot have a secret.
pub(super) fn taken(owner: &str) -> String {
    format!("this is the secret of {owner}: name another one, which nothing else uses")
}

/// Faults, one a line.
pub(super) fn lines(faults: &Faults) -> String {
    let line = |(key, reason): &(String, String)| match key.as_str() {
        "" => reason.clone(),
        key => format!("{key}: {reason}"),
    };
    faults.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The assistants cannot be put to work.
#[derive(Debug, thiserror::Error)]
pub enum ConfigureError {
    /// Those of the configuration cannot be opened.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Open(Vec<OpenError>),
    /// A setting names an assistant that does not exist.
    #[error("{setting}: {name}: this assistant does not exist; known: {known}")]
    Unknown {
        /// The setting.
        setting: &'static str,
        /// The name.
        name: String,
        /// The names of all assistants.
        known: String,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Vec<OpenError>> for ConfigureError {
    fn from(errors: Vec<OpenError>) -> Self {
        Self::Open(errors)
    }
}
