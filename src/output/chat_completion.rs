//! The envelope of a chat completion, in which both outputs for chat clients travel.

use serde_json::{Map, Value, json};

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

/// The members that say how an answer ended.
pub(super) fn finish_reason(complete: bool) -> Value {
    if complete { "stop".into() } else { Value::Null }
}

/// `choices` of a whole answer.
pub(super) fn message_choices(content: &str, complete: bool) -> Value {
    let message = json!({"role": "assistant", "content": content});
    json!([{"index": 0, "message": message, "finish_reason": finish_reason(complete)}])
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
