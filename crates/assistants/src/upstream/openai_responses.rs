//! OpenAI Responses.

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

/// The settings of a back end of the kind `openai-responses`.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenAiResponsesOptions {
    /// The URL, with or without `/responses`.
    #[serde(default = "openai")]
    #[schema(value_type = String)]
    pub url: Address,
    /// The name of the model.
    pub model: String,
    /// The environment variable with the API key. citewire sends the key as `Authorization: Bearer`.
    pub key_env: Option<String>,
    /// The tools, in the format of the API: `{ type = "web_search" }`, `{ type = "file_search", vector_store_ids = [ … ] }`.
    /// A model without tools gets passages from citewire.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub tools: Vec<Map<String, Value>>,
    /// Additional output to request. citewire always requests the results of a file search, because citations do not contain
    /// the passages.
    #[serde(default)]
    pub include: Vec<String>,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// The longest answer, in tokens.
    pub max_output_tokens: Option<u32>,
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

/// The member for the passages that a file search found.
const FILE_RESULTS: &str = "file_search_call.results";

impl Interface for OpenAiResponsesOptions {
    fn kind(&self) -> &'static str {
        "openai-responses"
    }

    fn retrieves(&self) -> bool {
        !self.tools.is_empty()
    }

    fn format(&self) -> AnswerFormat {
        AnswerFormat::Of(Provider::OpenAiResponses)
    }

    fn question(&self, ask: &Ask) -> Question {
        let listed = listed(ask, &self.sources);
        let mut body = json!({
            "model": self.model,
            "input": messages("", &ask.turns),
            "stream": true,
            // Nothing is kept there unless the options say so.
            "store": false,
        });
        put_if(&mut body, "instructions", Some(listed.system).filter(|system| !system.is_empty()));
        put_if(&mut body, "temperature", self.temperature);
        put_if(&mut body, "max_output_tokens", self.max_output_tokens);
        if !self.tools.is_empty() && !ask.plain {
            body["tools"] = json!(self.tools);
        }
        let mut include = self.include.clone();
        let searches_files = self.tools.iter().any(|tool| tool.get("type").is_some_and(|kind| kind == "file_search"));
        if searches_files && !include.iter().any(|part| part == FILE_RESULTS) {
            include.push(FILE_RESULTS.to_owned());
        }
        if !include.is_empty() {
            body["include"] = json!(include);
        }
        put(&mut body, &self.body);
        Question { body, given: listed.sources, cites: Cites::ByNumbers }
    }
}
