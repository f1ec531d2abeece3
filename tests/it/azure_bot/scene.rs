//! A bot behind a local Azure: a Connector, a publisher of keys, and a back end whose answers a test writes.

use std::sync::Arc;
use std::time::Duration;

use citewire::assistant::{AssistantOptions, Assistants};
use citewire::channels::azure_bot::auth::{AuthOptions, Caller};
use citewire::channels::azure_bot::{AzureBotOptions, PUBLIC_HOSTS, PublicName, TrustedHosts};
use citewire::clock::{Clock as _, ManualClock};
use citewire::secret::Secret;
use citewire::store::{ConversationStore, StoreLimits};
use reqwest::{RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::app::{self, Backend, Nodes, TestApp, answer};
use crate::connector::{Bubble, Flavour, Service};
use crate::connector_auth::publisher::{CHANNEL_KEYS, CHANNEL_METADATA, ENTRA_KEYS, ENTRA_METADATA, Publisher};
use crate::connector_auth::scene::{AGENT, APP, TENANT};
use crate::connector_auth::signing::{CHANNEL_KEY, ENTRA_KEY};

pub(super) const PATH: &str = "/api/messages";
pub(super) const APP_SECRET: &str = "the-app-secret-of-the-tests";
pub(super) const GREETING: &str = "Hello! Ask me about leave.";
pub(super) const FAILURE: &str = "I cannot answer at the moment. Please try again later.";

/// A group chat, in which an answer is one message.
pub(super) const GROUP: &str = "19:group@thread.v2";

/// The settings that a test may change.
pub(super) struct Setup {
    pub(super) options: AzureBotOptions,
    pub(super) assistant: AssistantOptions,
    pub(super) limits: StoreLimits,
    pub(super) workers: usize,
    pub(super) nodes: Nodes,
}

pub(super) struct Scene {
    pub(super) app: TestApp,
    pub(super) service: Service,
    pub(super) publisher: Publisher,
    pub(super) backend: Arc<Backend>,
    pub(super) assistants: Arc<Assistants>,
    options: AzureBotOptions,
}

fn serve(setup: &mut app::Setup, options: &AzureBotOptions, team: &Arc<Assistants>, workers: usize) {
    setup.azure_bot = Some(options.clone());
    setup.assistants = Some(Arc::clone(team));
    setup.http.workers = workers;
    setup.http.shutdown_grace = Duration::from_millis(300);
}

impl Scene {
    /// A bot in development: calls need no token.
    pub(super) async fn new() -> Self {
        Self::with(Flavour::Teams, |_| {}).await
    }

    /// A scene on one node.
    pub(super) async fn alone() -> Self {
        Self::with(Flavour::Teams, |setup| setup.nodes = Nodes::One).await
    }

    /// A scene on two nodes.
    pub(super) async fn together() -> Self {
        Self::with(Flavour::Teams, |setup| setup.nodes = Nodes::Two).await
    }

    /// A bot whose callers need tokens. Its services are on this machine all the same, where the test can look at them.
    pub(super) async fn guarded() -> Self {
        Self::with(Flavour::Teams, |setup| {
            setup.options.auth.anonymous = false;
            setup.options.loopback_services = false;
            setup.options.hosts = TrustedHosts::new(PUBLIC_HOSTS).and_loopback();
        })
        .await
    }

    pub(super) async fn with(flavour: Flavour, change: impl FnOnce(&mut Setup)) -> Self {
        let clock = Arc::new(ManualClock::at("2026-11-22T10:00:00Z".parse().expect("a time")));
        let service = Service::start(flavour, Arc::clone(&clock)).await;
        let publisher = Publisher::start().await;
        publisher.put_metadata(CHANNEL_METADATA, CHANNEL_KEYS);
        publisher.put_keys(CHANNEL_KEYS, &[CHANNEL_KEY.endorsed_for(&["msteams", "webchat"])]);
        publisher.put_metadata(ENTRA_METADATA, ENTRA_KEYS);
        publisher.put_keys(ENTRA_KEYS, &[ENTRA_KEY.published()]);
        let mut auth =
            AuthOptions { app_id: Some(APP), tenant: Some(TENANT), anonymous: true, ..AuthOptions::default() };
        auth.addresses.channel_metadata = publisher.at(CHANNEL_METADATA).parse().expect("an address");
        auth.addresses.entra_metadata = publisher.at(ENTRA_METADATA).parse().expect("an address");
        auth.addresses.login = service.login().parse().expect("an address");
        auth.allowed_callers = AGENT.to_string().parse().expect("a caller");
        let mut options = AzureBotOptions::new(auth, TrustedHosts::new(PUBLIC_HOSTS));
        options.loopback_services = true;
        options.app_secret = Secret::parse(APP_SECRET).ok();
        let mut assistant = AssistantOptions::default();
        GREETING.clone_into(&mut assistant.greeting);
        let mut setup =
            Setup { options, assistant, limits: StoreLimits::in_memory(), workers: 1, nodes: Nodes::default() };
        change(&mut setup);
        let Setup { options, assistant, limits, workers, nodes } = setup;
        let backend = Backend::new();
        let team = Backend::alone(backend.assistant("hr", |options| *options = assistant));
        let app = TestApp::at(clock, |setup| {
            setup.memory = limits;
            setup.nodes = nodes;
            serve(setup, &options, &team, workers);
        });
        Self { app, service, publisher, backend, assistants: team, options }
    }

    /// Ends the server; another one goes on with its store, after what a test does to that.
    pub(super) async fn next(self, meanwhile: impl AsyncFnOnce(&dyn ConversationStore)) -> Self {
        let (store, clock) = (Arc::clone(&self.app.store), Arc::clone(&self.app.clock));
        self.app.ended().await;
        meanwhile(&*store).await;
        let app = TestApp::going_on(store, clock, |setup| serve(setup, &self.options, &self.assistants, 1));
        Self { app, ..self }
    }

    /// The next server calls no service on this machine.
    pub(super) fn distrust(&mut self) {
        self.options.loopback_services = false;
    }

    /// A message to the bot in a group chat, or in what conversation a test puts in place of it.
    pub(super) fn message(&self, id: &str, text: &str) -> Value {
        self.activity("message", &json!({"id": id, "text": text}))
    }

    /// An activity of Teams with these members.
    pub(super) fn activity(&self, kind: &str, members: &Value) -> Value {
        let mut activity = json!({
            "type": kind, "channelId": "msteams", "serviceUrl": self.service.url(), "locale": "en-US",
            "from": {"id": "29:ann", "name": "Ann", "aadObjectId": "00000000-0000-0000-0000-0000000000020"},
            "recipient": {"id": "28:bot", "name": "HR"},
            "conversation": {"id": GROUP, "conversationType": "groupChat", "isGroup": true, "tenantId": "no guid"},
        });
        for (name, value) in members.as_object().expect("members") {
            activity[name] = value.clone();
        }
        activity
    }

    /// Hands an activity in without a token.
    pub(super) async fn post(&self, activity: &Value) -> (StatusCode, Value) {
        answer(self.app.client.post(self.url()).json(activity)).await
    }

    /// Hands an activity in that must be taken.
    pub(super) async fn hand_in(&self, activity: &Value) {
        assert_eq!(self.post(activity).await, (StatusCode::ACCEPTED, Value::Null));
    }

    /// Hands an activity in with this `Authorization`.
    pub(super) async fn post_as(&self, authorization: &str, activity: &Value) -> (StatusCode, Value) {
        answer(self.request().header("authorization", authorization).json(activity)).await
    }

    pub(super) fn request(&self) -> RequestBuilder {
        self.app.client.post(self.url())
    }

    pub(super) fn url(&self) -> String {
        format!("{}{PATH}", self.app.url)
    }

    /// The messages that people see in a conversation.
    pub(super) fn chat(&self, conversation: &str) -> Vec<Bubble> {
        self.service.chat(conversation)
    }

    /// The texts in a conversation, as soon as so many calls have come to the Connector.
    pub(super) async fn texts_after(&self, calls: usize, conversation: &str) -> Vec<String> {
        self.service.called(calls).await;
        self.chat(conversation).iter().map(|bubble| bubble.text().to_owned()).collect()
    }

    /// Waits until this many activities are recorded in the group chat.
    pub(super) async fn recorded(&self, count: u64) {
        let id = PublicName::new(&Caller::Anonymous, "msteams", GROUP).id();
        let store = &self.app.store;
        let mut bell = store.subscribe(&id).await.expect("a store").expect("a conversation");
        while store.newest(&id).await.expect("a store").expect("a conversation").next_watermark().index() < count {
            bell.changed().await.expect("the conversation stays");
        }
    }

    /// Answers the next question in one piece, with a source.
    pub(super) async fn answer_next(&self, text: &str) {
        let body = self.backend.asked().await.begin();
        body.event(
            &json!({"sources": [{"title": "Handbook", "url": "https://hr.contoso.example/book", "content": "p"}]}),
        );
        body.event(&json!({"delta": text}));
        body.done();
    }

    /// The token with which the Bot Connector hands in activities of the local service.
    pub(super) fn channel_token(&self) -> String {
        CHANNEL_KEY.token(&self.channel_claims())
    }

    pub(super) fn channel_claims(&self) -> Value {
        json!({
            "iss": "https://api.botframework.com", "aud": APP.to_string(), "serviceurl": self.service.url(),
            "nbf": self.now() - 60, "exp": self.now() + 3600,
        })
    }

    /// The token of the agent that may call.
    pub(super) fn agent_token(&self) -> String {
        ENTRA_KEY.token(&self.agent_claims())
    }

    pub(super) fn agent_claims(&self) -> Value {
        json!({
            "iss": format!("https://login.microsoftonline.com/{TENANT}/v2.0"), "aud": APP.to_string(), "ver": "2.0",
            "tid": TENANT.to_string(), "azp": AGENT.to_string(), "nbf": self.now() - 60, "exp": self.now() + 3600,
        })
    }

    fn now(&self) -> i64 {
        self.app.clock.now().timestamp()
    }
}
