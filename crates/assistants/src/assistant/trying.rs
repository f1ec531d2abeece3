//! Tries a back end, and says in words what keeps it from answering.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio::time::timeout;
use url::Url;

use super::AssistantManager;
use super::current::Current;
use super::manage_error::ManageError;
use super::{AssistantPlan, BackEnd};
use crate::answer::Answer;
use crate::answer_events::AnswerBroken;
use crate::secret::Secret;
use crate::secret_source::{EnteredKey, SecretSource};
use crate::upstream::{
    Address, Ask, CallProblem, ChatMessage, FailedCall, Reply, Speaker, Upstream, UpstreamError, UpstreamFault,
    failed_call, models,
};

/// The longest wait for the whole answer: whoever tries a back end looks on.
const WITHIN: Duration = Duration::from_secs(30);

/// The question to a back end that is tried.
const QUESTION: &str = "Answer with the single word: yes";

/// The characters of the answer that are shown.
const SHOWN: usize = 200;

/// The settings and the key with which a back end is tried, where these are not the stored ones.
#[derive(Debug, Default)]
pub struct Trying {
    /// Settings that are not stored yet.
    pub settings: Option<Map<String, Value>>,
    /// A key that is not stored yet.
    pub key: Option<Secret>,
}

/// The outcome of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Its duration.
    pub took: Duration,
    /// The beginning of the answer, or why there was none.
    pub outcome: Result<String, FailedCall>,
}

/// The parts of a trial that the lock is not needed for.
struct Ready {
    upstream: Arc<dyn Upstream>,
    address: Url,
    model: Option<String>,
    has_key: bool,
}

impl AssistantManager {
    /// Asks the back end of an assistant one short question; `None` without such an assistant.
    ///
    /// # Errors
    /// When the settings are invalid, or the assistant calls nobody. That the back end does not answer is no error.
    pub async fn try_back_end(&self, name: &str, trying: Trying) -> Result<Option<Trial>, ManageError> {
        let ready = {
            let current = self.current.lock().await;
            let current = current.as_ref().ok_or(ManageError::Starting)?;
            match self.made_ready(name, trying, current)? {
                Some(Ok(ready)) => ready,
                Some(Err(failed)) => return Ok(Some(Trial { took: Duration::ZERO, outcome: Err(failed) })),
                None => return Ok(None),
            }
        };
        let begun = Instant::now();
        let outcome = timeout(WITHIN, ready.ask()).await;
        let outcome = outcome.unwrap_or_else(|_| {
            let words = format!("{} did not answer within {} s", UpstreamFault::host(&ready.address), WITHIN.as_secs());
            Err(FailedCall::new(CallProblem::Slow, words))
        });
        Ok(Some(Trial { took: begun.elapsed(), outcome }))
    }

    /// The models of a service with chat completions at this address; `None` without such an assistant in the store. Its key goes along if
    /// it was entered for this address.
    ///
    /// # Errors
    /// When the assistant is part of the configuration, or calls to the address are not allowed. That nobody answers there is no error.
    pub async fn list_models(
        &self,
        name: &str,
        address: &Address,
    ) -> Result<Option<Result<Vec<String>, FailedCall>>, ManageError> {
        let (egress, key) = {
            let current = self.current.lock().await;
            let current = current.as_ref().ok_or(ManageError::Starting)?;
            current.check_is_stored(name)?;
            let Some(plan) = self.plan_of(name, current) else { return Ok(None) };
            let entered = plan.ok().and_then(|plan| current.entered_key(&plan).ok().flatten());
            let origin = address.url().origin().ascii_serialization();
            let key = entered.filter(|entered| entered.origin == origin).map(|entered| entered.secret);
            (current.configured.egress.clone(), key)
        };
        Ok(Some(models(address, key.as_ref(), &egress).await))
    }

    /// Judges where the name in the address of a back end leads, as far as it can be found now. Nothing is called.
    pub(super) async fn check_where_it_leads(
        &self,
        name: &str,
        settings: &Map<String, Value>,
    ) -> Result<(), ManageError> {
        let (plan, allow) = {
            let current = self.current.lock().await;
            let current = current.as_ref().ok_or(ManageError::Starting)?;
            current.check_is_stored(name)?;
            let secrets = current.configured.secrets.named_only();
            let plan = (self.read_settings)(name, settings, &secrets).map_err(ManageError::Invalid)?;
            (plan, current.configured.egress.allow.clone())
        };
        let BackEnd::Called(upstream) = &plan.back_end else { return Ok(()) };
        let Some(url) = upstream.url() else { return Ok(()) };
        allow.look_up(&url).await.map_err(|error| {
            let fault = UpstreamFault::of_egress("upstream.url", &url, error).to_string();
            let (key, reason) = fault.split_once(": ").unwrap_or(("upstream", &fault));
            ManageError::Invalid(vec![(key.to_owned(), reason.to_owned())])
        })
    }

    fn made_ready(
        &self,
        name: &str,
        trying: Trying,
        current: &Current,
    ) -> Result<Option<Result<Ready, FailedCall>>, ManageError> {
        let Trying { settings, key } = trying;
        let of_file = current.configured.plans.iter().find(|plan| plan.name == name);
        let is_trusted = of_file.is_some() && settings.is_none();
        let named = current.configured.secrets.named_only();
        let plan = match (settings, of_file, self.plan_of(name, current)) {
            (None, Some(plan), _) => plan.clone(),
            (None, None, Some(plan)) => plan?,
            (Some(settings), _, Some(_)) => {
                (self.read_settings)(name, &settings, &named).map_err(ManageError::Invalid)?
            }
            (_, _, None) => return Ok(None),
        };
        let entered = match (key, plan.key_origin()) {
            // The named one would be sent, and the outcome be taken for that of the given one.
            (Some(_), _) if plan.named_key().is_some() => return Err(ManageError::KeyNamed),
            (Some(key), Some(origin)) => Some(EnteredKey::new(key, origin)),
            (None, _) if is_trusted => None,
            // Settings that are not stored may name another address: the key stays here, and is not dropped.
            (None, origin) if current.keys.get(name).is_some_and(|key| origin.as_ref() != Some(&key.origin)) => None,
            _ => match current.entered_key(&plan) {
                Ok(entered) => entered,
                Err(words) => return Ok(Some(Err(FailedCall::new(CallProblem::Key, words)))),
            },
        };
        let has_key = entered.is_some() || plan.named_key().is_some();
        let secrets = if is_trusted { current.configured.secrets.clone() } else { named };
        ready(&plan, &secrets.with_entered(entered), is_trusted, has_key, current).map(|ready| Some(Ok(ready)))
    }
}

fn ready(
    plan: &AssistantPlan,
    secrets: &SecretSource,
    is_trusted: bool,
    has_key: bool,
    current: &Current,
) -> Result<Ready, ManageError> {
    let BackEnd::Called(options) = &plan.back_end else { return Err(ManageError::NoBackEnd) };
    let opening = current.configured.opening(secrets, &current.configured.egress, is_trusted);
    let upstream = options.clone().once().open(&opening.surroundings).map_err(|faults| {
        let keyed = faults.iter().map(|fault| ("upstream".to_owned(), fault.to_string()));
        ManageError::Invalid(keyed.collect())
    })?;
    let address = options.url().ok_or(ManageError::NoBackEnd)?;
    Ok(Ready { upstream, address, model: options.model().map(str::to_owned), has_key })
}

impl Ready {
    async fn ask(&self) -> Result<String, FailedCall> {
        let mut ask = Ask::new(vec![ChatMessage::new(Speaker::User, QUESTION)]);
        (ask.plain, ask.citations, ask.at_once) = (true, false, true);
        let explain = |error: &_| failed_call(error, &self.address, self.model.as_deref(), self.has_key);
        let reply = self.upstream.ask(ask).await.map_err(|error| explain(&error))?;
        let answer = match whole(reply).await {
            Ok(answer) => answer,
            Err(AnswerBroken::Source(error)) => return Err(explain(&error)),
            Err(AnswerBroken::Unreadable(error)) => return Err(self.unusable(&error.to_string())),
        };
        match (answer.text.trim(), answer.error) {
            (_, Some(error)) => Err(self.unusable(&error.to_string())),
            ("", None) => Err(self.unusable("it answered without words")),
            (text, None) => Ok(text.chars().take(SHOWN).collect()),
        }
    }

    fn unusable(&self, words: &str) -> FailedCall {
        let words = self.upstream.fit_to_be_logged(words, QUESTION);
        FailedCall::new(CallProblem::Unusable, format!("{}: {words}", UpstreamFault::host(&self.address)))
    }
}

async fn whole(mut reply: Reply) -> Result<Answer, AnswerBroken<UpstreamError>> {
    while let Some(step) = reply.events.next().await {
        step?;
    }
    reply.events.finish().map_err(AnswerBroken::Unreadable)
}
