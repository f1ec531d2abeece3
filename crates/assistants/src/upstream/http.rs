//! Any service that answers questions over HTTP.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::chat::messages;
use super::interface::{Interface, Question, put, put_if};
use super::{Address, AnswerFormat, Ask, CallLimits};

/// The settings of a back end of the kind `http`: a service that accepts `{"question", "messages", "conversation"}` and
/// responds in a format that citewire reads, complete or as a stream.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = HttpServiceOptions)]
pub struct HttpOptions {
    /// The URL.
    #[schema(value_type = String)]
    pub url: Address,
    /// The environment variable with the API key. citewire sends the key as `Authorization: Bearer`.
    pub key_env: Option<String>,
    /// The answer format.
    #[serde(default)]
    #[schema(value_type = String)]
    pub from: AnswerFormat,
    /// Additional request headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Additional request headers, each with the environment variable that contains its value.
    #[serde(default)]
    pub headers_env: BTreeMap<String, String>,
    /// Additional members of the request body.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub body: Map<String, Value>,
    /// Time limits, size limit and retries.
    #[serde(default)]
    pub limits: CallLimits,
}

impl Interface for HttpOptions {
    fn kind(&self) -> &'static str {
        "http"
    }

    fn retrieves(&self) -> bool {
        true
    }

    fn format(&self) -> AnswerFormat {
        self.from.clone()
    }

    fn question(&self, ask: &Ask) -> Question {
        let system = ask.instructions.as_deref().unwrap_or_default();
        let mut body = json!({ "question": ask.question(), "messages": messages(system, &ask.turns) });
        put_if(&mut body, "conversation", ask.conversation.as_deref());
        put(&mut body, &self.body);
        Question::without_sources(body)
    }
}
