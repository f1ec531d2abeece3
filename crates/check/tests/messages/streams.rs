//! Streams against whole answers: the same message, wherever bytes and events were cut, and what is shown before it.

use citewire_check::{Channel, check};
use citewire_core::activity::Activity;
use citewire_core::convert::{Conversion, Converted, Streamed, Streaming, Update, convert};
use citewire_core::dialect::Dialect;
use citewire_core::ingest::is_stream;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::described::LATE_WITHOUT_A_SIGN;
use crate::golden::{cases, codes};
use crate::samples::{input, samples, to_message};
use crate::share::share;

const STREAMING: [Dialect; 3] = [Dialect::WebChat, Dialect::Teams, Dialect::M365Copilot];

/// The only activity that a body becomes when no updates are asked for.
fn message(body: &[u8], dialect: Dialect) -> (Activity, Value) {
    let Converted { mut activities, report, .. } = convert(body, &to_message(dialect)).expect("an activity");
    assert_eq!(activities.len(), 1);
    (activities.remove(0), codes(&report))
}

/// The result of pushing these pieces.
fn pushed<'p>(pieces: impl IntoIterator<Item = &'p [u8]>, dialect: Dialect) -> Streamed {
    shown_by(pieces, dialect).0
}

/// The result of pushing these pieces, and the text that it had shown before.
fn shown_by<'p>(pieces: impl IntoIterator<Item = &'p [u8]>, dialect: Dialect) -> (Streamed, String) {
    let mut streaming = Streaming::new(Conversion::to(dialect));
    let mut shown = String::new();
    for piece in pieces {
        if let Some(Update::Text(text)) = streaming.push(piece).expect("a part of a stream") {
            assert!(text.len() > shown.len() && text.starts_with(&shown), "{shown:?} became {text:?}");
            text.clone_into(&mut shown);
        }
    }
    let streamed = streaming.end().expect("a message");
    let text = streamed.message.text.as_deref().unwrap_or_default();
    assert!(streamed.continues == text.starts_with(&shown) || dialect == Dialect::WebChat, "{shown:?} and {text:?}");
    (streamed, shown)
}

/// The texts of the updates among activities, and the message without the sign that ends a stream.
fn parts(activities: &[Activity]) -> (Vec<&str>, Value) {
    let (last, updates) = activities.split_last().expect("a message");
    let texts = updates
        .iter()
        .filter(|update| update.channel_data.as_ref().is_some_and(|data| data["streamType"] == "streaming"));
    let mut message = serde_json::to_value(last).expect("JSON");
    if let Some(entities) = message.get_mut("entities").and_then(Value::as_array_mut) {
        entities.retain(|entity| entity["type"] != "streaminfo");
    }
    if let Some(data) = message.get_mut("channelData").and_then(Value::as_object_mut) {
        data.remove("streamType");
    }
    let members = message.as_object_mut().expect("an object");
    members.retain(|name, value| !(name == "channelData" && value == &json!({})));
    (texts.map(|update| update.text.as_deref().expect("a text")).collect(), message)
}

/// The samples that are streams.
fn stream_samples() -> Vec<(String, Vec<u8>)> {
    let samples = samples().into_iter().map(|case| (case.display().to_string(), input(&case)));
    let samples: Vec<_> = samples.filter(|(_, body)| is_stream(body)).collect();
    assert!(samples.len() >= 5, "{} streams found", samples.len());
    samples
}

#[test]
fn a_sample_is_the_same_wherever_its_bytes_are_cut() {
    for (name, body) in stream_samples() {
        // Where the bytes are cut is no matter of the dialect.
        let (expected, report) = message(&body, Dialect::Teams);
        for cut in share(0..body.len() + 1) {
            let streamed = pushed([&body[..cut], &body[cut..]], Dialect::Teams);
            assert_eq!(streamed.message, expected, "{name} cut at {cut}");
            assert_eq!(codes(&streamed.report), report);
        }
        for dialect in [Dialect::WebChat, Dialect::Teams] {
            let streamed = pushed(body.iter().map(std::slice::from_ref), dialect);
            assert_eq!(streamed.message, message(&body, dialect).0, "{name} byte by byte");
        }
    }
}

#[test]
fn what_a_sample_shows_event_by_event_is_a_beginning_of_its_message() {
    let mut wrong = Vec::new();
    for (name, body) in stream_samples() {
        let text = std::str::from_utf8(&body).expect("UTF-8");
        for dialect in [Dialect::Teams, Dialect::M365Copilot] {
            let (streamed, shown) = shown_by(text.split_inclusive("\n\n").map(str::as_bytes), dialect);
            let is_told = !LATE_WITHOUT_A_SIGN.iter().any(|late| name.ends_with(late));
            if streamed.continues != is_told {
                wrong.push(format!("{name} had shown {shown:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_stream_that_breaks_off_is_incomplete_or_unusable_and_no_more() {
    for (name, body) in stream_samples() {
        for end in share(0..body.len()) {
            let mut streaming = Streaming::new(to_message(Dialect::Teams));
            streaming.push(&body[..end]).unwrap_or_else(|error| panic!("{name} until {end}: {error}"));
            if let Ok(streamed) = streaming.end() {
                let text = streamed.message.text.unwrap_or_default();
                assert!(!text.is_empty(), "{name} until {end}");
            }
        }
    }
}

#[test]
fn a_provider_error_keeps_the_text_and_says_so() {
    let (_, body) = stream_samples().into_iter().find(|(name, _)| name.ends_with("stream-failed")).expect("the sample");
    let converted = convert(&body, &to_message(Dialect::Teams)).expect("an activity");
    let report = serde_json::to_value(&converted.report).expect("JSON");
    assert_eq!(report["complete"], false);
    assert_eq!(report["error"], json!({"code": "overloaded", "message": "The model is overloaded."}));
    assert_eq!(converted.activities[0].text.as_deref(), Some("Leave is 30 days [1]. It is asked "));
}

/// The native stream that says the same as a manifest, its text in pieces of this many characters.
fn as_native_stream(manifest: &Value, characters: usize) -> String {
    let mut events = Vec::new();
    for name in ["sources", "label", "interpreter"] {
        if manifest.get(name).is_some() {
            events.push(json!({name: manifest[name]}));
        }
    }
    let text: Vec<char> = manifest["text"].as_str().expect("a text").chars().collect();
    events.extend(text.chunks(characters).map(|piece| json!({"delta": piece.iter().collect::<String>()})));
    if manifest.get("annotations").is_some() {
        events.push(json!({"annotations": manifest["annotations"]}));
    }
    events.push(json!({"done": true}));
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// The chunks that say the same as a whole response of Azure OpenAI On Your Data.
fn as_azure_stream(response: &Value, characters: usize) -> String {
    let message = &response["choices"][0]["message"];
    let chunk =
        |delta: Value, reason: &Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
    let mut chunks = vec![chunk(json!({"role": "assistant", "context": message["context"]}), &Value::Null)];
    let text: Vec<char> = message["content"].as_str().expect("a text").chars().collect();
    let deltas = text.chunks(characters).map(|piece| json!({"content": piece.iter().collect::<String>()}));
    chunks.extend(deltas.map(|delta| chunk(delta, &Value::Null)));
    chunks.push(chunk(json!({}), &response["choices"][0]["finish_reason"]));
    chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).chain(["data: [DONE]\r\n\r\n".to_owned()]).collect()
}

#[test]
fn every_whole_sample_is_the_same_message_when_it_is_streamed() {
    let mut seen = 0;
    for case in cases() {
        let body = input(&case);
        if is_stream(&body) {
            continue;
        }
        seen += 1;
        let text = String::from_utf8(body.clone()).expect("text");
        let whole: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).expect("JSON");
        if !whole["choices"].is_array() && !whole["text"].is_string() {
            // Neither a completion nor a manifest: nothing here writes it as a stream.
            continue;
        }
        for characters in [1, 7, 10_000] {
            let stream = if whole.get("choices").is_some() {
                as_azure_stream(&whole, characters)
            } else {
                as_native_stream(&whole, characters)
            };
            for dialect in Dialect::ALL {
                let (expected, report) = message(&body, dialect);
                let name = format!("{} by {characters} for {dialect}", case.display());
                let (streamed, streamed_report) = message(stream.as_bytes(), dialect);
                assert_eq!(streamed, expected, "{name}");
                assert_eq!(streamed_report, report, "{name}");
                let converted = convert(stream.as_bytes(), &Conversion::to(dialect)).expect("activities");
                let (_, last) = parts(&converted.activities);
                assert_eq!(last, serde_json::to_value(&expected).expect("JSON"), "{name}");
                assert!(converted.report.complete);
            }
        }
    }
    assert!(seen >= 20, "only {seen} samples found");
}

/// One event of a native stream, apart from those at its end.
#[derive(Clone, Debug)]
enum Step {
    Text(&'static str),
    Sources(Vec<Value>),
    /// Code points at which it ends, and whom it cites.
    Annotation(usize, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let piece = prop::sample::select(vec![
        "Leave is 30 days",
        " [1]",
        "[2]",
        " [",
        "1",
        "]",
        "[doc1]",
        "[doc9] ",
        "[3, 1]",
        "【1】",
        "[a.pdf]",
        "[see](https://ok.example) ",
        "[1](https://evil.example)",
        ". ",
        "\n\n",
        "`x[1]` ",
        "\\[1\\] ",
        "*é* 😀 ",
        "![i](https://evil.example/i) ",
        "[1]: https://evil.example\n",
    ]);
    let source = |n: u8| json!({"id": format!("id{n}"), "url": format!("https://docs.example/{n}")});
    let source = prop_oneof![
        4 => (0_u8..6).prop_map(source),
        1 => Just(json!({"filepath": "a.pdf"})),
        1 => Just(json!({"title": "own", "marker": "[see]"})),
    ];
    let step = prop_oneof![
        8 => piece.prop_map(Step::Text),
        2 => prop::collection::vec(source, 1..3).prop_map(Step::Sources),
        1 => (0_usize..60, 1_usize..4).prop_map(|(end, source)| Step::Annotation(end, source)),
    ];
    prop::collection::vec(step, 1..24)
}

fn told(steps: &[Step]) -> (Value, Vec<Value>) {
    let (mut text, mut sources, mut annotations, mut events) = (String::new(), Vec::new(), Vec::new(), Vec::new());
    for step in steps {
        events.push(match step {
            Step::Text(piece) => {
                text.push_str(piece);
                json!({"delta": piece})
            }
            Step::Sources(new) => {
                sources.extend(new.clone());
                json!({"sources": new})
            }
            Step::Annotation(end, source) => {
                let annotation = json!({"start": 0, "end": end, "unit": "char", "sources": [source]});
                annotations.push(annotation.clone());
                json!({"annotations": [annotation]})
            }
        });
    }
    events.push(json!({"done": true}));
    (json!({"text": text, "sources": sources, "annotations": annotations}), events)
}

proptest! {
    #[test]
    fn a_stream_ends_with_the_message_of_the_whole_answer_and_what_was_shown_before_begins_it(
        steps in steps(), updates in 0_usize..6, lines in any::<bool>(), dialect in prop::sample::select(Dialect::ALL.to_vec()),
    ) {
        let (whole, events) = told(&steps);
        let form = |event: &Value| if lines { format!("{event}\n") } else { format!("data: {event}\n\n") };
        let body: String = events.iter().map(form).collect();
        let (expected, report) = message(whole.to_string().as_bytes(), dialect);
        let mut conversion = Conversion::to(dialect);
        conversion.options.updates = Some(updates);
        let converted = convert(body.as_bytes(), &conversion).expect("activities");
        let (texts, last) = parts(&converted.activities);
        prop_assert_eq!(&last, &serde_json::to_value(&expected).expect("JSON"));
        prop_assert_eq!(codes(&converted.report), report);
        prop_assert!(converted.activities.len() <= updates + 1);
        prop_assert!(texts.windows(2).all(|pair| pair[1].starts_with(pair[0]) && pair[1] != pair[0]), "{:?}", texts);
        let is_late = |step: &Step| !matches!(step, Step::Text(_));
        let late = steps.iter().skip_while(|step| matches!(step, Step::Sources(_))).any(is_late);
        if let Some(shown) = texts.last()
            && !(dialect == Dialect::WebChat && (late || !matches!(steps[0], Step::Sources(_))))
        {
            prop_assert!(expected.text.as_deref().unwrap_or_default().starts_with(shown), "{:?} and {:?}", shown, expected.text);
        }
        let like_teams = matches!(dialect, Dialect::Teams | Dialect::M365Copilot);
        let channel = if like_teams { Channel::Teams } else { Channel::WebChat };
        // Faults in the text itself are not those of streams.
        let findings = check(&serde_json::to_value(&converted.activities).expect("JSON"), channel);
        let broken: Vec<_> = findings.iter().filter(|finding| finding.code.contains("stream")).collect();
        prop_assert!(broken.is_empty(), "{:?}", broken);
        let pieces: Vec<String> = events.iter().map(form).collect();
        let (streamed, shown) = shown_by(pieces.iter().map(String::as_bytes), dialect);
        prop_assert_eq!(&streamed.message, &expected);
        if !late && matches!(steps[0], Step::Sources(_)) {
            prop_assert!(expected.text.as_deref().unwrap_or_default().starts_with(&shown), "{:?} and {:?}", shown, expected.text);
        }
    }

    #[test]
    fn random_cuts_of_a_sample_do_not_matter(
        sample in any::<prop::sample::Index>(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let samples = stream_samples();
        let (_, body) = &samples[sample.index(samples.len())];
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        for dialect in STREAMING {
            let streamed = pushed(cuts.windows(2).map(|pair| &body[pair[0]..pair[1]]), dialect);
            prop_assert_eq!(streamed.message, message(body, dialect).0);
        }
    }

    #[test]
    fn no_bytes_make_a_conversion_stumble(
        pieces in prop::collection::vec(
            prop_oneof![
                3 => prop::sample::select(vec![
                    "data: ", "{\"delta\":\"a [1]\"}", "{\"sources\":[{}]}", "{\"done\":true}", "\n\n", "\n", "\r", ":", "{", "[",
                    "{\"choices\":[{\"delta\":{\"content\":\"x [doc1]\"}}]}", "[DONE]", "event: x", "\u{feff}", "{\"error\":\"e\"}",
                ]).prop_map(|text| text.as_bytes().to_vec()),
                1 => prop::collection::vec(any::<u8>(), 0..6),
            ],
            0..16,
        ),
    ) {
        for dialect in [Dialect::WebChat, Dialect::Teams] {
            let body = pieces.concat();
            let at_once = convert(&body, &to_message(dialect)).map(|converted| converted.activities);
            let mut streaming = Streaming::new(Conversion::to(dialect));
            let refused = pieces.iter().any(|piece| streaming.push(piece).is_err());
            if refused {
                prop_assert!(at_once.is_err());
            } else {
                let by_pieces = streaming.end().map(|streamed| vec![streamed.message]);
                prop_assert_eq!(at_once.ok(), by_pieces.ok());
            }
        }
    }
}
