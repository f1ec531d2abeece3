//! No source is lost silently (policy P-14): each address of a source in a body is in the message, or the report leads to it.
//!
//! The reader of addresses here knows no format and shares nothing with the account of the core. Bodies are the samples: read as
//! themselves, as each other format, and with a member renamed.

use std::collections::BTreeSet;

use citewire_core::convert::{Conversion, Converted, convert};
use citewire_core::dialect::Dialect;
use citewire_core::ingest::Provider;
use serde_json::Value;

use crate::samples::{input, samples};

/// Endings of the names of members whose address is that of a source, in lower case.
const ADDRESSES: [&str; 4] = ["url", "uri", "link", "href"];

/// Members beside the answer, or whose address is not that of the source.
const OTHERS: [&str; 13] = [
    "provider",
    "image",
    "icon",
    "logo",
    "tools",
    "usage",
    "interpreter",
    "favicon",
    "error",
    "input",
    "instructions",
    "base",
    "service",
];

/// The documents in a body: one, or the events of a stream, with their JSON pointers.
fn documents(body: &str) -> Vec<(String, Value)> {
    if let Ok(value) = serde_json::from_str::<Value>(body) {
        return vec![(String::new(), value)];
    }
    let text = body.replace("\r\n", "\n");
    let is_sse = text.lines().any(|line| line.starts_with("data:"));
    let events: Vec<String> = if is_sse {
        let data = |event: &str| {
            let lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
            lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
        };
        text.split("\n\n").map(data).filter(|data| !data.is_empty()).collect()
    } else {
        text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
    };
    let parsed =
        events.iter().enumerate().filter_map(|(at, data)| Some((format!("/{at}"), serde_json::from_str(data).ok()?)));
    parsed.collect()
}

/// The addresses of sources in a value, each with the pointer of its object.
fn addresses(value: &Value, pointer: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let lower = name.to_lowercase();
                if OTHERS.iter().any(|other| lower.contains(other)) {
                    continue;
                }
                let address = value.as_str().filter(|text| text.starts_with("https://"));
                match address.filter(|_| ADDRESSES.iter().any(|end| lower.ends_with(end))) {
                    Some(address) => found.push((pointer.to_owned(), address.to_owned())),
                    None => addresses(value, &format!("{pointer}/{name}"), found),
                }
            }
        }
        Value::Array(entries) => {
            for (at, entry) in entries.iter().enumerate() {
                addresses(entry, &format!("{pointer}/{at}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The page of an address: without scheme, query and fragment, in lower case.
fn page(address: &str) -> String {
    let bare = address.split(['?', '#']).next().unwrap_or(address);
    bare.trim_start_matches("https://").trim_end_matches('/').replace("%20", " ").to_lowercase()
}

/// A pointer in which the spelling of names does not count.
fn folded(pointer: &str) -> String {
    pointer.replace('_', "").to_lowercase()
}

/// The addresses of the body that neither the message nor the report knows.
fn lost(body: &[u8], converted: &Converted) -> Vec<String> {
    let text = String::from_utf8_lossy(body).into_owned();
    let mut found = Vec::new();
    for (pointer, document) in documents(&text) {
        addresses(&document, &pointer, &mut found);
    }
    let message = serde_json::to_string(&converted.activities).expect("JSON").replace("%20", " ").to_lowercase();
    let mut told = BTreeSet::new();
    for entry in converted.report.lists().into_iter().flat_map(|(_, list)| list) {
        let Some(pointer) = entry.at.pointer().filter(|pointer| !pointer.is_empty()) else { continue };
        for (place, document) in documents(&text) {
            told_at(&document, &folded(&place), &folded(pointer), &mut told);
        }
    }
    let is_lost = |address: &String| !message.contains(&page(address)) && !told.contains(&page(address));
    found.into_iter().map(|(_, address)| address).filter(is_lost).collect()
}

/// Collects the pages of all addresses at a pointer of the report, and below it.
fn told_at(value: &Value, place: &str, pointer: &str, told: &mut BTreeSet<String>) {
    let is_below = place == pointer || place.starts_with(&format!("{pointer}/"));
    let is_around = pointer.starts_with(&format!("{place}/"));
    match value {
        Value::String(text) if is_below && text.starts_with("https://") => {
            told.insert(page(text));
        }
        Value::Object(members) if is_below || is_around => {
            for (name, value) in members {
                told_at(value, &format!("{place}/{}", folded(name)), pointer, told);
            }
        }
        Value::Array(entries) if is_below || is_around => {
            for (at, entry) in entries.iter().enumerate() {
                told_at(entry, &format!("{place}/{at}"), pointer, told);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {}
    }
}

fn conversion(from: Option<Provider>) -> Conversion {
    let mut conversion = Conversion::to(Dialect::WebChat);
    conversion.options.updates = Some(0);
    conversion.from = from.into();
    conversion
}

/// The losses of a body that is accepted; none of one that is refused with a reason.
fn lost_as(body: &[u8], from: Option<Provider>) -> Vec<String> {
    match convert(body, &conversion(from)) {
        Ok(converted) => lost(body, &converted),
        Err(_) => Vec::new(),
    }
}

#[test]
fn no_source_of_a_sample_is_lost_in_any_format() {
    let mut wrong = Vec::new();
    for case in samples() {
        let body = input(&case);
        for from in std::iter::once(None).chain(Provider::all().map(Some)) {
            let lost = lost_as(&body, from);
            if !lost.is_empty() {
                wrong.push(format!("{} as {from:?}: {lost:?}", case.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} readings lose sources:\n{}", wrong.len(), wrong.join("\n"));
}

/// The names of all members in the body, each once.
fn names(body: &str) -> BTreeSet<String> {
    fn collect(value: &Value, names: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => members.iter().for_each(|(name, value)| {
                names.insert(name.clone());
                collect(value, names);
            }),
            Value::Array(entries) => entries.iter().for_each(|entry| collect(entry, names)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut all = BTreeSet::new();
    documents(body).iter().for_each(|(_, document)| collect(document, &mut all));
    all
}

#[test]
fn no_source_is_lost_where_a_member_has_another_name() {
    let mut wrong = Vec::new();
    let mut renamed = 0;
    for case in samples() {
        let body = String::from_utf8(input(&case)).expect("text");
        for name in names(&body) {
            // The end of the name stays, so that an address is one under its new name, too.
            let other = body.replace(&format!("\"{name}\":"), &format!("\"novel_{name}\":"));
            renamed += usize::from(other != body);
            let lost = lost_as(other.as_bytes(), None);
            if !lost.is_empty() {
                wrong.push(format!("{} with novel_{name}: {lost:?}", case.display()));
            }
        }
    }
    assert!(renamed > 1_000, "only {renamed} members were renamed");
    assert!(wrong.is_empty(), "{} bodies lose sources:\n{}", wrong.len(), wrong.join("\n"));
}
