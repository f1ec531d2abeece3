//! Calls to the Bot Connector.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Method, Request, StatusCode};
use serde_json::{Map, Value};

use super::credentials::AccessToken;
use super::refusal::ERROR_FORMS;
use super::retry::{as_teams_advises, rule_for, wait};
use super::{Credentials, Refusal, RefusalCause, RefusalKind, Rule, TokenError};
use crate::azure_bot::TrustedHosts;
use crate::azure_bot::conversation::Destination;
use crate::clock::{Clock, IdSource};
use crate::egress::{Client, RawRemoteError, RemoteError, Retry, RetryBudget, retry_after, shown};
use crate::metrics::{Channel, ChannelFigures};
use crate::secret::Redaction;

/// How long one call may take. Some emulators never answer.
const LIMIT: Duration = Duration::from_secs(15);

/// The header by which the service's operators find a call.
const OPERATION: &str = "x-correlating-operationid";

/// The options of calls to the Connector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectorOptions {
    /// How long one call may take.
    pub call_limit: Duration,
    /// How messages are sent again.
    pub retry: Retry,
    /// Whether an answer in a group chat of Teams quotes its question.
    pub quote_questions: bool,
    /// Whether refusals and apologies in groups of Teams are shown to the user who asked alone.
    pub private_apologies: bool,
}

impl Default for ConnectorOptions {
    fn default() -> Self {
        Self { call_limit: LIMIT, retry: as_teams_advises(), quote_questions: false, private_apologies: false }
    }
}

/// Sends activities through the Bot Connector, and changes what was sent.
///
/// A call goes to trusted services only, which is judged anew for every call; follows no redirect; and is over when its time is.
/// What fails in a way that passes is called again. The caller keeps the order: it waits for each call before it makes the next
/// one in a conversation.
#[derive(Debug)]
pub struct ConnectorClient {
    http: Client,
    hosts: TrustedHosts,
    credentials: Option<Credentials>,
    options: ConnectorOptions,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    figures: ChannelFigures,
}

/// One call, which may be made more than once.
struct Call<'a> {
    method: Method,
    parts: &'a [&'a str],
    query: Option<&'static str>,
    body: String,
    /// The text of the activity in it.
    text: &'a str,
    retry: &'a Retry,
}

impl ConnectorClient {
    /// A client that calls these services. Without `credentials` only places without a scope can be called.
    #[must_use]
    pub fn new(
        http: Client,
        hosts: TrustedHosts,
        credentials: Option<Credentials>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Self {
        let figures = ChannelFigures::new(Channel::Connector);
        Self { http, hosts, credentials, options: ConnectorOptions::default(), clock, ids, figures }
    }

    /// Sets other options.
    #[must_use]
    pub fn with_options(self, options: ConnectorOptions) -> Self {
        Self { options, ..self }
    }

    /// Whether an answer in a group chat of Teams quotes its question.
    #[must_use]
    pub fn quotes_questions(&self) -> bool {
        self.options.quote_questions
    }

    /// Whether refusals and apologies in groups of Teams are shown to the user who asked alone.
    #[must_use]
    pub fn apologizes_privately(&self) -> bool {
        self.options.private_apologies
    }

    /// Which calls were refused, by what that means.
    #[must_use]
    pub fn figures(&self) -> &ChannelFigures {
        &self.figures
    }

    /// Which services are called.
    #[must_use]
    pub fn hosts(&self) -> &TrustedHosts {
        &self.hosts
    }

    /// Answers an activity; returns the id of what was sent, where the service gives one.
    ///
    /// # Errors
    /// When the service does not take it, or nobody knows whether it has.
    pub async fn reply(
        &self,
        destination: &Destination,
        to: &str,
        activity: &Map<String, Value>,
    ) -> Result<Option<String>, Refusal> {
        let parts = ["v3", "conversations", destination.address.conversation_id(), "activities", to];
        self.post(destination, &parts, None, activity).await
    }

    /// Sends an activity that only its `recipient` sees: a targeted message of Teams
    /// (<https://learn.microsoft.com/microsoftteams/platform/agents-in-teams/targeted-messages>).
    ///
    /// # Errors
    /// When the service does not take it, or nobody knows whether it has.
    pub async fn tell(
        &self,
        destination: &Destination,
        activity: &Map<String, Value>,
    ) -> Result<Option<String>, Refusal> {
        let parts = ["v3", "conversations", destination.address.conversation_id(), "activities"];
        self.post(destination, &parts, Some("isTargetedActivity=true"), activity).await
    }

    /// Sends an activity that answers nothing; returns its id, where the service gives one.
    ///
    /// # Errors
    /// When the service does not take it, or nobody knows whether it has.
    pub async fn send(
        &self,
        destination: &Destination,
        activity: &Map<String, Value>,
    ) -> Result<Option<String>, Refusal> {
        let parts = ["v3", "conversations", destination.address.conversation_id(), "activities"];
        self.post(destination, &parts, None, activity).await
    }

    /// Puts an activity in the destination of one that was sent. To do so twice does no harm, so a call without an answer is made again.
    ///
    /// # Errors
    /// When the service does not take it: some channels cannot.
    pub async fn update(
        &self,
        destination: &Destination,
        id: &str,
        activity: &Map<String, Value>,
    ) -> Result<(), Refusal> {
        let parts = ["v3", "conversations", destination.address.conversation_id(), "activities", id];
        let body = Value::Object(activity.clone()).to_string();
        let (text, retry) = (text_of(activity), &self.options.retry);
        let call = Call { method: Method::PUT, parts: &parts, query: None, body, text, retry };
        self.run(destination, &call).await.map(drop)
    }

    async fn post(
        &self,
        destination: &Destination,
        parts: &[&str],
        query: Option<&'static str>,
        activity: &Map<String, Value>,
    ) -> Result<Option<String>, Refusal> {
        let never = Retry::never();
        // A chunk of a stream holds all of the text so far: what comes next says more than a repetition would.
        let passing = activity.get("type").is_some_and(|kind| kind == "typing");
        let retry = if passing { &never } else { &self.options.retry };
        let body = Value::Object(activity.clone()).to_string();
        let call = Call { method: Method::POST, parts, query, body, text: text_of(activity), retry };
        let body = self.run(destination, &call).await?;
        let answer: Option<Value> = serde_json::from_slice(&body).ok();
        let id = answer.as_ref().and_then(|answer| answer.get("id")).and_then(Value::as_str);
        Ok(id.filter(|id| !id.is_empty()).map(str::to_owned))
    }

    /// Makes a call until it succeeds or nothing more can be done, and counts it when it is refused; returns the body of the answer.
    async fn run(&self, destination: &Destination, call: &Call<'_>) -> Result<Vec<u8>, Refusal> {
        let answered = self.run_uncounted(destination, call).await;
        answered.inspect_err(|refusal| self.figures.refusal(refusal.kind.label()))
    }

    async fn run_uncounted(&self, destination: &Destination, call: &Call<'_>) -> Result<Vec<u8>, Refusal> {
        let mut patience = RetryBudget::new(call.retry, self.clock.now());
        let (mut renewed, mut repeated) = (false, false);
        loop {
            let token = match self.token(destination).await {
                Ok(token) => token,
                Err(error) => {
                    // Nothing was sent, so waiting does no harm.
                    let rule = if error.may_pass() { Rule::BackOff } else { Rule::GiveUp };
                    match wait(rule, &mut patience, None, self.clock.now(), &*self.ids) {
                        Some(wait) => {
                            self.clock.wait(wait).await;
                            continue;
                        }
                        None => return Err(RefusalCause::NoToken(error).into()),
                    }
                }
            };
            let mut refusal = match self.once(destination, call, token.as_ref(), patience.left(self.clock.now())).await
            {
                Ok(body) => return Ok(body),
                Err(refusal) => refusal,
            };
            refusal.repeated = repeated;
            repeated |=
                matches!(refusal.kind, RefusalKind::Faulty | RefusalKind::Unavailable) && refusal.status().is_some();
            let rule = match (refusal.status(), refusal.kind) {
                (Some(status), _) => rule_for(status),
                (None, RefusalKind::Unavailable) => Rule::BackOff,
                (None, RefusalKind::Lost) if call.method != Method::POST => Rule::Once,
                (None, _) => Rule::GiveUp,
            };
            if rule == Rule::Renew && !renewed {
                renewed = true;
                if let (Some(token), Some(scope), Some(credentials)) = (&token, &destination.scope, &self.credentials) {
                    credentials.forget(scope, token).await;
                    continue;
                }
            }
            match wait(rule, &mut patience, refusal.retry_after, self.clock.now(), &*self.ids) {
                Some(wait) => {
                    tracing::debug!(error = %refusal, wait_ms = wait.as_millis(), "a call to the Bot Connector is repeated");
                    self.clock.wait(wait).await;
                }
                None => return Err(refusal),
            }
        }
    }

    async fn token(&self, destination: &Destination) -> Result<Option<AccessToken>, TokenError> {
        match (&destination.scope, &self.credentials) {
            (None, _) => Ok(None),
            (Some(scope), Some(credentials)) => credentials.token(scope).await.map(Some),
            (Some(_), None) => Err(TokenError::NoCredentials),
        }
    }

    async fn once(
        &self,
        destination: &Destination,
        call: &Call<'_>,
        token: Option<&AccessToken>,
        left: Duration,
    ) -> Result<Vec<u8>, Refusal> {
        // A destination may have been stored when another configuration held.
        let service = self.hosts.check(destination.service_url.as_str()).map_err(RefusalCause::Untrusted)?;
        let unusable = || RefusalCause::Id { id: call.parts.last().map_or_else(String::new, |id| (*id).to_owned()) };
        let mut url = service.call(call.parts).ok_or_else(unusable)?;
        url.set_query(call.query);
        let mut request = Request::new(call.method.clone(), url);
        if let Some(token) = token {
            request.headers_mut().insert(AUTHORIZATION, authorization(token));
        }
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(call.body.clone().into());
        *request.timeout_mut() = Some(left.min(self.options.call_limit));
        let method = name_of(&call.method);
        let fetched = self.http.fetch(request).await.map_err(|error| Refusal::no_answer(method, error))?;
        let secrets = token.map(AccessToken::bearer).map_or(&[][..], std::slice::from_ref);
        // Whose service this is nobody here knows; what it repeats would stand in logs and in answers to others.
        let redaction = Redaction { secrets, said: call.text };
        match Refusal::in_answer(method, fetched.status.as_u16(), &said(fetched.status, &fetched.body), redaction) {
            None => Ok(fetched.body),
            Some(mut refusal) => {
                refusal.retry_after = header(&fetched.headers, RETRY_AFTER.as_str())
                    .and_then(|value| retry_after(value, self.clock.now()));
                if let RefusalCause::Answered { operation, .. } = &mut refusal.cause {
                    *operation = shown(header(&fetched.headers, OPERATION), redaction, RemoteError::LONGEST_CODE);
                }
                Err(refusal)
            }
        }
    }
}

/// The words of an answer besides its status. One that agrees says nothing, but for the chunk of a stream that came too late.
fn said(status: StatusCode, body: &[u8]) -> RawRemoteError {
    if status.is_success() && status != StatusCode::ACCEPTED {
        return RawRemoteError::default();
    }
    RawRemoteError::read(body, ERROR_FORMS)
}

fn text_of(activity: &Map<String, Value>) -> &str {
    activity.get("text").and_then(Value::as_str).unwrap_or_default()
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::PUT => "PUT",
        _ => "POST",
    }
}

fn authorization(token: &AccessToken) -> HeaderValue {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.bearer().expose()))
        .expect("an issued secret can stand in a header");
    value.set_sensitive(true);
    value
}
