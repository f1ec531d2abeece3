//! OpenAI chat completions, and everything that speaks them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::chat::messages;
use super::interface::{Interface, Question, put, put_if};
use super::listing::listed;
use super::translation::Cites;
use super::{Address, AnswerFormat, Ask, CallLimits, Listing};
use crate::ingest::Provider;

/// What can be set about a back end of the kind `openai`: chat completions.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct OpenAiOptions {
    /// The address, with or without `/chat/completions`.
    #[serde(default = "openai")]
    #[schema(value_type = String)]
    pub url: Address,
    /// The model.
    pub model: String,
    /// The variable of the environment that holds the key, which goes out as `Authorization: Bearer`.
    pub key_env: Option<String>,
    /// The format of the answers of a back end that looks for sources itself, such as `perplexity` or `openwebui`. One
    /// without it is given passages.
    #[schema(value_type = Option<String>)]
    pub from: Option<AnswerFormat>,
    /// How much the answers vary.
    pub temperature: Option<f64>,
    /// The longest answer, in tokens of the model; sent as `max_tokens`.
    pub max_tokens: Option<u32>,
    /// More headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// More headers, each with the variable of the environment that holds its value.
    #[serde(default)]
    pub headers_env: BTreeMap<String, String>,
    /// More members of the body.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub body: Map<String, Value>,
    /// How passages are listed.
    #[serde(default)]
    pub sources: Listing,
    /// How long it may take, and how much it may say.
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

    fn format(&self) -> Option<Provider> {
        self.from.unwrap_or_default().provider()
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
