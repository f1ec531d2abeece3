//! Usage of a completion, and the passages that were found for it.

use std::sync::Arc;

use citewire::assistant::{Assistant, AssistantOptions, AssistantRegistry, Assistants, LinkMode};
use serde_json::{Value, json};

use super::scripted::{Scripted, completed, delta, question, question_for, sources, streamed};
use crate::app::{API_KEY, TestApp, answer};
use crate::documents::readers::linked;
use crate::documents::{folder, library};
use crate::upstreams::model::{Model, Play};
use crate::upstreams::open;

/// An assistant called `handbook` whose model is played, with documents.
async fn handbook(model: &Model, documents: &[(&str, &str)]) -> (TestApp, tempfile::TempDir) {
    let upstream = open("openai", &format!("url = '{}'\nmodel = 'm'\nkey_env = 'MODEL_KEY'", model.url));
    let folder = folder(documents);
    let options = AssistantOptions {
        instructions: Some("Answer as the handbook of Contoso, in full sentences.".to_owned()),
        context_window: Some(128_000),
        ..AssistantOptions::default()
    };
    let assistant = Assistant::new("handbook", options, upstream, Arc::default());
    let assistant = assistant.with_library(library(&folder).await).with_passages(3);
    let team = AssistantRegistry::new([assistant], Some("handbook".to_owned()));
    (TestApp::with(|setup| setup.assistants = Some(Arc::new(Assistants::new(team)))), folder)
}

const LEAVE: &str =
    "# Leave\n\nAnnual leave is 30 days, to be taken before the end of March of the year that follows.\n";

fn chat(events: &[Value]) -> Play {
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    Play::events(events + "data: [DONE]\n\n")
}

fn words(usage: &Value) -> Play {
    let chunk = |delta: Value, reason: Value| json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
    let figures = json!({"object": "chat.completion.chunk", "choices": [], "usage": usage});
    let mut events = vec![chunk(json!({"content": "30 days [1]."}), Value::Null), chunk(json!({}), json!("stop"))];
    events.extend((!figures["usage"].is_null()).then_some(figures));
    chat(&events)
}

/// Open WebUI wraps a question when its reader attached a file; the documents were once searched for the whole template.
#[tokio::test]
async fn passages_of_an_attached_file_stand_behind_those_of_the_documents() {
    let model = Model::playing([words(&Value::Null), words(&Value::Null)]).await;
    let (app, _folder) = handbook(&model, &[("leave.md", LEAVE), ("tax.md", "# Tax\n\nTax is due in May.\n")]).await;
    let wrapped = "### Task:\nAnswer the query from the context, and cite the id of a source as [id].\n\n<context>\n\
        <source id=\"1\" name=\"canteen.pdf\">The canteen opens at noon.</source>\n</context>\n\nHow long is annual leave?";
    for stream in [false, true] {
        let request =
            json!({"model": "handbook", "stream": stream, "messages": [{"role": "user", "content": wrapped}]});
        if stream {
            streamed(&app, &request).await;
        } else {
            completed(&app, &request).await;
        }
    }
    for seen in model.seen() {
        let messages = seen.body["messages"].as_array().expect("messages");
        assert_eq!(messages.last().expect("a question")["content"], "How long is annual leave?");
        let sent = seen.body["messages"].to_string();
        let places =
            ["[1]", "30 days, to be taken", "[2]", "canteen.pdf", "opens at noon"].map(|words| sent.rfind(words));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {sent}");
        assert!(!sent.contains("### Task"), "{sent}");
    }
}

/// The back end said 1200 and 28, and clients read 9 and 12: an estimate without sources and instructions.
#[tokio::test]
async fn usage_is_what_the_back_end_counted() {
    let counted = json!({"prompt_tokens": 1200, "completion_tokens": 28, "total_tokens": 1228});
    let model = Model::playing([words(&counted), words(&counted)]).await;
    let (app, _folder) = handbook(&model, &[("leave.md", LEAVE)]).await;
    let expected =
        json!({"prompt_tokens": 1200, "completion_tokens": 28, "total_tokens": 1228, "context_window": 128_000});
    assert_eq!(completed(&app, &question(false)).await["usage"], expected);
    let mut request = question(true);
    request["stream_options"] = json!({"include_usage": true});
    assert_eq!(streamed(&app, &request).await.last().expect("chunks")["usage"], expected);
    assert_eq!(model.seen()[0].body["stream_options"], json!({"include_usage": true}));
}

#[tokio::test]
async fn an_estimate_counts_all_that_was_sent_and_says_that_it_is_one() {
    let model = Model::playing([words(&Value::Null), words(&Value::Null)]).await;
    let (app, _folder) = handbook(&model, &[("leave.md", LEAVE)]).await;
    let usage = completed(
        &app,
        &json!({"model": "handbook", "messages": [{"role": "user", "content": "How long is annual leave?"}]}),
    )
    .await["usage"]
        .clone();
    assert_eq!(usage["estimated"], true, "{usage}");
    let sent = model.seen()[0].body["messages"].to_string();
    assert!(sent.contains("30 days, to be taken") && sent.contains("handbook of Contoso"), "{sent}");
    let prompt = usage["prompt_tokens"].as_u64().expect("a count");
    // English has about four letters a token; the estimate is rather too high.
    let letters = sent.len() as u64;
    assert!(prompt > letters / 6 && prompt < letters, "{prompt} for {letters} letters");
    // A back end that does not say how it counts is estimated by what the client sent.
    let scripted = Scripted::saying(&[sources(), delta("One [1].")]).serve();
    assert_eq!(completed(&scripted, &question(false)).await["usage"]["estimated"], true);
}

/// Some servers refuse a member that they do not know. The answer must not fail for a figure.
#[tokio::test]
async fn a_back_end_that_refuses_to_count_is_asked_without_and_never_again() {
    let refusal =
        || Play::json(&json!({"error": {"message": "Unrecognized request argument: stream_options"}})).status(400);
    let model = Model::playing([refusal(), words(&Value::Null), words(&Value::Null)]).await;
    let (app, _folder) = handbook(&model, &[("leave.md", LEAVE)]).await;
    for _ in 0..2 {
        assert_eq!(completed(&app, &question(false)).await["usage"]["estimated"], true);
    }
    let asked: Vec<bool> = model.seen().iter().map(|call| call.body.get("stream_options").is_some()).collect();
    assert_eq!(asked, [true, false, false]);
}

#[tokio::test]
async fn retrieval_stands_beside_the_citations_for_clients_of_assistanthub() {
    let model = Model::playing([words(&Value::Null), words(&Value::Null), words(&Value::Null)]).await;
    let (app, _folder) =
        handbook(&model, &[("leave.md", LEAVE), ("pay.md", "# Pay\n\nWages come on the 28th.\n")]).await;
    let request = |stream: bool, form: &str| {
        let mut request = question_for(stream, form);
        request["messages"] = json!([{"role": "user", "content": "How long is annual leave?"}]);
        request
    };
    let whole = completed(&app, &request(false, "assistanthub")).await;
    let chunks = streamed(&app, &request(true, "assistanthub")).await;
    let last = chunks.last().expect("chunks");
    for found in [&whole["retrieval"], &last["retrieval"]] {
        assert_eq!((&found["collection_id"], &found["chunks_returned"]), (&json!("handbook"), &json!(1)), "{found}");
        assert!(found["duration_ms"].as_f64().is_some_and(|duration| duration >= 0.0), "{found}");
        let chunk = &found["chunks"][0];
        assert!(chunk["content"].as_str().is_some_and(|text| text.contains("30 days")), "{chunk}");
        assert_eq!(chunk["document_name"], "Leave");
        assert!(chunk["document_id"].is_string() && chunk["score"].is_number(), "{chunk}");
    }
    assert!(completed(&app, &request(false, "open-webui")).await.get("retrieval").is_none(), "others do not know it");
}

/// The id of the answer was the path of the file, and the route knows another one.
#[tokio::test]
async fn the_document_id_of_an_answer_is_the_one_that_the_download_takes() {
    let folder = folder(&[("q3/leave.md", LEAVE)]);
    let team = AssistantRegistry::new(
        [linked("staff", LinkMode::Authenticated, &library(&folder).await)],
        Some("staff".to_owned()),
    );
    let app = TestApp::with(|setup| setup.assistants = Some(Arc::new(Assistants::new(team))));
    let mut request = question_for(false, "assistanthub");
    request["model"] = json!("staff");
    request["messages"] = json!([{"role": "user", "content": "How long is annual leave?"}]);
    let whole = completed(&app, &request).await;
    let id = whole["citations"]["sources"][0]["document_id"].as_str().expect("an id").to_owned();
    assert_eq!(whole["retrieval"]["chunks"][0]["document_id"], id.as_str());
    let download = app.request(reqwest::Method::GET, &format!("/v1/documents/{id}/download")).bearer_auth(API_KEY);
    let response = download.send().await.expect("an answer");
    assert_eq!((response.status().as_u16(), response.text().await.expect("text")), (200, LEAVE.to_owned()), "{id}");
    let (status, _) =
        answer(app.request(reqwest::Method::GET, &format!("/v1/documents/{id}x/download")).bearer_auth(API_KEY)).await;
    assert_eq!(status, 404);
}
