//! `POST /mcp`: agents that search, ask, convert and check, by the official client and by hand.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use citewire::answer::LabelCatalog;
use citewire::assistant::{Assistant, AssistantOptions, AssistantRegistry, Assistants};
use citewire::clock::{Clock, ManualClock};
use citewire::document::{Library, LibraryOptions};
use citewire::upstream::{Local, LocalOptions};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use crate::app::{API_KEY, TestApp, answer};
use crate::completions::scripted::{Scripted, Step, delta, sources};
use crate::documents::folder;

const LEAVE: &str = "# Leave\n\nEmployees get 30 days of leave.\n";

async fn assistant(name: &str, folder: &TempDir) -> Assistant {
    let base_url = "https://docs.example/".parse().ok();
    let options = LibraryOptions { base_url, ..LibraryOptions::new(folder.path()) };
    let library = Arc::new(Library::open(options).await.expect("a library"));
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")));
    let upstream = Arc::new(Local::new(Arc::clone(&library), LocalOptions::default(), clock));
    Assistant::new(name, AssistantOptions::default(), upstream, Arc::new(LabelCatalog::default())).with_library(library)
}

/// A server with these assistants, each with these documents.
async fn serve(names: &[&str], files: &[(&str, &str)]) -> (TestApp, TempDir) {
    let folder = folder(files);
    let mut team = Vec::new();
    for name in names {
        team.push(assistant(name, &folder).await);
    }
    let app = TestApp::with(|setup| {
        setup.assistants = Some(Arc::new(Assistants::new(AssistantRegistry::new(team, None))));
    });
    (app, folder)
}

/// The way of the client to the server.
#[derive(Clone, Copy, Debug)]
enum Way {
    Http,
    /// By `citewire mcp`.
    Stdio,
}

async fn told(url: &str, way: Way, calls: &Value) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp");
    assert!(
        folder.join("node_modules/.package-lock.json").exists(),
        "the client is not installed: run `npm ci --ignore-scripts` in {}, or `cargo xtask test tests`, which does it",
        folder.display()
    );
    let (url, program) = match way {
        Way::Http => (format!("{url}/mcp"), None),
        Way::Stdio => (url.to_owned(), Some(env!("CARGO_BIN_EXE_citewire"))),
    };
    let settings = json!({"url": url, "key": API_KEY, "command": program, "calls": calls});
    let mut command = Command::new("node");
    command.arg("client.mjs").arg(settings.to_string()).current_dir(&folder).env_remove("NODE_ENV");
    command.stdout(Stdio::piped()).kill_on_drop(true);
    let output = command.output().await.expect("node runs");
    assert!(output.status.success(), "the client failed");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A response to a message, with its status.
async fn sent(app: &TestApp, message: &Value) -> (StatusCode, Value) {
    answer(app.post("/mcp", API_KEY).json(message)).await
}

async fn call(app: &TestApp, name: &str, arguments: Value) -> Value {
    let message =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let (status, body) = sent(app, &message).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    body["result"].clone()
}

async fn lists_calls_and_cites(way: Way) {
    let (app, _folder) = serve(&["handbook"], &[("hr/leave.md", LEAVE)]).await;
    let sources = json!([{"title": "Leave policy", "url": "https://hr.example/leave"}]);
    let answer = json!({"text": "Leave is 30 days [1].", "sources": sources});
    let activity = json!({"type": "message", "text": "Leave [1]", "entities": []});
    let calls = json!([
        {"name": "answer", "arguments": {"question": "How many days of leave?"}},
        {"name": "search", "arguments": {"question": "leave", "limit": 2}},
        {"name": "convert", "arguments": {"answer": answer, "channel": "teams"}},
        {"name": "check", "arguments": {"activity": activity, "channel": "teams"}},
    ]);
    let told = told(&app.url, way, &calls).await;
    assert_eq!(told["error"], Value::Null, "{told}");
    assert_eq!(told["server"]["name"], "citewire");
    assert_eq!(told["tools"], json!(["answer", "search", "convert", "check"]));
    let result = |at: usize| &told["results"][at]["structuredContent"];
    assert!(result(0)["answer"].as_str().is_some_and(|text| text.contains("30 days of leave. [1]")), "{told}");
    for results in [&result(0)["results"], &result(1)["results"]] {
        assert_eq!(results[0]["url"], "https://docs.example/hr/leave.md", "{told}");
        assert_eq!(
            (&results[0]["title"], &results[0]["text"]),
            (&json!("Leave"), &json!("Employees get 30 days of leave."))
        );
    }
    let claim = &result(2)["activities"][0]["entities"][0]["citation"][0];
    assert_eq!(claim["appearance"]["name"], "Leave policy", "{told}");
    assert!(result(3)["findings"].is_array(), "{told}");
    assert_eq!(told["resources"][0]["name"], "hr/leave.md");
    assert_eq!(told["text"], "Leave\n\nEmployees get 30 days of leave.");
}

#[tokio::test]
async fn the_official_client_lists_calls_and_cites_over_http() {
    lists_calls_and_cites(Way::Http).await;
}

#[tokio::test]
async fn the_official_client_lists_calls_and_cites_by_the_command() {
    lists_calls_and_cites(Way::Stdio).await;
}

/// The agent waited for an answer that never came.
#[tokio::test]
async fn the_command_answers_for_a_server_that_does_not() {
    let nobody = "http://127.0.0.1:9";
    let told = told(nobody, Way::Stdio, &json!([])).await;
    assert!(told["error"].as_str().is_some_and(|words| words.contains("http://127.0.0.1:9/mcp")), "{told}");
}

#[tokio::test]
async fn a_tool_that_fails_says_in_words_what_to_mend() {
    let (app, _folder) = serve(&["hr", "it"], &[("leave.md", LEAVE)]).await;
    for (name, arguments, words) in [
        ("answer", json!({"question": "leave"}), "hr, it"),
        ("answer", json!({"question": "leave", "assistant": "sales"}), "hr, it"),
        ("answer", json!({"question": " ", "assistant": "hr"}), "question must be a text"),
        ("search", json!({"query": "leave", "assistant": "hr"}), "query"),
        ("search", json!({"question": "leave", "assistant": "hr", "limit": 0}), "from 1 to 50"),
        ("convert", json!({}), "answer is missing"),
        ("convert", json!({"answer": {"sources": "none"}}), "sources"),
        ("convert", json!({"answer": "x", "chanel": "teams"}), "chanel"),
        ("check", json!({"channel": "teams"}), "activity"),
    ] {
        let result = call(&app, name, arguments).await;
        assert_eq!(result["isError"], true, "{name}: {result}");
        let said = result["content"][0]["text"].as_str().expect("words");
        assert!(said.contains(words), "{name}: {said}");
    }
}

#[tokio::test]
async fn an_answer_that_broke_off_says_so() {
    let broken = Scripted::new(vec![Step::event(&sources()), Step::event(&delta("Leave is long [3]"))]);
    for (upstream, incomplete) in [
        (broken, json!("the answer broke off")),
        (Scripted::saying(&[sources(), delta("Leave is long [3].")]), Value::Null),
    ] {
        let result = call(&upstream.serve(), "answer", json!({"question": "How long is leave?"})).await;
        assert_eq!(result["structuredContent"]["incomplete"], incomplete, "{result}");
        let text = result["content"][0]["text"].as_str().expect("words");
        assert!(text.starts_with("Leave is long [1]"), "{text}");
        assert_eq!(text.contains("broke off"), incomplete.is_string(), "{text}");
    }
}

#[tokio::test]
async fn messages_are_answered_by_the_rules_of_the_protocol() {
    let (app, _folder) = serve(&["hr"], &[("leave.md", LEAVE)]).await;
    let initialize = |version: &str| {
        let params =
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
        json!({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params})
    };
    for (asked, spoken) in [("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")] {
        let (status, body) = sent(&app, &initialize(asked)).await;
        assert_eq!((status, &body["id"]), (StatusCode::OK, &json!("a")));
        assert_eq!(body["result"]["protocolVersion"], spoken);
    }
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let accepted = app.post("/mcp", API_KEY).json(&notification).send().await.expect("an answer");
    assert_eq!(accepted.status(), StatusCode::ACCEPTED);
    for (message, status, code) in [
        (json!({"jsonrpc": "2.0", "id": 1, "method": "tools/delete"}), StatusCode::OK, -32601),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rm"}}), StatusCode::OK, -32602),
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}),
            StatusCode::OK,
            -32002,
        ),
        (json!([]), StatusCode::BAD_REQUEST, -32600),
    ] {
        let (found, body) = sent(&app, &message).await;
        assert_eq!((found, &body["error"]["code"]), (status, &json!(code)), "{message}");
    }
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let (status, _) = answer(app.post("/mcp", API_KEY).header("mcp-protocol-version", "1.0").json(&ping)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(app.request(Method::GET, "/mcp").bearer_auth(API_KEY).send().await.expect("an answer").status(), 405);
}

#[tokio::test]
async fn resources_come_by_pages_and_every_document_once() {
    let files: Vec<(String, String)> =
        (0..130).map(|at| (format!("{at:03}.md"), format!("# Note {at}\n\nText.\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (app, _folder) = serve(&["hr", "it"], &files).await;
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
        let (_, body) =
            sent(&app, &json!({"jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": params})).await;
        let page = body["result"]["resources"].as_array().expect("a list").clone();
        assert!(!page.is_empty() && page.len() <= 100, "{}", page.len());
        seen.extend(page.iter().map(|resource| resource["uri"].as_str().expect("an address").to_owned()));
        cursor = body["result"]["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 260);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 260);
}
