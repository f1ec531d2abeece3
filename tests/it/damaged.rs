//! Answers of every format with one member damaged: they are read, or refused with a reason, and never more.

use citewire::ingest::{Provider, ingest};
use serde_json::{Value, json};

use crate::golden::{input, samples};

/// The pointers of all values below a value.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (name.replace('/', "~1"), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for (name, value) in below {
        let pointer = format!("{at}/{name}");
        pointers(value, &pointer, found);
        found.push(pointer);
    }
}

/// The value with each of its parts in turn replaced by each of these.
fn damaged(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    pointers(value, "", &mut found);
    let replacements = [json!(null), json!(-1), json!(1e300), json!("】\u{e200}[["), json!([null, 5]), json!({"x": 1})];
    let replace = |pointer: &String, replacement: &Value| {
        let mut value = value.clone();
        replacement.clone_into(value.pointer_mut(pointer)?);
        Some(value)
    };
    found.iter().flat_map(|pointer| replacements.iter().filter_map(move |with| replace(pointer, with))).collect()
}

fn read(body: &[u8], from: Option<Provider>, name: &str) {
    if let Err(error) = ingest(body, from) {
        let message = error.to_string();
        assert!(!message.is_empty() && !message.contains('\n'), "{name}: {message:?}");
    }
}

#[test]
fn n16_a_damaged_member_is_passed_over_or_named() {
    for case in samples() {
        let name = case.display().to_string();
        let slug = case.parent().and_then(|folder| folder.file_name()).and_then(|name| name.to_str());
        let from = slug.and_then(|slug| slug.parse::<Provider>().ok());
        let body = input(&case);
        if let Ok(whole) = serde_json::from_slice::<Value>(&body) {
            for value in damaged(&whole) {
                read(value.to_string().as_bytes(), None, &name);
                read(value.to_string().as_bytes(), from, &name);
            }
            continue;
        }
        let body = String::from_utf8(body).expect("UTF-8");
        let lines: Vec<&str> = body.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let Ok(event) = serde_json::from_str::<Value>(data) else { continue };
            for value in damaged(&event) {
                let replaced = format!("data: {value}");
                let with = lines.iter().enumerate().map(|(n, line)| if n == at { replaced.as_str() } else { line });
                let with = with.collect::<Vec<_>>().join("\n");
                read(with.as_bytes(), None, &name);
                read(with.as_bytes(), from, &name);
            }
        }
    }
}
