//! The traps of Open WebUI, by their numbers in `docs/guides/open-webui.md`.

use citewire::ingest::Provider;
use serde_json::{Value, json};

use super::scripted::{Scripted, completed, content, delta, events, joined, question, sources, streamed};

/// The events of an answer with this text, from these sources.
async fn events_of(sources: Value, text: &str) -> Vec<Value> {
    let app = Scripted::saying(&[json!({"sources": sources}), delta(text)]).serve();
    events(&streamed(&app, &question(true)).await)
}

async fn text_of(text: &str) -> String {
    let app = Scripted::saying(&[sources(), delta(text)]).serve();
    let chunks = streamed(&app, &question(true)).await;
    assert_eq!(joined(&chunks), content(&completed(&app, &question(false)).await));
    joined(&chunks).replace('\u{2060}', "~")
}

#[tokio::test]
async fn traps_1_and_2_every_source_has_all_that_the_page_needs_in_its_type() {
    for event in
        events_of(json!([{}, {"id": "x", "page": 2, "score": 12.5}, {"url": "https://docs.example/a"}]), "[1] [2] [3]")
            .await
    {
        let data = &event["data"];
        assert!(data["source"]["name"].as_str().is_some_and(|name| !name.is_empty()), "{event}");
        assert!(
            data["metadata"].as_array().is_some_and(|all| all.iter().all(|one| one["source"].is_string())),
            "{event}"
        );
        let documents = data["document"].as_array().expect("a list");
        assert!(!documents.is_empty() && documents.iter().all(Value::is_string), "{event}");
        assert_eq!((data.get("type"), data.get("distances")), (None, None), "{event}");
    }
}

#[tokio::test]
async fn trap_3_numbers_that_name_no_source_stay_visible() {
    assert_eq!(text_of("One [2], [9] and arr[0], but `arr[0]`.").await, "One [1], [~9] and arr[~0], but `arr[0]`.");
    let app = Scripted::saying(&[delta("arr[0] and [9]")]).serve();
    assert_eq!(joined(&streamed(&app, &question(true)).await), "arr[0] and [9]", "there is nothing to break");
}

#[tokio::test]
async fn trap_4_an_escaped_number_is_no_formula() {
    assert_eq!(text_of("One [1] and \\[9\\].").await, "One [1] and [~9~].");
}

#[tokio::test]
async fn trap_5_badges_are_no_links() {
    assert_eq!(text_of("One [1](https://docs.example/a) and [[2]](https://x.example).").await, "One [1] and [2].");
}

#[tokio::test]
async fn trap_6_no_name_and_no_identity_is_an_address() {
    let sources = json!([{"title": "https://docs.example/a?secret=1", "url": "https://docs.example/a"}, {"url": "https://docs.example/"}]);
    for event in events_of(sources, "[1] [2]").await {
        let name = event["data"]["source"]["name"].as_str().expect("a name");
        let identity = event["data"]["metadata"][0]["source"].as_str().expect("an identity");
        assert!(!name.starts_with("http") && identity.starts_with("citewire:"), "{event}");
    }
}

#[tokio::test]
async fn trap_7_an_event_of_the_provider_is_never_passed_on() {
    let execute = json!({"type": "execute", "data": {"code": "alert(1)"}});
    let chunk = |delta: Value, event: Option<&Value>| {
        let mut chunk = json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
        if let Some(event) = event {
            chunk["event"] = event.clone();
        }
        format!("data: {chunk}\n\n")
    };
    let source = json!({"type": "source", "data": {"source": {"name": "A"}, "document": ["a"], "metadata": [{"source": "1", "html": true}]}});
    let end =
        json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let body = [
        chunk(json!({"role": "assistant", "content": "One [1]."}), None),
        chunk(json!({}), Some(&execute)),
        chunk(json!({}), Some(&source)),
        format!("data: {end}\n\ndata: [DONE]\n\n"),
    ]
    .concat();
    for from in [None, Some(Provider::OpenWebUi)] {
        let app = Scripted::bytes(from, &body).serve();
        let chunks = streamed(&app, &question(true)).await;
        assert_eq!(joined(&chunks), "One [1].");
        let said = json!(chunks).to_string();
        assert!(!said.contains("execute") && !said.contains("alert") && !said.contains("html"), "{said}");
        assert_eq!(events(&chunks).iter().map(|event| &event["type"]).collect::<Vec<_>>(), ["source"]);
    }
}

#[tokio::test]
async fn trap_11_tools_of_25_kilobytes_are_tolerated() {
    let tool = json!({"type": "function", "function": {"name": "x", "description": "y".repeat(700), "parameters": {}}});
    let mut request = question(true);
    request["tools"] = json!(vec![tool; 35]);
    request["metadata"] = json!({"chat_id": "c"});
    let app = Scripted::saying(&[sources(), delta("One [1].")]).serve();
    assert_eq!(joined(&streamed(&app, &request).await), "One [1].");
}

fn task(asks_for: &str) -> Value {
    let content = format!(
        "### Task:\nGenerate something.\n### Output:\nJSON format: {{ \"{asks_for}\": … }}\n### Chat History:\n<chat_history>\nUSER: How long is leave?\nASSISTANT: 16 weeks [1].\n</chat_history>"
    );
    json!({"model": "handbook", "stream": false, "messages": [{"role": "user", "content": content}]})
}

#[tokio::test]
async fn trap_11_tasks_go_to_the_model_as_they_are_without_retrieval_and_citations() {
    let upstream = Scripted::saying(&[sources(), delta("{\"tags\": [\"leave\"]} [1]")]);
    let app = upstream.serve_with(|options| {
        options.instructions = Some("Cite.".to_owned());
        options.convert = serde_json::from_value(json!({"require_grounding": "any"})).expect("options");
    });
    let whole = completed(&app, &task("tags")).await;
    assert_eq!(content(&whole), "{\"tags\": [\"leave\"]} [1]");
    assert_eq!((whole.get("citations"), whole.get("sources")), (None, None));
    let asked = upstream.asked(1).await;
    assert!(asked[0].plain && asked[0].instructions.is_none() && asked[0].question().starts_with("### Task:"));
}

#[tokio::test]
async fn trap_11_tasks_of_an_assistant_without_a_model_are_answered_without_it() {
    let mut upstream = Scripted::saying(&[sources(), delta("x [1]")]);
    upstream.has_model = false;
    let app = upstream.serve();
    for (asks_for, expected) in [
        ("title", json!({"title": "How long is leave?"})),
        ("tags", json!({"tags": []})),
        ("follow_ups", json!({"follow_ups": []})),
    ] {
        let whole = completed(&app, &task(asks_for)).await;
        let answer: Value = serde_json::from_str(content(&whole)).expect("JSON");
        assert_eq!((answer, &whole["choices"][0]["finish_reason"]), (expected, &json!("stop")));
    }
    assert_eq!(upstream.times_asked(), 0);
    // A person may say the same words, and wants an answer while it is written.
    let mut asked = task("tags");
    asked["stream"] = json!(true);
    assert_eq!(joined(&streamed(&app, &asked).await), "x [1]");
}

#[tokio::test]
async fn trap_12_numbers_of_an_earlier_answer_do_not_reach_the_model() {
    let upstream = Scripted::saying(&[sources(), delta("Two [2].")]);
    let app = upstream.serve();
    let mut request = question(true);
    request["messages"] = json!([{"role": "user", "content": "One?"}, {"role": "assistant", "content": "Yes [1][2]."},
        {"role": "user", "content": "Two?"}]);
    assert_eq!(joined(&streamed(&app, &request).await), "Two [1].");
    assert_eq!(upstream.asked(1).await[0].turns[1].text, "Yes.");
}
