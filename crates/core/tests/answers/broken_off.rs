use citewire_core::convert::convert;
use citewire_core::dialect::Dialect;
use citewire_core::ingest::{ingest, source_objects};
use citewire_core::output::{
    AssistantHubOptions, Chat, ChatForm, ChatOptions, OpenWebUiOptions, WebUiCitations, assistanthub, chat, open_webui,
    records,
};
use serde_json::{Value, json};

use crate::samples::to_message;

/// A stream of Azure OpenAI On Your Data with three documents that says this and breaks off.
fn azure(text: &str) -> Vec<u8> {
    let citation = |name: &str| json!({"title": name, "content": name, "url": format!("https://x.example/{name}")});
    let citations = ["A", "B", "C"].map(citation);
    let context = json!({ "citations": citations });
    let chunk = |delta: Value| format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}));
    (chunk(json!({"role": "assistant", "context": context})) + &chunk(json!({"content": text}))).into_bytes()
}

/// A stream whose citations are spans, which come behind the text, and one whose sources come first.
fn others(text: &str) -> [Vec<u8>; 2] {
    let perplexity = json!({"search_results": [{"url": "https://x.example/a"}, {"url": "https://x.example/b"}],
        "choices": [{"delta": {"content": text}}]});
    let native = [json!({"sources": [{"title": "A"}, {"title": "B"}]}), json!({"delta": text})];
    let native: String = native.iter().map(|event| format!("data: {event}\n\n")).collect();
    [format!("data: {perplexity}\n\n").into_bytes(), native.into_bytes()]
}

fn in_form(body: &[u8], form: ChatForm) -> Chat {
    chat(&ingest(body, None).expect("an answer"), &ChatOptions { form, ..ChatOptions::default() })
}

fn links() -> OpenWebUiOptions {
    OpenWebUiOptions { citations: WebUiCitations::Links(Default::default()), ..Default::default() }
}

/// All three documents stood in the list, as if the half of an answer rested on them.
#[test]
fn an_answer_that_breaks_off_before_its_first_whole_marker_lists_no_source() {
    let marker = [azure("Half an answer [doc1"), azure("Half an answer")];
    for body in marker.into_iter().chain(others("Half an answer [1")) {
        let answer = ingest(&body, None).expect("an answer");
        assert!(!answer.complete && answer.sources.len() > 1);
        let records = records(&answer, &source_objects(&body, &answer.sources));
        assert_eq!((records.cited, records.shown), (vec![], vec![]));
        assert_eq!(open_webui(&answer, &OpenWebUiOptions::default()).events, []);
        assert_eq!(open_webui(&answer, &links()).events, []);
        assert_eq!(assistanthub(&answer, &AssistantHubOptions::default()).citations, None);
        for form in ChatForm::ALL {
            let chat = in_form(&body, form);
            assert_eq!((chat.events.len(), chat.citations), (0, None), "{form}");
        }
        for dialect in [Dialect::WebChat, Dialect::Teams, Dialect::Plain] {
            let message = json!(convert(&body, &to_message(dialect)).expect("an activity").activities[0]);
            assert_eq!(message["entities"][0].get("citation"), None, "{message}");
            assert!(!message["text"].as_str().expect("a text").contains("x.example"), "{message}");
        }
    }
}

#[test]
fn an_answer_that_breaks_off_later_lists_what_it_cites() {
    let body = azure("One [doc2]. Half an answer [doc1");
    let answer = ingest(&body, None).expect("an answer");
    let records = records(&answer, &source_objects(&body, &answer.sources));
    assert_eq!((records.cited, records.shown), (vec![2], vec![2]));
    for form in [ChatForm::Badges, ChatForm::Links] {
        let chat = in_form(&body, form);
        assert_eq!(chat.events.len(), 1, "{form}");
        assert!(chat.events[0].data.source.name.ends_with('B'), "{form}");
    }
    let badges = in_form(&body, ChatForm::Badges).citations.expect("citations");
    assert_eq!((badges.sources.len(), badges.referenced_indices), (1, vec![1]));
    // There a number is a place in the list, so the list stays whole.
    let places = assistanthub(&answer, &AssistantHubOptions::default()).citations.expect("citations");
    assert_eq!((places.sources.len(), places.referenced_indices), (3, vec![2]));
}

#[test]
fn a_whole_answer_that_cites_nothing_lists_everything() {
    let mut body = azure("A whole answer.");
    body.extend_from_slice(b"data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n");
    let answer = ingest(&body, None).expect("an answer");
    assert_eq!(records(&answer, &source_objects(&body, &answer.sources)).shown, [1, 2, 3]);
    assert_eq!(open_webui(&answer, &OpenWebUiOptions::default()).events.len(), 3);
}
