//! A verifier, a publisher of keys, and a clock that stands still.

use std::sync::Arc;
use std::time::Duration;

use citewire::channels::azure_bot::auth::{AuthOptions, Caller, Unauthorized, Verifier};
use citewire::clock::{Clock, ManualClock};
use citewire::egress::{Client, EgressOptions};
use serde_json::{Value, json};
use uuid::{Uuid, uuid};

use super::publisher::{CHANNEL_KEYS, CHANNEL_METADATA, ENTRA_KEYS, ENTRA_METADATA, Publisher};
use super::signing::{CHANNEL_KEY, ENTRA_KEY, TestKey};

/// The bot.
pub(crate) const APP: Uuid = uuid!("7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1");
/// An agent that may call.
pub(crate) const AGENT: Uuid = uuid!("c0ffee00-1111-4222-8333-444455556666");
/// The tenant of the bot.
pub(crate) const TENANT: Uuid = uuid!("0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e");
/// A tenant that is not configured.
pub(crate) const FOREIGN_TENANT: Uuid = uuid!("99999999-8888-4777-8666-555544443333");
/// A tenant of Microsoft.
pub(crate) const MICROSOFT_TENANT: Uuid = uuid!("d6d49420-f39b-4df7-a1dc-d59a935871db");

pub(crate) const SERVICE_URL: &str = "https://smba.trafficmanager.net/teams/";

pub(crate) struct Scene {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) publisher: Publisher,
    pub(crate) verifier: Verifier,
}

impl Scene {
    /// A bot of one tenant, which one agent may call.
    pub(crate) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    /// A scene with other options.
    pub(crate) async fn with(change: impl FnOnce(&mut AuthOptions)) -> Self {
        let publisher = Publisher::start().await;
        publisher.put_metadata(CHANNEL_METADATA, CHANNEL_KEYS);
        publisher.put_keys(CHANNEL_KEYS, &[CHANNEL_KEY.endorsed_for(&["msteams", "webchat"])]);
        publisher.put_metadata(ENTRA_METADATA, ENTRA_KEYS);
        publisher.put_keys(ENTRA_KEYS, &[ENTRA_KEY.published()]);
        let mut options = AuthOptions { app_id: Some(APP), tenant: Some(TENANT), ..AuthOptions::default() };
        options.addresses.channel_metadata = publisher.at(CHANNEL_METADATA).parse().expect("a URL");
        options.addresses.entra_metadata = publisher.at(ENTRA_METADATA).parse().expect("a URL");
        options.allowed_callers = AGENT.to_string().parse().expect("a caller");
        // Nothing here takes long, but the machine may be busy.
        options.key_timeout = Duration::from_secs(60);
        change(&mut options);
        let clock = Arc::new(ManualClock::at("2026-11-22T10:00:00Z".parse().expect("a time")));
        let allow = "127.0.0.1".parse().expect("a host");
        let egress = Client::new(EgressOptions { allow, ..EgressOptions::default() }).expect("a client");
        let verifier = Verifier::new(options, egress, Arc::clone(&clock) as Arc<dyn Clock>);
        Self { clock, publisher, verifier }
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.now().timestamp()
    }

    /// The claims of the Bot Connector in a token.
    pub(crate) fn channel_claims(&self) -> Value {
        json!({
            "iss": "https://api.botframework.com", "aud": APP.to_string(), "serviceurl": SERVICE_URL,
            "nbf": self.now() - 60, "exp": self.now() + 3600,
        })
    }

    /// The claims of Entra in a token of version 2 for the agent.
    pub(crate) fn agent_claims(&self) -> Value {
        json!({
            "iss": format!("https://login.microsoftonline.com/{TENANT}/v2.0"), "aud": APP.to_string(), "ver": "2.0",
            "tid": TENANT.to_string(), "azp": AGENT.to_string(), "nbf": self.now() - 60, "exp": self.now() + 3600,
        })
    }

    /// The claims of a token of the Bot Connector with one of them changed.
    pub(crate) fn channel_with(&self, claim: &str, value: Value) -> Value {
        changed(self.channel_claims(), claim, value)
    }

    /// The claims of a token of the agent with one of them changed.
    pub(crate) fn agent_with(&self, claim: &str, value: Value) -> Value {
        changed(self.agent_claims(), claim, value)
    }

    /// Makes a call from Teams.
    pub(crate) async fn call(&self, authorization: &str) -> Result<Caller, Unauthorized> {
        self.verifier.verify(Some(authorization), Some("msteams"), Some(SERVICE_URL)).await
    }

    /// Makes a call from Teams with a token of these claims.
    pub(crate) async fn call_with(&self, key: &TestKey, claims: &Value) -> Result<Caller, Unauthorized> {
        self.call(&key.token(claims)).await
    }

    /// Makes a call from Teams as the Bot Connector does.
    pub(crate) async fn call_as_channel(&self) -> Result<Caller, Unauthorized> {
        self.call_with(&CHANNEL_KEY, &self.channel_claims()).await
    }
}

/// The claims with one of them set, or taken away when the value is null.
pub(crate) fn changed(mut claims: Value, claim: &str, value: Value) -> Value {
    let members = claims.as_object_mut().expect("an object");
    if value.is_null() {
        members.remove(claim);
    } else {
        members.insert(claim.to_owned(), value);
    }
    claims
}

/// The agent that may call, as it is let in.
pub(crate) fn the_agent() -> Caller {
    Caller::Agent { app_id: AGENT.to_string() }
}
