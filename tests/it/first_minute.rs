//! The first minute of a new user, from the start of the command to the first cited answer.

use std::process::Command;

use serde_json::{Value, json};

use crate::app::Serving;

use crate::upstreams::model::{Model, Play};
use crate::upstreams::sample;

fn data() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The first `curl` of the README was answered with 401: the server had made a key, and nothing said where it is.
#[test]
fn the_command_that_serve_prints_converts_an_answer_as_it_is_printed() {
    for set in [&[][..], &[("CITEWIRE_API_KEY", "sixteen-or-more-characters")]] {
        let folder = data();
        let serving = Serving::start(folder.path(), set);
        let at =
            serving.said.iter().position(|line| line.ends_with("from another terminal:")).expect("an introduction");
        let command = serving.said[at + 1].trim_start();
        assert!(command.starts_with(&format!("curl {}/v1/activities ", serving.url)), "{command}");
        let output = Command::new("sh").args(["-c", command]).envs(set.iter().copied()).output().expect("sh runs");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let claim = &answer["activities"][0]["entities"][0]["citation"][0];
        assert_eq!(claim["appearance"]["name"], "Leave policy", "{answer}");
        assert_eq!(serving.said[at + 2], format!("ask a question in the browser: {}", serving.url));
    }
}

#[test]
fn a_server_without_a_page_does_not_send_anybody_to_it() {
    let folder = data();
    let serving = Serving::start(folder.path(), &[("CITEWIRE_PAGE", "false")]);
    assert!(!serving.said.iter().any(|line| line.contains("browser")), "{:?}", serving.said);
}

#[test]
fn variables_that_nothing_reads_give_one_warning_and_the_server_starts() {
    let folder = data();
    let set = [("CITEWIRE_BNID", "0.0.0.0:80"), ("CITEWIRE_X", "1"), ("CITEWIRE_SERVICE_HOST", "10.0.0.1")];
    let serving = Serving::start(folder.path(), &set);
    let warnings: Vec<_> = serving.said.iter().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(
        warnings,
        [
            "warning: CITEWIRE_BNID (do you mean CITEWIRE_BIND?), CITEWIRE_X in the environment are not settings; citewire ignores them"
        ]
    );
}

/// A container has its environment and nothing else.
#[tokio::test]
async fn an_assistant_of_the_environment_asks_the_data_sources_of_the_environment() {
    let model = Model::playing([Play::events(sample("azure-oyd/stream"))]).await;
    let folder = data();
    let assistants = json!({"handbook": {"upstream":
        {"kind": "azure", "endpoint": model.url, "deployment": "gpt-4o", "key_env": "AZURE_AI_API_KEY", "scores": false}}});
    let sources = json!([{"type": "azure_search", "parameters": {"endpoint": "https://contoso.search.windows.net",
        "index_name": "handbook", "authentication": {"type": "api_key", "key": "key-of-the-index"}}}]);
    let (assistants, data_sources) = (assistants.to_string(), sources.to_string());
    let set = [
        ("CITEWIRE_API_KEY", "sixteen-or-more-characters"),
        ("CITEWIRE_ASSISTANT", "handbook"),
        ("CITEWIRE_ASSISTANTS", &assistants),
        ("AZURE_AI_DATA_SOURCES", &data_sources),
        ("AZURE_AI_API_KEY", "key-of-the-model"),
    ];
    let serving = Serving::start(folder.path(), &set);
    assert!(serving.said.contains(&"the assistant handbook answers".to_owned()), "{:?}", serving.said);
    let body = json!({"model": "handbook", "messages": [{"role": "user", "content": "How long is leave?"}]});
    let client = reqwest::Client::builder().build().expect("a client");
    let asked = client.post(format!("{}/v1/chat/completions", serving.url)).bearer_auth("sixteen-or-more-characters");
    let answer: Value = asked.json(&body).send().await.expect("an answer").json().await.expect("JSON");
    assert!(answer["citations"]["sources"].as_array().is_some_and(|sources| !sources.is_empty()), "{answer}");
    let call = model.call();
    assert_eq!((&call.body["data_sources"], call.header("api-key").as_str()), (&sources, "key-of-the-model"));
}
