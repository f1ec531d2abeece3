//! Reads documents as people have them, by their shape.
//!
//! An activity, an activity set, a list of activities such as the Emulator's `.transcript`, a HAR of a Direct Line client, a log
//! with one JSON value a line, or any of these in a string. The whole input is kept in memory.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

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
}

/// The maximum number of strings in strings that are opened.
const MAX_STRINGS: usize = 3;

/// Reads `bytes` as a document for [`check()`](super::check()). Of a HAR only activities are read, never headers or addresses,
/// which may hold secrets.
///
/// # Errors
/// When the input has none of the shapes.
pub fn read(bytes: &[u8]) -> Result<Value, Unreadable> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let document = match serde_json::from_slice(bytes) {
        Ok(document) => document,
        Err(error) => return lines(bytes).ok_or_else(|| fault(bytes, &error)),
    };
    let document = opened(document);
    match document.pointer("/log/entries").and_then(Value::as_array) {
        Some(entries) => recorded(entries),
        None => Ok(document),
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

/// The value in a string, if it is JSON.
fn opened(mut value: Value) -> Value {
    for _ in 0..MAX_STRINGS {
        let inner = value.as_str().and_then(|text| serde_json::from_str(text.trim()).ok());
        match inner {
            Some(inner @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => value = inner,
            _ => break,
        }
    }
    value
}

/// A log with one value a line. A record of a log has its activity in `activity`.
fn lines(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() < 2 {
        return None;
    }
    let values = lines.into_iter().map(|line| serde_json::from_str(line).ok().map(opened));
    let mut activities = Vec::new();
    for value in values.collect::<Option<Vec<Value>>>()? {
        match value.get("activity").cloned().map(opened) {
            Some(activity @ Value::Object(_)) => activities.push(activity),
            _ => activities.extend(of_set(value)),
        }
    }
    Some(json!({ "activities": activities }))
}

/// The activities of a set or list, or the value itself.
fn of_set(mut value: Value) -> Vec<Value> {
    let list = match value.get_mut("activities") {
        Some(list) if list.is_array() => list.take(),
        Some(_) | None => value,
    };
    if let Value::Array(items) = list { items } else { vec![list] }
}

/// The activities of a HAR: those that were posted, those of answers, and those of the frames of sockets.
fn recorded(entries: &[Value]) -> Result<Value, Unreadable> {
    let mut activities = Vec::new();
    for entry in entries {
        let is_post = entry.pointer("/request/method").is_some_and(|method| method == "POST");
        if let Some(posted) = entry.pointer("/request/postData/text").filter(|_| is_post) {
            activities.extend(sent(posted));
        }
        activities.extend(answered(entry).iter().flat_map(sent));
        let frames = entry.get("_webSocketMessages").and_then(Value::as_array).into_iter().flatten();
        activities.extend(frames.filter_map(|frame| frame.get("data")).flat_map(sent));
    }
    if activities.is_empty() {
        return Err(Unreadable::NoActivity);
    }
    Ok(json!({ "activities": activities }))
}

/// The text of the answer of an entry. Some recorders write it in Base64.
fn answered(entry: &Value) -> Option<Value> {
    let content = entry.pointer("/response/content")?;
    let text = content.get("text")?;
    if content.get("encoding").is_none_or(|encoding| encoding != "base64") {
        return Some(text.clone());
    }
    let bytes = BASE64_STANDARD.decode(text.as_str()?).ok()?;
    String::from_utf8(bytes).ok().map(Value::String)
}

/// The activities of one body or frame. Other traffic has none. In a set everything counts, because an activity may lack its
/// type.
fn sent(text: &Value) -> Vec<Value> {
    let value = opened(text.clone());
    let is_set = value.get("activities").is_some_and(Value::is_array);
    let values = of_set(value).into_iter();
    values.filter(|value| is_set || value.get("type").is_some_and(Value::is_string)).collect()
}

#[cfg(test)]
mod tests {
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
