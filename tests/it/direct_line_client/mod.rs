//! A client of another Direct Line: its calls, its retries, and the time when it gives up.

mod between;
mod command;
mod doubt;
mod refusals;
mod service;
mod upstream;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use citewire::activity::Activity;
use citewire::channels::direct_line_client::{
    ConversationName, Credential, DirectLineClient, DirectLineUrl, PostError, Posted,
};
use citewire::clock::{Clock, CountingIds, ManualClock};
use citewire::egress::{Client, EgressOptions};
use citewire::secret::Secret;

use upstream::{Reply, Upstream};

const TOKEN: &str = "the-token-of-the-conversation";
const SECRET: &str = "the-secret-of-the-other-side";

fn secret(text: &str) -> Secret {
    Secret::parse(text).expect("a secret")
}

fn token() -> Credential {
    Credential::Token(secret(TOKEN))
}

fn conversation() -> ConversationName {
    "c1".parse().expect("an id")
}

/// May call the upstreams of the tests. Calls that answer too much are over soon.
fn egress() -> EgressOptions {
    EgressOptions { allow: "127.0.0.1".parse().expect("hosts"), max_answer_bytes: 20_000, ..EgressOptions::default() }
}

/// An upstream that plays its script, and a client of it. Their clock moves only when one of them waits.
struct Played {
    clock: Arc<ManualClock>,
    upstream: Upstream,
    client: DirectLineClient,
}

impl Played {
    async fn new(credential: Credential, script: Vec<Reply>) -> Self {
        Self::with(egress(), credential, script).await
    }

    /// Calls that answer too late are over soon.
    async fn impatient(script: Vec<Reply>) -> Self {
        let egress = EgressOptions { total_timeout: Duration::from_millis(500), ..egress() };
        Self::with(egress, token(), script).await
    }

    async fn with(egress: EgressOptions, credential: Credential, script: Vec<Reply>) -> Self {
        let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")));
        let upstream = Upstream::playing(Arc::clone(&clock), script).await;
        let url: DirectLineUrl = upstream.url.parse().expect("an address");
        let client = DirectLineClient::new(
            Client::new(egress).expect("a client"),
            url,
            credential,
            "citewire".to_owned(),
            Arc::clone(&clock) as Arc<dyn Clock>,
            Arc::new(CountingIds::default()),
        );
        Self { clock, upstream, client }
    }

    async fn post(&self) -> Result<Posted, PostError> {
        self.client.post(&conversation(), Activity::message("Leave is 30 days."), None).await
    }

    async fn posted_id(&self) -> String {
        self.post().await.expect("it arrives").id.to_string()
    }

    /// The words of the failure, and whether it is in doubt.
    async fn failure(&self) -> (String, bool) {
        match self.post().await {
            Err(error @ PostError::Failed { doubtful, .. }) => (error.to_string(), doubtful),
            other => panic!("a failed call was expected, not {other:?}"),
        }
    }
}
