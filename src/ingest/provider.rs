//! The formats that citewire reads, and the one door to them.

use std::str::FromStr;

/// A format, by the slug that the command line and HTTP use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Provider {
    /// citewire's own manifest: slug `citewire`.
    Native,
    /// Azure OpenAI On Your Data: slug `azure-oyd`.
    AzureOnYourData,
}

/// No format has this slug.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no format is called {given:?}; known are auto, citewire, azure-oyd")]
pub struct UnknownProvider {
    /// What was given.
    pub given: String,
}

impl Provider {
    /// The slug.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Native => "citewire",
            Self::AzureOnYourData => "azure-oyd",
        }
    }
}

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(slug: &str) -> Result<Self, Self::Err> {
        [Self::Native, Self::AzureOnYourData]
            .into_iter()
            .find(|provider| provider.slug() == slug)
            .ok_or_else(|| UnknownProvider { given: slug.to_owned() })
    }
}
