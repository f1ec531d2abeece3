//! Answers that come at once, and the list of models.

use citewire::output::ChatForm;
use citewire::upstream::Ask;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::scripted::{Scripted, complete, completed, content, delta, question, question_for, sources, streamed};
use crate::app::{API_KEY, TestApp, answer};

fn cited() -> Scripted {
    Scripted::saying(&[sources(), delta("Leave is long [c]. Or [3]"), delta(" [doc1].")])
}

#[tokio::test]
async fn a_question_gets_a_cited_answer() {
    let upstream = cited();
    let app = upstream.serve();
    let whole = completed(&app, &question(false)).await;
    assert_eq!((&whole["object"], &whole["model"]), (&json!("chat.completion"), &json!("handbook")));
    assert_eq!(whole["created"], 1_767_225_600);
    assert!(whole["id"].as_str().is_some_and(|id| id.starts_with("chatcmpl-")), "{whole}");
    assert_eq!(content(&whole), "Leave is long [c]. Or [1] [2].");
    assert_eq!(whole["choices"][0]["finish_reason"], "stop");
    let usage = &whole["usage"];
    let tokens = |name: &str| usage[name].as_u64().expect("a number");
    assert!(tokens("prompt_tokens") > 0 && tokens("completion_tokens") > 0);
    assert_eq!(tokens("total_tokens"), tokens("prompt_tokens") + tokens("completion_tokens"));
}

/// Such a completion once took as long as a reader would need to read it.
#[tokio::test]
async fn only_an_answer_that_is_shown_while_it_grows_may_be_paced() {
    let upstream = cited();
    let app = upstream.serve();
    completed(&app, &question(false)).await;
    streamed(&app, &question(true)).await;
    assert_eq!(upstream.asked(2).await.iter().map(|ask| ask.at_once).collect::<Vec<_>>(), [true, false]);
}

#[tokio::test]
async fn citations_stand_beside_the_choices_and_count_like_the_text() {
    let app = cited().serve();
    let whole = completed(&app, &question(false)).await;
    let citations = &whole["citations"];
    assert_eq!(citations["referenced_indices"], json!([1, 2]));
    let ids: Vec<&Value> = citations["sources"].as_array().expect("a list").iter().map(|s| &s["document_id"]).collect();
    assert_eq!(ids, ["c", "a", "b"]);
    let hub = completed(&app, &question_for(false, "assistanthub")).await;
    assert_eq!(content(&hub), "Leave is long [c]. Or [3] [1].");
    assert_eq!(hub["citations"]["referenced_indices"], json!([1, 3]));
    assert_eq!(
        hub["citations"]["sources"][0],
        json!({"index": 1, "document_id": "a", "document_name": "Document a",
        "score": 0.9, "excerpt": "Passage a.", "download_url": "https://docs.example/a"})
    );
    assert_eq!(hub.get("sources"), None);
}

#[tokio::test]
async fn citations_can_be_switched_off_and_need_a_source() {
    let off = cited().serve_with(|options| options.citations = false);
    let bare = Scripted::saying(&[delta("Hello [1].")]).serve();
    let asked_not = cited().serve();
    for (app, request) in [
        (&off, question(false)),
        (&off, question_for(false, "assistanthub")),
        (&bare, question(false)),
        (&asked_not, question_for(false, "none")),
    ] {
        let whole = completed(app, &request).await;
        assert_eq!((whole.get("citations"), whole.get("sources")), (None, None), "{whole}");
    }
}

#[tokio::test]
async fn the_form_of_the_citations_is_named_by_the_body_or_a_header() {
    let app = cited().serve();
    let by_header = |form: &'static str| {
        let request = app.post("/v1/chat/completions", API_KEY).header("X-Citewire-Citations", form);
        answer(request.json(&question(false)))
    };
    assert_eq!(content(&by_header("assistanthub").await.1), "Leave is long [c]. Or [3] [1].");
    let links = by_header("open-webui-links").await.1;
    let expected = "Leave is long [c]. Or [[doc3]](https://docs.example/c) [[doc1]](https://docs.example/a).";
    assert_eq!(content(&links), expected);
    let (status, body) = by_header("cards").await;
    assert_eq!((status, &body["error"]["code"]), (StatusCode::BAD_REQUEST, &json!("unknown_citations")));
    let (status, body) = complete(&app, &question_for(false, "cards")).await;
    assert_eq!((status, &body["error"]["param"]), (StatusCode::BAD_REQUEST, &json!("citewire.citations")));
}

#[tokio::test]
async fn the_setting_holds_where_a_request_names_no_form_and_the_list_does_not_come_back_to_the_model() {
    let upstream = cited();
    let app = upstream.serve_in_form(ChatForm::List);
    let text = "Leave is long [c]. Or [1] [2].\n\n[1] [Document c](https://docs.example/c)\n\n[2] [Document a](https://docs.example/a)";
    let whole = completed(&app, &question(false)).await;
    assert_eq!((content(&whole), whole.get("sources")), (text, None));
    let cards = completed(&app, &question_for(false, "open-webui")).await;
    assert_eq!(content(&cards), "Leave is long [c]. Or [1] [2].");
    let mut next = question(false);
    let said = json!([{"role": "user", "content": "One?"}, {"role": "assistant", "content": text}]);
    let messages = next["messages"].as_array_mut().expect("messages");
    messages.splice(0..0, said.as_array().expect("messages").clone());
    completed(&app, &next).await;
    let asked = upstream.asked(3).await;
    assert_eq!(asked[2].turns[1].text, "Leave is long [c]. Or.");
}

#[tokio::test]
async fn an_answer_that_is_refused_or_cites_nothing_has_no_list_of_what_was_only_found() {
    let app = Scripted::saying(&[sources(), delta("Nobody knows.")]).serve_in_form(ChatForm::List);
    assert_eq!(content(&completed(&app, &question(false)).await), "Nobody knows.");
}

#[tokio::test]
async fn what_was_said_before_and_the_instructions_of_the_client_go_along() {
    let upstream = Scripted::saying(&[delta("Yes.")]);
    let app = upstream.serve_with(|options| options.instructions = Some("Cite.".to_owned()));
    completed(
        &app,
        &json!({"model": "handbook", "temperature": 0.5, "unknown": {"x": []}, "messages": [
            {"role": "system", "content": "Be brief."}, {"role": "user", "content": "One?"},
            {"role": "assistant", "content": "Yes [1]."}, {"role": "user", "content": [{"type": "text", "text": "Two?"}]},
        ]}),
    )
    .await;
    let asked = upstream.asked(1).await;
    let turns: Vec<&str> = asked[0].turns.iter().map(|turn| turn.text.as_str()).collect();
    assert_eq!(turns, ["One?", "Yes.", "Two?"]);
    assert_eq!(asked[0].instructions.as_deref(), Some("Cite.\n\nBe brief."));
    assert!(!asked[0].plain);
}

#[tokio::test]
async fn passages_that_the_client_has_found_go_to_a_model_that_does_not_search() {
    let upstream = Scripted::saying(&[sources(), delta("Yes [2].")]).that_does_not_search();
    let app = upstream.serve();
    for given in [
        json!([{"title": "Leave", "content": "Leave is 30 days."}, {"title": "Pay", "url": "https://docs.example/pay"}]),
        json!(null),
        json!([]),
    ] {
        let mut question = question(false);
        question["citewire"] = json!({"sources": given});
        completed(&app, &question).await;
    }
    let asked = upstream.asked(3).await;
    let titles = |ask: &Ask| ask.sources.iter().filter_map(|source| source.title.clone()).collect::<Vec<_>>();
    assert_eq!(asked.iter().map(titles).collect::<Vec<_>>(), [vec!["Leave".to_owned(), "Pay".into()], vec![], vec![]]);
    assert_eq!(asked[0].sources[0].content.as_deref(), Some("Leave is 30 days."));
}

#[tokio::test]
async fn passages_of_the_client_are_refused_where_they_would_be_lost_or_are_none() {
    let searching = Scripted::saying(&[delta("x")]).serve();
    let told = Scripted::saying(&[delta("x")]).that_does_not_search().serve();
    for (app, given, words) in [
        (&searching, json!([{"title": "Leave"}]), "the model handbook searches by itself and accepts no sources"),
        (&told, json!({"title": "Leave"}), "a list of sources is required"),
        (&told, json!([{"title": "Leave"}, {"title": 5}]), "/1/title: invalid type"),
    ] {
        let mut question = question(false);
        question["citewire"] = json!({"sources": given});
        let (status, body) = complete(app, &question).await;
        let error = &body["error"];
        assert_eq!((status, &error["param"]), (StatusCode::BAD_REQUEST, &json!("citewire.sources")), "{body}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(words)), "{body}");
    }
}

#[tokio::test]
async fn a_back_end_may_answer_at_once_in_any_format() {
    let body = json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant",
        "content": "Leave is long [doc2].", "context": {"citations": [
            {"title": "A", "content": "a", "url": "https://docs.example/a"},
            {"title": "B", "content": "b", "url": "https://docs.example/b"}]}}}]});
    let app = Scripted::bytes(None, &body.to_string()).serve();
    let whole = completed(&app, &question(false)).await;
    assert_eq!(content(&whole), "Leave is long [1].");
    assert_eq!(whole["sources"][0]["source"], json!({"name": "B", "url": "https://docs.example/b"}));
}

#[tokio::test]
async fn assistants_are_listed_as_models() {
    let app = cited().serve();
    let (status, list) = answer(app.get("/v1/models", API_KEY)).await;
    let model = json!({"id": "handbook", "object": "model", "created": 0, "owned_by": "citewire", "name": "handbook"});
    assert_eq!((status, list), (StatusCode::OK, json!({"object": "list", "data": [model]})));
    assert_eq!(answer(app.get("/v1/models/handbook", API_KEY)).await, (StatusCode::OK, model));
    let (status, body) = answer(app.get("/v1/models/other", API_KEY)).await;
    assert_eq!((status, &body["error"]["code"]), (StatusCode::NOT_FOUND, &json!("model_not_found")));
    let none = answer(TestApp::start().get("/v1/models", API_KEY)).await.1;
    assert_eq!(none, json!({"object": "list", "data": []}));
}
