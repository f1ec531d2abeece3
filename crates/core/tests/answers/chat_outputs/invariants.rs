//! Properties of every answer, in whatever format it came.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use citewire_core::answer::{Answer, MarkerGrammar, Source};
use citewire_core::cite::{CitedText, Rules, cite};
use citewire_core::ingest::{Provider, ingest};
use citewire_core::output::{AssistantHubOptions, Completion, OpenWebUi, OpenWebUiOptions, assistanthub, open_webui};
use citewire_core::url::WebUrl;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::page::{badges, cards, faults, relevance};
use crate::samples::{input, samples};

fn completion() -> Completion {
    Completion { id: "chatcmpl-1".into(), created: 1_767_000_000, model: "citewire".into() }
}

/// The cited sources by first appearance.
fn cited(answer: &Answer) -> Vec<&Source> {
    let CitedText { places, .. } = cite(answer, &Rules::numbered());
    let mut order: Vec<usize> = Vec::new();
    for place in places {
        let index = usize::try_from(place.position.get()).expect("a place") - 1;
        if !order.contains(&index) {
            order.push(index);
        }
    }
    order.into_iter().map(|index| &answer.sources[index]).collect()
}

/// The text without its numbers and without what cannot be seen.
fn words(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\u{2060}' | '\u{200a}' | '[' | ']' | '\\') && !c.is_ascii_digit()).collect()
}

fn described(case: &Path) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(case.join("expected.json")).ok()?).ok()
}

fn events(output: &OpenWebUi) -> Vec<Value> {
    output.events.iter().map(|event| json!(event)).collect()
}

/// Holds one answer for Open WebUI against the page.
fn hold_against_page(name: &str, answer: &Answer) {
    let output = open_webui(answer, &OpenWebUiOptions::default());
    let (events, cited) = (events(&output), cited(answer));
    for event in &events {
        assert!(faults(event).is_empty(), "{name}: {:?} in {event}", faults(event));
    }
    let cards = cards(&events);
    assert_eq!(cards.len(), events.len(), "{name}: two sources became one card");
    let (shown, gone) = badges(&output.content, cards.len());
    assert!(gone.is_empty(), "{name}: {gone:?} vanish from {:?}", output.content);
    let mut first: Vec<usize> = Vec::new();
    shown.iter().for_each(|number| {
        if !first.contains(number) {
            first.push(*number);
        }
    });
    let all: Vec<usize> = (1..=cited.len()).collect();
    assert_eq!(first, all, "{name}: the badges of {:?}", output.content);
    if !cited.is_empty() {
        assert_eq!(cards.len(), cited.len(), "{name}");
    }
    for (card, source) in cards.iter().zip(&cited) {
        assert_eq!(card.url.as_deref(), source.url.as_ref().map(WebUrl::as_str), "{name}");
    }
    assert_eq!(words(&output.content), words(&cite(answer, &Rules::numbered()).text), "{name}");
    let distances: Vec<f64> = cards.iter().flat_map(|card| &card.distances).filter_map(Value::as_f64).collect();
    assert!(
        relevance(&distances).iter().all(|shown| shown.as_ref().is_some_and(|shown| shown.ends_with('%'))),
        "{name}"
    );
}

#[test]
fn every_sample_has_its_badges_and_cards_in_open_webui() {
    for case in samples() {
        hold_against_page(&case.display().to_string(), &ingest(&input(&case), None).expect("an answer"));
    }
}

#[test]
fn every_described_sample_shows_the_sources_that_its_format_promises() {
    let mut seen = 0;
    for case in samples() {
        let Some(expected) = described(&case) else { continue };
        seen += 1;
        let answer = ingest(&input(&case), None).expect("an answer");
        let shown: Vec<usize> = expected["shown"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_u64)
            .map(|n| n as usize)
            .collect();
        let mut wanted: Vec<Option<&str>> =
            shown.iter().map(|n| answer.sources[n - 1].url.as_ref().map(WebUrl::as_str)).collect();
        let output = events(&open_webui(&answer, &OpenWebUiOptions::default()));
        let mut found: Vec<Option<&str>> = output.iter().map(|event| event["data"]["source"]["url"].as_str()).collect();
        wanted.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, wanted, "{}", case.display());
        let hub = json!(assistanthub(&answer, &AssistantHubOptions::default()));
        let referenced = &hub["citations"]["referenced_indices"];
        let told = if expected["cited"] == json!([]) { &expected["shown"] } else { &expected["cited"] };
        let mut told: Vec<u64> = told.as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
        told.sort_unstable();
        // Where the provider does not say what it used, each document has one entry (rule AH-05).
        if expected["cited"] != json!([]) || answer.shown.is_some() {
            assert_eq!(referenced, &json!(told), "{}", case.display());
        }
    }
    assert!(seen >= 46, "only {seen} samples are described");
}

/// The common part of two readings of one answer: the text with the numbers of its sources, and the sources.
fn essence(answer: &Answer) -> (Vec<String>, Vec<Option<String>>, Vec<Option<f64>>) {
    let cited = cited(answer);
    let content = cited.iter().map(|source| source.content.clone().unwrap_or_default()).collect();
    let urls = cited.iter().map(|source| source.url.as_ref().map(|url| url.as_str().to_owned())).collect();
    (content, urls, cited.iter().map(|source| source.score).collect())
}

#[test]
fn what_was_written_for_open_webui_is_read_as_the_same_answer() {
    for case in samples() {
        let name = case.display();
        let answer = ingest(&input(&case), None).expect("an answer");
        let output = open_webui(&answer, &OpenWebUiOptions::default());
        if output.events.is_empty() {
            continue;
        }
        let said = json!({"type": "message", "data": {"content": output.content}});
        let list: Vec<Value> = [said].into_iter().chain(events(&output)).collect();
        let text = json!({"choices": [{"index": 0, "delta": {"content": output.content}, "finish_reason": null}]});
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        let completion = completion();
        let chunks = [text].into_iter().chain(output.event_chunks(&completion)).chain([end]);
        let stream: String = chunks.map(|chunk| format!("data: {chunk}\n\n")).collect();
        let whole = output.whole(&completion).to_string();
        for body in [json!(list).to_string(), stream, whole] {
            let again = ingest(body.as_bytes(), None).unwrap_or_else(|error| panic!("{name}: {error} in {body}"));
            assert_eq!(again.text, output.content, "{name}");
            assert_eq!(again.sources.len(), output.events.len(), "{name}");
            let (content, urls, scores) = essence(&again);
            let (given_content, given_urls, given_scores) = essence(&answer);
            assert_eq!((urls, scores), (given_urls, given_scores), "{name}");
            for (again, given) in content.iter().zip(&given_content) {
                // Where there was no passage, the name stands in.
                assert!(again == given || given.trim().is_empty(), "{name}: {again:?}");
            }
        }
    }
}

#[test]
fn what_was_written_for_assistanthub_is_read_as_the_same_answer() {
    for case in samples() {
        let name = case.display();
        let answer = ingest(&input(&case), None).expect("an answer");
        let output = json!(assistanthub(&answer, &AssistantHubOptions::default()));
        if answer.sources.is_empty() {
            assert_eq!(output.get("citations"), None, "{name}");
            continue;
        }
        let again = ingest(output.to_string().as_bytes(), Some(Provider::AssistantHub)).expect("an answer");
        assert_eq!(again.grammar, MarkerGrammar::ASSISTANT_HUB);
        assert_eq!(again.sources.len(), answer.sources.len(), "{name}");
        let indices: Vec<u64> = output["citations"]["referenced_indices"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_u64)
            .collect();
        assert!(indices.windows(2).all(|pair| pair[0] < pair[1]), "{name}: {indices:?}");
        assert!(indices.iter().all(|index| (1..=answer.sources.len() as u64).contains(index)), "{name}: {indices:?}");
        let urls = |answer: &Answer| -> Vec<Option<String>> {
            answer.sources.iter().map(|source| source.url.as_ref().map(|url| url.as_str().to_owned())).collect()
        };
        assert_eq!(urls(&again), urls(&answer), "{name}");
        let mut places: Vec<u64> =
            cite(&again, &Rules::numbered()).places.iter().map(|place| u64::from(place.position.get())).collect();
        places.sort_unstable();
        places.dedup();
        if output["citations"].get("auto_populated").is_none() {
            assert!(indices.iter().all(|index| places.contains(index)), "{name}: {indices:?} and {places:?}");
        }
    }
}

/// Texts that have made tokenizers stumble, around markers and numbers that are none.
const PIECES: &[&str] = &[
    "[1]",
    "[2]",
    "[9]",
    "[2, 1]",
    "[1, 9]",
    "[3#p]",
    "[7#p]",
    "[0]",
    "arr[0]",
    "[^1]",
    "\\[1\\]",
    "\\[9\\]",
    "\\",
    "!",
    "`a[0]`",
    "\n\n",
    "\n",
    " ",
    "a ",
    "word",
    "- ",
    "> ",
    "1. ",
    "# ",
    "(2024)",
    "(https://x.example)",
    ": ",
    "https://x.example/a",
    "www.x.example",
    "[text](https://ok.example/[0])",
    "[7](https://ok.example)",
    "\n\n[9]: https://ok.example\n\n",
    "**",
    "*",
    "_",
    "$5 ",
    "<b>",
    "< ",
    ".",
    "…",
    "中文",
];

proptest! {
    /// Stray backticks are not among the pieces: engines disagree on what they begin.
    #[test]
    fn nothing_vanishes_from_any_text_and_every_cited_source_has_its_badge(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 1..14),
    ) {
        let source = |n: u32| Source { title: Some(format!("Document {n}")), ..Source::default() };
        let answer = Answer {
            text: pieces.concat(),
            sources: [1, 2, 3].map(source).into(),
            grammar: MarkerGrammar::BRACKETED_NUMBERS,
            ..Answer::default()
        };
        let output = open_webui(&answer, &OpenWebUiOptions::default());
        let (shown, gone) = badges(&output.content, output.events.len());
        let shown: BTreeSet<usize> = shown.into_iter().collect();
        prop_assert_eq!(shown.len(), cited(&answer).len(), "the badges of {:?}", output.content);
        prop_assert!(gone.is_empty(), "{gone:?} vanish from {:?}", output.content);
        prop_assert_eq!(words(&output.content), words(&cite(&answer, &Rules::numbered()).text));
    }
}
