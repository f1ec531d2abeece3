//! The outputs for programs, by name.

use std::fmt;
use std::str::FromStr;

use super::{AssistantHubOptions, OpenWebUiOptions, assistanthub, open_webui, records};
use crate::answer::{Answer, ProviderObject};
use crate::text::echo;

/// An output for programs, in place of an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// One schema for the sources of all providers ([`records`](super::records())).
    Records,
    /// The text and the events from which Open WebUI draws its badges and cards.
    OpenWebUi,
    /// The `citations` object of AssistantHub.
    AssistantHub,
}

impl Output {
    /// All outputs.
    pub const ALL: [Self; 3] = [Self::Records, Self::OpenWebUi, Self::AssistantHub];

    /// The output as JSON bytes, with its members in reading order. `objects` holds the provider's own object of each
    /// source, as far as known.
    ///
    /// # Errors
    /// When serialization fails, which no known answer causes.
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

/// The name of the output is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown output {:?}; known outputs: records, open-webui, assistanthub", echo(given))]
pub struct UnknownOutput {
    /// The name.
    pub given: String,
}

impl FromStr for Output {
    type Err = UnknownOutput;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|output| output.to_string() == name);
        known.ok_or_else(|| UnknownOutput { given: name.to_owned() })
    }
}
