//! The root of the graph.

use serde::Serialize;

use super::{Action, AiMark, Claim, SoftwareSourceCode, UsageInfo};

/// The Message entity, which stands for the activity itself.
///
/// Web Chat recognizes the first entity with exactly these four constants. A wrong character in `@context` leaves the
/// message blank there (`docs/guides/web-chat.md`, rule 1).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    #[serde(rename = "type")]
    entity_type: &'static str,
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    /// Empty: it refers to the activity itself.
    #[serde(rename = "@id")]
    id: &'static str,
    /// `AIGeneratedContent` for Web Chat.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub keywords: &'static [&'static str],
    /// `AIGeneratedContent` for Teams.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub additional_type: &'static [&'static str],
    /// The text of the message, if the activity itself has no `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The claims in the order of their numbers. Absent if nothing is cited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub citation: Vec<Claim>,
    /// The actions that readers can take: thumbs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub potential_action: Vec<Action>,
    /// The sensitivity label of the whole message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_info: Option<UsageInfo>,
    /// The code that the answer rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_based_on: Option<SoftwareSourceCode>,
}

impl Message {
    /// A message, marked as AI-generated at the given place.
    #[must_use]
    pub fn new(citation: Vec<Claim>, ai_mark: Option<AiMark>) -> Self {
        let marked = |mark| if ai_mark == Some(mark) { ["AIGeneratedContent"].as_slice() } else { &[] };
        Self {
            entity_type: "https://schema.org/Message",
            context: "https://schema.org",
            kind: "Message",
            id: "",
            keywords: marked(AiMark::Keywords),
            additional_type: marked(AiMark::AdditionalType),
            text: None,
            citation,
            potential_action: Vec::new(),
            usage_info: None,
            is_based_on: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_constants_are_written_letter_by_letter() {
        assert_eq!(
            serde_json::to_value(Message::new(Vec::new(), Some(AiMark::Keywords))).expect("JSON"),
            json!({
                "type": "https://schema.org/Message", "@context": "https://schema.org", "@type": "Message", "@id": "",
                "keywords": ["AIGeneratedContent"],
            })
        );
    }
}
