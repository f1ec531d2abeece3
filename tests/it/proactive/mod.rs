//! Proactive messages: answers that come later, into conversations behind Azure Bot Service: a real server, and a Connector of the test's own.

mod apart;
mod delivered;
mod listed;
mod refused;
mod streamed;

use std::sync::Arc;
use std::time::Duration;

use citewire::activity::{Activity, ConversationId};
use citewire::channels::azure_bot::auth::{Caller, Cloud};
use citewire::channels::azure_bot::{
    AppCredentials, ConnectorClient, ConnectorOptions, ConnectorRecords, ConversationReference, Credentials,
    PUBLIC_HOSTS, ProactiveMessages, TrustedHosts,
};
use citewire::clock::{Clock, CountingIds, ManualClock};
use citewire::egress::{Client, EgressOptions};
use citewire::secret::Secret;
use citewire::store::{ConversationStore, SqliteStore, StoreLimits};
use reqwest::{RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::app::{API_KEY, TestApp, answer};
use crate::connector::{Eager, Flavour, Service};

const APP: &str = "00000000-0000-0000-0000-00000000cafe";

/// A conversation of Teams with everything in its id that a path does not take.
const CHAT: &str = "19:a/b?c#d%2F@thread.tacv2;messageid=1";

/// A server, a Connector behind it, and one conversation of which the server has heard.
struct Scene {
    app: TestApp,
    service: Service,
    records: ConnectorRecords,
    reference: ConversationReference,
    id: ConversationId,
}

/// The sender of proactive messages to the service.
fn proactive(service: &Service, store: Arc<dyn ConversationStore>, clock: Arc<ManualClock>) -> ProactiveMessages {
    let hosts = TrustedHosts::new(PUBLIC_HOSTS).and_loopback();
    let mut egress = EgressOptions::default();
    hosts.admit(&mut egress.allow);
    let http = Client::new(egress).expect("a client");
    let secret = Secret::parse("the-app-secret-of-the-tests").expect("a secret");
    let app = AppCredentials::new(APP.to_owned(), secret, service.token_url());
    let clock: Arc<dyn Clock> = Arc::new(Eager(clock));
    let credentials = Credentials::new(http.clone(), app, Arc::clone(&clock));
    let client =
        ConnectorClient::new(http, hosts, Some(credentials), Arc::clone(&clock), Arc::new(CountingIds::default()));
    let options = ConnectorOptions { call_limit: Duration::from_secs(1), ..ConnectorOptions::default() };
    let client = Arc::new(client.with_options(options));
    ProactiveMessages::new(ConnectorRecords::new(store), client, Cloud::Public.addresses(), clock)
}

/// The reference of a personal chat of Teams at this service.
fn chat(service: &Service) -> ConversationReference {
    let conversation = json!({"id": CHAT, "conversationType": "personal", "tenantId": "t"});
    let mut reference = ConversationReference::new(conversation, "msteams", Caller::Channel);
    reference.bot = Some(json!({"id": "28:bot", "name": "HR"}));
    reference.user = Some(json!({"id": "29:ann", "name": "Ann"}));
    reference.service_url = Some(service.url());
    reference.locale = Some("en-US".to_owned());
    reference
}

impl Scene {
    async fn teams() -> Self {
        Self::of(Flavour::Teams, |_| {}).await
    }

    async fn of(flavour: Flavour, change: impl FnOnce(&mut ConversationReference)) -> Self {
        let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")));
        let service = Service::start(flavour, Arc::clone(&clock)).await;
        let store = SqliteStore::in_memory(StoreLimits::in_memory(), Arc::clone(&clock) as Arc<dyn Clock>).await;
        let store: Arc<dyn ConversationStore> = Arc::new(store.expect("a store"));
        let answers = proactive(&service, Arc::clone(&store), Arc::clone(&clock));
        // The server and the test share the lines of its conversations.
        let records = answers.records().clone();
        let app = TestApp::going_on(store, clock, |setup| setup.proactive = Some(answers));
        let mut reference = chat(&service);
        change(&mut reference);
        let id = records.meet(&reference).await.expect("a store");
        Self { app, service, records, reference, id }
    }

    /// The path of a route of the conversation, by its public name.
    fn path(&self, rest: &str) -> String {
        format!("/v1/conversations/{}{rest}", escaped(self.reference.name().as_str()))
    }

    fn answers(&self) -> RequestBuilder {
        self.app.post(&self.path("/answers"), API_KEY)
    }

    async fn deliver(&self, body: &Value) -> (StatusCode, Value) {
        answer(self.answers().json(body)).await
    }

    /// A user has said something there.
    async fn hears(&self, text: &str, service_id: &str) {
        let said = Activity::message(text);
        let heard = self.records.heard(&self.id, &self.reference, said, Some(service_id)).await;
        heard.expect("a store").expect("known");
    }

    /// The recorded activities.
    async fn recorded(&self) -> Vec<Value> {
        let page = self.app.store.read(&self.id, None, 99).await.expect("a store").expect("known");
        page.recorded.iter().map(|one| serde_json::to_value(&*one.activity).expect("JSON")).collect()
    }
}

/// A text as one segment of a path.
fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// An answer with two sources.
fn leave() -> Value {
    json!({
        "text": "Leave is 30 days [1]. Ask before you go [2].",
        "sources": [
            {"title": "Leave policy", "url": "https://hr.example/leave", "content": "30 days"},
            {"title": "Handbook", "url": "https://hr.example/handbook", "content": "Ask."},
        ],
    })
}
