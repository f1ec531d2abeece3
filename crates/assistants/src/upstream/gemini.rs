//! Gemini, `generateContent`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;
use utoipa::ToSchema;

use super::interface::{Interface, Question, put, put_if};
use super::listing::listed;
use super::translation::Cites;
use super::turns::alternating;
use super::{Address, AnswerFormat, Ask, CallLimits, Listing, Speaker};
use crate::ingest::Provider;

/// The settings of a back end of the kind `gemini`.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GeminiOptions {
    /// The URL: up to `/models`, or complete, up to `:streamGenerateContent`.
    #[serde(default = "google")]
    #[schema(value_type = String)]
    pub url: Address,
    /// The name of the model.
    pub model: String,
    /// The environment variable with the API key. citewire sends the key as `x-goog-api-key`.
    pub key_env: Option<String>,
    /// The tools, in the format of the API: `{ google_search = {} }`. A model without tools gets passages from citewire.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub tools: Vec<Map<String, Value>>,
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

fn google() -> Address {
    Address::known("https://generativelanguage.googleapis.com/v1beta")
}

/// The method that makes an answer a stream.
const STREAM: &str = ":streamGenerateContent";

impl GeminiOptions {
    /// Where the model answers with server-sent events.
    pub(super) fn url(&self) -> Option<Url> {
        let mut url = self.url.url().clone();
        if !url.path().ends_with(STREAM) {
            let model = self.model.trim_start_matches("models/");
            url.path_segments_mut().ok()?.pop_if_empty().extend(["models", &format!("{model}{STREAM}")]);
        }
        let has_form = url.query_pairs().any(|(name, _)| name == "alt");
        if !has_form {
            url.query_pairs_mut().append_pair("alt", "sse");
        }
        Some(url)
    }
}

impl Interface for GeminiOptions {
    fn kind(&self) -> &'static str {
        "gemini"
    }

    fn retrieves(&self) -> bool {
        !self.tools.is_empty()
    }

    fn format(&self) -> AnswerFormat {
        AnswerFormat::Of(Provider::Gemini)
    }

    fn question(&self, ask: &Ask) -> Question {
        let listed = listed(ask, &self.sources);
        let said = alternating(&ask.turns).into_iter().map(|turn| {
            let role = match turn.speaker {
                Speaker::User => "user",
                Speaker::Assistant => "model",
            };
            json!({"role": role, "parts": [{"text": turn.text}]})
        });
        let mut body = json!({ "contents": said.collect::<Vec<_>>() });
        if !listed.system.is_empty() {
            body["systemInstruction"] = json!({"parts": [{"text": listed.system}]});
        }
        if !self.tools.is_empty() && !ask.plain {
            body["tools"] = json!(self.tools);
        }
        let mut config = json!({});
        put_if(&mut config, "temperature", self.temperature);
        put_if(&mut config, "maxOutputTokens", self.max_output_tokens);
        if config != json!({}) {
            body["generationConfig"] = config;
        }
        put(&mut body, &self.body);
        Question { body, given: listed.sources, cites: Cites::ByNumbers }
    }
}
