//! The envelope of a chat completion, which both outputs for chat clients use.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::answer::TokenCounts;

/// The members that all chunks of one completion share. The caller supplies the time and makes the id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The id of the completion.
    pub id: String,
    /// When it was made, in seconds since 1970.
    pub created: u64,
    /// The model that the client asked for.
    pub model: String,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model ended it.
    Stop,
    /// It reached a length limit.
    Length,
    /// It is withheld.
    ContentFilter,
}

/// The token counts of a completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Tokens of the answer.
    pub completion_tokens: usize,
    /// The sum.
    pub total_tokens: usize,
    /// Whether a count is an estimate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// The context window of the model in tokens, if the operator configured it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
}

impl Usage {
    /// The provider's counts; the estimates `prompt_tokens` and `completion_tokens` replace those that are missing.
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

/// The `finish_reason` of an answer: `stop`, or null if it broke off.
pub(super) fn finish_reason(complete: bool) -> Value {
    if complete { "stop".into() } else { Value::Null }
}

/// `choices` of a whole completion.
pub(super) fn message_choices(content: &str, complete: bool) -> Value {
    let message = json!({"role": "assistant", "content": content});
    json!([{"index": 0, "message": message, "finish_reason": finish_reason(complete)}])
}

/// `choices` of a whole completion with this finish reason and `logprobs`.
pub(super) fn ended_choices(content: &str, finish_reason: Option<FinishReason>) -> Value {
    let message = json!({"role": "assistant", "content": content});
    json!([{"index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason}])
}

impl Completion {
    /// A chunk of a stream with these `choices`.
    pub(super) fn chunk(&self, choices: Value) -> Map<String, Value> {
        self.object("chat.completion.chunk", choices)
    }

    /// A whole completion.
    pub(super) fn whole(&self, content: &str, complete: bool) -> Map<String, Value> {
        self.object("chat.completion", message_choices(content, complete))
    }

    /// The first chunk of a stream, which holds the role `assistant` and no text.
    #[must_use]
    pub fn role_chunk(&self) -> Map<String, Value> {
        self.delta(&json!({"role": "assistant", "content": ""}), None)
    }

    /// A chunk with a piece of the text.
    #[must_use]
    pub fn content_chunk(&self, text: &str) -> Map<String, Value> {
        self.delta(&json!({"content": text}), None)
    }

    /// The chunk with the finish reason.
    #[must_use]
    pub fn finish_chunk(&self, finish_reason: FinishReason) -> Map<String, Value> {
        self.delta(&json!({}), Some(finish_reason))
    }

    /// The chunk behind the finish chunk, with the token counts and no choice.
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
