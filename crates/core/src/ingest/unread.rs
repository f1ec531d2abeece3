//! Formats that are recognized only to be refused, because the parser of another format would read their text without the
//! sources.

use serde_json::Value;

use super::IngestError;
use super::format::Members;

/// A format that is recognized and refused.
#[derive(Debug)]
pub(super) struct Unread {
    /// Its name in messages.
    pub(super) name: &'static str,
    /// The members that identify it, for messages.
    pub(super) sign: &'static str,
    /// The top-level members of a whole answer.
    pub(super) members: &'static [&'static str],
    /// Whether a whole answer has the members of this format.
    pub(super) is_whole: fn(&Members) -> bool,
    /// Whether an event has members that only this format has.
    pub(super) is_event: fn(&Members) -> bool,
    /// The ready mapping that reads it.
    mapping: &'static str,
    /// The slug of the format that can read its text, without the sources.
    text_as: Option<&'static str>,
}

/// The formats of which a readable format has some members, the text or the sources.
pub(super) const UNREAD: &[Unread] = &[ANYTHINGLLM, FLOWISE];

const ANYTHINGLLM: Unread = Unread {
    name: "AnythingLLM",
    sign: "`textResponse` with `sources`",
    members: &[
        "chatId",
        "close",
        "error",
        "id",
        "metrics",
        "outputs",
        "sources",
        "textResponse",
        "thoughts",
        "type",
        "uuid",
    ],
    is_whole: |members| is_string(members, "textResponse") && members.get("sources").is_some_and(Value::is_array),
    is_event: |members| members.contains_key("textResponse") && members.contains_key("close"),
    mapping: "samples/formats/anythingllm.toml",
    text_as: None,
};

const FLOWISE: Unread = Unread {
    name: "Flowise",
    sign: "`text` with `sourceDocuments`",
    members: &[
        "agentReasoning",
        "chatId",
        "chatMessageId",
        "executionId",
        "followUpPrompts",
        "isStreamValid",
        "memoryType",
        "question",
        "sessionId",
        "sourceDocuments",
        "text",
        "usedTools",
    ],
    is_whole: |members| is_string(members, "text") && holds_list(members, "sourceDocuments"),
    is_event: |members| {
        let kind = members.get("event").and_then(Value::as_str).unwrap_or_default();
        matches!(kind, "token" | "sourceDocuments") && members.contains_key("data")
    },
    mapping: "samples/formats/flowise.toml",
    text_as: Some("citewire"),
};

fn is_string(members: &Members, name: &str) -> bool {
    members.get(name).is_some_and(Value::is_string)
}

fn holds_list(members: &Members, name: &str) -> bool {
    members.get(name).is_some_and(is_filled_list)
}

fn is_filled_list(value: &Value) -> bool {
    value.as_array().is_some_and(|list| !list.is_empty())
}

impl Unread {
    /// The error for an answer in this format.
    pub(super) fn refusal(&self) -> IngestError {
        IngestError::NotRead { format: self.name, sign: self.sign, mapping: self.mapping, text_as: self.text_as }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Provider, ingest};

    fn refused(body: &str) -> String {
        ingest(body.as_bytes(), None).expect_err("sources would be lost").to_string()
    }

    #[test]
    fn an_answer_of_anythingllm_is_refused_by_name_and_not_for_a_text_of_another_name() {
        let body = json!({"id": "9d", "type": "textResponse", "close": true, "textResponse": "30 days.",
            "sources": [{"title": "leave.pdf", "text": "Employees get 30 days."}]});
        let told = refused(&body.to_string());
        assert!(told.contains("AnythingLLM (`textResponse` with `sources`)"), "{told}");
        assert!(told.contains("samples/formats/anythingllm.toml") && !told.contains("`from`"), "{told}");
        let event =
            json!({"uuid": "9d", "sources": [], "type": "textResponseChunk", "textResponse": "30", "close": false});
        assert!(refused(&format!("data: {event}\n\n")).contains("AnythingLLM"));
    }

    #[test]
    fn a_body_with_sources_and_a_text_of_another_name_names_its_members() {
        let told = refused(r#"{"sources": [{"title": "a"}], "solution": "30 days."}"#);
        assert!(told.contains("`solution`"), "{told}");
    }

    /// Flowise has `text` like the manifest, so its documents were once lost silently.
    #[test]
    fn an_answer_of_flowise_is_refused_by_name_and_its_text_is_read_with_a_note() {
        let body = json!({"text": "Keys are at the desk.", "question": "keys?", "chatId": "c",
            "sourceDocuments": [{"pageContent": "Keys: desk", "metadata": {"source": "keys.pdf"}}]});
        let told = refused(&body.to_string());
        assert!(told.contains("Flowise (`text` with `sourceDocuments`)") && told.contains("`from` citewire"), "{told}");
        let answer = ingest(body.to_string().as_bytes(), Some(Provider::Native)).expect("a text");
        assert_eq!(answer.warnings.iter().filter(|entry| entry.code == "sources-unread").count(), 1);
        let without = json!({"text": "Hello.", "question": "hi", "sourceDocuments": []});
        assert_eq!(ingest(without.to_string().as_bytes(), None).expect("a text").warnings, []);
    }
}
