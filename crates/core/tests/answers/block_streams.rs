//! Streams whose blocks are cited at their ends, and streams that are cited from outside their text (policy P-12), as their
//! providers send them.

use citewire_core::convert::{Conversion, Options, convert};
use citewire_core::dialect::Dialect;
use serde_json::{Value, json};

/// Everything that readers see of a stream, the final last.
fn seen(events: &[Value], dialect: Dialect) -> Vec<String> {
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let mut conversion = Conversion::to(dialect);
    conversion.options = serde_json::from_value::<Options>(json!({"updates": 1_000})).expect("options");
    let activities = convert(body.as_bytes(), &conversion).expect("activities").activities;
    activities.into_iter().map(|activity| activity.text.unwrap_or_default()).collect()
}

fn claude() -> Vec<Value> {
    let start = |cited: bool| {
        let block = if cited { json!({"type": "text", "citations": []}) } else { json!({"type": "text"}) };
        json!({"type": "content_block_start", "content_block": block})
    };
    let delta = |delta: Value| json!({"type": "content_block_delta", "delta": delta});
    let text = |text: &str| delta(json!({"type": "text_delta", "text": text}));
    let cite = |name: &str| {
        let url = format!("https://x.example/{name}");
        delta(json!({"type": "citations_delta", "citation": {"type": "web_search_result_location", "url": url}}))
    };
    let stop = json!({"type": "content_block_stop"});
    vec![
        json!({"type": "message_start"}),
        start(true),
        cite("a"),
        text("Leave is "),
        text("30 days."),
        stop.clone(),
        start(false),
        text(" Ask"),
        stop.clone(),
        start(true),
        text(" in writing."),
        cite("b"),
        cite("a"),
        stop,
        start(false),
        text(" That"),
        text(" is all."),
        json!({"type": "message_stop"}),
    ]
}

fn converse() -> Vec<Value> {
    let delta = |index: u32, delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}});
    let cite = |index: u32, name: &str| {
        let location = json!({"web": {"url": format!("https://x.example/{name}")}});
        delta(index, json!({"citation": {"title": name, "location": location}}))
    };
    let stop = |index: u32| json!({"contentBlockStop": {"contentBlockIndex": index}});
    vec![
        json!({"messageStart": {"role": "assistant"}}),
        delta(0, json!({"text": "Leave is "})),
        cite(0, "a"),
        delta(0, json!({"text": "30 days."})),
        stop(0),
        delta(1, json!({"text": " Ask"})),
        stop(1),
        delta(2, json!({"text": " in writing."})),
        cite(2, "b"),
        cite(2, "a"),
        stop(2),
        delta(3, json!({"text": " That"})),
        delta(3, json!({"text": " is all."})),
        json!({"messageStop": {"stopReason": "end_turn"}}),
    ]
}

#[test]
fn a_block_is_shown_before_its_end_cites_it_and_what_was_shown_stays() {
    for events in [claude(), converse()] {
        for dialect in [Dialect::Teams, Dialect::M365Copilot, Dialect::WebChat] {
            let seen = seen(&events, dialect);
            assert!(seen.is_sorted_by(|one, next| next.starts_with(one)), "{dialect}: {seen:?}");
            assert!(seen[..seen.len() - 1].iter().any(|text| text == "Leave is 30 days."), "{dialect}: {seen:?}");
        }
        let last = seen(&events, Dialect::Teams).pop();
        assert_eq!(last.as_deref(), Some("Leave is 30 days.[1] Ask in writing.[1][2] That is all."));
    }
}

#[test]
fn what_may_be_cited_from_outside_is_not_shown_where_a_text_can_only_grow() {
    let gemini = |text: &str, more: Value| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "groundingMetadata": more}]});
    let grounding = json!({"groundingChunks": [{"web": {"uri": "https://x.example/a"}}],
        "groundingSupports": [{"segment": {"endIndex": 8}, "groundingChunkIndices": [0]}]});
    let cohere = |message: Value| json!({"type": "content-delta", "delta": {"message": {"content": message}}});
    let citation = json!({"start": 0, "end": 8, "text": "Leave is", "sources": [{"id": "a", "document": {"url": "https://x.example/a"}}]});
    let late = [
        vec![gemini("Leave is ", Value::Null), gemini("30 days.", grounding)],
        vec![
            cohere(json!({"text": "Leave is "})),
            json!({"type": "citation-start", "delta": {"message": {"citations": citation}}}),
            cohere(json!({"text": "30 days."})),
        ],
    ];
    for events in late {
        let in_teams = seen(&events, Dialect::Teams);
        assert_eq!(in_teams.last().map(String::as_str), Some("Leave is[1] 30 days."));
        assert!(in_teams[..in_teams.len() - 1].iter().all(|text| !text.starts_with("Leave")), "{in_teams:?}");
        let in_web_chat = seen(&events, Dialect::WebChat);
        assert_eq!(in_web_chat.first().map(String::as_str), Some("Leave is"));
    }
}
