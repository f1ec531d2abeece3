//! The claim of one citation.

use std::sync::Arc;

use serde::Serialize;

use super::{ClaimReview, DigitalDocument};
use crate::cite::Position;

/// The claim behind one number of the text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    #[serde(rename = "@type")]
    kind: &'static str,
    /// The address of the document, else a blank node; `None` for Teams, which expects none.
    #[serde(rename = "@id", skip_serializing_if = "Option::is_none")]
    pub id: Option<Arc<str>>,
    /// The number in the text.
    pub position: ClaimPosition,
    /// The document.
    pub appearance: DigitalDocument,
    /// The service that made the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_interpreter: Option<Project>,
    /// The verdict about its citation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<ClaimReview>,
}

impl Claim {
    /// A claim that rests on a document.
    #[must_use]
    pub fn new(id: Option<Arc<str>>, position: ClaimPosition, appearance: DigitalDocument) -> Self {
        Self { kind: "Claim", id, position, appearance, claim_interpreter: None, review: None }
    }
}

/// The number of a claim, in the JSON type that the channel expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimPosition {
    /// A JSON string, for Web Chat (`docs/guides/web-chat.md`, rule 4).
    Text(Position),
    /// A JSON number, for Teams, which sorts strings wrongly.
    Number(Position),
}

impl ClaimPosition {
    /// The number.
    #[must_use]
    pub fn position(self) -> Position {
        match self {
            Self::Text(position) | Self::Number(position) => position,
        }
    }
}

impl Serialize for ClaimPosition {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // Most positions have one digit, and a static string is cheaper than formatting.
            Self::Text(position) => match "0123456789".get(position.get() as usize..=position.get() as usize) {
                Some(digit) => serializer.serialize_str(digit),
                None => serializer.collect_str(position),
            },
            Self::Number(position) => serializer.serialize_u32(position.get()),
        }
    }
}

/// The service behind an answer. Web Chat shows the service of the first claim beside the time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Project {
    #[serde(rename = "@type")]
    kind: &'static str,
    /// The text to show.
    pub slogan: String,
    /// The address of its link; http(s) only, because Web Chat 4.18.1 links any value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl Project {
    /// A service.
    #[must_use]
    pub fn new(slogan: impl Into<String>, url: Option<String>) -> Self {
        Self { kind: "Project", slogan: slogan.into(), url }
    }
}
