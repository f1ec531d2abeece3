//! Places that providers give by offsets: a badge behind them parts no word and no character that readers see as one, in any
//! format, unit and output.

use citewire_core::convert::{Conversion, convert};
use citewire_core::dialect::Dialect;
use citewire_core::ingest::{Provider, ingest};
use citewire_core::output::{AssistantHubOptions, OpenWebUiOptions, assistanthub, open_webui, records};
use proptest::prelude::*;
use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation as _;

const URL: &str = "https://src.example/a";

/// A format with spans: its name, the unit in which it counts, and an answer that cites the text up to an offset.
type Format = (&'static str, fn(&str, usize) -> usize, fn(&str, usize) -> Value);

fn bytes(_: &str, byte: usize) -> usize {
    byte
}

fn chars(text: &str, byte: usize) -> usize {
    text[..text.floor_char_boundary(byte)].chars().count()
}

fn utf16(text: &str, byte: usize) -> usize {
    text[..text.floor_char_boundary(byte)].encode_utf16().count()
}

const FORMATS: [Format; 10] = [
    ("native, bytes", bytes, |text, end| native(text, end, "utf8")),
    ("native, code points", chars, |text, end| native(text, end, "char")),
    ("native, UTF-16", utf16, |text, end| native(text, end, "utf16")),
    ("openai-chat", chars, |text, end| {
        let citation = json!({"start_index": 0, "end_index": end, "url": URL, "title": "A"});
        let annotation = json!({"type": "url_citation", "url_citation": citation});
        let message = json!({"role": "assistant", "content": text, "annotations": [annotation]});
        json!({"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]})
    }),
    ("openai-responses", chars, |text, end| {
        let annotation = json!({"type": "url_citation", "start_index": 0, "end_index": end, "url": URL, "title": "A"});
        let content = json!([{"type": "output_text", "text": text, "annotations": [annotation]}]);
        json!({"object": "response", "status": "completed", "text": {"format": {"type": "text"}},
            "output": [{"type": "message", "role": "assistant", "content": content}]})
    }),
    ("gemini", bytes, |text, end| {
        let support = json!({"segment": {"startIndex": 0, "endIndex": end}, "groundingChunkIndices": [0]});
        let metadata =
            json!({"groundingChunks": [{"web": {"uri": URL, "title": "A"}}], "groundingSupports": [support]});
        json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": 1, "groundingMetadata": metadata}]})
    }),
    ("gemini, citation metadata", bytes, |text, end| {
        let source = json!({"startIndex": 0, "endIndex": end, "uri": URL, "title": "A"});
        json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP",
            "citationMetadata": {"citationSources": [source]}}]})
    }),
    ("cohere", chars, |text, end| {
        let source = json!({"type": "document", "id": "d", "document": {"id": "d", "title": "A", "url": URL}});
        let citation = json!({"start": 0, "end": end, "text": "", "sources": [source]});
        json!({"id": "c", "finish_reason": "COMPLETE",
            "message": {"role": "assistant", "content": [{"type": "text", "text": text}], "citations": [citation]}})
    }),
    ("bedrock-rag", utf16, |text, end| {
        let part = json!({"text": "", "span": {"start": 0, "end": end.saturating_sub(1)}});
        let reference = json!({"content": {"text": "p"}, "location": {"webLocation": {"url": URL}, "type": "WEB"}});
        json!({"output": {"text": text}, "sessionId": "s",
            "citations": [{"generatedResponsePart": {"textResponsePart": part}, "retrievedReferences": [reference]}]})
    }),
    ("openai-assistants", chars, |text, end| {
        let annotation = json!({"type": "url_citation", "text": "", "start_index": 0, "end_index": end,
            "url_citation": {"url": URL, "title": "A"}});
        json!({"object": "thread.message", "id": "m", "role": "assistant", "status": "completed",
            "content": [{"type": "text", "text": {"value": text, "annotations": [annotation]}}]})
    }),
];

fn native(text: &str, end: usize, unit: &str) -> Value {
    let source = json!({"id": "a", "title": "A", "url": URL});
    json!({"text": text, "sources": [source], "annotations": [{"start": 0, "end": end, "unit": unit, "sources": ["a"]}]})
}

/// Where the only badge stands in the text, in bytes; the text is all there without it.
fn badge(shown: &str, text: &str) -> Option<usize> {
    let body = shown.split("\n\n[1]: ").next().unwrap_or_default();
    let body = body.split("\n\n1. ").next().unwrap_or_default().replace(['\u{200b}', '\u{2060}', '\u{200a}'], "");
    let at = body.find("[1]")?;
    assert_eq!(body.replacen("[1]", "", 1).trim_end(), text.trim_end(), "the text stays");
    Some(at)
}

/// The text of an answer in every output, by the name of the output.
fn shown(body: &Value) -> Vec<(&'static str, String)> {
    let bytes = body.to_string().into_bytes();
    let answer = ingest(&bytes, None).unwrap_or_else(|error| panic!("{body}: {error}"));
    let activity = |dialect| {
        let converted = convert(&bytes, &Conversion::to(dialect)).expect("an activity");
        converted.activities.last().and_then(|activity| activity.text.clone()).unwrap_or_default()
    };
    vec![
        ("web-chat", activity(Dialect::WebChat)),
        ("teams", activity(Dialect::Teams)),
        ("records", records(&answer, &[]).text),
        ("open-webui", open_webui(&answer, &OpenWebUiOptions::default()).content),
        ("assistanthub", assistanthub(&answer, &AssistantHubOptions::default()).content),
    ]
}

proptest! {
    /// Offsets of Gemini, in bytes, were inside a family of three and inside a letter with its dots, and the badge parted them.
    #[test]
    fn a_badge_parts_no_word_and_no_grapheme_cluster_in_any_format_and_output(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "word", " ", " ", "a\u{308}b", "👨\u{200d}👩\u{200d}👧", "🇩🇪", "日本語", "한국어", "ราย", "don't", "3.5", ". ", "é",
        ]), 1..12),
        at in any::<prop::sample::Index>(),
    ) {
        // A sentence at the beginning, so that there is always something to cite.
        let text = format!("So {}", pieces.concat().replace("  ", " ")).trim_end().to_owned();
        let at = 2 + at.index(text.len() - 1);
        for (format, unit, answer) in FORMATS {
            let body = answer(&text, unit(&text, at));
            for (output, shown) in shown(&body) {
                let place = badge(&shown, &text);
                prop_assert!(place.is_some(), "{format} {output} {at}: {shown:?}");
                let place = place.unwrap_or_default();
                let words: Vec<usize> = text.split_word_bound_indices().map(|(start, _)| start).chain([text.len()]).collect();
                prop_assert!(words.contains(&place), "{format} {output} at {at} of {text:?}: {shown:?}");
            }
        }
    }
}

fn web_chat(body: &Value, from: Option<&str>) -> (String, Vec<String>) {
    let mut conversion = Conversion::to(Dialect::WebChat);
    conversion.from = from.map(|from| from.parse::<Provider>().expect("a format")).into();
    let converted = convert(body.to_string().as_bytes(), &conversion).expect("an activity");
    let message = serde_json::to_value(converted.activities.last().expect("a message")).expect("JSON");
    let text = message["text"].as_str().unwrap_or_default();
    let claims = message["entities"][0]["citation"].as_array().cloned().unwrap_or_default();
    let names = claims.iter().map(|claim| claim["appearance"]["name"].as_str().unwrap_or_default().to_owned());
    (text.split("\n\n[1]: ").next().unwrap_or_default().to_owned(), names.collect())
}

fn sonar(text: &str, delta: bool) -> Value {
    let page = |url: &str, title: &str| json!({"type": "url_citation", "url_citation": {"url": url, "title": title, "start_index": 0, "end_index": 0}});
    let pages = json!([page("https://a.example/ruby", "Ruby - A"), page("https://b.example/", "Ruby")]);
    let member = if delta { "delta" } else { "message" };
    json!({"id": "gen-1", "provider": "Perplexity", "model": "perplexity/sonar", "created": 1_767_000_000,
        "object": if delta { "chat.completion.chunk" } else { "chat.completion" }, "system_fingerprint": null,
        "choices": [{"index": 0, "logprobs": null, "finish_reason": null, "native_finish_reason": null,
            member: {"role": "assistant", "content": text, "refusal": null, "annotations": pages}}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 9, "total_tokens": 14}})
}

/// OpenRouter gives Perplexity's pages as annotations from 0 to 0, in the order of `[n]`: no badge, and dead numbers.
#[test]
fn numbers_of_perplexity_through_a_router_name_its_annotations_whole_and_streamed() {
    let mut whole = sonar("Ruby is dynamic.[1][2]", false);
    whole["choices"][0]["finish_reason"] = json!("stop");
    let expected = ("Ruby is dynamic.[1]\u{200b}[2]".to_owned(), vec!["Ruby - A".to_owned(), "Ruby".to_owned()]);
    for from in [None, Some("perplexity")] {
        assert_eq!(web_chat(&whole, from), expected);
    }
    let mut end = sonar("[1][2]", true);
    end["choices"][0]["finish_reason"] = json!("stop");
    let events = [sonar("Ruby is ", true), sonar("dynamic.", true), end];
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let mut conversion = Conversion::to(Dialect::WebChat);
    conversion.options.updates = Some(0);
    let converted = convert(format!(": OPENROUTER PROCESSING\n\n{body}data: [DONE]\n\n").as_bytes(), &conversion)
        .expect("a message");
    let text = converted.activities[0].text.clone().expect("a text");
    assert!(text.starts_with("Ruby is dynamic.[1]\u{200b}[2]\n\n[1]: https://a.example/ruby \"Ruby - A\""), "{text}");
    assert!(converted.report.complete);

    // The older form has a list of addresses, and the titles in the annotations.
    whole["citations"] = json!(["https://a.example/ruby", "https://b.example/"]);
    assert_eq!(web_chat(&whole, None), expected);
}

/// LiteLLM annotates the markers themselves: the number stayed as text, with a badge behind it.
#[test]
fn a_span_that_is_a_number_gives_way_to_the_badge() {
    for (format, unit, answer) in
        FORMATS.iter().filter(|(format, ..)| !format.contains("cohere") && !format.contains("bedrock"))
    {
        let text = "[1] is dynamic.";
        let (shown, names) = web_chat(&answer(text, unit(text, 3)), None);
        assert_eq!((shown.as_str(), names.len()), ("[1] is dynamic.", 1), "{format}");
    }
}

/// Each event tells of its own citations, and only those of the last one counted.
#[test]
fn citations_of_every_event_of_gemini_count_and_a_work_without_an_address_has_its_title() {
    let event = |text: &str, sources: Value, reason: Value| {
        json!({"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "finishReason": reason, "index": 0,
            "citationMetadata": {"citationSources": sources}}], "modelVersion": "gemini-2.0-flash"})
    };
    let first = json!({"startIndex": 0, "endIndex": 18, "uri": "https://a.example/1"});
    let second = json!({"startIndex": 19, "endIndex": 37, "title": "A book"});
    let events = [
        event("One sentence here. ", json!([first]), Value::Null),
        event("Another one there.", json!([first, second]), json!(1)),
    ];
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let mut conversion = Conversion::to(Dialect::WebChat);
    conversion.options.updates = Some(0);
    let converted = convert(body.as_bytes(), &conversion).expect("a message");
    let text = converted.activities[0].text.clone().expect("a text");
    assert!(text.starts_with("One sentence here.[1] Another one there.[2]\n\n[1]: https://a.example/1"), "{text}");
    assert!(text.contains("\n[2]: cite:2 \"A book\"") && converted.report.complete, "{text}");
}

/// Google's own clients write enumerations as numbers: `invalid type: integer 1, expected a string`.
#[test]
fn reasons_of_gemini_may_be_numbers() {
    let answer =
        |reason: Value| json!({"candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": reason}]});
    let notes = |reason: Value| {
        let answer = ingest(answer(reason).to_string().as_bytes(), None).expect("an answer");
        answer.warnings.first().map(|entry| entry.message.clone()).unwrap_or_default()
    };
    assert_eq!([notes(json!(1)), notes(json!("STOP")), notes(json!(0))], ["", "", ""]);
    assert!(notes(json!(2)).contains("MAX_TOKENS") && notes(json!(3)).contains("SAFETY"));
    assert!(notes(json!(4)).contains("RECITATION") && notes(json!(11)).contains("11"));
    let refused = ingest(json!({"candidates": [], "promptFeedback": {"blockReason": 1}}).to_string().as_bytes(), None);
    assert!(refused.expect_err("a refusal").to_string().contains("SAFETY"));
}

/// A knowledge base's pages had neither title nor address: `citations` has the address, or its last segment.
#[test]
fn the_demos_pages_of_a_knowledge_base_have_their_titles_and_addresses() {
    let external = json!([
        {"id": "10", "title": "SharePoint Title", "url": "https://contoso.sharepoint.com/sites/hr/document", "snippet": "…"},
        {"id": 1, "title": "Contoso site", "url": "https://contoso.example", "activity": {"id": 1}},
    ]);
    let body = json!({
        "message": {"role": "assistant", "content": "See [document] and [https://contoso.example]."},
        "session_state": null,
        "context": {"data_points": {"citations": ["document", "https://contoso.example"], "images": [],
            "external_results_metadata": external, "text": ["document: SharePoint content"]},
            "thoughts": [], "followup_questions": null},
    });
    let (text, names) = web_chat(&body, None);
    assert_eq!(
        (text.as_str(), names),
        ("See [1] and [2].", vec!["SharePoint Title".to_owned(), "Contoso site".to_owned()])
    );
}
