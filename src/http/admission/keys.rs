//! API keys and their scopes.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::secret::Secret;

/// A part of the API that a key may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Scope {
    /// Answers in, activities and other outputs out; checking. Touches no conversation.
    Convert,
    /// Asking assistants and reading their documents; sending an answer into a conversation whose id the caller knows.
    Answer,
    /// Listing, reading, exporting and deleting conversations and what belongs to users.
    Conversations,
    /// Figures about the server.
    Metrics,
    /// Settings and documents of the server.
    Admin,
}

impl Scope {
    /// All scopes: what the single `api_key` opens.
    pub const ALL: [Self; 5] = [Self::Convert, Self::Answer, Self::Conversations, Self::Metrics, Self::Admin];

    /// The name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Convert => "convert",
            Self::Answer => "answer",
            Self::Conversations => "conversations",
            Self::Metrics => "metrics",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is not a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("scopes are {}", Scope::ALL.map(Scope::name).join(", "))]
pub struct InvalidScope;

impl FromStr for Scope {
    type Err = InvalidScope;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|scope| scope.name() == text).ok_or(InvalidScope)
    }
}

/// An API key: its name for the log, its secrets and its scopes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// The name, `[keys.NAME]`; `api_key` is that of the single key.
    pub name: String,
    /// The secret, and while it is exchanged another one.
    pub secrets: Vec<Secret>,
    /// The parts of the API that the key opens.
    pub scopes: BTreeSet<Scope>,
}

impl ApiKey {
    /// The name of the key that opens everything.
    pub const SINGLE: &'static str = "api_key";

    /// The key that opens everything.
    #[must_use]
    pub fn single(secret: Secret) -> Self {
        Self { name: Self::SINGLE.to_owned(), secrets: vec![secret], scopes: Scope::ALL.into() }
    }

    /// Whether the credential is this key. Compares with each secret in constant time.
    #[must_use]
    pub fn matches(&self, credential: &str) -> bool {
        self.secrets.iter().any(|secret| secret.matches(credential))
    }

    /// Whether the key opens this part of the API.
    #[must_use]
    pub fn opens(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}
