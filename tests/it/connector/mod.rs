//! A bot behind Azure Bot Service: its calls to the Connector, and what becomes of answers there. The Connector is a local one
//! that keeps to the contract of Teams; places in it give tests their names (`docs/guides/teams.md`).

mod cards;
mod chat;
mod client;
mod errors;
mod fallbacks;
mod matrix;
mod parts;
mod rules;
mod service;
mod stream_contract;
mod tokens;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use citewire::answer_events::{AnswerEvents, AnswerPart, of_bytes};
use citewire::channels::azure_bot::{
    Address, AppCredentials, ConnectorAnswer, ConnectorClient, ConnectorOptions, ConnectorSink, Credentials,
    Destination, PUBLIC_HOSTS, TrustedHosts,
};
use citewire::clock::{Clock, CountingIds, ManualClock};
use citewire::convert::Conversion;
use citewire::dialect::{Dialect, Pacing};
use citewire::egress::{Client, EgressOptions};
use citewire::ingest::AnswerFormat;
use citewire::secret::Secret;
use futures_util::{Stream, stream};
use serde_json::{Value, json};

pub(crate) use chat::{Bubble, Flavour};
pub(crate) use service::{Mishap, Service};

const APP: &str = "00000000-0000-0000-0000-00000000cafe";
const APP_SECRET: &str = "the-app-secret-of-the-tests";
const SCOPE: &str = "https://api.botframework.com/.default";

/// The answer of the test's assistant, and its words where there is no answer.
const APOLOGY: &str = "Sorry, that did not work.";
const TEXT: &str = "Leave is 30 days [1]. Ask before you go [2].";

/// The test's clock: short waits pass at once, and the long ones of streams never, since no test here waits for them.
#[derive(Debug)]
pub(crate) struct Eager(pub(crate) Arc<ManualClock>);

#[async_trait]
impl Clock for Eager {
    fn now(&self) -> DateTime<Utc> {
        self.0.now()
    }

    async fn wait(&self, time: Duration) {
        if time > Duration::from_secs(34) {
            std::future::pending::<()>().await;
        }
        self.0.wait(time).await;
    }
}

/// A service, a client of it, and their clock.
struct Scene {
    clock: Arc<ManualClock>,
    service: Service,
    client: Arc<ConnectorClient>,
    dialect: Dialect,
    pacing: Pacing,
    channel_id: &'static str,
    conversation: Value,
}

impl Scene {
    async fn new(flavour: Flavour) -> Self {
        Self::with(flavour, ConnectorOptions::default()).await
    }

    async fn with(flavour: Flavour, options: ConnectorOptions) -> Self {
        Self::over(http(), flavour, options).await
    }

    /// A scene whose client calls by these connections, which take their time to be made.
    async fn over(http: Client, flavour: Flavour, options: ConnectorOptions) -> Self {
        let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")));
        let service = Service::start(flavour, Arc::clone(&clock)).await;
        let hosts = TrustedHosts::new(PUBLIC_HOSTS).and_loopback();
        let secret = Secret::parse(APP_SECRET).expect("a secret");
        let app = AppCredentials::new(APP.to_owned(), secret, service.token_url());
        let eager: Arc<dyn Clock> = Arc::new(Eager(Arc::clone(&clock)));
        let credentials = Credentials::new(http.clone(), app, Arc::clone(&eager));
        let client = ConnectorClient::new(http, hosts, Some(credentials), eager, Arc::new(CountingIds::default()));
        let client = Arc::new(client.with_options(options));
        let (dialect, pacing, channel_id) = match flavour {
            Flavour::Teams => (Dialect::Teams, Pacing::TEAMS, "msteams"),
            Flavour::Playground => (Dialect::Teams, Pacing::TEAMS, "msteams"),
            Flavour::Copilot => (Dialect::M365Copilot, Pacing::M365_COPILOT, "msteams"),
            Flavour::WebChat => (Dialect::WebChat, Pacing::WEB_CHAT, "webchat"),
        };
        let conversation = json!({"id": "a:1", "conversationType": "personal", "tenantId": "t"});
        Self { clock, service, client, dialect, pacing, channel_id, conversation }
    }

    /// Makes the conversation a chat of many.
    fn in_group(mut self) -> Self {
        self.conversation = json!({"id": "a:1", "conversationType": "groupChat", "isGroup": true});
        self
    }

    fn eager(&self) -> Arc<dyn Clock> {
        Arc::new(Eager(Arc::clone(&self.clock)))
    }

    fn place(&self) -> Destination {
        let mut address = Address::new(self.conversation.clone()).expect("a conversation");
        address.channel_id = Some(self.channel_id.to_owned());
        address.bot = Some(json!({"id": "28:bot"}));
        address.user = Some(json!({"id": "29:user"}));
        address.reply_to_id = Some("q/1".to_owned());
        let url = self.client.hosts().check(&self.service.url()).expect("a trusted service");
        let mut place = Destination::new(url, address);
        place.scope = Some(SCOPE.to_owned());
        place
    }

    fn answer(&self) -> ConnectorAnswer {
        let sink = ConnectorSink::new(Arc::clone(&self.client), self.place());
        ConnectorAnswer::begin(Box::new(sink), self.dialect, self.pacing.clone(), self.eager())
    }

    fn conversion(&self) -> Conversion {
        Conversion::to(self.dialect)
    }

    /// The messages that users see.
    fn chat(&self) -> Vec<Bubble> {
        self.service.chat("a:1")
    }

    /// Answers as an assistant does: a note first, then the answer word by word, and an apology when it fails. What was given
    /// up, if anything was.
    async fn answers(&self, body: impl Stream<Item = Result<Bytes, Dead>>) -> Option<String> {
        let mut answer = self.answer();
        answer.inform("Looking it up …").await;
        match answer.follow(self.conversion(), read(body)).await {
            Ok(_) => None,
            Err(unanswered) => {
                let cause = unanswered.cause.to_string();
                unanswered.answer.close(APOLOGY).await.ok();
                Some(cause)
            }
        }
    }
}

/// Connections that lead to this machine.
fn http() -> Client {
    let mut egress = EgressOptions::default();
    TrustedHosts::new(PUBLIC_HOSTS).and_loopback().admit(&mut egress.allow);
    Client::new(egress).expect("a client")
}

#[derive(Debug, thiserror::Error)]
#[error("the line is dead")]
struct Dead;

fn event(event: &Value) -> Bytes {
    format!("data: {event}\n\n").into()
}

/// The events of a body in a format that its bytes tell.
fn read<E>(
    body: impl Stream<Item = Result<Bytes, E>>,
) -> AnswerEvents<impl Stream<Item = Result<AnswerPart, E>> + Unpin> {
    of_bytes(AnswerFormat::default(), body)
}

/// Pieces of which each lets what came before be shown first.
fn pieces(events: Vec<Value>) -> impl Stream<Item = Result<Bytes, Dead>> {
    stream::unfold(events.into_iter(), |mut events| async move {
        let next = events.next()?;
        tokio::task::yield_now().await;
        Some((Ok(event(&next)), events))
    })
}

fn sources(count: usize) -> Value {
    (1..=count)
        .map(|n| json!({"title": format!("Source {n}"), "url": format!("https://docs.example/{n}"), "content": "passage"}))
        .collect()
}

/// The answer of the tests, in pieces.
fn told() -> Vec<Value> {
    let deltas = ["Leave is ", "30 days [1]. ", "Ask before ", "you go [2]."];
    let mut events = vec![json!({"sources": sources(2)})];
    events.extend(deltas.map(|delta| json!({"delta": delta})));
    events.push(json!({"done": true}));
    events
}
