//! Each kind of back end: what is sent, and that its recorded stream becomes the message of its sample.

use serde_json::{Value, json};

use super::model::{Model, Play, Seen};
use super::{KEY, SEARCH_KEY, ask, message, messages, open, promised, read, sample};

/// Asks a back end of this kind, whose section is made of the address of the model; returns the call. The reply has to be the
/// sample as it is.
async fn asked(kind: &str, case: &str, section: impl Fn(&str) -> String) -> Seen {
    let model = Model::playing([Play::events(sample(case)).cut(7)]).await;
    let upstream = open(kind, &section(&model.url));
    assert!(upstream.retrieves());
    let reply = upstream.ask(ask()).await.expect("an answer");
    let from = reply.events.from().clone();
    let body = read(reply).await.expect("a whole body");
    assert_eq!(body, sample(case));
    assert_eq!(message(&body, from), promised(case));
    let call = model.call();
    assert_eq!(call.header("content-type"), "application/json");
    assert_eq!(call.header("accept-encoding"), "identity");
    assert_eq!(call.header("accept"), "text/event-stream, application/json");
    call
}

fn with_system(mut messages: Value) -> Value {
    messages.as_array_mut().expect("a list").insert(0, json!({"role": "system", "content": "Be kind."}));
    messages
}

#[tokio::test]
async fn chat_completions_that_search_are_asked_for_a_stream() {
    let call = asked("openai", "perplexity/search-stream", |url| {
        format!(
            "url = '{url}/v1/'\nmodel = 'sonar'\nfrom = 'perplexity'\nkey_env = 'MODEL_KEY'\ntemperature = 0.5\n\
             max_tokens = 300\nheaders = {{ X-Team = 'hr' }}\nheaders_env = {{ X-Gate = 'SEARCH_KEY' }}\n\
             body = {{ search_mode = 'academic', temperature = 0.25 }}"
        )
    })
    .await;
    assert_eq!(call.call, "POST /v1/chat/completions");
    assert_eq!(call.header("authorization"), format!("Bearer {KEY}"));
    assert_eq!((call.header("x-team").as_str(), call.header("x-gate").as_str()), ("hr", SEARCH_KEY));
    let expected = json!({"model": "sonar", "messages": with_system(messages()), "stream": true, "temperature": 0.25,
        "max_tokens": 300, "search_mode": "academic", "stream_options": {"include_usage": true}});
    assert_eq!(call.body, expected);
}

#[tokio::test]
async fn azure_searches_the_index_that_is_set() {
    let call = asked("azure", "azure-oyd/stream-split", |url| {
        format!(
            "endpoint = '{url}'\ndeployment = 'gpt 4o'\nkey_env = 'MODEL_KEY'\nsearch_endpoint = 'https://s.search.example/'\n\
             search_key_env = 'SEARCH_KEY'\nindex = 'hr'\ninclude_contexts = 'intent'\ntop_n_documents = 5\nstrictness = 3\n\
             in_scope = true\nrole_information = 'You know leave.'\nquery_type = 'vector_semantic_hybrid'\n\
             semantic_configuration = 'default'\nembedding_deployment = 'ada'\ntemperature = 0.0\n\
             body = {{ stream_options = {{ include_usage = true }} }}\n\
             [fields_mapping]\ncontent_fields = ['text']\ntitle_field = 'name'\nurl_field = 'link'\nfilepath_field = 'file'\n\
             vector_fields = ['v']\ncontent_fields_separator = '\\n'"
        )
    })
    .await;
    assert_eq!(call.call, "POST /openai/deployments/gpt%204o/chat/completions?api-version=2024-10-21");
    assert_eq!((call.header("api-key").as_str(), call.header("authorization").as_str()), (KEY, ""));
    let parameters = json!({
        "endpoint": "https://s.search.example", "index_name": "hr", "authentication": {"type": "api_key", "key": SEARCH_KEY},
        "fields_mapping": {"content_fields": ["text"], "title_field": "name", "url_field": "link", "filepath_field": "file",
            "vector_fields": ["v"], "content_fields_separator": "\\n"},
        "include_contexts": ["intent", "citations", "all_retrieved_documents"], "top_n_documents": 5, "strictness": 3,
        "in_scope": true, "role_information": "You know leave.", "query_type": "vector_semantic_hybrid",
        "semantic_configuration": "default", "embedding_dependency": {"type": "deployment_name", "deployment_name": "ada"},
    });
    let expected = json!({"messages": with_system(messages()), "stream": true, "temperature": 0.0,
        "data_sources": [{"type": "azure_search", "parameters": parameters}]});
    assert_eq!(call.body, expected);
}

#[tokio::test]
async fn azure_takes_data_sources_as_they_are_written() {
    let call = asked("azure", "azure-oyd/stream", |url| {
        format!(
            "endpoint = '{url}'\ndeployment = 'gpt-4o'\nscores = false\n\
             [body.data_sources]\ntype = 'azure_cosmos_db'\nparameters = {{ include_contexts = 'intent' }}"
        )
    })
    .await;
    let source = json!({"type": "azure_cosmos_db", "parameters": {"include_contexts": "intent"}});
    assert_eq!(call.body["data_sources"], json!([source]));
    assert_eq!(call.header("api-key"), "");
}

#[tokio::test]
async fn responses_are_asked_with_tools_and_for_what_a_file_search_found() {
    let call = asked("openai-responses", "openai-responses/web-stream", |url| {
        format!(
            "url = '{url}/v1'\nmodel = 'gpt-5-mini'\nkey_env = 'MODEL_KEY'\nmax_output_tokens = 500\n\
             include = ['web_search_call.action.sources']\n\
             tools = [{{ type = 'web_search' }}, {{ type = 'file_search', vector_store_ids = ['vs_1'] }}]"
        )
    })
    .await;
    assert_eq!(call.call, "POST /v1/responses");
    assert_eq!(call.header("authorization"), format!("Bearer {KEY}"));
    let expected = json!({"model": "gpt-5-mini", "input": messages(), "instructions": "Be kind.", "stream": true,
        "store": false, "max_output_tokens": 500,
        "tools": [{"type": "web_search"}, {"type": "file_search", "vector_store_ids": ["vs_1"]}],
        "include": ["web_search_call.action.sources", "file_search_call.results"]});
    assert_eq!(call.body, expected);
}

#[tokio::test]
async fn gemini_is_asked_for_server_sent_events() {
    let call = asked("gemini", "gemini/grounding-stream", |url| {
        format!(
            "url = '{url}/v1beta'\nmodel = 'gemini-2.5-flash'\nkey_env = 'MODEL_KEY'\ntemperature = 0.5\nmax_output_tokens = 9\n\
             tools = [{{ google_search = {{}} }}]\nbody = {{ generationConfig = {{ topK = 3 }} }}"
        )
    })
    .await;
    assert_eq!(call.call, "POST /v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
    assert_eq!(call.header("x-goog-api-key"), KEY);
    let expected = json!({
        "contents": [
            {"role": "user", "parts": [{"text": "I am new here."}]},
            {"role": "model", "parts": [{"text": "Welcome."}]},
            {"role": "user", "parts": [{"text": "One thing.\n\nHow long is leave?"}]}],
        "systemInstruction": {"parts": [{"text": "Be kind."}]}, "tools": [{"google_search": {}}],
        "generationConfig": {"temperature": 0.5, "maxOutputTokens": 9, "topK": 3}});
    assert_eq!(call.body, expected);
}

#[tokio::test]
async fn claude_is_asked_with_the_version_of_the_interface() {
    let call = asked("anthropic", "anthropic/web-stream", |url| {
        format!(
            "url = '{url}'\nmodel = 'claude-sonnet-4-5'\nkey_env = 'MODEL_KEY'\n\
             tools = [{{ type = 'web_search_20250305', name = 'web_search', max_uses = 2 }}]"
        )
    })
    .await;
    assert_eq!(call.call, "POST /v1/messages");
    assert_eq!((call.header("x-api-key").as_str(), call.header("anthropic-version").as_str()), (KEY, "2023-06-01"));
    let expected = json!({"model": "claude-sonnet-4-5", "max_tokens": 4096, "system": "Be kind.", "messages": messages(),
        "stream": true, "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 2}]});
    assert_eq!(call.body, expected);
}

#[tokio::test]
async fn any_service_gets_the_question_and_what_was_said() {
    let model = Model::playing([Play::events(sample("native/stream"))]).await;
    let section = format!("url = '{}/ask?team=hr'\nkey_env = 'MODEL_KEY'\nbody = {{ top = 3 }}", model.url);
    let upstream = open("http", &section);
    let mut ask = ask();
    ask.conversation = Some("c1".to_owned());
    let reply = upstream.ask(ask).await.expect("an answer");
    assert_eq!(reply.events.from(), &citewire::ingest::AnswerFormat::default());
    let body = read(reply).await.expect("a whole body");
    assert_eq!(message(&body, None), promised("native/stream"));
    let call = model.call();
    assert_eq!((call.call.as_str(), call.header("authorization")), ("POST /ask?team=hr", format!("Bearer {KEY}")));
    let expected =
        json!({"question": "How long is leave?", "messages": with_system(messages()), "conversation": "c1", "top": 3});
    assert_eq!(call.body, expected);
}

#[tokio::test]
async fn a_service_may_answer_at_once_and_in_any_format() {
    for case in ["native/leave", "azure-oyd/basic", "langchain/docs", "cohere/rag"] {
        let model = Model::playing([Play::of("application/json", sample(case))]).await;
        let reply = open("http", &format!("url = '{}'", model.url)).ask(ask()).await.expect("an answer");
        let body = read(reply).await.expect("a whole body");
        assert_eq!(message(&body, None), promised(case), "{case}");
        assert_eq!(model.call().header("authorization"), "");
    }
}

#[tokio::test]
async fn without_passages_a_models_own_stream_is_the_reply() {
    let case = "openai-chat/annotations-stream";
    let model = Model::playing([Play::events(sample(case))]).await;
    let upstream = open("openai", &format!("url = '{}'\nmodel = 'm'", model.url));
    assert!(!upstream.retrieves());
    let body = read(upstream.ask(ask()).await.expect("an answer")).await.expect("a whole body");
    assert_eq!((body.as_slice(), message(&body, None)), (sample(case).as_slice(), promised(case)));
}
