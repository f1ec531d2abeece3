//! Calls of services that answer with one JSON value: embeddings servers and rerankers.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::TryStreamExt as _;
use reqwest::Url;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::endpoint::Endpoint;
use super::keys::Keys;
use super::options::{BEARER, endpoint};
use super::{CallLimits, Surroundings, UpstreamError, UpstreamFault};

/// How long a question waits for the service. Then it is answered without.
pub(super) const WITHIN: Duration = Duration::from_secs(5);

/// After a failure, questions are answered without the service for so long: otherwise each would wait for it in vain.
const PAUSE: TimeDelta = TimeDelta::seconds(30);

/// The longest pause that a service may ask for.
const LONGEST_PAUSE: TimeDelta = TimeDelta::minutes(5);

/// Failures while questions are answered are logged once in this time.
const LOG_EVERY: TimeDelta = TimeDelta::minutes(1);

/// The largest answer: vectors of 256 texts with 4,096 dimensions, written with all their digits.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// Statuses that speak of the texts that were sent.
const REFUSALS: [u16; 3] = [400, 413, 422];

/// A service that is called with JSON and answers with JSON.
#[derive(Debug)]
pub(super) struct JsonService {
    endpoint: Endpoint,
    trouble: Mutex<Trouble>,
}

/// The failures while questions were answered.
#[derive(Debug, Default)]
struct Trouble {
    /// When one was logged last.
    logged: Option<DateTime<Utc>>,
    /// Until when questions are answered without the service.
    paused_until: Option<DateTime<Utc>>,
}

/// The reason why a service gave nothing that can be used. The message is for the operator.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServiceError {
    #[error(transparent)]
    Call(#[from] UpstreamError),
    #[error("{host} did not answer within {} s", WITHIN.as_secs())]
    Late { host: String },
    #[error("{host} answered with what is not {wanted} (line {line}, column {column})")]
    Json { host: String, wanted: &'static str, line: usize, column: usize },
    #[error("{host} answered {reason}")]
    Unusable { host: String, reason: String },
}

impl ServiceError {
    /// How long the service asks to be left alone.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Call(UpstreamError::Status { retry_after, .. }) => *retry_after,
            Self::Call(_) | Self::Late { .. } | Self::Json { .. } | Self::Unusable { .. } => None,
        }
    }

    /// Whether other texts may be taken.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Call(UpstreamError::Status { status, .. }) if REFUSALS.contains(status))
    }
}

impl JsonService {
    /// A service at this address, which is called with the key that `key_env` names.
    pub(super) fn open(
        url: Url,
        model: &str,
        key_env: Option<&String>,
        surroundings: &Surroundings<'_>,
    ) -> Result<Self, Vec<UpstreamFault>> {
        let mut keys = Keys::new(surroundings.secrets);
        keys.filled("model", model);
        keys.header(AUTHORIZATION, BEARER, "key_env", key_env);
        keys.headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let limits = CallLimits { max_bytes: MAX_BYTES, ..CallLimits::default() };
        Ok(Self { endpoint: endpoint(Some(url), limits, keys, surroundings)?, trouble: Mutex::default() })
    }

    /// Posts JSON and reads the answer. The `question` is what no error repeats.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        body: &Value,
        question: &str,
        wanted: &'static str,
    ) -> Result<T, ServiceError> {
        let mut arriving = self.endpoint.post(body, question).await?;
        let mut whole = Vec::new();
        while let Some(piece) = arriving.try_next().await? {
            whole.extend_from_slice(&piece);
        }
        serde_json::from_slice(&whole).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            ServiceError::Json { host: self.endpoint.host().to_owned(), wanted, line, column }
        })
    }

    /// The outcome of a call while a reader waits for an answer; `None` and a line in the log when it fails or takes too long, and
    /// `None` at once for a while after that.
    pub(super) async fn soon<T>(
        &self,
        call: impl Future<Output = Result<T, ServiceError>>,
        consequence: &'static str,
    ) -> Option<T> {
        if self.trouble().paused_until.is_some_and(|until| self.endpoint.clock.now() < until) {
            return None;
        }
        let late = || ServiceError::Late { host: self.endpoint.host().to_owned() };
        let called = tokio::time::timeout(WITHIN, call).await.unwrap_or_else(|_| Err(late()));
        called.map_err(|error| self.failed(&error, consequence)).ok()
    }

    /// An answer that is JSON of the right shape, and wrong all the same.
    pub(super) fn unusable(&self, reason: String) -> ServiceError {
        ServiceError::Unusable { host: self.endpoint.host().to_owned(), reason }
    }

    fn failed(&self, error: &ServiceError, consequence: &'static str) {
        let now = self.endpoint.clock.now();
        let mut trouble = self.trouble();
        // Another question may be one that the service takes.
        if !error.is_refusal() {
            let asked = error.retry_after().and_then(|wait| TimeDelta::from_std(wait).ok()).unwrap_or(PAUSE);
            trouble.paused_until = now.checked_add_signed(asked.clamp(PAUSE, LONGEST_PAUSE));
        }
        if trouble.logged.is_none_or(|last| now.signed_duration_since(last) >= LOG_EVERY) {
            trouble.logged = Some(now);
            tracing::warn!(%error, "{consequence}");
        }
    }

    fn trouble(&self) -> MutexGuard<'_, Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
