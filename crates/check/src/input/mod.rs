//! Reads documents as people have them, by their shape.
//!
//! An activity, an activity set, a list of activities such as the Emulator's `.transcript`, a HAR of a Direct Line client, a log
//! with one JSON value a line, or any of these in a string.

mod nested;
mod recording;

use serde_json::{Value, json};

use nested::{of_set, opened, opened_items};
use recording::Recording;

use super::activity_type::is_known;

/// The maximum size of an input, in bytes.
pub const MAX_INPUT_BYTES: usize = 512 << 20;

/// The maximum size of one JSON document, in bytes. A HAR and a log are read in parts, so they may be as large as an input.
pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// The input is neither JSON nor JSON lines, or has no activity where its shape has them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The input is not JSON.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// JSON has no comments.
    #[error("JSON has no comments, and line {line} has one; remove it")]
    Comment {
        /// The line, from 1.
        line: usize,
    },
    /// A recording of network traffic without activities.
    #[error("the HAR has no activity: record the traffic of a Direct Line client, with contents")]
    NoActivity,
    /// One JSON document above the maximum.
    #[error(
        "one JSON document may have {} MiB, and this has {} MiB: write one activity a line, or split it",
        MAX_DOCUMENT_BYTES >> 20,
        .bytes.div_ceil(1 << 20)
    )]
    DocumentTooLarge {
        /// The size, in bytes.
        bytes: usize,
    },
    /// An input above the maximum.
    #[error("an input may have {} MiB, and this has more: split it", MAX_INPUT_BYTES >> 20)]
    InputTooLarge,
}

/// Reads `bytes` as a document for [`check()`](super::check()). Of a HAR only activities are read, never headers or addresses,
/// which may hold secrets.
///
/// # Errors
/// When the input has none of the shapes.
pub fn read(bytes: &[u8]) -> Result<Value, Unreadable> {
    read_within(MAX_DOCUMENT_BYTES, bytes)
}

fn read_within(max_document: usize, bytes: &[u8]) -> Result<Value, Unreadable> {
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(Unreadable::InputTooLarge);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if recording::is_likely(bytes) {
        match serde_json::from_slice(bytes) {
            Ok(recording) => return recorded(recording),
            Err(error) if error.is_data() => {}
            Err(error) => return lines(bytes).ok_or_else(|| fault(bytes, &error)),
        }
    }
    if bytes.len() > max_document {
        return lines(bytes).ok_or(Unreadable::DocumentTooLarge { bytes: bytes.len() });
    }
    let document = match serde_json::from_slice(bytes) {
        Ok(document) => opened(document),
        Err(error) => return lines(bytes).ok_or_else(|| fault(bytes, &error)),
    };
    if document.pointer("/log/entries").is_some_and(Value::is_array) {
        return match serde_json::from_value(document) {
            Ok(recording) => recorded(recording),
            Err(error) => Err(Unreadable::NotJson(format!("the HAR is none: {error}"))),
        };
    }
    Ok(opened_items(unwrapped(document)))
}

fn recorded(Recording { log }: Recording) -> Result<Value, Unreadable> {
    if log.activities.is_empty() {
        return Err(Unreadable::NoActivity);
    }
    Ok(json!({ "activities": log.activities }))
}

/// The activity, set or list in the record of a log.
fn unwrapped(mut value: Value) -> Value {
    let kind = value.get("type").and_then(Value::as_str);
    if kind.is_some_and(is_known) || value.get("activities").is_some() {
        return value;
    }
    match value.get_mut("activity").map(|inner| opened(inner.take())) {
        Some(inner @ (Value::Object(_) | Value::Array(_))) => inner,
        Some(inner) => {
            value["activity"] = inner;
            value
        }
        None => value,
    }
}

fn fault(bytes: &[u8], error: &serde_json::Error) -> Unreadable {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let rest = line.get(error.column().saturating_sub(1)..).unwrap_or_default();
    if ["//", "/*", "#"].iter().any(|sign| rest.starts_with(sign)) {
        return Unreadable::Comment { line: error.line() };
    }
    let values = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let mut values = values.map(|(index, line)| (index + 1, serde_json::from_str::<Value>(line)));
    if values.next().is_some_and(|(_, first)| first.is_ok())
        && let Some((line, Err(_))) = values.find(|(_, value)| value.is_err())
    {
        return Unreadable::NotJson(format!("line {line} is no JSON value, but the lines before are"));
    }
    Unreadable::NotJson(error.to_string())
}

/// A log with one value a line, at least two. A record of a log has its activity in `activity`.
fn lines(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut activities = Vec::new();
    let mut count = 0;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let value = opened(serde_json::from_str(line).ok()?);
        activities.extend(of_set(opened_items(unwrapped(value))));
        count += 1;
    }
    (count > 1).then(|| json!({ "activities": activities }))
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use super::*;

    fn activity(text: &str) -> Value {
        json!({"type": "message", "text": text})
    }

    #[test]
    fn documents_in_strings_are_opened() {
        let document = activity("a");
        let once = Value::String(document.to_string());
        let twice = Value::String(once.to_string());
        for written in [document.to_string(), once.to_string(), twice.to_string(), format!("\u{feff}{document}")] {
            assert_eq!(read(written.as_bytes()), Ok(document.clone()), "{written}");
        }
    }

    #[test]
    fn lines_of_a_log_are_a_list() {
        let record = json!({"level": "info", "activity": activity("b")});
        let nested = json!({"activity": activity("c").to_string()});
        let set = json!({"activities": [activity("d"), activity("e")], "watermark": "2"});
        let log = format!("{}\n\n{record}\r\n{nested}\n{set}\n", activity("a"));
        let expected: Vec<_> = ["a", "b", "c", "d", "e"].map(activity).into();
        assert_eq!(read(log.as_bytes()), Ok(json!({ "activities": expected })));
    }

    #[test]
    fn of_a_recording_only_activities_are_read() {
        let secret = "s3cr3t-token";
        let set = json!({"activities": [activity("b")], "watermark": "1"}).to_string();
        let started = json!({"conversationId": "c", "token": secret, "streamUrl": format!("wss://x/?t={secret}")});
        let har = json!({"log": {"entries": [
            {"request": {"method": "POST", "headers": [{"name": "Authorization", "value": secret}]},
             "response": {"content": {"text": started.to_string()}}},
            {"request": {"method": "POST", "postData": {"text": activity("a").to_string()}},
             "response": {"content": {"text": "{\"id\": \"1\"}"}}},
            {"request": {"method": "GET"}, "response": {"content": {"text": "<html>"}},
             "_webSocketMessages": [{"type": "receive", "data": ""}, {"type": "receive", "data": set}]},
            {"response": {"content": {"encoding": "base64", "text": BASE64_STANDARD.encode(activity("c").to_string())}}},
            {"response": {"content": {"text": json!({"activities": [{"text": "d"}]}).to_string()}}},
        ]}});
        let document = read(har.to_string().as_bytes()).expect("activities");
        let expected = json!([activity("a"), activity("b"), activity("c"), {"text": "d"}]);
        assert_eq!(document, json!({ "activities": expected }));
        assert!(!document.to_string().contains(secret));
        assert_eq!(read(br#"{"log": {"entries": []}}"#), Err(Unreadable::NoActivity));
    }

    /// A Direct Line client posts files and their activity as a form.
    #[test]
    fn of_a_form_the_activity_is_read_and_not_the_files() {
        let url = "https://directline.example/v3/directline/conversations/c/upload?userId=u";
        let har = |request: Value| json!({"log": {"entries": [{"request": request}]}}).to_string();
        let posted = |data: Value| har(json!({"method": "POST", "url": url, "bodySize": 99, "postData": data}));
        let part = |head: &str, body: &str| format!("--b7\r\nContent-Disposition: form-data; {head}\r\n\r\n{body}\r\n");
        let file =
            part("name=\"file\"; filename=\"a.json\"\r\nContent-Type: application/json", &activity("no").to_string());
        let of = |body: &str| {
            let kind = "name=\"activity\"; filename=\"blob\"\r\nContent-Type: application/vnd.microsoft.activity";
            format!("{file}{}--b7--\r\n", part(kind, body))
        };
        let read = |har: String| read(har.as_bytes()).map(|document| document["activities"].clone());
        let form = of(&activity("a").to_string());
        assert_eq!(read(posted(json!({"text": form}))), Ok(json!([activity("a")])));
        let encoded =
            json!({"encoding": "base64", "text": BASE64_STANDARD.encode([form.as_bytes(), b"\xff"].concat())});
        assert_eq!(read(posted(encoded)), Ok(json!([activity("a")])));
        let field = json!({"params": [{"name": "file", "fileName": "a.png"},
            {"name": "activity", "contentType": "application/vnd.microsoft.activity", "value": activity("b").to_string()}]});
        assert_eq!(read(posted(field)), Ok(json!([activity("b")])));
        // An activity that cannot be read is named as null.
        for lost in [json!({"text": of("{\"type\": ")}), json!({"params": [{"name": "activity"}]}), json!({})] {
            assert_eq!(read(posted(lost.clone())), Ok(json!([null])), "{lost}");
        }
        assert_eq!(read(posted(json!({"text": format!("{file}--b7--")}))), Err(Unreadable::NoActivity));
    }

    /// Once, an activity without `type`, and a body that is no JSON, were skipped without a word.
    #[test]
    fn nothing_that_was_sent_to_an_address_of_activities_is_skipped() {
        let to = |url: &str, body: &str| json!({"request": {"method": "POST", "url": url, "postData": {"text": body}}, "response": {"status": 200}});
        let activities = "https://directline.example/v3/directline/conversations/c/activities?watermark=1";
        let har = |entry: Value| json!({"log": {"version": "1.2", "entries": [entry]}}).to_string();
        let untyped = json!({"text": "a"});
        let all = |document: Value| json!({"activities": [document]});
        for (entry, expected) in [
            (to(activities, &untyped.to_string()), Ok(all(untyped.clone()))),
            (to(activities, &json!([untyped]).to_string()), Ok(all(untyped.clone()))),
            (to(activities, "<html>"), Ok(all(Value::Null))),
            (to(activities, "{\"type\": \"mess"), Ok(all(Value::Null))),
            (
                json!({"request": {"method": "PUT", "url": "https://smba.example/v3/conversations/c/activities/7",
                    "postData": {"text": activity("b").to_string()}}}),
                Ok(all(activity("b"))),
            ),
            (json!({"request": {"method": "POST", "url": activities, "bodySize": 12}}), Ok(all(Value::Null))),
            (json!({"request": {"method": "GET", "url": activities, "bodySize": 0}}), Err(Unreadable::NoActivity)),
            (to(activities, " "), Err(Unreadable::NoActivity)),
            (to(activities, "{\"id\": \"1\"}"), Err(Unreadable::NoActivity)),
            (to("https://a.example/v1/chat", &untyped.to_string()), Err(Unreadable::NoActivity)),
            (
                json!({"request": {"url": activities}, "response": {"status": 200, "content": {"size": 12}}}),
                Ok(all(Value::Null)),
            ),
            (
                json!({"request": {"url": activities}, "response": {"status": 401, "content": {"text": "no"}}}),
                Err(Unreadable::NoActivity),
            ),
        ] {
            assert_eq!(read(har(entry.clone()).as_bytes()), expected, "{entry}");
        }
    }

    #[test]
    fn strings_in_lists_and_records_are_opened() {
        let nested = Value::String(activity("a").to_string());
        let set = json!({"activities": [activity("a")]});
        for (written, expected) in [
            (json!([nested]), json!([activity("a")])),
            (json!({"activities": [nested]}), set.clone()),
            (json!({"activities": json!([nested]).to_string()}), set.clone()),
            (json!({"level": "info", "activity": activity("a")}), activity("a")),
            (json!({"level": "info", "activity": nested}), activity("a")),
            (json!({"level": "info", "activity": [activity("a")]}), json!([activity("a")])),
            (json!({"type": "outgoing", "activity": activity("a")}), activity("a")),
            (json!({"activity": 7}), json!({"activity": 7})),
            (json!({"type": "event", "activity": {"type": "x"}}), json!({"type": "event", "activity": {"type": "x"}})),
        ] {
            assert_eq!(read(written.to_string().as_bytes()), Ok(expected), "{written}");
        }
    }

    #[test]
    fn only_a_document_that_cannot_be_read_in_parts_has_a_limit() {
        let long = activity(&"a".repeat(900)).to_string();
        let error = read_within(1_000, json!([long, long]).to_string().as_bytes()).expect_err("too large");
        assert!(matches!(error, Unreadable::DocumentTooLarge { .. }), "{error}");
        assert!(error.to_string().contains("64 MiB"), "{error}");
        let log = format!("{long}\n{long}\n");
        let har =
            json!({"log": {"entries": [{"response": {"content": {"text": format!("[{long}]")}}}, {"comment": long}]}});
        for (readable, count) in [(log, 2), (har.to_string(), 1)] {
            let document = read_within(1_000, readable.as_bytes()).expect("activities");
            assert_eq!(document["activities"].as_array().map(Vec::len), Some(count));
        }
    }

    #[test]
    fn comments_and_nonsense_are_told_apart() {
        for comment in ["// a", "/* a */", "# a"] {
            let text = format!("{{\n  {comment}\n  \"type\": \"message\"\n}}");
            assert_eq!(read(text.as_bytes()), Err(Unreadable::Comment { line: 2 }), "{comment}");
        }
        for nonsense in ["", "nonsense", "{\"a\": 1", "{}\nnonsense"] {
            assert!(matches!(read(nonsense.as_bytes()), Err(Unreadable::NotJson(_))), "{nonsense}");
        }
        let log = read(b"{}\n\n{\"a\": 1}\n{\"b\":");
        assert!(log.is_err_and(|error| error.to_string().contains("line 4 ")));
    }
}
