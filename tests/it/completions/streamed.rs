//! Answers that are told while they are written.

use serde_json::{Value, json};

use super::scripted::{
    Events, Scripted, Step, completed, content, delta, events, finish_reasons, joined, question, question_for, sources,
    streamed,
};

/// An answer whose parts the test lets go one by one.
fn step_by_step(parts: &[&str]) -> Scripted {
    let mut steps = vec![Step::event(&sources())];
    for part in parts {
        steps.extend([Step::event(&delta(part)), Step::Wait]);
    }
    steps.push(Step::event(&json!({"done": true})));
    Scripted::new(steps)
}

#[tokio::test]
async fn the_text_is_told_while_it_is_written_and_a_marker_only_whole() {
    let upstream = step_by_step(&["Leave is", " long [", "3", "]. And", " more"]);
    let app = upstream.serve();
    let mut reader = Events::open(&app, &question(true)).await;
    let role = reader.chunk().await;
    assert_eq!(role["choices"][0]["delta"], json!({"role": "assistant", "content": ""}));
    assert_eq!(
        (&role["object"], &role["choices"][0]["finish_reason"]),
        (&json!("chat.completion.chunk"), &Value::Null)
    );
    assert_eq!(joined(&[reader.chunk().await]), "Leave is");
    upstream.go_on();
    // The blank before a marker waits with it.
    assert_eq!(joined(&[reader.chunk().await]), " long");
    (0..2).for_each(|_| upstream.go_on());
    assert_eq!(joined(&[reader.chunk().await]), " [1]. And");
    upstream.go_on();
    assert_eq!(joined(&[reader.chunk().await]), " more");
    upstream.go_on();
    let chunks = reader.rest().await;
    assert_eq!((joined(&chunks), finish_reasons(&chunks)), (String::new(), vec!["stop"]));
    assert!(chunks.iter().all(|chunk| chunk["id"] == role["id"] && chunk["model"] == "handbook"));
}

#[tokio::test]
async fn events_come_in_marker_order_behind_the_text_and_before_the_finish_chunk() {
    let app = Scripted::saying(&[sources(), delta("One [3] two [1] "), delta("three [3].")]).serve();
    let chunks = streamed(&app, &question(true)).await;
    let kinds: Vec<&str> = chunks
        .iter()
        .map(|chunk| match chunk {
            chunk if chunk.get("event").is_some() => "event",
            chunk if chunk["choices"][0]["finish_reason"].is_string() => "finish",
            chunk if chunk["choices"][0]["delta"].get("role").is_some() => "role",
            _ => "text",
        })
        .collect();
    let mut order = kinds.clone();
    order.dedup();
    assert_eq!(order, ["role", "text", "event", "finish"], "{kinds:?}");
    let names: Vec<Value> = events(&chunks).iter().map(|event| event["data"]["source"]["name"].clone()).collect();
    assert_eq!(names, ["Document c", "Document a"]);
    assert!(chunks.iter().filter(|chunk| chunk.get("event").is_some()).all(|chunk| chunk["choices"] == json!([])));
}

#[tokio::test]
async fn only_the_finish_chunk_carries_citations() {
    let app = Scripted::saying(&[sources(), delta("One [3] two [1].")]).serve();
    for (form, text, referenced) in [
        ("open-webui", "One [1] two [2].", json!([1, 2])),
        (
            "open-webui-links",
            "One [[doc3]](https://docs.example/c) two [[doc1]](https://docs.example/a).",
            json!([1, 3]),
        ),
        ("assistanthub", "One [3] two [1].", json!([1, 3])),
        (
            "list",
            "One [1] two [2].\n\n[1] [Document c](https://docs.example/c)\n\n[2] [Document a](https://docs.example/a)",
            json!([1, 2]),
        ),
    ] {
        let chunks = streamed(&app, &question_for(true, form)).await;
        let (last, before) = chunks.split_last().expect("chunks");
        assert_eq!(joined(&chunks), text);
        assert_eq!((&last["choices"][0]["finish_reason"], &last["choices"][0]["delta"]), (&json!("stop"), &json!({})));
        assert_eq!(last["citations"]["referenced_indices"], referenced);
        assert!(before.iter().all(|chunk| chunk.get("citations").is_none()));
        assert_eq!(last.get("usage").is_some(), form == "assistanthub", "{last}");
        assert_eq!(events(&chunks).len(), if matches!(form, "assistanthub" | "list") { 0 } else { 2 });
        // The whole answer says the same.
        let whole = completed(&app, &question_for(false, form)).await;
        assert_eq!((content(&whole), &whole["citations"]), (text, &last["citations"]));
    }
}

#[tokio::test]
async fn usage_comes_behind_the_end_when_it_is_asked_for() {
    let app = Scripted::saying(&[sources(), delta("One [1].")]).serve();
    let chunks = streamed(&app, &question(true)).await;
    assert!(chunks.iter().all(|chunk| chunk.get("usage").is_none()));
    let mut request = question(true);
    request["stream_options"] = json!({"include_usage": true});
    let chunks = streamed(&app, &request).await;
    let last = chunks.last().expect("chunks");
    assert_eq!(last["choices"], json!([]));
    assert!(last["usage"]["total_tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{last}");
}

#[tokio::test]
async fn where_nothing_is_cited_every_source_has_its_card() {
    let app = Scripted::saying(&[sources(), delta("Nobody knows.")]).serve();
    let chunks = streamed(&app, &question(true)).await;
    assert_eq!(events(&chunks).len(), 3);
    let citations = &chunks.last().expect("chunks")["citations"];
    assert_eq!((&citations["auto_populated"], &citations["referenced_indices"]), (&json!(true), &json!([1, 2, 3])));
}

#[tokio::test]
async fn an_answer_whose_citations_come_beside_its_text_is_told_whole() {
    let annotation = json!({"annotations": [{"start": 0, "end": 4, "sources": ["b"]}]});
    let upstream = Scripted::saying(&[sources(), annotation, delta("One."), delta(" Two.")]);
    let app = upstream.serve();
    let chunks = streamed(&app, &question(true)).await;
    let whole = completed(&app, &question(false)).await;
    assert_eq!((joined(&chunks).as_str(), content(&whole)), ("One.[1] Two.", "One.[1] Two."));
    assert_eq!(chunks.iter().filter(|chunk| !joined(std::slice::from_ref(chunk)).is_empty()).count(), 1);
}

#[tokio::test]
async fn sources_that_come_last_are_waited_for_from_the_first_marker_on() {
    let steps = [delta("One"), delta(" [2]. Two."), sources(), delta(" Three")];
    let app = Scripted::saying(&steps).serve();
    let chunks = streamed(&app, &question(true)).await;
    assert_eq!(joined(&chunks), "One [1]. Two. Three");
    assert_eq!(events(&chunks)[0]["data"]["source"]["name"], "Document b");
}
