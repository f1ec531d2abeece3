//! Answers of every format with one member damaged: they are read, or refused with a reason, and never more.

use citewire_core::ingest::{Provider, ingest};
use serde_json::{Value, json};

use crate::samples::{input, samples};
use crate::share::{share, shortened};

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
    let replacements =
        [json!(null), json!(-1), json!(1e300), json!("】\u{e200}[["), json!("NaN"), json!([null, 5]), json!({"x": 1})];
    let replace = |pointer: &String, replacement: &Value| {
        let mut value = value.clone();
        replacement.clone_into(value.pointer_mut(pointer)?);
        Some(value)
    };
    found.iter().flat_map(|pointer| replacements.iter().filter_map(move |with| replace(pointer, with))).collect()
}

/// The value with every pair of a start and an end in turn the wrong way round.
fn reversed(value: &Value) -> Vec<Value> {
    let mut found = vec![String::new()];
    pointers(value, "", &mut found);
    let reverse = |pointer: &String| {
        let mut value = value.clone();
        let members = value.pointer_mut(pointer)?.as_object_mut()?;
        let named = |part: &str| members.keys().find(|name| name.to_lowercase().starts_with(part)).cloned();
        let (start, end) = (named("start")?, named("end")?);
        let (first, last) = (members.get(&start)?.clone(), members.get(&end)?.clone());
        members.insert(start, last);
        members.insert(end, first);
        Some(value)
    };
    found.iter().filter_map(reverse).collect()
}

/// The value with its largest list of objects, but for the one that holds all, made long.
fn lengthened(value: &Value, length: usize) -> Option<Value> {
    let mut found = Vec::new();
    pointers(value, "", &mut found);
    let items = |pointer: &&String| {
        value.pointer(pointer).and_then(Value::as_array).filter(|list| list[..].iter().any(Value::is_object))
    };
    let of_sources = found.iter().filter(|pointer| items(pointer).is_some() && pointer.matches('/').count() > 1);
    let pointer = of_sources.max_by_key(|pointer| items(pointer).map_or(0, Vec::len))?;
    let mut value = value.clone();
    let list = value.pointer_mut(pointer)?.as_array_mut()?;
    let first = list.first()?.clone();
    list.resize(length, first);
    Some(value)
}

fn read(body: &[u8], from: Option<Provider>, name: &str) {
    if let Err(error) = ingest(body, from) {
        let message = error.to_string();
        assert!(!message.is_empty() && !message.contains('\n'), "{name}: {message:?}");
    }
}

#[test]
fn every_beginning_of_an_answer_is_read_or_refused_with_a_reason() {
    for case in samples() {
        let name = case.display().to_string();
        let body = input(&case);
        for end in share(0..body.len()) {
            read(&body[..end], None, &name);
        }
    }
}

#[test]
fn offsets_the_wrong_way_round_cite_nothing_and_harm_nothing() {
    let mut seen = 0;
    for case in samples() {
        let name = case.display().to_string();
        let Ok(whole) = serde_json::from_slice::<Value>(&input(&case)) else { continue };
        for value in reversed(&whole) {
            seen += 1;
            let answer = ingest(value.to_string().as_bytes(), None);
            let answer = answer.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(answer.citations.iter().all(|citation| citation.span.end() <= answer.text.len()), "{name}");
        }
    }
    assert!(seen >= 20, "only {seen} pairs of offsets");
}

#[test]
fn thousands_of_anything_are_read() {
    let mut seen = 0;
    for case in samples() {
        let name = case.display().to_string();
        let Ok(whole) = serde_json::from_slice::<Value>(&input(&case)) else { continue };
        let Some(value) = lengthened(&whole, shortened(10_000)) else { continue };
        seen += 1;
        read(value.to_string().as_bytes(), None, &name);
    }
    assert!(seen >= 25, "only {seen} lists");
}

#[test]
fn a_damaged_member_is_passed_over_or_named() {
    for case in samples() {
        let name = case.display().to_string();
        let slug = case.parent().and_then(|folder| folder.file_name()).and_then(|name| name.to_str());
        let from = slug.and_then(|slug| slug.parse::<Provider>().ok());
        let body = input(&case);
        if let Ok(whole) = serde_json::from_slice::<Value>(&body) {
            for value in share(damaged(&whole).into_iter()) {
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
            for value in share(damaged(&event).into_iter()) {
                let replaced = format!("data: {value}");
                let with = lines.iter().enumerate().map(|(n, line)| if n == at { replaced.as_str() } else { line });
                let with = with.collect::<Vec<_>>().join("\n");
                read(with.as_bytes(), None, &name);
                read(with.as_bytes(), from, &name);
            }
        }
    }
}
