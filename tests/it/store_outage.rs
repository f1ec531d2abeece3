use std::process::Command;

use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::app::{Serving, answer};

const SECRET: &str = "the-direct-line-secret-of-the-tests";
const SECRETS: [(&str, &str); 2] =
    [("CITEWIRE_API_KEY", "the-api-key-of-the-tests"), ("CITEWIRE_DIRECT_LINE_SECRET", SECRET)];

/// A conversation of a child process.
struct Talk {
    client: reqwest::Client,
    serving: Serving,
    id: String,
}

impl Talk {
    async fn start(serving: Serving) -> Self {
        let client = reqwest::Client::builder().build().expect("a client");
        let mut talk = Self { client, serving, id: String::new() };
        let (status, body) = answer(talk.request(Method::POST, "/v3/directline/conversations").json(&json!({}))).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        talk.id = body["conversationId"].as_str().expect("an id").to_owned();
        talk
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.serving.url)).bearer_auth(SECRET)
    }

    async fn post(&self, text: &str) -> (StatusCode, Value) {
        let body = json!({"type": "message", "from": {"id": "ann"}, "text": text});
        let path = format!("/v3/directline/conversations/{}/activities", self.id);
        answer(self.request(Method::POST, &path).json(&body)).await
    }

    async fn history(&self) -> Vec<Value> {
        let path = format!("/v3/directline/conversations/{}/activities", self.id);
        let (status, mut set) = answer(self.request(Method::GET, &path)).await;
        assert_eq!(status, StatusCode::OK, "{set}");
        set["activities"].as_array_mut().map(std::mem::take).expect("activities")
    }

    /// The ids of the history.
    async fn ids(&self) -> Vec<Value> {
        self.history().await.iter().map(|activity| activity["id"].clone()).collect()
    }

    /// Posts until there is no room for more; returns the ids of what was taken. Looks at what is said then, and at what
    /// can still be done.
    async fn fill(&self) -> Vec<Value> {
        let mut ids = Vec::new();
        let refused = loop {
            match self.post(&"x".repeat(20_000)).await {
                (StatusCode::OK, body) => ids.push(body["id"].clone()),
                refused => break refused,
            }
            assert!(ids.len() < 200, "the limit was never reached");
        };
        assert_eq!(refused.0, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(refused.1["error"]["code"], "ServiceUnavailable");
        assert!(!refused.1.to_string().contains("citewire.db"), "{}", refused.1);
        // Less may fit than was refused, but the next post may be as long: not ready, however often it is asked.
        for _ in 0..5 {
            let (status, body) = answer(self.request(Method::GET, "/readyz")).await;
            assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{body}");
        }
        assert_eq!(self.ids().await, ids, "reading goes on");
        ids
    }
}

#[tokio::test]
async fn a_disk_that_fails_fails_only_what_is_written_then() {
    let folder = tempfile::tempdir().expect("a folder");
    let talk = Talk::start(Serving::start_confined(1024, folder.path(), &SECRETS)).await;
    let mut ids = talk.fill().await;

    let process = talk.serving.child.id().to_string();
    let lifted = Command::new("prlimit").args(["--fsize=unlimited:", "--pid", &process]).status();
    assert!(lifted.expect("prlimit runs").success());
    let (status, body) = talk.post("there is room again").await;
    assert_eq!(status, StatusCode::OK, "{body}");
    ids.push(body["id"].clone());
    assert_eq!(answer(talk.request(Method::GET, "/readyz")).await.0, StatusCode::OK);

    let Talk { client, serving, id } = talk;
    assert_eq!(serving.interrupt(), Some(0));
    let talk = Talk { client, serving: Serving::start(folder.path(), &SECRETS), id };
    assert_eq!(talk.ids().await, ids);
}

#[tokio::test]
async fn a_full_disk_fails_only_what_is_written_then() {
    let folder = tempfile::tempdir().expect("a folder");
    let talk = Talk::start(Serving::start_on_small_disk(4096, folder.path(), &SECRETS)).await;
    let mut ids = talk.fill().await;
    let answers = format!("{}/v1/conversations/{}/answers", talk.serving.url, talk.id);
    let body = json!({"text": "x".repeat(20_000)});
    let refused = talk.client.post(answers).bearer_auth(SECRETS[0].1).json(&body).send().await.expect("an answer");
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.headers()["retry-after"], "60");
    assert_eq!(refused.json::<Value>().await.expect("JSON")["code"], "store_no_space");

    std::fs::remove_file(talk.serving.path_of_its_own(&folder.path().join("ballast"))).expect("there is room again");
    let (status, body) = talk.post("there is room again").await;
    assert_eq!(status, StatusCode::OK, "{body}");
    ids.push(body["id"].clone());
    assert_eq!(answer(talk.request(Method::GET, "/readyz")).await.0, StatusCode::OK);
    assert_eq!(talk.ids().await, ids);
    assert_eq!(talk.serving.interrupt(), Some(0));
}

#[tokio::test]
async fn a_store_at_its_limit_refuses_with_a_time_to_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let environment = [
        SECRETS[0],
        SECRETS[1],
        ("CITEWIRE_STORE_MAX_BYTES", "1048576"),
        ("CITEWIRE_STORE_MAX_CONVERSATION_BYTES", "0"),
    ];
    let talk = Talk::start(Serving::start(folder.path(), &environment)).await;
    let mut taken = 0;
    let path = format!("/v3/directline/conversations/{}/activities", talk.id);
    let refused = loop {
        let body = json!({"type": "message", "from": {"id": "ann"}, "text": "x".repeat(100_000)});
        let response = talk.request(Method::POST, &path).json(&body).send().await.expect("an answer");
        if response.status() != StatusCode::OK {
            break response;
        }
        taken += 1;
        assert!(taken < 100, "the limit was never reached");
    };
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(talk.history().await.len(), taken);
    let length = std::fs::metadata(folder.path().join("citewire.db")).expect("a file").len();
    assert!(length <= 1_048_576, "{length}");
}

#[test]
fn a_data_directory_that_cannot_be_written_is_named_and_so_is_the_mend() {
    // No user may make files here, not even root.
    let output = crate::app::citewire(&["serve", "--bind", "127.0.0.1:0"])
        .envs(SECRETS)
        .env("CITEWIRE_DATA_DIR", "/proc/self")
        .output()
        .expect("the command ends");
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8(output.stderr).expect("text");
    assert!(words.contains("/proc/self/citewire.db") && words.contains("store.url"), "{words}");
}

#[tokio::test]
async fn two_servers_do_not_share_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = Serving::start(folder.path(), &SECRETS);
    let second = crate::app::citewire(&["serve", "--bind", "127.0.0.1:0"])
        .envs(SECRETS)
        .env("CITEWIRE_DATA_DIR", folder.path())
        .output()
        .expect("the command ends");
    assert_eq!(second.status.code(), Some(2));
    let words = String::from_utf8(second.stderr).expect("text");
    assert!(words.contains(&format!("in use by process {}", first.child.id())), "{words}");
    assert_eq!(first.interrupt(), Some(0));
}
