//! Sources that citewire cannot read: formats that are recognized only to be refused, and unknown members with sources.
//!
//! An answer that loses its sources silently misleads readers. The formats in the table below are refused, because the
//! parser of another format would read their text without the sources. Sources in a member that a format does not read get a
//! note.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::Value;

use super::IngestError;
use super::format::{Members, is_text};
use crate::report::{Entry, Kind};

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
    /// The slug of the format that can read its text, without the sources.
    text_as: &'static str,
}

/// The formats whose text has the place of the text of a readable format.
pub(super) const UNREAD: &[Unread] = &[
    Unread {
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
        text_as: "citewire",
    },
    Unread {
        name: "Bot Framework",
        sign: "`type: message` with citations in `entities`",
        members: &[
            "attachmentLayout",
            "attachments",
            "channelData",
            "channelId",
            "conversation",
            "entities",
            "from",
            "id",
            "inputHint",
            "locale",
            "localTimestamp",
            "recipient",
            "replyToId",
            "serviceUrl",
            "suggestedActions",
            "text",
            "textFormat",
            "timestamp",
            "type",
        ],
        is_whole: is_citing_activity,
        is_event: is_citing_activity,
        text_as: "citewire",
    },
];

fn is_string(members: &Members, name: &str) -> bool {
    members.get(name).is_some_and(Value::is_string)
}

fn holds_list(members: &Members, name: &str) -> bool {
    members.get(name).is_some_and(is_filled_list)
}

fn is_filled_list(value: &Value) -> bool {
    value.as_array().is_some_and(|list| !list.is_empty())
}

/// Whether a body is an activity with a text and claims. An activity without claims loses nothing when read as a manifest.
fn is_citing_activity(members: &Members) -> bool {
    let entities = members.get("entities").and_then(Value::as_array);
    // Claims stand in `citation` of the message entity, or each is an entity of its own.
    let is_claim = |entity: &Value| entity["type"].as_str().is_some_and(|kind| kind.ends_with("schema.org/Claim"));
    let cites = |entity: &Value| is_filled_list(&entity["citation"]) || is_claim(entity);
    is_text(members, "type", "message")
        && is_string(members, "text")
        && entities.is_some_and(|entities| entities.iter().any(cites))
}

impl Unread {
    /// The error for an answer in this format.
    pub(super) fn refusal(&self) -> IngestError {
        IngestError::NotRead { format: self.name, sign: self.sign, text_as: self.text_as }
    }
}

/// Names of members that hold sources in some format.
const NAMES: &[&str] = &[
    "attributions",
    "citations",
    "documents",
    "executed_tools",
    "references",
    "retriever_resources",
    "searchResults",
    "search_info",
    "search_results",
    "sourceAttributions",
    "sourceDocuments",
    "source_documents",
    "sources",
    "venice_parameters",
    "web_search",
    "web_search_citations",
];

/// A searcher for each quoted name. Every event is searched, so they are built once.
static FINDERS: LazyLock<Vec<Finder<'static>>> =
    LazyLock::new(|| NAMES.iter().map(|name| Finder::new(&format!("\"{name}\"")).into_owned()).collect());

/// How many levels deep sources are searched.
const MAX_DEPTH: usize = 6;

/// The most notes for one body.
const MAX_NOTES: usize = 5;

/// Notes about members of `body` that hold sources by their name. Members with a name in `read` are skipped with their content.
/// `pointer` is the JSON pointer of the body.
pub(super) fn unread_sources(body: &str, read: &[&str], pointer: &str) -> Vec<Entry> {
    // Few answers have such a name, and searching for names costs less than parsing the body again.
    let mut finders = NAMES.iter().zip(FINDERS.iter()).filter(|(name, _)| !read.contains(*name));
    if !finders.any(|(_, finder)| finder.find(body.as_bytes()).is_some()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if let Ok(value) = serde_json::from_str::<Value>(body) {
        search(&value, read, pointer, 0, &mut found);
    }
    found.into_iter().take(MAX_NOTES).collect()
}

fn search(value: &Value, read: &[&str], pointer: &str, depth: usize, found: &mut Vec<Entry>) {
    if depth == MAX_DEPTH || found.len() == MAX_NOTES {
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members.iter().filter(|(name, _)| !read.contains(&name.as_str())) {
                let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                if NAMES.contains(&name.as_str()) && holds_sources(member) {
                    let message = format!("`{name}` holds sources, which are not read in this format");
                    found.push(Entry::in_input(Kind::Note, "sources-unread", pointer, message));
                } else {
                    search(member, read, &pointer, depth + 1, found);
                }
            }
        }
        Value::Array(entries) => {
            for (at, entry) in entries.iter().enumerate() {
                search(entry, read, &format!("{pointer}/{at}"), depth + 1, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether the value of such a member holds sources: a list of addresses or source objects, or an object with such a list.
/// An object is a source if it has one of [`SOURCE_MEMBERS`].
fn holds_sources(value: &Value) -> bool {
    let is_source = |entry: &Value| {
        entry.as_str().is_some_and(|text| text.contains("://"))
            || entry.as_object().is_some_and(|entry| SOURCE_MEMBERS.iter().any(|name| entry.contains_key(*name)))
    };
    let holds = |value: &Value| value.as_array().is_some_and(|list| list.iter().any(is_source));
    holds(value) || value.as_object().is_some_and(|members| members.values().any(holds))
}

/// Members that identify a source object; each source has at least one.
const SOURCE_MEMBERS: &[&str] = &[
    "content",
    "document",
    "document_name",
    "file_id",
    "filename",
    "link",
    "metadata",
    "name",
    "pageContent",
    "page_content",
    "snippet",
    "source",
    "text",
    "title",
    "uri",
    "url",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Provider, ingest};
    use super::*;
    use crate::report::At;

    fn refused(body: &str) -> String {
        ingest(body.as_bytes(), None).expect_err("sources would be lost").to_string()
    }

    fn unread(body: &Value, from: Option<Provider>) -> Vec<String> {
        let answer = ingest(body.to_string().as_bytes(), from).expect("an answer");
        let places = answer.warnings.into_iter().filter(|entry| entry.code == "sources-unread");
        let pointer = |at: At| match at {
            At::Pointer(pointer) => pointer,
            At::Offset(_) => unreachable!("a member of the input has a pointer"),
        };
        places.map(|entry| pointer(entry.at)).collect()
    }

    /// Flowise has `text` like the manifest, so its documents were once lost silently.
    #[test]
    fn an_answer_of_flowise_is_refused_by_name_and_its_text_is_read_with_a_note() {
        let body = json!({"text": "Keys are at the desk.", "question": "keys?", "chatId": "c",
            "sourceDocuments": [{"pageContent": "Keys: desk", "metadata": {"source": "keys.pdf"}}]});
        let told = refused(&body.to_string());
        assert!(told.contains("Flowise (`text` with `sourceDocuments`)") && told.contains("`from` citewire"), "{told}");
        assert_eq!(unread(&body, Some(Provider::Native)), ["/sourceDocuments"]);
        let without = json!({"text": "Hello.", "question": "hi", "sourceDocuments": []});
        assert_eq!(unread(&without, None), Vec::<String>::new());
    }

    /// An activity has its claims in `entities`; read as a manifest, it once lost them.
    #[test]
    fn an_activity_with_claims_is_refused_by_name() {
        let claims = json!([{"type": "https://schema.org/Message", "citation": [{"@type": "Claim", "position": 1}]}]);
        let apart = json!([{"type": "https://schema.org/Claim", "@type": "Claim", "@id": "https://x", "name": "X"}]);
        for entities in [claims, apart] {
            let text = "Desk [1].\n\n[1]: https://x \"X\"";
            let activity = json!({"type": "message", "id": "1", "text": text, "entities": entities});
            for body in [activity.to_string(), format!("[{{\"type\":\"typing\"}},{activity}]")] {
                assert!(refused(&body).contains("Bot Framework"), "{body}");
            }
        }
        let bare = json!({"type": "message", "text": "Hello.", "entities": []});
        assert_eq!(ingest(bare.to_string().as_bytes(), None).expect("a text").text, "Hello.");
    }

    /// Several services add search results to a completion in members of their own; these were once lost silently.
    #[test]
    fn a_completion_whose_sources_are_not_read_says_where_they_are() {
        let found = json!([{"title": "X", "url": "https://x"}]);
        let message = |name: &str, value: &Value| json!({"role": "assistant", "content": "a", name: value});
        let tools = json!([{"index": 0, "type": "search", "search_results": {"results": found, "images": []}}]);
        let bodies = [
            (
                json!({"choices": [{"message": message("executed_tools", &tools)}]}),
                "/choices/0/message/executed_tools/0/search_results",
            ),
            (json!({"choices": [{"message": message("x", &json!(0))}], "web_search": found}), "/web_search"),
            (
                json!({"choices": [{"message": message("x", &json!(0))}], "search_info": {"search_results": found}}),
                "/search_info",
            ),
            (
                json!({"choices": [{"message": message("x", &json!(0))}], "venice_parameters": {"enable_web_search": "on",
                    "web_search_citations": found}}),
                "/venice_parameters",
            ),
        ];
        for (body, place) in bodies {
            assert_eq!(unread(&body, None), [place], "{body}");
            let mut chunk = body.clone();
            let message = chunk["choices"][0]["message"].take();
            chunk["choices"] = json!([{"index": 0, "delta": message, "finish_reason": "stop"}]);
            let events = json!([chunk]);
            assert_eq!(unread(&events, None), [format!("/0{}", place.replace("message", "delta"))], "{events}");
        }
        let plain = json!({"choices": [{"message": {"content": "a"}}], "citations": null, "usage": {"web_search": 0},
            "tools": [{"type": "web_search"}]});
        assert_eq!(unread(&plain, None), Vec::<String>::new());
    }

    #[test]
    fn a_manifest_with_sources_under_another_name_says_so() {
        let body = json!({"text": "a", "sources": [{"metadata": {"references": [{"url": "https://y"}]}}],
            "references": ["https://x"]});
        assert_eq!(unread(&body, None), ["/references"]);
    }
}
