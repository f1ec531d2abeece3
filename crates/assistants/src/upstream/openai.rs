//! OpenAI chat completions, and services with the same interface.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::chat::messages;
use super::interface::{Interface, Question, put, put_if};
use super::listing::listed;
use super::translation::Cites;
use super::{Address, AnswerFormat, Ask, CallLimits, Listing};

/// The settings of a back end of the kind `openai`: chat completions.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenAiOptions {
    /// The URL, with or without `/chat/completions`.
    #[serde(default = "openai")]
    #[schema(value_type = String)]
    pub url: Address,
    /// The name of the model.
    pub model: String,
    /// The environment variable with the API key. citewire sends the key as `Authorization: Bearer`.
    pub key_env: Option<String>,
    /// The answer format of a back end that searches by itself, such as `perplexity` or `openwebui`. Without this setting the
    /// back end gets passages from citewire.
    #[schema(value_type = Option<String>)]
    pub from: Option<AnswerFormat>,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// The longest answer, in tokens; sent as `max_tokens`.
    pub max_tokens: Option<u32>,
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
    /// How citewire lists passages in the prompt.
    #[serde(default)]
    pub sources: Listing,
    /// Time limits, size limit and retries.
    #[serde(default)]
    pub limits: CallLimits,
}

fn openai() -> Address {
    Address::known("https://api.openai.com/v1")
}

impl Interface for OpenAiOptions {
    fn kind(&self) -> &'static str {
        "openai"
    }

    fn retrieves(&self) -> bool {
        self.from.is_some()
    }

    fn format(&self) -> AnswerFormat {
        self.from.clone().unwrap_or_default()
    }

    fn question(&self, ask: &Ask) -> Question {
        let listed = listed(ask, &self.sources);
        let mut body = json!({
            "model": self.model,
            "messages": messages(&listed.system, &ask.turns),
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        put_if(&mut body, "temperature", self.temperature);
        put_if(&mut body, "max_tokens", self.max_tokens);
        put(&mut body, &self.body);
        Question { body, given: listed.sources, cites: Cites::ByNumbers }
    }
}
