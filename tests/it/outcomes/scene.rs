//! A user with a raw socket, an assistant, and what there is to be seen of both when a question goes wrong.

use std::sync::Arc;

use citewire::assistant::{Assistant, AssistantOptions, AssistantRegistry, Assistants};
use citewire::channels::direct_line::DirectLineOptions;
use citewire::upstream::Upstream;
use serde_json::{Value, json};

use super::log;
use crate::app::{Conversation, Socket, TestApp, texts};
use crate::upstreams::model::Play;
use crate::upstreams::{KEY, open};

/// The question that goes wrong. None of its words may come into the log.
pub(super) const QUESTION: &str = "How long is the leave of Zebedee?";

/// The beginning of an answer, where there is one; it must not reach the log either.
pub(super) const HALF: &str = "Thirty days";

pub(super) const FAILURE: &str = "I cannot answer at the moment. Please try again later.";
pub(super) const BUSY: &str = "Too many questions are being asked at the moment. Please ask again a little later.";
pub(super) const REFUSAL: &str = "I found nothing that I could base an answer on.";
pub(super) const BROKE_OFF: &str = "The answer above is incomplete: it broke off while it was being written.";

/// The question after it, which is always answered.
const NEXT: &str = "And in writing?";

/// Events in citewire's own format.
pub(super) fn events(events: &[Value]) -> Vec<u8> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

pub(super) fn delta(text: &str) -> Value {
    json!({"delta": text})
}

pub(super) fn half() -> Vec<u8> {
    events(&[delta(HALF)])
}

/// An answer to [`NEXT`].
pub(super) fn good() -> Play {
    let sources = json!({"sources": [{"title": "Handbook", "url": "https://hr.contoso.example/book"}]});
    Play::events(events(&[sources, delta("Yes, in writing [1]."), json!({"done": true})]))
}

/// The text of [`good`] for readers.
fn good_text() -> String {
    "Yes, in writing [1].\n\n[1]: https://hr.contoso.example/book \"Handbook\"".to_owned()
}

/// An assistant called `hr` that answers on the channel itself.
pub(super) fn team(upstream: Arc<dyn Upstream>, change: impl FnOnce(&mut AssistantOptions)) -> AssistantRegistry {
    let mut options = AssistantOptions::default();
    change(&mut options);
    AssistantRegistry::new([Assistant::new("hr", options, upstream, Arc::default())], Some("hr".to_owned()))
}

/// A back end of the kind `http` with a key.
pub(super) fn http(url: &str, limits: &str) -> Arc<dyn Upstream> {
    open("http", &format!("url = '{url}'\nkey_env = 'MODEL_KEY'\nlimits = {{ {limits} }}"))
}

pub(super) struct Scene {
    /// Goes before the server does, which would wait for it.
    pub(super) socket: Socket,
    pub(super) app: TestApp,
    pub(super) assistants: Arc<Assistants>,
    pub(super) conversation: Conversation,
    /// The activities of the bot since [`QUESTION`].
    seen: Vec<Value>,
}

/// The outcome of [`QUESTION`].
pub(super) struct Outcome {
    /// The activities that were shown on the way.
    pub(super) shown: Vec<Value>,
    /// The texts of the messages in the end.
    pub(super) said: Vec<String>,
    /// The only line of the log.
    pub(super) log: String,
}

impl Scene {
    pub(super) async fn new(team: AssistantRegistry) -> Self {
        Self::with(team, |_| {}).await
    }

    /// A scene in a channel with other options.
    pub(super) async fn with(team: AssistantRegistry, change: impl FnOnce(&mut DirectLineOptions)) -> Self {
        log::keep();
        let assistants = Arc::new(Assistants::new(team));
        let app = TestApp::with(|setup| {
            setup.assistants = Some(Arc::clone(&assistants));
            change(&mut setup.direct_line);
        });
        let conversation = app.conversation().await;
        let mut socket = app.open(&conversation).await;
        // Without a reader, nothing is shown on the way.
        socket.ping().await;
        Self { app, assistants, conversation, socket, seen: Vec::new() }
    }

    pub(super) async fn ask(&mut self, text: &str) {
        self.app.post_text(&self.conversation, text).await;
    }

    /// The next activity of the bot.
    pub(super) async fn next(&mut self) -> Value {
        loop {
            let activity = self.socket.activity().await;
            if activity["from"]["role"] != "user" {
                return activity;
            }
        }
    }

    /// Waits until readers see something of the answer.
    pub(super) async fn until_shown(&mut self) {
        loop {
            let activity = self.next().await;
            self.seen.push(activity);
            let last = &self.seen[self.seen.len() - 1];
            assert_eq!(last["type"], "typing", "{last}");
            if last["channelData"]["streamType"] == "streaming" {
                return;
            }
        }
    }

    /// Waits until the bot has said something.
    pub(super) async fn until_message(&mut self) {
        let message = self.first_message().await;
        self.seen.push(message);
    }

    /// Waits for the end of the answer to [`QUESTION`], sees the next question answered, and looks at everything that holds
    /// for every outcome.
    pub(super) async fn outcome(mut self) -> Outcome {
        if self.seen.last().is_none_or(|last| last["type"] != "message") {
            self.until_message().await;
        }
        self.ask(NEXT).await;
        let mut said: Vec<Value> = self.seen.pop().into_iter().collect();
        let shown = std::mem::take(&mut self.seen);
        let mut of_next = Vec::new();
        loop {
            let activity = self.next().await;
            if activity["type"] != "message" {
                of_next.push(activity);
            } else if activity["text"] == good_text() {
                of_next.push(activity);
                break;
            } else {
                assert!(of_next.is_empty(), "{activity} comes in the middle of the next answer");
                said.push(activity);
            }
        }
        is_one_bubble(shown.iter().chain(&said[..1]));
        is_one_bubble(of_next.iter());
        assert!(said[1..].iter().all(|activity| activity.get("channelData").is_none()), "{said:?}");
        let everything = format!("{shown:?} {said:?}");
        assert!(!everything.contains(KEY) && !everything.contains("127.0.0.1"), "{everything}");
        let text = |activity: &Value| activity["text"].as_str().unwrap_or_default().to_owned();
        let texts_seen = shown.iter().chain(&said).map(text).collect::<Vec<_>>().join("\n").to_lowercase();
        for word in ["status", "http", "error", "upstream", "back end", "gzip", "json", "timeout", "server"] {
            assert!(!texts_seen.contains(word), "{word} is nothing for readers: {texts_seen}");
        }
        let said: Vec<String> = said.iter().map(text).collect();
        let mut kept = vec![QUESTION.to_owned()];
        kept.extend(said.iter().cloned());
        kept.extend([NEXT.to_owned(), good_text()]);
        assert_eq!(texts(&self.app.history(&self.conversation, "").await), kept);
        let log = self.logged();
        Outcome { shown, said, log }
    }

    /// The end of the answer to the question that was asked last.
    pub(super) async fn first_message(&mut self) -> Value {
        loop {
            let activity = self.next().await;
            if activity["type"] == "message" {
                return activity;
            }
            self.seen.push(activity);
        }
    }

    /// The line of the log about [`QUESTION`].
    fn logged(&self) -> String {
        let lines = log::about(&self.conversation.id);
        assert_eq!(lines.len(), 1, "{lines:#?}");
        let line = lines[0].clone();
        assert!(line.contains("assistant=\"hr\""), "{line}");
        for word in [QUESTION, "Zebedee", HALF, KEY] {
            assert!(!line.contains(word), "{word} is nothing for the log: {line}");
        }
        line
    }
}

/// All of this is drawn as one bubble, which has ended. An end that came at once may be all that there is to see.
fn is_one_bubble<'a>(activities: impl Iterator<Item = &'a Value>) {
    let activities: Vec<&Value> = activities.collect();
    let (last, before) = activities.split_last().expect("a message");
    assert_eq!(last["type"], "message");
    let Some(first) = before.first() else { return };
    for activity in before {
        assert_eq!(activity["channelData"]["streamId"], first["id"], "{activity}");
    }
    let end = &last["channelData"];
    assert_eq!((&end["streamType"], &end["streamId"]), (&json!("final"), &first["id"]), "{last}");
}
