//! The choice of an output.

use std::fmt;
use std::str::FromStr;

use super::{AssistantHubOptions, OpenWebUiOptions, assistanthub, open_webui, records};
use crate::answer::{Answer, ProviderObject};

/// What to make of an answer when no channel is to show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// One schema for the sources of all providers.
    Records,
    /// The text and the events from which Open WebUI draws its badges and cards.
    OpenWebUi,
    /// The `citations` object of AssistantHub.
    AssistantHub,
}

impl Output {
    /// All outputs.
    pub const ALL: [Self; 3] = [Self::Records, Self::OpenWebUi, Self::AssistantHub];

    /// The output as JSON, its members in the order in which people read them. `objects` holds the provider's own object of each source, where it is known.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which no answer brings about.
    pub fn write(self, answer: &Answer, objects: &[ProviderObject]) -> Result<Vec<u8>, serde_json::Error> {
        match self {
            Self::Records => serde_json::to_vec(&records(answer, objects)),
            Self::OpenWebUi => serde_json::to_vec(&open_webui(answer, &OpenWebUiOptions::default())),
            Self::AssistantHub => serde_json::to_vec(&assistanthub(answer, &AssistantHubOptions::default())),
        }
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Records => "records",
            Self::OpenWebUi => "open-webui",
            Self::AssistantHub => "assistanthub",
        })
    }
}

/// No output has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown output {given:?}; known outputs: records, open-webui, assistanthub")]
pub struct UnknownOutput {
    /// What was given.
    pub given: String,
}

impl FromStr for Output {
    type Err = UnknownOutput;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|output| output.to_string() == name);
        known.ok_or_else(|| UnknownOutput { given: name.to_owned() })
    }
}
