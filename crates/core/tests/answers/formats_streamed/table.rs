//! The formats, one row a kind, and what readers are to see of each.

use std::iter::once;

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Inline,
    Block,
    Late,
}

/// An answer as it arrives.
pub(super) enum Given {
    /// The events of a stream, one update each at most, and the same answer as it comes whole.
    Stream { events: Vec<Value>, whole: Value },
    /// Blocks of text and the sources that each is cited with, by place.
    Blocks(&'static [(&'static str, &'static [usize])]),
}

pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) given: Given,
    /// Everything that readers see one after the other: the last is the final.
    pub(super) teams: &'static [&'static str],
    /// The texts that Web Chat shows, without the definitions of the final.
    pub(super) web_chat: &'static [&'static str],
    /// The sources that the final cites, by their numbers.
    pub(super) cited: &'static [&'static str],
}

/// The text that is shown in place of an answer that has to wait.
pub(super) const INFORMATIVE: &str = "The answer is being written …";

pub(super) fn rows() -> Vec<Row> {
    let native = |events: &[Value], whole: Value| Given::Stream { events: events.to_vec(), whole };
    vec![
        Row {
            name: "azure-oyd",
            kind: Kind::Inline,
            given: azure(&["Prime the pump [do", "c1], then", " open valve A [doc2]", "."]),
            teams: &[
                "Prime the pump",
                "Prime the pump [1], then",
                "Prime the pump [1], then open valve A",
                "Prime the pump [1], then open valve A [2].",
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
                "Leave is 30 days [1][2], to be asked for in writing [1].",
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
                "says 30",
                "says 30 days. Ask in writing",
                "says 30 days. Ask in writing, not by",
                "says 30 days. Ask in writing, not by telephone.",
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
                // Three words behind a blank line may be the heading of a list of references, so they wait (policy P-12).
                ("\n\nThat is all.", &[]),
            ]),
            teams: &[
                "Leave is 30 days.",
                "Leave is 30 days.[1] It is asked for",
                "Leave is 30 days.[1] It is asked for in **writing**.",
                "Leave is 30 days.[1] It is asked for in **writing**.[2][1] \n\nThat is all.",
            ],
            web_chat: &[
                "Leave is 30 days.",
                "Leave is 30 days.[1] It is asked for",
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
                "Ask for it:\n\n```\nleave --days 30\n```",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all\n```",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all\n```\n\n[2]\n\n- 30 days",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all\n```\n\n[2]\n\n- 30 days[1]\n\
                 \n- in writing",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all\n```\n\n[2]\n\n- 30 days[1]\n\
                 \n- in writing[2]\n\nBye.",
            ],
            web_chat: &[
                "Ask for it:\n\n```\nleave --days 30\n```",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all\n```",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all\n```\n\n[2]\n\n- 30 days",
                "Ask for it:\n\n```\nleave --days 30\n```\n\n[1]\n\n```\nleave --all\n```\n\n[2]\n\n- 30 days[1]\n\
                 - in writing",
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
