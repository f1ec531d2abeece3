//! `citewire send`.

use std::process::{Output, Stdio};
use std::sync::Arc;

use citewire::clock::ManualClock;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use tokio::process::Command;

use super::{Reply, SECRET, TOKEN, Upstream};
use crate::app::{DIRECT_LINE_SECRET, TestApp};

fn leave() -> Vec<u8> {
    json!({"text": "Leave is 30 days [1].", "sources": [{"title": "Leave policy", "url": "https://hr.example/leave"}]})
        .to_string()
        .into_bytes()
}

/// Runs `citewire send` with nothing in the environment but what is given.
async fn send(arguments: &[&str], environment: &[(&str, &str)], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_citewire"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CITEWIRE_")) {
        command.env_remove(name);
    }
    command.arg("send").args(arguments).envs(environment.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().expect("the command runs");
    // A command that does not want its input may be gone before it is written.
    child.stdin.take().expect("a pipe").write_all(input).await.ok();
    child.wait_with_output().await.expect("the command ends")
}

async fn send_to(url: &str, conversation: &str, more: &[&str]) -> Output {
    let fixed = ["--directline", url, "--conversation", conversation];
    send(&[&fixed, more].concat(), &[], &leave()).await
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// The only line on stderr, of a command that ended like this and printed nothing else.
fn line(output: &Output, code: i32) -> String {
    let words = words(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(code), b"".as_slice()), "{words}");
    assert_eq!(words.lines().count(), 1, "{words}");
    words
}

fn printed(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", words(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

async fn playing(script: Vec<Reply>) -> Upstream {
    let clock = ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time"));
    Upstream::playing(Arc::new(clock), script).await
}

#[tokio::test]
async fn send_posts_as_the_bot_with_the_secret_and_as_the_user_with_a_token() {
    let app = TestApp::start();
    let url = format!("{}/v3/directline", app.url);
    let conversation = app.conversation().await;
    let as_bot = send_to(&url, &conversation.id, &["--secret", DIRECT_LINE_SECRET, "--user", "hr-bot"]).await;
    let as_user = send_to(&url, &conversation.id, &["--token", &conversation.token]).await;
    let (as_bot_id, as_user_id) = (printed(&as_bot)["id"].clone(), printed(&as_user)["id"].clone());
    assert_eq!(printed(&as_bot)["report"]["cited"].as_array().map(Vec::len), Some(1));
    assert!(as_bot.stderr.is_empty() && as_user.stderr.is_empty(), "{}", words(&as_bot.stderr));
    let history = app.history(&conversation, "").await;
    assert_eq!((&history["activities"][0]["id"], &history["activities"][1]["id"]), (&as_bot_id, &as_user_id));
    assert_eq!(history["activities"][0]["from"], json!({"id": "hr-bot", "role": "bot"}));
    assert_eq!(history["activities"][1]["from"], json!({"id": "dl_ann", "role": "user"}));
}

#[tokio::test]
async fn send_takes_the_credential_from_the_environment() {
    let app = TestApp::start();
    let url = format!("{}/v3/directline/", app.url);
    let conversation = app.conversation().await;
    let arguments = ["-", "--from", "citewire", "--directline", &url, "--conversation", &conversation.id];
    for (name, credential) in
        [("CITEWIRE_SEND_TOKEN", conversation.token.as_str()), ("CITEWIRE_SEND_SECRET", DIRECT_LINE_SECRET)]
    {
        printed(&send(&arguments, &[(name, credential)], &leave()).await);
    }
    assert_eq!(app.history(&conversation, "").await["activities"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn send_says_once_that_somebody_elses_bot_reads_along() {
    let upstream = playing(vec![Reply::id("c1|1")]).await;
    let output = send_to(&upstream.url, "c1", &["--token", TOKEN]).await;
    assert_eq!(printed(&output)["id"], "c1|1");
    let notice = words(&output.stderr);
    assert!(notice.lines().count() == 1 && notice.contains("its bot receives them"), "{notice}");
}

#[tokio::test]
async fn a_refusal_is_3_with_call_status_code_and_words() {
    let upstream = playing(vec![Reply::error(400, "BadArgument", "No\nsuch thing.")]).await;
    let line = line(&send_to(&upstream.url, "c1", &["--secret", SECRET]).await, 3);
    assert!(line.contains("POST ") && line.ends_with("/c1/activities: 400 BadArgument: No such thing.\n"), "{line}");
}

#[tokio::test]
async fn an_unknown_conversation_of_a_citewire_is_3() {
    let app = TestApp::start();
    let url = format!("{}/v3/directline", app.url);
    let line = line(&send_to(&url, "unknown", &["--secret", DIRECT_LINE_SECRET]).await, 3);
    assert!(line.contains("404 NotFound"), "{line}");
}

#[tokio::test]
async fn a_wrong_credential_is_3_and_stays_unseen() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let line = line(&send_to(&format!("{}/v3/directline", app.url), &conversation.id, &["--secret", SECRET]).await, 3);
    assert!(line.contains("403 BadToken") && !line.contains(SECRET), "{line}");
}

#[tokio::test]
async fn a_direct_line_that_is_not_there_is_3() {
    let silent = TcpSocket::new_v4().expect("a socket");
    silent.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let url = format!("http://{}/v3/directline", silent.local_addr().expect("an address"));
    let line = line(&send_to(&url, "c1", &["--token", TOKEN]).await, 3);
    assert!(line.contains("cannot connect to 127.0.0.1"), "{line}");
}

#[tokio::test]
async fn unusable_arguments_and_input_are_2_and_nothing_is_sent() {
    let upstream = playing(vec![]).await;
    let url = upstream.url.as_str();
    let good = ["--directline", url, "--conversation", "c1"];
    for (arguments, named) in [
        (&good[..], "credential"),
        (&[good.as_slice(), &["--token", "short"]].concat(), "--token"),
        (&[good.as_slice(), &["--token", TOKEN, "--from", "nonsense"]].concat(), "--from"),
        (&[good.as_slice(), &["--token", TOKEN, "--user", " "]].concat(), "--user"),
        (&[good.as_slice(), &["--token", TOKEN, "/no/such/file"]].concat(), "/no/such/file"),
        (&["--directline", "http://127.0.0.1:9", "--conversation", "c1", "--token", TOKEN], "--directline"),
        (&["--directline", url, "--conversation", "..", "--token", TOKEN], "--conversation"),
    ] {
        let line = line(&send(arguments, &[], &leave()).await, 2);
        assert!(line.contains(named) && !line.contains("short"), "{line}");
    }
    for (arguments, named) in [
        (&["--directline", url, "--token", TOKEN][..], "--conversation"),
        (&[good.as_slice(), &["--token", TOKEN, "--secret", SECRET]].concat(), "--secret"),
    ] {
        let output = send(arguments, &[], &leave()).await;
        let words = words(&output.stderr);
        assert!(output.status.code() == Some(2) && words.contains(named) && !words.contains(TOKEN), "{words}");
    }
    let complete = [good.as_slice(), &["--token", TOKEN]].concat();
    for input in [b"nonsense".to_vec(), json!({"text": "x".repeat(160_000)}).to_string().into_bytes()] {
        assert!(line(&send(&complete, &[], &input).await, 2).contains("stdin"));
    }
    assert_eq!(upstream.calls(), [""; 0]);
}
