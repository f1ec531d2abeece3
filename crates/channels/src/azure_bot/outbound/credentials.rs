//! Access tokens for calls to the Bot Connector.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Request};
use serde::{Deserialize, Deserializer};
use url::Url;
use url::form_urlencoded::Serializer;

use crate::clock::Clock;
use crate::egress::{Client, EgressError, ErrorForms, RawRemoteError, RemoteError};
use crate::secret::{Redaction, Secret};

/// A token is not used any more so long before it expires.
const MARGIN: chrono::Duration = chrono::Duration::seconds(300);

/// How long it may take to get a token.
const LIMIT: Duration = Duration::from_secs(15);

/// The number of scopes that are remembered: that of the service, and one for each agent that calls.
const MAX_SCOPES: usize = 256;

/// The app id and the client secret of the bot.
#[derive(Clone, Debug)]
pub struct AppCredentials {
    app_id: String,
    secret: Secret,
    token_url: Url,
}

impl AppCredentials {
    /// The bot `app_id`, which proves itself by its secret at this address (see
    /// [`CloudAddresses::token_url`](crate::azure_bot::auth::CloudAddresses::token_url)).
    #[must_use]
    pub fn new(app_id: String, secret: Secret, token_url: Url) -> Self {
        Self { app_id, secret, token_url }
    }
}

/// A token for one scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessToken {
    bearer: Secret,
    /// From here on another one is asked for.
    renew_at: DateTime<Utc>,
}

impl AccessToken {
    /// The token itself.
    pub(super) fn bearer(&self) -> &Secret {
        &self.bearer
    }
}

/// The reason why there is no token.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TokenError {
    /// The bot has no id and no secret, but the service wants a token.
    #[error("a token is needed, but there are no credentials: set azure_bot.app_id and azure_bot.app_secret")]
    NoCredentials,
    /// The login service refused.
    #[error("the login service answered {status} for the scope {scope}{words}")]
    Refused {
        /// The status.
        status: u16,
        /// The request.
        scope: String,
        /// Its words.
        words: RemoteError,
    },
    /// The login service agreed, but gave no usable token.
    #[error("the login service sent no usable token for the scope {scope}")]
    Misunderstood {
        /// The request.
        scope: String,
    },
    /// There was no answer.
    #[error("the login service did not answer: {0}")]
    NoAnswer(Arc<EgressError>),
}

impl TokenError {
    /// Whether the same question can have another answer soon.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::NoCredentials | Self::Misunderstood { .. } => false,
            Self::Refused { status, .. } => *status == 429 || *status >= 500,
            Self::NoAnswer(error) => error.may_pass(),
        }
    }
}

/// The tokens of one bot, kept for each scope until shortly before they expire. Tenant and bot are always the same ones.
#[derive(Debug)]
pub struct Credentials {
    http: Client,
    app: AppCredentials,
    clock: Arc<dyn Clock>,
    scopes: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<Slot>>>>,
}

/// The token of one scope. Its holder asks, and all others wait for the answer.
#[derive(Debug, Default)]
struct Slot {
    token: Option<AccessToken>,
    failed: Option<(DateTime<Utc>, TokenError)>,
}

impl Credentials {
    /// The tokens of this bot.
    #[must_use]
    pub fn new(http: Client, app: AppCredentials, clock: Arc<dyn Clock>) -> Self {
        Self { http, app, clock, scopes: Mutex::default() }
    }

    /// A token for the scope, asked for when there is none. Calls for one scope ask once: whoever waited meanwhile gets the same
    /// token, or the same refusal.
    ///
    /// # Errors
    /// When the login service gives none.
    pub async fn token(&self, scope: &str) -> Result<AccessToken, TokenError> {
        let asked_at = self.clock.now();
        let slot = self.slot(scope);
        let mut slot = slot.lock().await;
        let now = self.clock.now();
        if let Some(token) = slot.token.as_ref().filter(|token| now < token.renew_at) {
            return Ok(token.clone());
        }
        if let Some((_, error)) = slot.failed.as_ref().filter(|(at, _)| asked_at <= *at) {
            return Err(error.clone());
        }
        let asked = self.ask(scope).await;
        let now = self.clock.now();
        match asked {
            Ok(token) => {
                *slot = Slot { token: Some(token.clone()), failed: None };
                Ok(token)
            }
            Err(error) => {
                *slot = Slot { token: None, failed: Some((now, error.clone())) };
                Err(error)
            }
        }
    }

    /// Forgets a token that the service has refused, unless another has taken its destination meanwhile.
    pub async fn forget(&self, scope: &str, token: &AccessToken) {
        let slot = self.slot(scope);
        let mut slot = slot.lock().await;
        if slot.token.as_ref() == Some(token) {
            slot.token = None;
        }
    }

    fn slot(&self, scope: &str) -> Arc<tokio::sync::Mutex<Slot>> {
        let mut scopes = self.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        if scopes.len() >= MAX_SCOPES && !scopes.contains_key(scope) {
            // A caller that asks now loses nothing but a call.
            scopes.retain(|_, slot| Arc::strong_count(slot) > 1);
        }
        Arc::clone(scopes.entry(scope.to_owned()).or_default())
    }

    async fn ask(&self, scope: &str) -> Result<AccessToken, TokenError> {
        let form = Serializer::new(String::new())
            .append_pair("grant_type", "client_credentials")
            .append_pair("client_id", &self.app.app_id)
            .append_pair("client_secret", self.app.secret.expose())
            .append_pair("scope", scope)
            .finish();
        let mut request = Request::new(Method::POST, self.app.token_url.clone());
        let form_type = HeaderValue::from_static("application/x-www-form-urlencoded");
        request.headers_mut().insert(CONTENT_TYPE, form_type);
        *request.body_mut() = Some(form.into());
        *request.timeout_mut() = Some(LIMIT);
        let asked_at = self.clock.now();
        let fetched = self.http.fetch(request).await.map_err(|error| TokenError::NoAnswer(Arc::new(error)))?;
        if !fetched.status.is_success() {
            let words = refusal(&fetched.body, &self.app.secret);
            return Err(TokenError::Refused { status: fetched.status.as_u16(), scope: scope.to_owned(), words });
        }
        let misunderstood = || TokenError::Misunderstood { scope: scope.to_owned() };
        let body: TokenBody = serde_json::from_slice(&fetched.body).map_err(|_| misunderstood())?;
        let bearer = Secret::issued(&body.access_token).map_err(|_| misunderstood())?;
        let lives = chrono::Duration::seconds(i64::from(body.expires_in));
        // A token that lives for less than the margin is good for half of its time.
        Ok(AccessToken { bearer, renew_at: asked_at + lives - MARGIN.min(lives / 2) })
    }
}

#[derive(Deserialize)]
struct TokenBody {
    access_token: String,
    #[serde(default = "an_hour", deserialize_with = "seconds")]
    expires_in: u32,
}

fn an_hour() -> u32 {
    3600
}

/// Older login services write the number as a text.
fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Seconds {
        Number(u32),
        Text(String),
    }
    match Seconds::deserialize(deserializer)? {
        Seconds::Number(seconds) => Ok(seconds),
        Seconds::Text(text) => text.parse().map_err(serde::de::Error::custom),
    }
}

/// RFC 6749, section 5.2.
const ERROR_FORMS: &ErrorForms = &[("/error", "/error_description")];

fn refusal(body: &[u8], secret: &Secret) -> RemoteError {
    let redaction = Redaction { secrets: std::slice::from_ref(secret), said: "" };
    RawRemoteError::read(body, ERROR_FORMS).without(redaction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> Secret {
        Secret::parse("the-secret-of-the-bot").expect("a secret")
    }

    #[test]
    fn point_13_neither_secret_nor_token_prints() {
        let app = AppCredentials::new("app".to_owned(), secret(), "https://login.example".parse().expect("an address"));
        let token = AccessToken { bearer: secret(), renew_at: DateTime::<Utc>::MIN_UTC };
        let repeated = br#"{"error": "bad", "error_description": "AADSTS1: the-secret-of-the-bot\r\nis wrong"}"#;
        let error = TokenError::Refused { status: 401, scope: "s".to_owned(), words: refusal(repeated, &secret()) };
        assert_eq!(error.to_string(), "the login service answered 401 for the scope s bad: AADSTS1: **** is wrong");
        for text in [format!("{app:?}"), format!("{token:?}"), format!("{error:?}")] {
            assert!(!text.contains("the-secret"), "{text}");
        }
    }

    #[test]
    fn a_body_is_read_whoever_wrote_it() {
        let body = |text: &str| serde_json::from_str::<TokenBody>(text).map(|body| body.expires_in).ok();
        assert_eq!(body(r#"{"access_token": "t", "expires_in": 60}"#), Some(60));
        assert_eq!(body(r#"{"access_token": "t", "expires_in": "3599", "expires_on": "1"}"#), Some(3599));
        assert_eq!(body(r#"{"access_token": "t"}"#), Some(3600));
        assert_eq!(body(r#"{"token": "t"}"#), None);
    }
}
