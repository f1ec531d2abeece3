//! Claude Messages.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::chat::messages;
use super::interface::{Interface, Question, put, put_if};
use super::listing::{Listed, documents, listed};
use super::translation::Cites;
use super::{Address, AnswerFormat, Ask, CallLimits, Listing, ListingStyle};
use crate::answer::Source;
use crate::ingest::Provider;
use crate::prompt::passage;

/// The settings of a back end of the kind `anthropic`.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnthropicOptions {
    /// The URL, with or without `/v1/messages`.
    #[serde(default = "anthropic")]
    #[schema(value_type = String)]
    pub url: Address,
    /// The name of the model.
    pub model: String,
    /// The environment variable with the API key. citewire sends the key as `x-api-key`.
    pub key_env: Option<String>,
    /// The API version, sent as `anthropic-version`.
    #[serde(default = "version")]
    pub version: String,
    /// The tools, in the format of the API: `{ type = "web_search_20250305", name = "web_search" }`. A model without
    /// tools gets passages from citewire.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub tools: Vec<Map<String, Value>>,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// The longest answer, in tokens. The API requires it.
    #[serde(default = "max_tokens")]
    pub max_tokens: u32,
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
    /// How the model gets passages: as documents that it cites by itself, unless `style` selects a list in the prompt.
    #[serde(default)]
    pub sources: Listing,
    /// Time limits, size limit and retries.
    #[serde(default)]
    pub limits: CallLimits,
}

fn anthropic() -> Address {
    Address::known("https://api.anthropic.com")
}

fn version() -> String {
    "2023-06-01".to_owned()
}

fn max_tokens() -> u32 {
    4096
}

/// The longest title of a document, in characters.
const LONGEST_TITLE: usize = 200;

impl Interface for AnthropicOptions {
    fn kind(&self) -> &'static str {
        "anthropic"
    }

    fn retrieves(&self) -> bool {
        !self.tools.is_empty()
    }

    fn format(&self) -> AnswerFormat {
        AnswerFormat::Of(Provider::Anthropic)
    }

    fn question(&self, ask: &Ask) -> Question {
        let as_documents = self.sources.style == ListingStyle::Auto && ask.citations && !ask.sources.is_empty();
        let (Listed { system, sources }, cites) = if as_documents {
            let system = ask.instructions.clone().unwrap_or_default();
            (Listed { system, sources: documents(ask, &self.sources) }, Cites::Documents)
        } else {
            (listed(ask, &self.sources), Cites::ByNumbers)
        };
        let mut said = messages("", &ask.turns);
        if let Some(question) = said.last_mut().filter(|_| cites == Cites::Documents && !sources.is_empty()) {
            let text = json!({"type": "text", "text": question["content"].take()});
            let content: Vec<Value> = sources.iter().map(document).chain([text]).collect();
            question["content"] = content.into();
        }
        let mut body = json!({
            "model": self.model,
            "max_tokens": self.max_tokens,
            "messages": said,
            "stream": true,
        });
        put_if(&mut body, "system", Some(system.trim_end()).filter(|system| !system.is_empty()));
        put_if(&mut body, "temperature", self.temperature);
        if !self.tools.is_empty() && !ask.plain {
            body["tools"] = json!(self.tools);
        }
        put(&mut body, &self.body);
        Question { body, given: sources, cites }
    }
}

/// A passage as a document that can be cited.
fn document(source: &Source) -> Value {
    let text = json!({"type": "text", "media_type": "text/plain", "data": passage(source)});
    let mut document = json!({"type": "document", "source": text, "citations": {"enabled": true}});
    let title = source.display_title().map(|title| {
        let words = title.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ").chars().take(LONGEST_TITLE).collect::<String>()
    });
    put_if(&mut document, "title", title);
    document
}
