//! The envelope of a chat completion, in which both outputs for chat clients travel.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::answer::TokenCounts;

/// What the chunks of one completion have in common. The caller knows the time and makes the id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The id of the completion.
    pub id: String,
    /// When it was made, in seconds since 1970.
    pub created: u64,
    /// The model that the client asked for.
    pub model: String,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// By itself.
    Stop,
    /// It was cut.
    Length,
    /// It is not shown.
    ContentFilter,
}

/// How many tokens a completion took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Of what was asked.
    pub prompt_tokens: usize,
    /// Of the answer.
    pub completion_tokens: usize,
    /// Of both.
    pub total_tokens: usize,
    /// Whether a count is not the provider's own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// How many tokens the model takes at once, where the operator says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
}

impl Usage {
    /// What the provider counted; `prompt_tokens` and `completion_tokens` are estimates for what it does not tell.
    #[must_use]
    pub fn of(counted: TokenCounts, prompt_tokens: usize, completion_tokens: usize) -> Self {
        let given =
            |count: Option<u64>, estimate| count.and_then(|count| usize::try_from(count).ok()).unwrap_or(estimate);
        let (prompt, completion) = (given(counted.prompt, prompt_tokens), given(counted.completion, completion_tokens));
        Self {
            prompt_tokens: prompt,
            completion_tokens: completion,
            total_tokens: given(counted.total, prompt.saturating_add(completion)),
            estimated: counted.prompt.is_none() || counted.completion.is_none(),
            context_window: None,
        }
    }
}

/// The members that say how an answer ended.
pub(super) fn finish_reason(complete: bool) -> Value {
    if complete { "stop".into() } else { Value::Null }
}

/// `choices` of a whole answer.
pub(super) fn message_choices(content: &str, complete: bool) -> Value {
    let message = json!({"role": "assistant", "content": content});
    json!([{"index": 0, "message": message, "finish_reason": finish_reason(complete)}])
}

/// `choices` of a whole answer that ended like this.
pub(super) fn ended_choices(content: &str, finish_reason: Option<FinishReason>) -> Value {
    let message = json!({"role": "assistant", "content": content});
    json!([{"index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason}])
}

impl Completion {
    /// A chunk of a stream with these `choices`.
    pub(super) fn chunk(&self, choices: Value) -> Map<String, Value> {
        self.object("chat.completion.chunk", choices)
    }

    /// A whole answer.
    pub(super) fn whole(&self, content: &str, complete: bool) -> Map<String, Value> {
        self.object("chat.completion", message_choices(content, complete))
    }

    /// The first chunk of a stream, which says who speaks.
    #[must_use]
    pub fn role_chunk(&self) -> Map<String, Value> {
        self.delta(&json!({"role": "assistant", "content": ""}), None)
    }

    /// A chunk with a piece of the text.
    #[must_use]
    pub fn content_chunk(&self, text: &str) -> Map<String, Value> {
        self.delta(&json!({"content": text}), None)
    }

    /// The chunk that says how the answer ended.
    #[must_use]
    pub fn finish_chunk(&self, finish_reason: FinishReason) -> Map<String, Value> {
        self.delta(&json!({}), Some(finish_reason))
    }

    /// The chunk behind the end that says what the answer took.
    #[must_use]
    pub fn usage_chunk(&self, usage: Usage) -> Map<String, Value> {
        let mut chunk = self.chunk(json!([]));
        chunk.insert("usage".into(), json!(usage));
        chunk
    }

    fn delta(&self, delta: &Value, finish_reason: Option<FinishReason>) -> Map<String, Value> {
        self.chunk(json!([{"index": 0, "delta": delta, "finish_reason": finish_reason}]))
    }

    fn object(&self, object: &str, choices: Value) -> Map<String, Value> {
        let Self { id, created, model } = self;
        let members = [
            ("id", json!(id)),
            ("object", json!(object)),
            ("created", json!(created)),
            ("model", json!(model)),
            ("choices", choices),
        ];
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
