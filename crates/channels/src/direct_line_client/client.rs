//! The Direct Line client.

use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::digest;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER, SERVER};
use reqwest::{Method, Request};

use super::credential::{Renewed, Session};
use super::outgoing::Outgoing;
use super::retry::usual;
use super::{Call, CallError, ConversationName, Credential, DirectLineUrl, Misunderstood, PostError, Rule, wire};
use crate::activity::{Activity, ActivityId, ChannelAccount};
use crate::clock::{Clock, IdSource};
use crate::egress::{Client, Fetched, Retry, RetryBudget, retry_after};
use crate::keyed_mutex::KeyedMutex;
use crate::metrics::{Channel, ChannelFigures};
use crate::secret::Secret;

/// The name of citewire in its answers, by which it knows its own kind.
pub const SERVER_NAME: &str = "citewire";

/// Posts into the conversations of one Direct Line.
#[derive(Debug)]
pub struct DirectLineClient {
    http: Client,
    url: DirectLineUrl,
    session: Session,
    user: String,
    retry: Retry,
    turns: KeyedMutex,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    figures: ChannelFigures,
}

/// A posted activity.
#[derive(Clone, Debug, PartialEq)]
pub struct Posted {
    /// The id that the other side gave it.
    pub id: ActivityId,
    /// The activity as it went out, with that id.
    pub activity: Activity,
    /// The other side says that it is a citewire. Anyone else passes the activity on to its bot, as a user's.
    pub by_citewire: bool,
}

/// The next step of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Post,
    /// Look whether it is there already, and post it when it is not.
    LookThenPost,
    /// Look whether it is there, for the last time.
    LookLast,
}

/// A received response.
pub(super) struct Answered {
    pub(super) call: Call,
    pub(super) fetched: Fetched,
}

impl Answered {
    pub(super) fn misunderstood(&self, reason: Misunderstood) -> CallError {
        CallError::Misunderstood { call: self.call.clone(), status: self.fetched.status.as_u16(), reason }
    }

    pub(super) fn is_by_citewire(&self) -> bool {
        self.fetched.headers.get(SERVER).is_some_and(|name| name == SERVER_NAME)
    }
}

impl DirectLineClient {
    /// A client of the Direct Line at `url` that appears as `user`.
    #[must_use]
    pub fn new(
        http: Client,
        url: DirectLineUrl,
        credential: Credential,
        user: String,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Self {
        let session = Session::new(credential);
        Self {
            http,
            url,
            session,
            user,
            retry: usual(),
            turns: KeyedMutex::default(),
            clock,
            ids,
            figures: ChannelFigures::new(Channel::DirectLineClient),
        }
    }

    /// Which posts did not succeed, by why.
    #[must_use]
    pub fn figures(&self) -> &ChannelFigures {
        &self.figures
    }

    /// The address to which it posts.
    #[must_use]
    pub fn url(&self) -> &DirectLineUrl {
        &self.url
    }

    /// As whom it posts.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Posts an activity, again and again where that can help and does no harm. With a `key`, an activity that was posted
    /// into this conversation with the same key before is found again instead, and calls with the same key wait for each
    /// other.
    ///
    /// # Errors
    /// When the activity cannot be posted at all, or the other side does not take it.
    pub async fn post(
        &self,
        conversation: &ConversationName,
        activity: Activity,
        key: Option<&str>,
    ) -> Result<Posted, PostError> {
        let send_id = key.map_or_else(|| self.ids.fresh().simple().to_string(), |key| name_of(conversation, key));
        let from = ChannelAccount::new(self.user.clone(), self.session.credential().role());
        let outgoing = Outgoing::new(activity, from, send_id)?;
        let _turn = match key {
            Some(_) => Some(self.turns.take(&outgoing.send_id).await),
            None => None,
        };
        let first = if key.is_some() { Step::LookThenPost } else { Step::Post };
        let posted = self.run(conversation, &outgoing, first).await;
        let (id, by_citewire) = posted.inspect_err(|error| self.figures.refusal(error.label()))?;
        let activity = Activity { id: Some(id.clone()), ..outgoing.activity };
        Ok(Posted { id, activity, by_citewire })
    }

    async fn run(
        &self,
        conversation: &ConversationName,
        outgoing: &Outgoing,
        first: Step,
    ) -> Result<(ActivityId, bool), PostError> {
        let mut patience = RetryBudget::new(&self.retry, self.clock.now());
        let mut bearer = self.session.bearer();
        let mut renewed = false;
        let mut step = first;
        // The post that is being looked for, once there is one.
        let mut lost: Option<CallError> = None;
        loop {
            let found = match step {
                Step::Post => self.submit(conversation, outgoing, &bearer, &patience).await.map(Some),
                Step::LookThenPost | Step::LookLast => {
                    self.find(conversation, &outgoing.send_id, &bearer, &patience).await
                }
            };
            let failure = match (found, step) {
                (Ok(Some(found)), _) => return Ok(found),
                (Ok(None), Step::Post | Step::LookThenPost) => {
                    step = Step::Post;
                    continue;
                }
                (Ok(None), Step::LookLast) => {
                    let cause = lost.expect("one looks for the last time after a post that failed");
                    // The other side has agreed to it, and still it is not there.
                    let doubtful = matches!(cause, CallError::Misunderstood { .. });
                    return Err(PostError::Failed { cause, doubtful });
                }
                (Err(failure), _) => failure,
            };
            let rule = failure.rule();
            if rule == Rule::Renew && !renewed {
                renewed = true;
                if let Ok(fresh) = self.renew(conversation, &bearer, patience.left(self.clock.now())).await {
                    bearer = fresh;
                    continue;
                }
            }
            let wait = match rule {
                Rule::GiveUp | Rule::Renew => None,
                Rule::LookOnly if step == Step::Post => {
                    (step, lost) = (Step::LookLast, Some(failure));
                    continue;
                }
                Rule::Repeat | Rule::LookFirst | Rule::LookOnly => {
                    patience.next(failure.retry_after(), self.clock.now(), || self.ids.fresh())
                }
            };
            match (wait, rule, step) {
                (Some(wait), ..) => {
                    self.clock.wait(wait).await;
                    if rule == Rule::LookFirst && step == Step::Post {
                        (step, lost) = (Step::LookThenPost, Some(failure));
                    }
                }
                (None, Rule::LookFirst, Step::Post) => (step, lost) = (Step::LookLast, Some(failure)),
                (None, ..) => {
                    let doubtful = lost.is_some() && step != Step::Post;
                    let cause = lost.filter(|_| doubtful).unwrap_or(failure);
                    return Err(PostError::Failed { cause, doubtful });
                }
            }
        }
    }

    async fn submit(
        &self,
        conversation: &ConversationName,
        outgoing: &Outgoing,
        bearer: &Secret,
        patience: &RetryBudget<'_>,
    ) -> Result<(ActivityId, bool), CallError> {
        let mut request =
            Request::new(Method::POST, self.url.call(&["conversations", conversation.as_str(), "activities"]));
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(outgoing.body.clone().into());
        let answered = self.call(request, bearer, patience.left(self.clock.now())).await?;
        let id = wire::posted(&answered.fetched.body).map_err(|reason| answered.misunderstood(reason))?;
        Ok((id, answered.is_by_citewire()))
    }

    /// A fresh credential: for a token its successor; for a secret, which some servers take for few calls only, a token
    /// of the conversation, which the call for reconnecting gives.
    async fn renew(
        &self,
        conversation: &ConversationName,
        bearer: &Secret,
        left: Duration,
    ) -> Result<Secret, CallError> {
        match self.session.credential() {
            Credential::Token(_) => {
                // Another task may have been quicker.
                let current = self.session.bearer();
                if current != *bearer { Ok(current) } else { self.refresh(bearer, left).await }
            }
            Credential::Secret(_) => {
                let request = Request::new(Method::GET, self.url.call(&["conversations", conversation.as_str()]));
                Ok(self.ask_for_token(request, bearer, left).await?.bearer)
            }
        }
    }

    async fn refresh(&self, bearer: &Secret, left: Duration) -> Result<Secret, CallError> {
        let request = Request::new(Method::POST, self.url.call(&["tokens", "refresh"]));
        let renewed = self.ask_for_token(request, bearer, left).await?;
        self.session.take(&renewed, self.clock.now());
        Ok(renewed.bearer)
    }

    async fn ask_for_token(&self, request: Request, bearer: &Secret, left: Duration) -> Result<Renewed, CallError> {
        let answered = self.call(request, bearer, left).await?;
        wire::renewed(&answered.fetched.body).map_err(|reason| answered.misunderstood(reason))
    }

    /// Renews the token when half of its time is over, so that it is good whenever it is needed. To be called from time to
    /// time; says whether there was something to do.
    ///
    /// # Errors
    /// When the token is due and cannot be renewed.
    pub async fn keep_fresh(&self) -> Result<bool, CallError> {
        if !self.session.is_due(self.clock.now()) {
            return Ok(false);
        }
        match self.refresh(&self.session.bearer(), self.retry.total).await {
            Ok(_) => Ok(true),
            Err(error) => {
                self.session.put_off(self.clock.now());
                Err(error)
            }
        }
    }

    /// Makes one call, which is over when `left` is.
    pub(super) async fn call(
        &self,
        mut request: Request,
        bearer: &Secret,
        left: Duration,
    ) -> Result<Answered, CallError> {
        let method = if request.method() == Method::GET { "GET" } else { "POST" };
        let call = Call { method, url: request.url().to_string() };
        request.headers_mut().insert(AUTHORIZATION, authorization(bearer));
        *request.timeout_mut() = Some(left.min(self.http.options().total_timeout));
        let fetched = match self.http.fetch(request).await {
            Ok(fetched) => fetched,
            Err(cause) => return Err(CallError::NoAnswer { call, cause }),
        };
        if fetched.status.is_success() {
            return Ok(Answered { call, fetched });
        }
        let words = wire::refusal(&fetched.body, bearer);
        let retry_after = self.asked_to_wait(&fetched.headers);
        Err(CallError::Refused { call, status: fetched.status.as_u16(), words, retry_after })
    }

    fn asked_to_wait(&self, headers: &HeaderMap) -> Option<Duration> {
        retry_after(headers.get(RETRY_AFTER)?.to_str().ok()?, self.clock.now())
    }

    pub(super) fn address(&self, parts: &[&str]) -> reqwest::Url {
        self.url.call(parts)
    }

    pub(super) fn left(&self, patience: &RetryBudget<'_>) -> Duration {
        patience.left(self.clock.now())
    }
}

fn authorization(bearer: &Secret) -> HeaderValue {
    let mut value =
        HeaderValue::from_str(&format!("Bearer {}", bearer.expose())).expect("a secret can stand in a header");
    value.set_sensitive(true);
    value
}

/// One name for one key in one conversation, from which the key cannot be read.
fn name_of(conversation: &ConversationName, key: &str) -> String {
    let digest = digest::digest(&digest::SHA256, format!("{conversation}\n{key}").as_bytes());
    digest.as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
