//! A whole turn of the command itself: a token with a real signature, the keys from a metadata server, an answer from a back
//! end over HTTP, and the Connector that it goes to. What it writes into its log is looked at as well.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use citewire::clock::ManualClock;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::scene::{APP_SECRET, GREETING, PATH};
use crate::app::{answer, citewire};
use crate::connector::{Bubble, Flavour, Service};
use crate::connector_auth::publisher::{CHANNEL_KEYS, CHANNEL_METADATA, ENTRA_KEYS, ENTRA_METADATA, Publisher};
use crate::connector_auth::scene::{APP, TENANT};
use crate::connector_auth::signing::{CHANNEL_KEY, ENTRA_KEY, FOREIGN_KEY};
use crate::upstreams::model::{Model, Play};

/// The question of the user, which must not reach the log.
const QUESTION: &str = "How long is the leave of Zebedee?";

/// The command at work, and everything that it writes to stderr.
pub(super) struct Running {
    child: Child,
    pub(super) url: String,
    said: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Running {
    pub(super) fn start(folder: &std::path::Path, environment: &[(&str, &str)]) -> Self {
        let config = folder.join("citewire.toml").display().to_string();
        let mut command = citewire(&["serve", "--bind", "127.0.0.1:0", "--config", &config]);
        command.env("CITEWIRE_DATA_DIR", folder).envs(environment.iter().copied());
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the command runs");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let (said, (tell, told)) = (Arc::new(Mutex::new(String::new())), mpsc::channel());
        let kept = Arc::clone(&said);
        let reader = std::thread::spawn(move || {
            for line in stderr.lines() {
                let line = line.expect("text");
                if let Some(url) = line.strip_prefix("citewire is listening on ") {
                    drop(tell.send(url.to_owned()));
                }
                kept.lock().expect("a lock").push_str(&format!("{line}\n"));
            }
        });
        let Ok(url) = told.recv() else { panic!("{}", said.lock().expect("a lock")) };
        Self { child, url, said, reader: Some(reader) }
    }

    /// Ends the command as a terminal does, and returns all that it has written.
    pub(super) fn interrupt(mut self) -> String {
        let asked = std::process::Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(asked.expect("kill runs").success());
        assert_eq!(self.child.wait().expect("the server ends").code(), Some(0));
        self.reader.take().expect("not joined").join().expect("the reader ends");
        self.said.lock().expect("a lock").clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs()
}

pub(super) fn events(events: &[Value]) -> Vec<u8> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

/// Rule EP-13.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_turn_from_token_to_answer_and_no_secret_in_the_log() {
    let clock = Arc::new(ManualClock::at("2026-11-22T10:00:00Z".parse().expect("a time")));
    let service = Service::start(Flavour::Teams, clock).await;
    service.guard();
    let publisher = Publisher::start().await;
    publisher.put_metadata(CHANNEL_METADATA, CHANNEL_KEYS);
    publisher.put_keys(CHANNEL_KEYS, &[CHANNEL_KEY.endorsed_for(&["msteams"])]);
    publisher.put_metadata(ENTRA_METADATA, ENTRA_KEYS);
    publisher.put_keys(ENTRA_KEYS, &[ENTRA_KEY.published()]);
    let sources = json!({"sources": [{"title": "Handbook", "url": "https://hr.contoso.example/book"}]});
    let model =
        Model::playing([Play::events(events(&[sources, json!({"delta": "Thirty days [1]."}), json!({"done": true})]))])
            .await;
    let folder = tempfile::tempdir().expect("a folder");
    let config = format!(
        "[azure_bot]\nanonymous = true\napp_id = '{APP}'\ntenant = '{TENANT}'\nassistant = 'hr'\n\
         channel_metadata = '{}'\nentra_metadata = '{}'\nlogin = '{}'\n\
         [assistants.hr]\ngreeting = '{GREETING}'\nupstream = {{ kind = 'http', url = '{}/ask', key_env = 'MODEL_KEY' }}\n",
        publisher.at(CHANNEL_METADATA),
        publisher.at(ENTRA_METADATA),
        service.login(),
        model.url,
    );
    std::fs::write(folder.path().join("citewire.toml"), config).expect("written");
    let running = Running::start(
        folder.path(),
        &[
            ("CITEWIRE_AZURE_BOT_APP_SECRET", APP_SECRET),
            ("CITEWIRE_LOG", "trace"),
            ("MODEL_KEY", "sk-model-key-of-the-test"),
        ],
    );
    let client = reqwest::Client::builder().build().expect("a client");
    let claims = json!({
        "iss": "https://api.botframework.com", "aud": APP.to_string(), "serviceurl": service.url(),
        "nbf": now() - 60, "exp": now() + 3600,
    });
    let activity = |id: &str, kind: &str, members: Value| {
        let mut activity = json!({
            "type": kind, "id": id, "channelId": "msteams", "serviceUrl": service.url(),
            "from": {"id": "29:ann"}, "recipient": {"id": "28:bot"},
            "conversation": {"id": "19:group@thread.v2", "conversationType": "groupChat", "tenantId": "t"},
        });
        for (name, value) in members.as_object().expect("members") {
            activity[name] = value.clone();
        }
        activity
    };
    let url = format!("{}{PATH}", running.url);
    let post =
        |token: String, activity: Value| answer(client.post(&url).header("authorization", token).json(&activity));
    let forged = FOREIGN_KEY.token(&claims);
    assert_eq!(
        post(forged.clone(), activity("0", "message", json!({"text": QUESTION}))).await.0,
        StatusCode::UNAUTHORIZED
    );
    let token = CHANNEL_KEY.token(&claims);
    let came = activity("1", "conversationUpdate", json!({"membersAdded": [{"id": "29:ann"}]}));
    assert_eq!(post(token.clone(), came).await, (StatusCode::ACCEPTED, Value::Null));
    service.called(1).await;
    let question = activity("2", "message", json!({"text": QUESTION}));
    assert_eq!(post(token.clone(), question).await, (StatusCode::ACCEPTED, Value::Null));
    service.called(2).await;
    // The Agents Playground sends no token.
    let local = answer(client.post(&url).json(&activity("3", "typing", json!({})))).await;
    assert_eq!(local, (StatusCode::ACCEPTED, Value::Null));
    let told = service.chat("19:group@thread.v2");
    let texts: Vec<&str> = told.iter().map(Bubble::text).collect();
    assert_eq!(texts, [GREETING, "Thirty days [1]."]);
    assert_eq!(told[1].claims()[0]["appearance"]["url"], "https://hr.contoso.example/book");
    assert_eq!(service.asked().len(), 1, "one token is good for both");
    let log = running.interrupt();
    assert!(
        log.contains("an activity was refused")
            && log.contains("the token names a key that the Bot Connector does not publish"),
        "{log}"
    );
    let parts =
        |token: &str| -> Vec<String> { token.trim_start_matches("Bearer ").split('.').map(str::to_owned).collect() };
    let mut secrets = vec![APP_SECRET.to_owned(), "token-1".to_owned(), "sk-model-key-of-the-test".to_owned()];
    // Of a token, the claims and the signature say who calls.
    secrets.extend(parts(&token).into_iter().skip(1).chain(parts(&forged).into_iter().skip(1)));
    secrets.extend(["Zebedee".to_owned(), "Thirty days".to_owned()]);
    for secret in secrets {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(&secret)).collect();
        assert!(lines.is_empty(), "{secret} is in the log: {lines:#?}");
    }
}

#[test]
fn calls_without_a_token_are_refused_at_the_start_where_others_can_reach_the_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = citewire(&["serve", "--bind", "0.0.0.0:0"]);
    command.env("CITEWIRE_DATA_DIR", folder.path()).env("CITEWIRE_AZURE_BOT_ANONYMOUS", "true");
    command
        .env("CITEWIRE_API_KEY", "sixteen-or-more-characters")
        .env("CITEWIRE_DIRECT_LINE_SECRET", "sixteen-or-more-characters");
    let output = command.output().expect("the command runs");
    let words = String::from_utf8(output.stderr).expect("text");
    assert!(!output.status.success() && words.contains("azure_bot.anonymous"), "{words}");
}
