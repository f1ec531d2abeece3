//! Models that are given passages: what they are told, and that their words come as a stream with these sources.

use citewire::answer::Source;
use citewire::ingest::{Provider, retrieved};
use citewire::upstream::Ask;
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use super::model::{Model, Play, Seen, Then};
use super::{ask, end, events, message, messages, open, read, sample};
use crate::app::native;

fn passages() -> Vec<Source> {
    let sources = json!([
        {"id": "17", "title": "Leave policy", "url": "https://hr.contoso.example/leave", "content": "Leave is 30 days."},
        {"id": "b", "title": "Staff handbook", "content": "Leave is asked for in writing.",
            "label": {"name": "Internal", "priority": 2, "color": "orange"}, "metadata": {"context": "Ask in writing. Early."}},
        {"title": "Empty", "content": ""},
    ]);
    retrieved(sources.to_string().as_bytes()).expect("sources").sources
}

fn question() -> Ask {
    let mut ask = ask();
    ask.sources = passages();
    ask
}

fn chunk(text: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
}

/// A chat that says this and ends.
fn chat(texts: &[&str]) -> String {
    let stop = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    texts.iter().map(|text| chunk(text)).collect::<String>() + &format!("data: {stop}\n\ndata: [DONE]\n\n")
}

/// Asks with passages; returns the call and the body of the reply.
async fn asked(kind: &str, more: &str, said: impl Into<Vec<u8>>, ask: Ask) -> (Seen, Vec<u8>) {
    let model = Model::playing([Play::events(said).cut(5)]).await;
    let upstream = open(kind, &format!("url = '{}'\nmodel = 'm'\n{more}", model.url));
    assert!(!upstream.retrieves());
    let reply = upstream.ask(ask).await.expect("an answer");
    assert_eq!(reply.events.from(), &Provider::Native.into());
    let body = read(reply).await.expect("a whole body");
    (model.call(), body)
}

/// The claims of a message, each as its number and its name.
fn claims(message: &Value) -> Vec<String> {
    let claims = message["entities"][0]["citation"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    claims.iter().map(|claim| text(&claim["position"]) + " " + &text(&claim["appearance"]["name"])).collect()
}

#[tokio::test]
async fn a_model_gets_numbered_passages_and_its_numbers_lead_to_them() {
    let said = chat(&["Leave is 30 days [1]", ", to be asked for in writing [2][17][9]."]);
    let (call, body) = asked("openai", "", said, question()).await;
    let system = call.body["messages"][0]["content"].as_str().expect("a text");
    assert!(system.starts_with("Be kind.\n\nAnswer from the numbered sources"), "{system}");
    let list = "Sources:\n\n[1] (Source: \"Leave policy\")\nLeave is 30 days.\n\n[2] (Source: \"Staff handbook\")\n\
                Ask in writing. Early.\n\n[3] (Source: \"Empty\")";
    assert!(system.ends_with(list), "{system}");
    assert_eq!(call.body["messages"].as_array().map(|said| said[1..].to_vec()), messages().as_array().cloned());
    let events = events(&body);
    let label = json!({"name": "Internal", "priority": 2, "color": "orange", "encrypted": false});
    let sources = json!({"sources": [
        {"title": "Leave policy", "url": "https://hr.contoso.example/leave", "content": "Leave is 30 days."},
        {"id": "b", "title": "Staff handbook", "content": "Leave is asked for in writing.", "label": label},
        {"title": "Empty"}]});
    let text = [json!({"delta": "Leave is 30 days [1]"}), json!({"delta": ", to be asked for in writing [2][17][9]."})];
    assert_eq!(events, [vec![sources], text.to_vec(), vec![json!({"done": true})]].concat());
    let message = message(&body, Some(Provider::Native));
    assert_eq!(claims(&message), ["1 Leave policy", "2 Staff handbook"]);
    // Numbers that were never given out lead nowhere.
    assert!(message["text"].as_str().is_some_and(|text| text.contains("in writing [2]\u{200b}[17][9].")), "{message}");
}

#[tokio::test]
async fn passages_may_come_in_tags() {
    let (call, body) = asked("openai", "sources = { style = 'tags' }", chat(&["Yes [1]."]), question()).await;
    let system = call.body["messages"][0]["content"].as_str().expect("a text");
    assert!(system.contains("<source id=\"1\" name=\"Leave policy\">Leave is 30 days.</source>"), "{system}");
    assert_eq!(claims(&message(&body, Some(Provider::Native))), ["1 Leave policy"]);
}

#[tokio::test]
async fn without_citations_passages_have_no_numbers_and_the_answer_no_sources() {
    let mut ask = question();
    ask.citations = false;
    for kind in ["openai", "anthropic"] {
        let said = if kind == "openai" { chat(&["Yes [1]."]).into_bytes() } else { sample("anthropic/web-stream") };
        let model = Model::playing([Play::events(said.clone())]).await;
        let reply =
            open(kind, &format!("url = '{}'\nmodel = 'm'", model.url)).ask(ask.clone()).await.expect("an answer");
        assert_eq!(read(reply).await.expect("a body"), said);
        let body = model.call().body;
        let system = body["system"].as_str().or_else(|| body["messages"][0]["content"].as_str()).expect("a text");
        assert!(system.contains("\n---\nLeave is 30 days.\n---\n") && !system.contains("[1]"), "{system}");
    }
}

#[tokio::test]
async fn only_what_fits_is_listed_and_only_that_can_be_cited() {
    let more = "sources = { max_tokens = 330 }";
    let mut ask = question();
    ask.sources[1].metadata.insert("context".to_owned(), json!("word ".repeat(1_000)));
    let (call, body) = asked("openai", more, chat(&["Yes [1], no [2]."]), ask).await;
    let system = call.body["messages"][0]["content"].as_str().expect("a text");
    assert!(system.contains("[1] (Source") && !system.contains("[2] (Source"), "{system}");
    let message = message(&body, Some(Provider::Native));
    assert_eq!(claims(&message), ["1 Leave policy"]);
    assert_eq!(events(&body)[0]["sources"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn gemini_and_responses_get_the_list_where_they_want_it() {
    let parts = ["Leave is 30 days [1].", " Ask [2]."];
    let last = json!({"candidates": [{"content": {"parts": [{"text": parts[1]}]}, "finishReason": "STOP"}]});
    let said =
        format!("data: {}\n\ndata: {last}\n\n", json!({"candidates": [{"content": {"parts": [{"text": parts[0]}]}}]}));
    let (call, body) = asked("gemini", "", said, question()).await;
    let system = call.body["systemInstruction"]["parts"][0]["text"].as_str().expect("a text");
    assert!(system.starts_with("Be kind.\n\n") && system.contains("[2] (Source: \"Staff handbook\")"), "{system}");
    assert_eq!(claims(&message(&body, Some(Provider::Native))), ["1 Leave policy", "2 Staff handbook"]);
    assert!(end(&body).0);

    let delta = json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Leave is 30 days [1]."});
    let done = json!({"type": "response.completed", "response": {"status": "completed", "output": []}});
    let said = format!("data: {delta}\n\ndata: {done}\n\n");
    let (call, body) = asked("openai-responses", "", said, question()).await;
    let instructions = call.body["instructions"].as_str().expect("a text");
    assert!(instructions.starts_with("Be kind.\n\n") && instructions.contains("[1] (Source"), "{instructions}");
    assert_eq!(call.body["input"], messages());
    assert_eq!(claims(&message(&body, Some(Provider::Native))), ["1 Leave policy"]);
    assert!(end(&body).0);
}

#[tokio::test]
async fn claude_gets_documents_and_what_it_cites_of_them_becomes_numbers() {
    let block = |text: &str, document: Option<usize>| {
        let mut events = vec![json!({"type": "content_block_start", "content_block": {"type": "text", "text": ""}})];
        events.push(json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}));
        events.extend(document.map(|at| {
            let citation = json!({"type": "char_location", "document_index": at, "document_title": "x", "cited_text": "x",
                "start_char_index": 0, "end_char_index": 5});
            json!({"type": "content_block_delta", "delta": {"type": "citations_delta", "citation": citation}})
        }));
        events.push(json!({"type": "content_block_stop"}));
        events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>()
    };
    let said = [block("Ask in writing. ", Some(1)), block("You have 30 days", Some(0)), block(". Enjoy!", None)]
        .concat()
        + "data: {\"type\":\"message_stop\"}\n\n";
    let (call, body) = asked("anthropic", "", said, question()).await;
    let document = |title: &str, text: &str| {
        json!({"type": "document", "title": title, "citations": {"enabled": true},
            "source": {"type": "text", "media_type": "text/plain", "data": text}})
    };
    let content = json!([
        document("Leave policy", "Leave is 30 days."), document("Staff handbook", "Ask in writing. Early."),
        {"type": "text", "text": "One thing.\n\nHow long is leave?"}]);
    assert_eq!((&call.body["messages"][2]["content"], &call.body["system"]), (&content, &json!("Be kind.")));
    let message = message(&body, Some(Provider::Native));
    let text = message["text"].as_str().expect("a text");
    assert!(text.starts_with("Ask in writing.[1] You have 30 days[2]. Enjoy!"), "{text}");
    assert_eq!(claims(&message), ["1 Staff handbook", "2 Leave policy"]);
    // The sources stand in a numbered list, when the option asks for one.
    let (call, _) =
        asked("anthropic", "sources = { style = 'numbered' }", "data: {\"type\":\"message_stop\"}\n\n", question())
            .await;
    assert!(call.body["system"].as_str().is_some_and(|system| system.contains("[1] (Source: \"Leave policy\")")));
    assert_eq!(call.body["messages"], messages());
}

#[tokio::test]
async fn words_are_handed_on_while_the_model_still_thinks() {
    let said = format!("{}{}", chunk("Leave is "), chunk("30 days"));
    let model = Model::playing([Play::events(said).then(Then::Stall)]).await;
    let upstream = open("openai", &format!("url = '{}'\nmodel = 'm'", model.url));
    let mut body = native::parts(upstream.ask(question()).await.expect("an answer"));
    let mut seen = Vec::new();
    while !seen.ends_with(b"30 days\"}\n\n") {
        seen.extend(native::bytes(body.next().await.expect("more").expect("a piece")));
    }
    assert_eq!(events(&seen)[1..], [json!({"delta": "Leave is "}), json!({"delta": "30 days"})]);
    drop(body);
    model.was_left(1).await;
}

#[tokio::test]
async fn an_error_in_the_middle_keeps_the_text_and_a_missing_end_is_missing() {
    let error = "data: {\"error\":{\"code\":\"overloaded\",\"message\":\"Try later.\"}}\n\n";
    let (_, body) = asked("openai", "", chunk("Leave is ") + error, question()).await;
    assert_eq!(end(&body), (false, Some("overloaded: Try later.".to_owned())));
    let (_, body) = asked("openai", "", chunk("Leave is "), question()).await;
    assert_eq!(end(&body), (false, None));
}

#[tokio::test]
async fn an_answer_that_is_whole_ends_though_the_connection_does_not() {
    let model = Model::playing([Play::events(chat(&["Yes [1]."])).then(Then::Stall)]).await;
    let upstream = open("openai", &format!("url = '{}'\nmodel = 'm'", model.url));
    let body = read(upstream.ask(question()).await.expect("an answer")).await.expect("it ends by itself");
    assert_eq!(end(&body), (true, None));
    model.was_left(1).await;
}
