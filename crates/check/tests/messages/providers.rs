//! The sample of every provider against what its format promises: the sources, what is cited, and the text.
//!
//! `expected.json` beside an input is written from the description of the sample, not from what came out. `text` is the
//! answer with every marker replaced by the place of its source (rule N-01); `claims` are the cited spans that are no
//! markers, in code points; a member of a source that is `null` has to be absent, and a list of titles names alternatives.

use std::fs;
use std::path::{Path, PathBuf};

use citewire_check::{Channel, check};
use citewire_core::answer::Answer;
use citewire_core::convert::convert;
use citewire_core::dialect::Dialect;
use citewire_core::ingest::{AnswerStream, IngestError, Provider, ingest};
use serde_json::{Value, json};

use crate::described::{by_place, claims, difference};
use crate::samples::{input, samples, to_message};

/// The cases that say what their format promises.
fn described() -> Vec<(PathBuf, Value)> {
    let described = samples().into_iter().filter_map(|case| {
        let text = fs::read_to_string(case.join("expected.json")).ok()?;
        Some((case, serde_json::from_str(&text).expect("JSON")))
    });
    described.collect()
}

fn answer(case: &Path, from: Option<Provider>) -> Answer {
    ingest(&input(case), from).unwrap_or_else(|error| panic!("{}: {error}", case.display()))
}

#[test]
fn every_sample_is_what_its_format_promises() {
    let described = described();
    assert!(described.len() >= 46, "only {} samples are described", described.len());
    for (case, expected) in described {
        let name = case.display();
        let slug = expected["provider"].as_str().expect("a provider");
        let answer = answer(&case, None);
        assert_eq!(
            self::answer(&case, Some(slug.parse().expect("a format"))),
            answer,
            "{name}: detected as another format"
        );
        assert_eq!(json!(answer.complete), expected["complete"], "{name}: complete");
        if let Some(invoked) = expected.get("tools_invoked") {
            assert_eq!(&json!(answer.tools_invoked), invoked, "{name}: tools_invoked");
        }
        let wanted = expected["sources"].as_array().expect("sources");
        assert_eq!(answer.sources.len(), wanted.len(), "{name}: {:#?}", answer.sources);
        for (place, (source, wanted)) in answer.sources.iter().zip(wanted).enumerate() {
            assert_eq!(difference(source, wanted), None, "{name}: source {}", place + 1);
        }
        let (text, cited) = by_place(&answer);
        assert_eq!(json!(text), expected["text"], "{name}: text");
        assert_eq!(json!(cited), expected["cited"], "{name}: cited");
        if let Some(claims) = expected.get("claims") {
            assert_eq!(&self::claims(&answer), claims, "{name}: claims");
        }
    }
}

#[test]
fn no_sample_depends_on_the_cut_of_its_bytes() {
    for (case, _) in described() {
        let body = input(&case);
        let whole = answer(&case, None);
        let lines: Vec<usize> =
            body.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
        let cuts = [(1..body.len()).collect(), (1..body.len()).step_by(7).collect(), lines];
        for cuts in cuts {
            let mut stream = AnswerStream::new(None);
            let mut from = 0;
            for to in cuts.into_iter().chain([body.len()]) {
                stream.push(&body[from..to]).expect("a piece");
                from = to;
            }
            assert_eq!(stream.finish().expect("an answer"), whole, "{}", case.display());
        }
    }
}

#[test]
fn the_events_of_every_stream_may_come_one_a_line_or_as_a_list() {
    let mut seen = 0;
    for (case, _) in described().into_iter().filter(|(case, _)| case.join("input.sse").exists()) {
        let text = String::from_utf8(input(&case)).expect("UTF-8");
        let data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        let events: Vec<&str> = data.filter(|data| data.starts_with(['{', '[']) && *data != "[DONE]").collect();
        let whole = answer(&case, None);
        let with_single_line_ends = format!("data: {}\n", events.join("\ndata: "));
        for body in
            [with_single_line_ends, events.join("\n"), events.join("\r\n\r\n"), format!("[{}]", events.join(", "))]
        {
            let read = ingest(body.as_bytes(), None).unwrap_or_else(|error| panic!("{}: {error}", case.display()));
            assert_eq!(read, whole, "{}", case.display());
        }
        seen += 1;
    }
    assert!(seen >= 11, "only {seen} streams");
}

#[test]
fn every_sample_is_valid_in_every_dialect_and_the_same_again() {
    for (case, expected) in described() {
        let body = input(&case);
        for dialect in Dialect::ALL {
            let converted = convert(&body, &to_message(dialect)).expect("an activity");
            let activity = serde_json::to_value(&converted.activities[0]).expect("JSON");
            let again = convert(&body, &to_message(dialect)).expect("an activity");
            assert_eq!(serde_json::to_value(&again.activities[0]).expect("JSON"), activity);
            #[expect(clippy::wildcard_enum_match_arm, reason = "`check` knows the rules of these channels alone")]
            let channel = match dialect {
                Dialect::WebChat => Channel::WebChat,
                Dialect::Teams | Dialect::M365Copilot => Channel::Teams,
                _ => continue,
            };
            let mut findings = check(&activity, channel);
            // Tables and formulas stay as the model wrote them, unless the extended format is chosen.
            findings.retain(|finding| finding.code != "teams-extended-format-missing");
            if expected["cited"] == json!([]) {
                // Sources that are attested as used, and cited nowhere, are listed all the same.
                findings.retain(|finding| finding.code != "definition-uncited");
            }
            assert!(findings.is_empty(), "{} as {dialect:?}: {findings:?}", case.display());
        }
    }
}

/// Whole answers with all members that their services send: the samples, and what no sample shows.
fn envelopes() -> Vec<(&'static str, Value)> {
    let slug_of = |case: &Path| {
        let folder = case.parent().and_then(Path::file_name).and_then(std::ffi::OsStr::to_str).expect("a folder");
        let slug = if folder == "native" { "citewire" } else { folder };
        slug.parse::<Provider>().expect("a format").slug()
    };
    let wholes = samples().into_iter().filter(|case| case.join("input.json").exists());
    let mut envelopes: Vec<(&'static str, Value)> = wholes
        .map(|case| (slug_of(&case), serde_json::from_slice(&input(&case)).expect("JSON")))
        .filter(|(_, value): &(_, Value)| value.is_object())
        .collect();
    let page = json!({"title": "X", "url": "https://x.example/"});
    let message = json!({"role": "assistant", "content": "The desk has keys [1].", "refusal": null});
    let choices = json!([{"index": 0, "message": message, "logprobs": null, "finish_reason": "stop"}]);
    envelopes.extend([
        (
            "citewire",
            json!({"text": "The desk has keys [1].", "sources": [page], "annotations": [], "label": {"name": "Internal"},
                "interpreter": {"slogan": "Desk"}}),
        ),
        (
            "vercel-ai-sdk",
            json!({"id": "m", "role": "assistant", "metadata": {"model": "m"}, "parts": [{"type": "text", "text": "Keys."}]}),
        ),
        (
            "cohere",
            json!({"response_id": "r", "text": "The desk has keys.", "generation_id": "g", "chat_history": [],
                "finish_reason": "COMPLETE", "meta": {"api_version": {"version": "1"}}, "is_search_required": null,
                "citations": [{"start": 4, "end": 8, "text": "desk", "document_ids": ["d"]}], "search_queries": null,
                "documents": [{"id": "d", "title": "Desk"}], "search_results": null, "tool_calls": null}),
        ),
        (
            "xai",
            json!({"id": "x", "object": "chat.completion", "created": 1_767_000_000, "model": "grok-4-fast",
                "choices": choices, "usage": {"total_tokens": 3}, "system_fingerprint": "fp", "citations": ["https://x.example/"]}),
        ),
        (
            "openai-assistants",
            json!({"object": "list", "first_id": "m", "last_id": "m", "has_more": false, "data": [{"id": "m",
                "object": "thread.message", "role": "assistant",
                "content": [{"type": "text", "text": {"value": "Keys.", "annotations": []}}]}]}),
        ),
        (
            "langchain",
            json!({"input": "keys?", "chat_history": [], "answer": "The desk has keys [1].",
                "context": [{"page_content": "Keys: desk", "metadata": {}}]}),
        ),
    ]);
    let mut known = std::collections::BTreeSet::new();
    envelopes.retain(|(slug, value)| {
        let names: Vec<String> = value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        known.insert((*slug, names))
    });
    envelopes
}

/// Members that make the completion of one service that of another, and rightly: they are all that tells the two apart.
fn tells_another(slug: &str, member: &str, value: &Value, read_as: Option<&str>) -> bool {
    let is_addresses = value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
    match (member, read_as) {
        ("search_results", Some("perplexity")) => slug == "openai-chat",
        ("citations", Some("perplexity")) => slug == "openai-chat" && is_addresses,
        ("citations", Some("xai")) => slug == "openai-responses" && is_addresses,
        ("citations", Some("assistanthub")) => ["openai-chat", "mistral"].contains(&slug) && value.is_object(),
        _ => false,
    }
}

/// Every whole response of OpenAI was refused: its `text` says how the text is laid out, and the manifest has a `text`, too.
#[test]
fn one_member_of_another_format_changes_no_format() {
    let envelopes = envelopes();
    let slugs: std::collections::BTreeSet<&str> = envelopes.iter().map(|(slug, _)| *slug).collect();
    let all: std::collections::BTreeSet<&str> = Provider::all().map(Provider::slug).collect();
    assert_eq!(
        slugs, all,
        "left: formats with a whole answer, in samples/answers or in `envelopes`; right: all formats"
    );
    let read = |value: &Value| ingest(value.to_string().as_bytes(), None).map(|answer| answer.provider);
    let mut wrong = Vec::new();
    for (slug, envelope) in &envelopes {
        let has = |member: &String| {
            let own = envelopes.iter().filter(|(other, _)| other == slug);
            own.filter_map(|(_, envelope)| envelope.as_object()).any(|own| own.contains_key(member))
        };
        let alone = read(envelope);
        assert_eq!(alone.as_ref().ok(), Some(&Some(*slug)), "{alone:?}: {envelope}");
        for (other, foreign) in envelopes.iter().filter(|(other, _)| other != slug) {
            for (member, value) in foreign.as_object().expect("an object") {
                if has(member) {
                    continue;
                }
                let mut both = envelope.clone();
                both[member] = value.clone();
                match read(&both) {
                    Ok(Some(found)) if found == *slug || tells_another(slug, member, value, Some(found)) => {}
                    // Of two members, one of each format, nothing says whose answer it is: the refusal names both.
                    Err(IngestError::Unrecognized { seen })
                        if envelope.as_object().is_some_and(|own| own.len() == 1)
                            && seen.contains(&format!("as {slug} has"))
                            && seen.contains(", and ") => {}
                    found => wrong.push(format!("{slug} with `{member}` of {other}: {found:?}")),
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    let told = "an answer of the first format is read as another, or not at all, when it has one member of the second. Ask for \
                more members in `is_whole` of the format that is wrongly found, let the reader pass over what it does not \
                know, or, where nothing else tells the two apart, name the pair in `tells_another`";
    assert!(wrong.is_empty(), "{told}:\n{}", wrong.join("\n"));
}

#[test]
fn an_answer_that_would_fit_two_formats_says_which_was_chosen_and_why() {
    let mut completion = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Keys."}, "finish_reason": "stop"}]});
    completion["text"] = json!("Something else.");
    let answer = ingest(completion.to_string().as_bytes(), None).expect("an answer");
    assert_eq!((answer.provider, answer.text.as_str()), (Some("openai-chat"), "Keys."));
    let notes: Vec<_> = answer.warnings.iter().map(|entry| (entry.code, entry.message.as_str())).collect();
    let told = "it has `choices`, as openai-chat has, and `text`, as citewire has; most of its members are those of \
                openai-chat, as which it is read";
    assert_eq!(notes, [("format-chosen", told)]);
    let refused = ingest(br#"{"text": "a", "choices": []}"#, None).expect_err("nothing tells them apart").to_string();
    assert!(refused.contains("name it with `from`"), "{refused}");
}
