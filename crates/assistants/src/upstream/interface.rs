//! The trait for the differences between HTTP back ends, and the back end built on it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use futures_util::stream::{self, StreamExt as _};
use serde_json::{Map, Value};

use super::endpoint::{Body, Endpoint, GRACE};
use super::first_words::awaited;
use super::translation::{Cites, Translation};
use super::{AnswerFormat, Ask, Reply, ReplyParts, Upstream, UpstreamError};
use crate::answer::Source;
use crate::answer_events::AnswerPart;
use crate::ingest;
use crate::prompt::estimate_tokens;

/// The differences between the kinds of HTTP back ends.
pub(super) trait Interface: Send + Sync {
    /// Whether it looks for sources itself.
    fn retrieves(&self) -> bool;

    /// Its kind, as the configuration names it.
    fn kind(&self) -> &'static str;

    /// The format of its answers.
    fn format(&self) -> AnswerFormat;

    /// The body of the call.
    fn question(&self, ask: &Ask) -> Question;
}

/// The body of a call, and the sources that the model can cite.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question {
    pub(super) body: Value,
    /// The sources behind the numbers that the model was given, from 1; empty where it was given none.
    pub(super) given: Vec<Source>,
    pub(super) cites: Cites,
}

impl Question {
    /// A question to somebody who looks for sources, or is not to cite any.
    pub(super) fn without_sources(body: Value) -> Self {
        Self { body, given: Vec::new(), cites: Cites::ByNumbers }
    }
}

/// A back end that is called over HTTP.
pub(super) struct HttpUpstream<I> {
    interface: I,
    /// The format of its answers.
    from: ingest::AnswerFormat,
    endpoint: Endpoint,
    /// Whether it has refused to say what an answer took.
    refuses_usage: AtomicBool,
}

/// The member that asks for what an answer took, and that some servers refuse.
const STREAM_OPTIONS: &str = "stream_options";

impl<I: Interface> HttpUpstream<I> {
    /// The back end that is asked like this, there.
    pub(super) fn new(interface: I, from: ingest::AnswerFormat, endpoint: Endpoint) -> Self {
        Self { interface, from, endpoint, refuses_usage: AtomicBool::new(false) }
    }

    /// Posts a body; once more without [`STREAM_OPTIONS`] where these are refused by name, and from then on never with them.
    async fn post(&self, mut body: Value, question: &str) -> Result<Body, UpstreamError> {
        let asks_for_usage = body.get(STREAM_OPTIONS).is_some();
        if asks_for_usage && self.refuses_usage.load(Ordering::Relaxed) {
            without_usage(&mut body);
        }
        match self.endpoint.post(&body, question).await {
            Err(UpstreamError::Status { status: 400 | 422, message, .. })
                if body.get(STREAM_OPTIONS).is_some() && message.contains(STREAM_OPTIONS) =>
            {
                self.refuses_usage.store(true, Ordering::Relaxed);
                without_usage(&mut body);
                self.endpoint.post(&body, question).await
            }
            answer => answer,
        }
    }
}

fn without_usage(body: &mut Value) {
    if let Value::Object(members) = body {
        members.remove(STREAM_OPTIONS);
    }
}

/// An estimate of the tokens of a body: of every text in it, but for where data lies and how to get at it.
fn tokens_of(body: &Value) -> usize {
    match body {
        Value::String(text) => estimate_tokens(text),
        Value::Array(list) => list.iter().map(tokens_of).sum(),
        Value::Object(members) => {
            members.iter().filter(|(name, _)| *name != "data_sources").map(|(_, member)| tokens_of(member)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

impl<I> fmt::Debug for HttpUpstream<I> {
    /// The endpoint alone: everything else that is sent to it may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpUpstream").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

#[async_trait]
impl<I: Interface> Upstream for HttpUpstream<I> {
    async fn ask(&self, mut ask: Ask) -> Result<Reply, UpstreamError> {
        if self.retrieves() {
            // It cites what it finds; numbers of others would mean something else.
            ask.sources.clear();
        }
        let Question { body, given, cites } = self.interface.question(&ask);
        let asked_tokens = Some(tokens_of(&body));
        let answer = self.post(body, ask.question()).await?;
        let from = self.from.clone();
        let answer = awaited(answer, &from, self.endpoint.limits.first_words(), self.endpoint.host());
        if given.is_empty() {
            return Ok(Reply { asked_tokens, ..Reply::new(from, answer) });
        }
        let (translation, first) = Translation::new(from, cites, &given);
        let parts = stream::iter([Ok(first)]).chain(translated(translation, answer));
        Ok(Reply { asked_tokens, ..Reply::of_events(parts.boxed()) })
    }

    fn retrieves(&self) -> bool {
        self.interface.retrieves()
    }

    fn kind(&self) -> &'static str {
        self.interface.kind()
    }

    fn host(&self) -> Option<&str> {
        Some(self.endpoint.host())
    }

    fn fit_to_be_logged(&self, words: &str, question: &str) -> String {
        self.endpoint.fit_to_be_shown(words, question)
    }
}

/// The parts that a model's answer becomes, each as soon as it is known.
fn translated(translation: Translation, answer: Body) -> ReplyParts {
    let parts = stream::unfold(Some((translation, answer)), |state| async move {
        let (mut translation, mut answer) = state?;
        if translation.has_ended() {
            return None;
        }
        let next = if translation.is_done() {
            // Figures follow, and a connection that ends by itself can be used again.
            tokio::time::timeout(GRACE, answer.next()).await.unwrap_or(None).filter(Result::is_ok)
        } else {
            answer.next().await
        };
        let part: AnswerPart = match next {
            Some(Ok(bytes)) => translation.push(&bytes),
            Some(Err(error)) => return Some((Err(error), None)),
            None => translation.finish(),
        };
        Some((Ok(part), Some((translation, answer))))
    });
    parts.boxed()
}

/// Puts members into an object; objects that both have are joined, and everything else gives way to what is put in.
pub(super) fn put(into: &mut Value, members: &Map<String, Value>) {
    let Value::Object(object) = into else { return };
    for (name, value) in members {
        match (object.get_mut(name), value) {
            (Some(known @ Value::Object(_)), Value::Object(more)) => put(known, more),
            _ => {
                object.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Puts a member into an object if there is one.
pub(super) fn put_if<T: Into<Value>>(into: &mut Value, name: &str, value: Option<T>) {
    if let Some(value) = value {
        into[name] = value.into();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_joined_and_the_last_word_counts() {
        let mut body = json!({"model": "m", "config": {"a": 1, "b": {"c": 2}}, "list": [1]});
        let more = json!({"model": "n", "config": {"b": {"d": 3}}, "list": [2], "new": null});
        put(&mut body, more.as_object().expect("an object"));
        assert_eq!(body, json!({"model": "n", "config": {"a": 1, "b": {"c": 2, "d": 3}}, "list": [2], "new": null}));
    }
}
