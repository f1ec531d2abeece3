//! The format in which an answer is read.

use std::sync::Arc;

use super::mapping::{Mapping, Mappings};
use super::{Provider, UnknownProvider};

/// The format in which an answer is read.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerFormat {
    /// The one that the body reveals: a mapping that recognizes it, else a format of citewire.
    Detected(Mappings),
    /// A format of citewire.
    Known(Provider),
    /// A mapping.
    Mapped(Arc<Mapping>),
}

/// The error for a name that neither a format nor a mapping has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{unknown}{}", if mappings.is_empty() { String::new() } else { format!("; mappings: {}", mappings.join(", ")) })]
pub struct UnknownFormat {
    /// The name as given.
    pub unknown: UnknownProvider,
    /// The names of the mappings.
    pub mappings: Vec<&'static str>,
}

impl AnswerFormat {
    /// The format of citewire itself, in which numbers name the sources by their places.
    #[must_use]
    pub fn own() -> Self {
        Self::Known(Provider::Native)
    }

    /// The format of this name: a mapping, a format of citewire, or `auto`, which detects either.
    ///
    /// # Errors
    /// When nothing has this name.
    pub fn named(name: &str, mappings: &Mappings) -> Result<Self, UnknownFormat> {
        if name == "auto" {
            return Ok(Self::Detected(mappings.clone()));
        }
        if let Some(mapping) = mappings.find(name) {
            return Ok(Self::Mapped(Arc::clone(mapping)));
        }
        let unknown = |unknown| UnknownFormat { unknown, mappings: mappings.names().collect() };
        name.parse().map(Self::Known).map_err(unknown)
    }

    /// The name of the format for metrics: all mappings share one. `None` when it is detected.
    #[must_use]
    pub fn slug(&self) -> Option<&'static str> {
        match self {
            Self::Detected(_) => None,
            Self::Known(provider) => Some(provider.slug()),
            Self::Mapped(_) => Some("mapping"),
        }
    }

    /// Whether nothing is known of the format, and no mapping is to be tried.
    pub(super) fn is_open(&self) -> bool {
        match self {
            Self::Detected(mappings) => mappings.recognizable().next().is_none(),
            Self::Known(_) | Self::Mapped(_) => false,
        }
    }

    /// Whether a mapping may read the answer, so that the names of events count.
    pub(super) fn may_be_mapped(&self) -> bool {
        match self {
            Self::Detected(mappings) => mappings.recognizable().next().is_some(),
            Self::Known(_) => false,
            Self::Mapped(_) => true,
        }
    }
}

impl Default for AnswerFormat {
    fn default() -> Self {
        Self::Detected(Mappings::default())
    }
}

impl From<Provider> for AnswerFormat {
    fn from(provider: Provider) -> Self {
        Self::Known(provider)
    }
}

impl From<Option<Provider>> for AnswerFormat {
    fn from(provider: Option<Provider>) -> Self {
        provider.map_or_else(Self::default, Self::Known)
    }
}

impl From<Arc<Mapping>> for AnswerFormat {
    fn from(mapping: Arc<Mapping>) -> Self {
        Self::Mapped(mapping)
    }
}

impl From<&Self> for AnswerFormat {
    fn from(format: &Self) -> Self {
        format.clone()
    }
}
