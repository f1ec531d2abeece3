//! `records` of every sample against what its format promises, the whole of it.
//!
//! `expected.json` is written from the description of the sample (`oracle.rs`). `records.json`, where there is one, is the
//! whole output, written by hand.

use std::fs;

use citewire::url::WebUrl;
use serde_json::{Value, json};

use super::{json_of, read};
use crate::samples::{input, json_blocks, samples};

const KEYS: [&str; 11] = [
    "cited",
    "claims",
    "complete",
    "error",
    "provider",
    "shown",
    "sources",
    "text",
    "tools_invoked",
    "unread",
    "unresolved",
];

const SOURCE_KEYS: [&str; 19] = [
    "chunk_id",
    "date",
    "deep_url",
    "document_id",
    "filepath",
    "media_type",
    "page",
    "position",
    "provider",
    "rank",
    "raw",
    "redirect",
    "score",
    "snippet",
    "source_domain",
    "source_domain_kind",
    "source_type",
    "title",
    "url",
];

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// An address by which pages are the same (rule N-03), or the text itself where it is none of the web.
fn normalized(url: &Value) -> Option<String> {
    let text = url.as_str()?;
    Some(text.parse::<WebUrl>().map_or_else(|_| text.to_owned(), |url| url.merge_key().into_owned()))
}

/// The difference between a source and its description.
fn difference(found: &Value, expected: &Value) -> Option<String> {
    if normalized(&found["url"]) != normalized(&expected["url"]) {
        return Some(format!("url is {}", found["url"]));
    }
    // A store has no domain of its own: the description takes anything there.
    if expected["domain"] != "any" && found["source_domain"] != expected["domain"] {
        return Some(format!("source_domain is {}", found["source_domain"]));
    }
    let title = || vec![expected["title"].clone()];
    let titles = expected["title"].as_array().cloned().unwrap_or_else(title);
    if !titles.contains(&found["title"]) {
        return Some(format!("title is {}", found["title"]));
    }
    let redirect = expected.get("redirect").is_some_and(|redirect| *redirect == "True");
    if found["redirect"] != json!(redirect) {
        return Some(format!("redirect is {}", found["redirect"]));
    }
    if found["score"] != expected["score"] {
        return Some(format!("score is {}", found["score"]));
    }
    if let Some(snippet) = expected["snippet"].as_str()
        && !found["snippet"].as_str().is_some_and(|found| found.starts_with(snippet))
    {
        return Some(format!("snippet is {}", found["snippet"]));
    }
    let members = [
        ("document_id", "doc_id"),
        ("date", "date"),
        ("filepath", "filepath"),
        ("chunk_id", "chunk_id"),
        ("media_type", "content_type"),
        ("source_type", "source_type"),
    ];
    members.into_iter().find_map(|(name, described)| {
        let wanted = expected.get(described)?;
        (found[name] != *wanted).then(|| format!("{name} is {}, not {wanted}", found[name]))
    })
}

#[test]
fn every_sample_becomes_the_records_that_its_format_promises() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for case in samples() {
        let Ok(text) = fs::read_to_string(case.join("expected.json")) else { continue };
        seen += 1;
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let found = json_of(&read(&input(&case)));
        let mut say = |what: String| wrong.push(format!("{}: {what}", case.display()));
        if keys(&found) != KEYS {
            say(format!("the keys are {:?}", keys(&found)));
        }
        for name in ["provider", "text", "cited", "shown", "complete", "tools_invoked", "unresolved", "error"] {
            if let Some(wanted) = expected.get(name).filter(|wanted| found[name] != **wanted) {
                say(format!("{name} is {}, not {wanted}", found[name]));
            }
        }
        let (sources, wanted) = (found["sources"].as_array().expect("a list"), expected["sources"].as_array());
        let wanted = wanted.expect("a list");
        if sources.len() != wanted.len() {
            say(format!("there are {} sources, not {}", sources.len(), wanted.len()));
        }
        for (at, (source, wanted)) in sources.iter().zip(wanted).enumerate() {
            if keys(source) != SOURCE_KEYS || source["position"] != json!(at + 1) {
                say(format!("source {} is {source}", at + 1));
            }
            if source["provider"] != found["provider"] || source["raw"].is_null() {
                say(format!("source {}: provider and raw are {} and {}", at + 1, source["provider"], source["raw"]));
            }
            if let Some(difference) = difference(source, wanted) {
                say(format!("source {}: {difference}", at + 1));
            }
        }
    }
    assert!(seen >= 46, "only {seen} samples are described");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn some_samples_are_written_down_whole() {
    let mut seen = 0;
    for case in samples() {
        let Ok(text) = fs::read_to_string(case.join("records.json")) else { continue };
        seen += 1;
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let found = json_of(&read(&input(&case)));
        let shown = serde_json::to_string_pretty(&found).expect("JSON");
        assert_eq!(found, expected, "{}: got {shown}", case.display());
    }
    assert!(seen >= 3, "only {seen} files found");
}

#[test]
fn the_example_of_the_documentation_is_what_comes_out() {
    let [given, expected] = &json_blocks(include_str!("../../../docs/reference/records.md"))[..] else {
        panic!("two blocks")
    };
    assert_eq!(&json_of(&read(given.to_string().as_bytes())), expected);
}
