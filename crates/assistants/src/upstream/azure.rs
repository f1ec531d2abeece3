//! Azure OpenAI On Your Data: chat completions that search an index.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;
use utoipa::ToSchema;

use super::chat::messages;
use super::interface::{Interface, Question, put, put_if};
use super::keys::Keys;
use super::{Address, AnswerFormat, Ask, CallLimits};
use crate::ingest::Provider;
use crate::secret::Secret;

/// The settings of a back end of the kind `azure`.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AzureOptions {
    /// The endpoint of the Azure OpenAI resource: `https://NAME.openai.azure.com`.
    #[schema(value_type = String)]
    pub endpoint: Address,
    /// The name of the model deployment.
    pub deployment: String,
    /// The API version.
    #[serde(default = "api_version")]
    pub api_version: String,
    /// The environment variable with the API key. citewire sends the key as `api-key`.
    pub key_env: Option<String>,
    /// The endpoint of the search service: `https://NAME.search.windows.net`.
    #[schema(value_type = Option<String>)]
    pub search_endpoint: Option<Address>,
    /// The environment variable with the key of the search service. Without a key, the resource authenticates with its managed
    /// identity.
    pub search_key_env: Option<String>,
    /// The name of the search index.
    pub index: Option<String>,
    /// The mapping of index fields. It does not change the member names in answers.
    pub fields_mapping: Option<FieldsMapping>,
    /// Whether citewire requests all retrieved documents, which have the scores.
    #[serde(default = "yes")]
    pub scores: bool,
    /// Additional context to request. citewire adds the contexts that `scores` needs.
    pub include_contexts: Option<OneOrMore>,
    /// How many documents the model gets.
    pub top_n_documents: Option<u32>,
    /// How strictly documents are filtered by relevance, from 1 to 5.
    pub strictness: Option<u32>,
    /// Whether the model answers only from the documents.
    pub in_scope: Option<bool>,
    /// The instructions for the model about its role.
    pub role_information: Option<String>,
    /// The search type: `simple`, `semantic`, `vector`, `vector_simple_hybrid`, `vector_semantic_hybrid`.
    pub query_type: Option<String>,
    /// The name of the semantic configuration of the index.
    pub semantic_configuration: Option<String>,
    /// The embedding deployment that turns questions into vectors.
    pub embedding_deployment: Option<String>,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// The longest answer, in tokens.
    pub max_tokens: Option<u32>,
    /// Additional request headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Additional request headers, each with the environment variable that contains its value.
    #[serde(default)]
    pub headers_env: BTreeMap<String, String>,
    /// Additional members of the request body. `data_sources` replaces the configured index.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub body: Map<String, Value>,
    /// Time limits, size limit and retries.
    #[serde(default)]
    pub limits: CallLimits,
}

/// The mapping of index fields.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FieldsMapping {
    /// The fields with the text.
    pub content_fields: Option<Vec<String>>,
    /// The separator between the texts of several fields.
    pub content_fields_separator: Option<String>,
    /// The field with the title.
    pub title_field: Option<String>,
    /// The field with the URL.
    pub url_field: Option<String>,
    /// The field with the file name.
    pub filepath_field: Option<String>,
    /// The fields with vectors.
    pub vector_fields: Option<Vec<String>>,
}

/// One value, or a list of values.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum OneOrMore {
    /// One value.
    One(String),
    /// A list of values.
    More(Vec<String>),
}

fn api_version() -> String {
    "2024-10-21".to_owned()
}

fn yes() -> bool {
    true
}

/// The members that carry the scores of documents.
const WITH_SCORES: [&str; 2] = ["citations", "all_retrieved_documents"];

impl AzureOptions {
    /// Where the deployment answers.
    pub(super) fn url(&self) -> Option<Url> {
        let mut url = self.endpoint.url().clone();
        let path = ["openai", "deployments", &self.deployment, "chat", "completions"];
        url.path_segments_mut().ok()?.pop_if_empty().extend(path);
        url.query_pairs_mut().append_pair("api-version", &self.api_version);
        Some(url)
    }

    /// Whether the body has data sources of its own.
    pub(super) fn has_own_sources(&self) -> bool {
        self.body.get("data_sources").is_some_and(|sources| !sources.is_null())
    }

    /// Where the section names neither an index nor data sources, those of the environment: a JSON text that functions for
    /// Open WebUI read, with the keys of the sources in it.
    pub(super) fn take_sources_of_environment(&mut self, keys: &mut Keys<'_>) {
        let names_some = self.has_own_sources() || self.search_endpoint.is_some() || self.index.is_some();
        let Some(text) = keys.variable(DATA_SOURCES).filter(|_| !names_some) else { return };
        match serde_json::from_str::<Value>(text) {
            Ok(sources @ (Value::Array(_) | Value::Object(_))) if !listed(sources.clone()).is_empty() => {
                keys.secrets.extend(keys_in(&sources));
                self.body.insert("data_sources".to_owned(), sources);
            }
            Ok(_) | Err(_) => keys.impossible(DATA_SOURCES, "a list of data sources in JSON is required, or one"),
        }
    }

    fn index(&self, search_key: Option<&Secret>) -> Value {
        let authentication = match search_key {
            Some(key) => json!({"type": "api_key", "key": key.expose()}),
            None => json!({"type": "system_assigned_managed_identity"}),
        };
        let mut parameters = json!({ "authentication": authentication });
        let endpoint = self.search_endpoint.as_ref().map(|endpoint| endpoint.url().as_str().trim_end_matches('/'));
        put_if(&mut parameters, "endpoint", endpoint);
        put_if(&mut parameters, "index_name", self.index.as_deref());
        put_if(&mut parameters, "fields_mapping", self.fields_mapping.as_ref().map(FieldsMapping::json));
        put_if(&mut parameters, "include_contexts", self.include_contexts.as_ref().map(OneOrMore::json));
        put_if(&mut parameters, "top_n_documents", self.top_n_documents);
        put_if(&mut parameters, "strictness", self.strictness);
        put_if(&mut parameters, "in_scope", self.in_scope);
        put_if(&mut parameters, "role_information", self.role_information.as_deref());
        put_if(&mut parameters, "query_type", self.query_type.as_deref());
        put_if(&mut parameters, "semantic_configuration", self.semantic_configuration.as_deref());
        let embedding = self.embedding_deployment.as_deref();
        let embedding = embedding.map(|name| json!({"type": "deployment_name", "deployment_name": name}));
        put_if(&mut parameters, "embedding_dependency", embedding);
        json!({"type": "azure_search", "parameters": parameters})
    }
}

impl FieldsMapping {
    fn json(&self) -> Value {
        let Self { content_fields, content_fields_separator, title_field, url_field, filepath_field, vector_fields } =
            self;
        let mut mapping = json!({});
        put_if(&mut mapping, "content_fields", content_fields.as_ref().map(|fields| json!(fields)));
        put_if(&mut mapping, "content_fields_separator", content_fields_separator.as_deref());
        put_if(&mut mapping, "title_field", title_field.as_deref());
        put_if(&mut mapping, "url_field", url_field.as_deref());
        put_if(&mut mapping, "filepath_field", filepath_field.as_deref());
        put_if(&mut mapping, "vector_fields", vector_fields.as_ref().map(|fields| json!(fields)));
        mapping
    }
}

impl OneOrMore {
    fn json(&self) -> Value {
        match self {
            Self::One(one) => json!(one),
            Self::More(more) => json!(more),
        }
    }
}

/// The variable of the environment that holds data sources.
const DATA_SOURCES: &str = "AZURE_AI_DATA_SOURCES";

/// The keys with which data sources are opened: every text under `authentication` but its kind.
fn keys_in(sources: &Value) -> Vec<Secret> {
    fn collect(value: &Value, is_authentication: bool, into: &mut Vec<Secret>) {
        match value {
            Value::Object(members) => {
                for (name, value) in members.iter().filter(|(name, _)| *name != "type") {
                    collect(value, is_authentication || name == "authentication", into);
                }
            }
            Value::Array(list) => list.iter().for_each(|value| collect(value, is_authentication, into)),
            Value::String(text) if is_authentication => into.extend(Secret::issued(text).ok()),
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut keys = Vec::new();
    collect(sources, false, &mut keys);
    keys
}

/// Data sources as a list, those of Azure AI Search with everything that carries scores, where these are wanted; others
/// stay as they are.
fn data_sources(given: Value, scores: bool) -> Value {
    let mut list = listed(given);
    let searches = list.iter_mut().filter(|source| scores && source["type"] == "azure_search");
    for parameters in searches
        .filter_map(|source| source.as_object_mut()?.entry("parameters").or_insert_with(|| json!({})).as_object_mut())
    {
        let mut contexts = parameters.remove("include_contexts").map(listed).unwrap_or_default();
        contexts.extend(WITH_SCORES.map(Value::from));
        let mut once: Vec<Value> = Vec::new();
        for context in contexts {
            if !once.contains(&context) {
                once.push(context);
            }
        }
        parameters.insert("include_contexts".to_owned(), once.into());
    }
    list.into()
}

/// A list as it is; anything else as the one thing in a list, and `null` as nothing.
fn listed(given: Value) -> Vec<Value> {
    match given {
        Value::Array(list) => list,
        Value::Null => Vec::new(),
        one @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => vec![one],
    }
}

/// Azure OpenAI On Your Data with its keys.
pub(super) struct Azure {
    pub(super) options: AzureOptions,
    pub(super) search_key: Option<Secret>,
}

impl Interface for Azure {
    fn kind(&self) -> &'static str {
        "azure"
    }

    fn retrieves(&self) -> bool {
        true
    }

    fn format(&self) -> AnswerFormat {
        AnswerFormat::Of(Provider::AzureOnYourData)
    }

    fn question(&self, ask: &Ask) -> Question {
        let options = &self.options;
        let system = ask.instructions.as_deref().unwrap_or_default();
        let mut body = json!({ "messages": messages(system, &ask.turns), "stream": true });
        put_if(&mut body, "temperature", options.temperature);
        put_if(&mut body, "max_tokens", options.max_tokens);
        put(&mut body, &options.body);
        let given = if options.has_own_sources() {
            body["data_sources"].take()
        } else {
            options.index(self.search_key.as_ref())
        };
        body["data_sources"] = data_sources(given, options.scores);
        if let Some(members) = body.as_object_mut() {
            // The two are refused together.
            members.remove("stream_options");
            if ask.plain {
                members.remove("data_sources");
            }
        }
        Question::without_sources(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret_source::SecretSource;

    fn contexts(given: &Value) -> Value {
        let source = json!({"type": "azure_search", "parameters": {"index_name": "x", "include_contexts": given}});
        data_sources(source, true)[0]["parameters"]["include_contexts"].clone()
    }

    #[test]
    fn scores_come_with_all_documents_and_nothing_is_named_twice() {
        let all = json!(["citations", "all_retrieved_documents"]);
        assert_eq!(
            [contexts(&Value::Null), contexts(&json!([])), contexts(&json!("citations"))],
            [all.clone(), all.clone(), all]
        );
        assert_eq!(contexts(&json!("intent")), json!(["intent", "citations", "all_retrieved_documents"]));
        let twice = json!(["all_retrieved_documents", "intent", "all_retrieved_documents"]);
        assert_eq!(contexts(&twice), json!(["all_retrieved_documents", "intent", "citations"]));
    }

    #[test]
    fn other_sources_stay_and_one_may_stand_for_a_list() {
        let others = json!([{"type": "azure_cosmos_db", "parameters": {"include_contexts": "intent"}}, {"type": "azure_search"}]);
        let after = data_sources(others.clone(), true);
        assert_eq!(after[0], others[0]);
        assert_eq!(after[1]["parameters"]["include_contexts"], json!(["citations", "all_retrieved_documents"]));
        assert_eq!(data_sources(others.clone(), false), others);
        assert_eq!(data_sources(others[1].clone(), false), json!([{"type": "azure_search"}]));
    }

    fn taken(section: &str, variable: &str) -> (AzureOptions, Vec<String>, Vec<String>) {
        let environment = BTreeMap::from([(DATA_SOURCES.to_owned(), variable.to_owned())]);
        let environment = SecretSource::of_environment(environment);
        let section = format!("endpoint = 'https://x.openai.azure.com'\ndeployment = 'd'\n{section}");
        let mut options: AzureOptions = toml::from_str(&section).expect("a section");
        let mut keys = Keys::new(&environment);
        options.take_sources_of_environment(&mut keys);
        let secrets = keys.secrets.iter().map(|secret| secret.expose().to_owned()).collect();
        (options, secrets, keys.faults.iter().map(ToString::to_string).collect())
    }

    /// The users of functions for Open WebUI have their sources in one variable, and had to write them anew.
    #[test]
    fn data_sources_of_the_environment_are_taken_as_they_are() {
        let sources = json!([{"type": "azure_search", "parameters": {"endpoint": "https://x.search.windows.net", "index_name": "i",
            "authentication": {"type": "api_key", "key": "key-of-the-index"}}}]);
        let (options, secrets, faults) = taken("", &sources.to_string());
        assert_eq!(
            (&options.body["data_sources"], secrets, faults.len()),
            (&sources, vec!["key-of-the-index".to_owned()], 0)
        );
        let (options, ..) = taken("index = 'mine'", &sources.to_string());
        assert!(!options.has_own_sources(), "what the section says counts");
        for wrong in ["{}x", "\"index\"", "[]", "key-of-the-index"] {
            let (options, _, faults) = taken("", wrong);
            assert_eq!(
                faults,
                ["AZURE_AI_DATA_SOURCES: a list of data sources in JSON is required, or one"],
                "{wrong}"
            );
            assert!(!options.has_own_sources());
        }
    }
}
