//! What readers see of a streamed answer, by the kind of its format (policy P-12), one row each.
//!
//! - *Inline*: markers stand in the text, and sources come before the first of them.
//! - *Block*: what a block of text rests on is known at its end.
//! - *Late*: what is cited is known at the end of the answer.

use std::iter::once;

use citewire::activity::Activity;
use citewire::answer::{Answer, Citation, MarkerGrammar, Source, SourceIndex};
use citewire::cite::{CitedText, Incremental, Rules, cite};
use citewire::convert::{Conversion, Options, convert};
use citewire::dialect::Dialect;
use citewire::text::Span;
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Inline,
    Block,
    Late,
}

/// An answer as it arrives.
enum Given {
    /// The events of a stream, one update each at most, and the same answer as it comes whole.
    Stream { events: Vec<Value>, whole: Value },
    /// Blocks of text and the sources that each is cited with, by place.
    Blocks(&'static [(&'static str, &'static [usize])]),
}

struct Row {
    name: &'static str,
    kind: Kind,
    given: Given,
    /// Everything that readers see one after the other: the last is the final.
    teams: &'static [&'static str],
    /// The same, without the definitions of the final.
    web_chat: &'static [&'static str],
    /// The sources that the final cites, by their numbers.
    cited: &'static [&'static str],
}

/// What is shown in place of an answer that has to wait.
const INFORMATIVE: &str = "The answer is being written …";

fn rows() -> Vec<Row> {
    let native = |events: &[Value], whole: Value| Given::Stream { events: events.to_vec(), whole };
    vec![
        Row {
            name: "azure-oyd",
            kind: Kind::Inline,
            given: azure(&["Prime the pump [do", "c1], then", " open valve A [doc2]", "."]),
            teams: &[
                "Prime the pump",
                "Prime the pump [1], then open valve A",
                "Prime the pump [1], then open valve A [2].",
            ],
            web_chat: &[
                "Prime the pump",
                "Prime the pump [1], then",
                "Prime the pump [1], then open valve A",
                "Prime the pump [1], then open valve A [2].",
                "Prime the pump [1], then open valve A [2].",
            ],
            cited: &["a", "b"],
        },
        Row {
            name: "native, sources first",
            kind: Kind::Inline,
            given: native(
                &[
                    json!({"sources": sources()}),
                    json!({"delta": "Leave is 30 da"}),
                    json!({"delta": "ys ["}),
                    json!({"delta": "1][2], to be asked for "}),
                    json!({"delta": "in writing [1]."}),
                ],
                json!({"text": "Leave is 30 days [1][2], to be asked for in writing [1].", "sources": sources()}),
            ),
            teams: &[
                "Leave is 30 da",
                "Leave is 30 days",
                "Leave is 30 days [1][2], to be asked for",
                "Leave is 30 days [1][2], to be asked for in writing",
                "Leave is 30 days [1][2], to be asked for in writing [1].",
            ],
            web_chat: &[
                "Leave is 30 da",
                "Leave is 30 days",
                "Leave is 30 days [1]\u{200b}[2], to be asked for",
                "Leave is 30 days [1]\u{200b}[2], to be asked for in writing [1].",
                "Leave is 30 days [1]\u{200b}[2], to be asked for in writing [1].",
            ],
            cited: &["a", "b"],
        },
        Row {
            name: "native, sources behind the first marker",
            kind: Kind::Late,
            given: native(
                &[
                    json!({"delta": "[1] says 30"}),
                    json!({"delta": " days. Ask in writing"}),
                    json!({"delta": " [2], not by "}),
                    json!({"sources": sources()}),
                    json!({"delta": "telephone."}),
                ],
                json!({"text": "[1] says 30 days. Ask in writing [2], not by telephone.", "sources": sources()}),
            ),
            teams: &[INFORMATIVE, "[1] says 30 days. Ask in writing [2], not by telephone."],
            web_chat: &[
                " says 30",
                " says 30 days. Ask in writing",
                " says 30 days. Ask in writing, not by",
                " says 30 days. Ask in writing, not by telephone.",
                "[1] says 30 days. Ask in writing [2], not by telephone.",
            ],
            cited: &["a", "b"],
        },
        Row {
            name: "native, annotations",
            kind: Kind::Late,
            given: native(
                &[
                    json!({"sources": sources(), "annotations": [{"start": 0, "end": 16, "sources": ["a"]}]}),
                    json!({"delta": "Leave is 30 "}),
                    json!({"delta": "days. Ask in "}),
                    json!({"delta": "writing."}),
                    json!({"annotations": [{"start": 18, "end": 32, "sources": ["b"]}]}),
                ],
                json!({
                    "text": "Leave is 30 days. Ask in writing.",
                    "sources": sources(),
                    "annotations": [
                        {"start": 0, "end": 16, "sources": ["a"]},
                        {"start": 18, "end": 32, "sources": ["b"]},
                    ],
                }),
            ),
            teams: &[INFORMATIVE, "Leave is 30 days[1]. Ask in writing[2]."],
            web_chat: &[
                "Leave is 30",
                "Leave is 30 days. Ask in",
                "Leave is 30 days. Ask in writing.",
                "Leave is 30 days[1]. Ask in writing[2].",
            ],
            cited: &["a", "b"],
        },
        Row {
            name: "native, no source",
            kind: Kind::Inline,
            given: native(
                &[
                    json!({"delta": "Nothing is said "}),
                    json!({"delta": "about leave"}),
                    json!({"delta": " in what was found."}),
                ],
                json!({"text": "Nothing is said about leave in what was found."}),
            ),
            teams: &[
                "Nothing is said",
                "Nothing is said about leave",
                "Nothing is said about leave in what was found.",
                "Nothing is said about leave in what was found.",
            ],
            web_chat: &[
                "Nothing is said",
                "Nothing is said about leave",
                "Nothing is said about leave in what was found.",
                "Nothing is said about leave in what was found.",
            ],
            cited: &[],
        },
        Row {
            name: "blocks",
            kind: Kind::Block,
            given: Given::Blocks(&[
                ("Leave is 30 days.", &[1]),
                (" It is asked for", &[]),
                (" in **writing**. ", &[0, 1]),
                ("\n\nThat is all.", &[]),
            ]),
            teams: &[
                "Leave is 30 days.",
                "Leave is 30 days.[1] It is asked for in **writing**.",
                "Leave is 30 days.[1] It is asked for in **writing**.[2][1] \n\nThat is all.",
            ],
            web_chat: &[
                "Leave is 30 days.",
                "Leave is 30 days.[1] It is asked for in **writing**.",
                "Leave is 30 days.[1] It is asked for in **writing**.[2]\u{200b}[1] \n\nThat is all.",
            ],
            cited: &["b", "a"],
        },
        Row {
            name: "blocks with blank lines and code",
            kind: Kind::Block,
            given: Given::Blocks(&[
                ("Ask for it:\n\n```\nleave --days 30\n```\n\n", &[0]),
                ("```\nleave --all\n```\n\n", &[1]),
                ("- 30 days\n", &[0]),
                ("- in writing\n\n", &[1]),
                ("Bye.", &[]),
            ]),
            teams: &[
                "Ask for it:\n\n```\nleave --days 30",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all\n```\n\n[2]\n\n- 30 days",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all\n```\n\n[2]\n\n- 30 days[1]\n\
                 - in writing[2]\n\nBye.",
            ],
            web_chat: &[
                "Ask for it:\n\n```\nleave --days 30",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all\n```\n\n[2]\n\n- 30 days",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all\n```\n\n[2]\n\n- 30 days[1]\n\
                 - in writing[2]\n\nBye.",
            ],
            cited: &["a", "b"],
        },
    ]
}

/// The two sources that all rows cite.
fn sources() -> Value {
    json!(
        ["a", "b"].map(|id| json!({"id": id, "title": id.to_uppercase(), "url": format!("https://docs.example/{id}")}))
    )
}

/// Deltas as Azure OpenAI On Your Data sends them.
fn azure(deltas: &[&str]) -> Given {
    let citations: Vec<Value> = ["a", "b"]
        .map(|id| json!({"title": id.to_uppercase(), "url": format!("https://docs.example/{id}"), "content": ""}))
        .into();
    let context = json!({"citations": citations});
    let chunk = |delta: Value, reason: Value| json!({"object": "extensions.chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
    let first = chunk(json!({"role": "assistant", "context": context}), Value::Null);
    let texts = deltas.iter().map(|delta| chunk(json!({"content": delta}), Value::Null));
    let message = json!({"role": "assistant", "content": deltas.concat(), "context": context});
    Given::Stream {
        events: once(first).chain(texts).chain([chunk(json!({}), "stop".into())]).collect(),
        whole: json!({"object": "extensions.chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}),
    }
}

/// The activities of a body, with every update.
fn activities(body: &str, dialect: Dialect) -> Vec<Activity> {
    let mut conversion = Conversion::to(dialect);
    conversion.options = serde_json::from_value::<Options>(json!({"updates": 1_000})).expect("options");
    convert(body.as_bytes(), &conversion).expect("activities").activities
}

fn claims(activity: &Activity) -> Value {
    serde_json::to_value(activity).expect("JSON")["entities"][0]["citation"].clone()
}

fn stream_type(activity: &Activity) -> Value {
    activity.channel_data.as_ref().map_or(Value::Null, |data| data["streamType"].clone())
}

/// Events as a body. The sign of the end is Azure's own, or comes here.
fn stream(events: &[Value]) -> String {
    let done = json!({"done": true});
    let end = events.iter().all(|event| event.get("choices").is_none()).then_some(&done);
    events.iter().chain(end).map(|event| format!("data: {event}\n\n")).collect()
}

/// Blocks as one answer, each cited at its span.
fn whole(blocks: &[(&str, &[usize])]) -> Answer {
    let mut answer = Answer::default();
    answer.grammar = MarkerGrammar::NONE;
    answer.text = blocks.iter().map(|(text, _)| *text).collect();
    answer.sources = manifest();
    let mut start = 0;
    for (text, cited) in blocks {
        let span = Span::new(&answer.text, start..start + text.len()).expect("a part of the text");
        start += text.len();
        if !cited.is_empty() {
            answer.citations.push(Citation::new(span, indices(cited)));
        }
    }
    answer
}

fn manifest() -> Vec<Source> {
    let source = |id: &str| {
        let mut source = Source::default();
        source.title = Some(id.to_uppercase());
        source.url = format!("https://docs.example/{id}").parse().ok();
        source
    };
    ["a", "b"].map(source).into()
}

fn indices(places: &[usize]) -> Vec<SourceIndex> {
    places.iter().copied().map(SourceIndex).collect()
}

/// What is shown of blocks after each piece, where that is something new, and the end. `cuts` are places in the whole text
/// at which pieces end besides the ends of blocks.
fn block_by_block(blocks: &[(&str, &[usize])], rules: &Rules, cuts: &[usize]) -> (Vec<String>, CitedText) {
    let mut incremental = Incremental::new(MarkerGrammar::NONE, rules);
    incremental.add_sources(manifest());
    let mut shown = Vec::new();
    let mut start = 0;
    for (text, cited) in blocks {
        let inside = cuts.iter().filter_map(|cut| cut.checked_sub(start)).filter(|cut| (1..text.len()).contains(cut));
        let mut from = 0;
        for to in inside.chain(once(text.len())) {
            incremental.push(&text[from..to]);
            shown.push(incremental.shown().to_owned());
            from = to;
        }
        if !cited.is_empty() {
            incremental.cite_here(indices(cited));
        }
        start += text.len();
    }
    shown.dedup();
    shown.retain(|text| !text.trim().is_empty());
    (shown, incremental.finish())
}

/// Everything that readers see of a row, the final last.
fn seen(row: &Row, dialect: Dialect) -> Vec<String> {
    match &row.given {
        Given::Stream { events, .. } => {
            activities(&stream(events), dialect).into_iter().map(|activity| activity.text.unwrap_or_default()).collect()
        }
        Given::Blocks(blocks) => {
            let (mut shown, end) = block_by_block(blocks, &dialect.rules(), &[]);
            shown.push(end.text);
            shown
        }
    }
}

/// The text of a final without its definitions, which have to be those of these sources, in this order.
fn without_definitions<'t>(text: &'t str, cited: &[&str]) -> &'t str {
    let definition =
        |(n, id): (usize, &&str)| format!("[{}]: https://docs.example/{id} \"{}\"", n + 1, id.to_uppercase());
    let definitions: Vec<String> = cited.iter().enumerate().map(definition).collect();
    if definitions.is_empty() {
        return text;
    }
    let expected = format!("\n\n{}", definitions.join("\n"));
    text.strip_suffix(&expected).unwrap_or_else(|| panic!("{text:?} does not end with {expected:?}"))
}

#[test]
fn p12_each_kind_of_format_shows_what_it_can() {
    for row in rows() {
        assert_eq!(seen(&row, Dialect::Teams), row.teams, "{}", row.name);
        let mut shown = seen(&row, Dialect::WebChat);
        let end = shown.pop().expect("a final");
        shown.push(without_definitions(&end, row.cited).to_owned());
        assert_eq!(shown, row.web_chat, "{}", row.name);
    }
}

#[test]
fn p12_what_is_shown_is_the_beginning_of_what_is_shown_next_unless_the_answer_is_late() {
    for row in rows() {
        for dialect in [Dialect::Teams, Dialect::M365Copilot, Dialect::WebChat] {
            let seen = seen(&row, dialect);
            let (end, updates) = seen.split_last().expect("a final");
            let is_continued = seen.is_sorted_by(|one, next| next.starts_with(one));
            match (row.kind, dialect) {
                (Kind::Inline | Kind::Block, _) => {
                    assert!(is_continued && !updates.is_empty(), "{} {seen:?}", row.name);
                }
                (Kind::Late, Dialect::WebChat) => {
                    assert!(updates.is_sorted_by(|one, next| next.starts_with(one)), "{} {updates:?}", row.name);
                    assert!(
                        updates.iter().all(|text| !text.contains('[')) && end.contains('['),
                        "{} {seen:?}",
                        row.name
                    );
                }
                (Kind::Late, _) => assert_eq!(updates, [INFORMATIVE], "{} {dialect}", row.name),
            }
        }
    }
}

#[test]
fn p12_the_final_of_a_stream_is_the_message_of_the_whole_answer() {
    for row in rows() {
        let Given::Stream { events, whole } = &row.given else { continue };
        for dialect in [Dialect::Teams, Dialect::M365Copilot, Dialect::WebChat] {
            let streamed = activities(&stream(events), dialect);
            let expected = activities(&whole.to_string(), dialect);
            let (last, updates) = streamed.split_last().expect("a final");
            assert_eq!(expected.len(), 1);
            assert_eq!((&last.text, claims(last)), (&expected[0].text, claims(&expected[0])), "{} {dialect}", row.name);
            let kinds: Vec<_> = streamed.iter().map(stream_type).collect();
            let update =
                if row.kind == Kind::Late && dialect != Dialect::WebChat { "informative" } else { "streaming" };
            let expected = vec![json!(update); updates.len()].into_iter().chain([json!("final")]);
            assert_eq!(kinds, expected.collect::<Vec<_>>(), "{} {dialect}", row.name);
        }
    }
}

#[test]
fn p12_blocks_cited_at_their_ends_are_the_answer_with_their_spans_wherever_they_are_cut() {
    for row in rows() {
        let Given::Blocks(blocks) = row.given else { continue };
        let answer = whole(blocks);
        for dialect in Dialect::ALL {
            let rules = dialect.rules();
            let expected = cite(&answer, &rules);
            let every: Vec<usize> = (1..answer.text.len()).collect();
            for cuts in (0..answer.text.len()).map(|cut| vec![cut]).chain([every]) {
                let (shown, end) = block_by_block(blocks, &rules, &cuts);
                assert_eq!(end.text, expected.text, "{} {dialect} cut at {cuts:?}", row.name);
                assert_eq!((&end.sources, &end.entries), (&expected.sources, &expected.entries));
                for text in shown {
                    assert!(end.text.starts_with(&text), "{} {dialect} cut at {cuts:?} showed {text:?}", row.name);
                }
            }
        }
    }
}
