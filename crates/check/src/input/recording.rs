//! Reads a recording of network traffic (HAR) entry by entry, and keeps its activities alone.
//!
//! Headers, addresses and other bodies may hold secrets, so none of them leaves this file.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::nested::{of_set, opened, opened_items};

/// A recording.
#[derive(Deserialize)]
pub(super) struct Recording {
    pub(super) log: Log,
}

#[derive(Deserialize)]
pub(super) struct Log {
    /// The activities of all entries, in their order.
    #[serde(rename = "entries", deserialize_with = "activities")]
    pub(super) activities: Vec<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    request: Request,
    response: Response,
    #[serde(rename = "_webSocketMessages")]
    frames: Vec<Frame>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Request {
    url: Value,
    post_data: Option<Body>,
    body_size: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Response {
    status: Value,
    content: Body,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Body {
    text: Value,
    encoding: Value,
    size: Value,
    params: Vec<Field>,
}

/// A field of a form, as some recorders write it in place of the text.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Field {
    name: Value,
    value: Value,
    content_type: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Frame {
    data: Value,
}

/// Whether a document begins as a recording does.
pub(super) fn is_likely(bytes: &[u8]) -> bool {
    let rest = bytes.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    rest.is_some_and(|rest| rest.starts_with(b"\"log\""))
}

fn activities<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    struct Entries;
    impl<'de> Visitor<'de> for Entries {
        type Value = Vec<Value>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of entries")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Vec<Value>, A::Error> {
            let mut activities = Vec::new();
            while let Some(entry) = entries.next_element::<Entry>()? {
                entry.take(&mut activities);
            }
            Ok(activities)
        }
    }
    deserializer.deserialize_seq(Entries)
}

impl Entry {
    /// Appends the activities of this entry: that which was posted or put, those of the answer, and those of the frames of a
    /// socket.
    fn take(self, activities: &mut Vec<Value>) {
        let address = Address::of(self.request.url.as_str().unwrap_or_default());
        // Recorders may leave out a body, and write its size.
        let body = self.request.post_data.unwrap_or_default();
        let body = Body { size: self.request.body_size, ..body };
        if address == Address::Upload {
            body.take_form(activities);
        } else {
            body.take(address, activities);
        }
        let is_answer = self.response.status.as_u64().is_none_or(|status| status == 0 || (200..300).contains(&status));
        if is_answer {
            self.response.content.take(address, activities);
        }
        for frame in self.frames {
            sent(frame.data, address, activities);
        }
    }
}

/// The kind of an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Address {
    /// A route of a Direct Line or Bot Connector that carries activities alone.
    Activities,
    /// The route of a Direct Line that takes files with their activity, as a form.
    Upload,
    Other,
}

impl Address {
    fn of(url: &str) -> Self {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        if path.ends_with("/activities") || path.contains("/activities/") {
            Self::Activities
        } else if path.ends_with("/upload") && path.contains("/conversations/") {
            Self::Upload
        } else {
            Self::Other
        }
    }
}

impl Body {
    /// Some recorders write bodies in Base64.
    fn take(self, address: Address, activities: &mut Vec<Value>) {
        let is_lost = self.text.is_null() && self.size.as_u64().is_some_and(|size| size > 0);
        if is_lost && address == Address::Activities {
            activities.push(Value::Null);
            return;
        }
        let text = if self.encoding == "base64" {
            let bytes = self.text.as_str().and_then(|text| BASE64_STANDARD.decode(text).ok());
            bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map_or(Value::Bool(false), Value::String)
        } else {
            self.text
        };
        sent(text, address, activities);
    }

    /// Takes the activity of a form. The other parts are files, and a form may have no activity.
    fn take_form(self, activities: &mut Vec<Value>) {
        let is_activity = |name: &Value, kind: &Value| {
            name == "activity" || kind.as_str().is_some_and(|kind| kind.contains(ACTIVITY_TYPE))
        };
        let named = self.params.into_iter().find(|field| is_activity(&field.name, &field.content_type));
        if let Some(field) = named {
            // A recorder may leave out what a part holds.
            let is_there = field.value.as_str().is_some_and(|value| !value.trim().is_empty());
            sent(if is_there { field.value } else { Value::Bool(false) }, Address::Activities, activities);
            return;
        }
        let Some(text) = self.text.as_str().filter(|text| !text.is_empty()) else {
            if self.size.as_u64().is_some_and(|size| size > 0) {
                activities.push(Value::Null);
            }
            return;
        };
        let decoded = (self.encoding == "base64").then(|| BASE64_STANDARD.decode(text).unwrap_or_default());
        let text = decoded.as_deref().map_or(text.into(), String::from_utf8_lossy);
        for part in activity_parts(&text) {
            sent(Value::String(part.to_owned()), Address::Activities, activities);
        }
    }
}

/// The media type of an activity in a form.
const ACTIVITY_TYPE: &str = "application/vnd.microsoft.activity";

/// The parts of a form (RFC 7578) that hold activities. Its first line is the boundary.
fn activity_parts(form: &str) -> impl Iterator<Item = &str> {
    let boundary = form.lines().next().unwrap_or_default().trim_end();
    let parts = form.split(boundary).filter(|part| !boundary.is_empty() && !part.is_empty());
    parts.filter_map(|part| {
        let (head, body) = part.split_once("\r\n\r\n").or_else(|| part.split_once("\n\n"))?;
        let head = head.to_ascii_lowercase();
        (head.contains(ACTIVITY_TYPE) || head.contains("name=\"activity\"")).then_some(body.trim())
    })
}

/// Appends the activities of one body or frame. In a set everything counts, because an activity may lack its type. A body that
/// must hold activities and cannot be read counts as `null`, so that the check names it.
fn sent(text: Value, address: Address, activities: &mut Vec<Value>) {
    if text.is_null() || text.as_str().is_some_and(|text| text.trim().is_empty()) {
        return;
    }
    let value = opened(text);
    let is_typed = |value: &Value| value.get("type").is_some_and(Value::is_string);
    match &value {
        Value::Object(members) => {
            let is_set = members.get("activities").is_some_and(|list| list.is_array() || list.is_string());
            let is_like_one =
                ["text", "entities", "attachments", "channelData"].iter().any(|key| members.contains_key(*key));
            if is_set || is_typed(&value) || (address == Address::Activities && is_like_one) {
                activities.extend(of_set(opened_items(value)));
            }
        }
        Value::Array(items) => {
            if address == Address::Activities || items.iter().any(is_typed) {
                activities.extend(of_set(opened_items(value)));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            if address == Address::Activities {
                activities.push(Value::Null);
            }
        }
    }
}
