//! Sends one activity to the bot.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Request};
use serde_json::{Map, Value};
use tokio::time::timeout;
use uuid::Uuid;

use super::{BotBinding, BotDelivery, TurnError};
use crate::activity::Activity;
use crate::clock::Clock;
use crate::egress::{Client, EgressError, EgressOptions, Retry, RetryBudget};

/// How a post is made again where it is certain that nothing was sent: after exact waits, since one bot is called by one citewire.
/// All of it happens within the time that the bot has anyway.
fn retry() -> Retry {
    let mut retry = Retry::after([200, 500, 1000].map(Duration::from_millis));
    retry.jittered = false;
    retry.total = Duration::MAX;
    retry
}

/// The longest answer that is read of a bot, in bytes.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// Sends activities to the endpoint of the bot.
#[derive(Debug)]
pub struct BotClient {
    http: Client,
    binding: BotBinding,
    clock: Arc<dyn Clock>,
}

impl BotClient {
    /// A client of the bot.
    ///
    /// An address that is written out in the endpoint, and `localhost`, are meant as they stand, so they may be connected
    /// to. A name is judged by where it leads, as everywhere.
    ///
    /// # Errors
    /// When no connections can be made from this system at all.
    pub fn new(binding: BotBinding, mut egress: EgressOptions, clock: Arc<dyn Clock>) -> Result<Self, EgressError> {
        egress.allow.add_written(&binding.endpoint.url());
        egress.total_timeout = binding.options.timeout;
        egress.connect_timeout = egress.connect_timeout.min(binding.options.timeout);
        egress.max_answer_bytes = MAX_ANSWER_BYTES;
        Ok(Self { http: Client::new(egress)?, binding, clock })
    }

    /// The options.
    #[must_use]
    pub fn binding(&self) -> &BotBinding {
        &self.binding
    }

    /// Posts an activity and returns the replies in the answer, as they came; without replies expected, there are none.
    pub(super) async fn post(&self, activity: &Activity, within: Duration) -> Result<Vec<Value>, TurnError> {
        if within.is_zero() {
            return Err(TurnError::NoTimeLeft);
        }
        let body = serde_json::to_vec(activity).map_err(TurnError::Unwritable)?;
        timeout(within, self.try_post(&body)).await.unwrap_or(Err(TurnError::TooSlow))
    }

    async fn try_post(&self, body: &[u8]) -> Result<Vec<Value>, TurnError> {
        let retry = retry();
        let mut patience = RetryBudget::new(&retry, self.clock.now());
        loop {
            match self.post_once(body).await {
                Err(TurnError::Unreachable(error)) if error.may_pass() => {
                    match patience.next(None, self.clock.now(), Uuid::nil) {
                        Some(wait) => self.clock.wait(wait).await,
                        None => return Err(TurnError::Unreachable(error)),
                    }
                }
                outcome => return outcome,
            }
        }
    }

    async fn post_once(&self, body: &[u8]) -> Result<Vec<Value>, TurnError> {
        let mut request = Request::new(Method::POST, self.binding.endpoint.url());
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(token) = &self.binding.options.token {
            // A secret is visible ASCII, so it can stand in a header.
            if let Ok(mut bearer) = HeaderValue::from_str(&format!("Bearer {}", token.expose())) {
                bearer.set_sensitive(true);
                headers.insert(AUTHORIZATION, bearer);
            }
        }
        *request.body_mut() = Some(body.to_vec().into());
        let (status, answer) = match self.binding.options.delivery {
            BotDelivery::Normal => {
                let (status, _) = self.http.fetch_head(request).await.map_err(failure)?;
                (status, Vec::new())
            }
            BotDelivery::ExpectReplies => {
                let fetched = self.http.fetch(request).await.map_err(failure)?;
                (fetched.status, fetched.body)
            }
        };
        if !status.is_success() {
            return Err(TurnError::Refused { status: status.as_u16() });
        }
        // A bot that takes the activity and has nothing to say yet answers with an empty body.
        if answer.trim_ascii().is_empty() {
            return Ok(Vec::new());
        }
        // Read as an object in any case: a list is none, though its members could be taken for those of a struct.
        let mut members: Map<String, Value> = serde_json::from_slice(&answer).map_err(TurnError::Misunderstood)?;
        match members.remove("activities") {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(activities) => serde_json::from_value(activities).map_err(TurnError::Misunderstood),
        }
    }
}

fn failure(error: EgressError) -> TurnError {
    if error.nothing_was_sent() {
        TurnError::Unreachable(error)
    } else if error.is_timeout() {
        TurnError::TooSlow
    } else {
        TurnError::NoAnswer(error)
    }
}
