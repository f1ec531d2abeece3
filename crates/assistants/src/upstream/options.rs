//! The kinds of back ends, and how to open one.

use std::sync::Arc;

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde::de::DeserializeOwned;
use url::Url;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use super::azure::Azure;
use super::endpoint::Endpoint;
use super::interface::{HttpUpstream, Interface};
use super::keys::Keys;
use super::{
    AnthropicOptions, AzureOptions, CallLimits, GeminiOptions, HttpOptions, InvalidAddress, OpenAiOptions,
    OpenAiResponsesOptions, Upstream, UpstreamFault,
};
use crate::clock::{Clock, IdSource};
use crate::egress::{Client, EgressOptions};
use crate::ingest::{self, Mappings};
use crate::secret_source::SecretSource;

/// The options of a back end, by its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum UpstreamOptions {
    /// `openai`: chat completions.
    OpenAi(Box<OpenAiOptions>),
    /// `azure`: Azure OpenAI On Your Data.
    Azure(Box<AzureOptions>),
    /// `openai-responses`: OpenAI Responses.
    OpenAiResponses(Box<OpenAiResponsesOptions>),
    /// `gemini`: Gemini.
    Gemini(Box<GeminiOptions>),
    /// `anthropic`: Claude Messages.
    Anthropic(Box<AnthropicOptions>),
    /// `http`: any service that answers in a format that citewire reads.
    Http(Box<HttpOptions>),
}

/// Schemas with their names, by which other schemas refer to them.
pub type NamedSchemas = Vec<(String, RefOr<Schema>)>;

/// The parts that a back end needs from the process.
#[derive(Clone, Debug)]
pub struct Surroundings<'a> {
    /// Where keys are found by their names.
    pub secrets: &'a SecretSource,
    /// The formats that the configuration describes.
    pub formats: Mappings,
    /// Whether hosts that the section names may be called though they are private: the operator has written it.
    pub may_call_private_hosts: bool,
    /// How connections are made: hosts that are allowed, in the first place.
    pub egress: &'a EgressOptions,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn IdSource>,
}

impl UpstreamOptions {
    /// The kinds there are.
    pub const KINDS: [&str; 6] = ["openai", "azure", "openai-responses", "gemini", "anthropic", "http"];

    /// Reads the section of a back end of this kind, which holds everything but the kind.
    ///
    /// # Errors
    /// When there is no such kind, or a key is unknown, missing or of the wrong type: the first such fault.
    pub fn read(kind: &str, section: toml::Table) -> Result<Self, UpstreamFault> {
        fn of<T: DeserializeOwned>(section: toml::Table) -> Result<Box<T>, UpstreamFault> {
            let read = serde_path_to_error::deserialize(toml::Value::Table(section));
            read.map(Box::new).map_err(|error| UpstreamFault::Section {
                key: error.path().to_string(),
                reason: without_value(&error.inner().to_string()),
            })
        }
        match kind {
            "openai" => of(section).map(Self::OpenAi),
            "azure" => of(section).map(Self::Azure),
            "openai-responses" => of(section).map(Self::OpenAiResponses),
            "gemini" => of(section).map(Self::Gemini),
            "anthropic" => of(section).map(Self::Anthropic),
            "http" => of(section).map(Self::Http),
            given => Err(UpstreamFault::UnknownKind { given: given.to_owned(), known: Self::KINDS.join(", ") }),
        }
    }

    /// The schema of each kind's section, without the kind, after the schemas that it refers to.
    #[must_use]
    pub fn schemas() -> Vec<(&'static str, NamedSchemas)> {
        fn of<T: ToSchema>(kind: &'static str) -> (&'static str, NamedSchemas) {
            let mut schemas = Vec::new();
            T::schemas(&mut schemas);
            schemas.push((T::name().into_owned(), T::schema()));
            (kind, schemas)
        }
        vec![
            of::<OpenAiOptions>("openai"),
            of::<AzureOptions>("azure"),
            of::<OpenAiResponsesOptions>("openai-responses"),
            of::<GeminiOptions>("gemini"),
            of::<AnthropicOptions>("anthropic"),
            of::<HttpOptions>("http"),
        ]
    }

    /// Whether it looks for sources itself. One that does not is given some in [`Ask::sources`](super::Ask::sources).
    #[must_use]
    pub fn retrieves(&self) -> bool {
        match self {
            Self::OpenAi(options) => options.retrieves(),
            Self::Azure(_) => true,
            Self::OpenAiResponses(options) => options.retrieves(),
            Self::Gemini(options) => options.retrieves(),
            Self::Anthropic(options) => options.retrieves(),
            Self::Http(options) => options.retrieves(),
        }
    }

    /// The origin of the address that is called: `https://api.openai.com`; `None` if the parts of the address do not make one.
    #[must_use]
    pub fn origin(&self) -> Option<String> {
        self.url().map(|url| url.origin().ascii_serialization())
    }

    /// The address that is called, or the one below which the service is.
    #[must_use]
    pub fn url(&self) -> Option<Url> {
        match self {
            Self::OpenAi(options) => Some(options.url.url().clone()),
            Self::OpenAiResponses(options) => Some(options.url.url().clone()),
            Self::Gemini(options) => options.url(),
            Self::Anthropic(options) => Some(options.url.url().clone()),
            Self::Azure(options) => options.url(),
            Self::Http(options) => Some(options.url.url().clone()),
        }
    }

    /// The name of its model, where the settings have one.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::OpenAi(options) => Some(&options.model),
            Self::OpenAiResponses(options) => Some(&options.model),
            Self::Gemini(options) => Some(&options.model),
            Self::Anthropic(options) => Some(&options.model),
            Self::Azure(options) => Some(&options.deployment),
            Self::Http(_) => None,
        }
    }

    /// The secret that its settings name as its key.
    #[must_use]
    pub fn named_key(&self) -> Option<&str> {
        match self {
            Self::OpenAi(options) => options.key_env.as_deref(),
            Self::OpenAiResponses(options) => options.key_env.as_deref(),
            Self::Gemini(options) => options.key_env.as_deref(),
            Self::Anthropic(options) => options.key_env.as_deref(),
            Self::Azure(options) => options.key_env.as_deref(),
            Self::Http(options) => options.key_env.as_deref(),
        }
    }

    /// The same without repetitions of a call that failed.
    #[must_use]
    pub fn once(mut self) -> Self {
        let limits = match &mut self {
            Self::OpenAi(options) => &mut options.limits,
            Self::OpenAiResponses(options) => &mut options.limits,
            Self::Gemini(options) => &mut options.limits,
            Self::Anthropic(options) => &mut options.limits,
            Self::Azure(options) => &mut options.limits,
            Self::Http(options) => &mut options.limits,
        };
        limits.retries = 0;
        self
    }

    /// A back end with these options. Nothing is sent yet.
    ///
    /// # Errors
    /// When a key is not in the environment, or a value is impossible: with everything that is wrong.
    pub fn open(self, surroundings: &Surroundings<'_>) -> Result<Arc<dyn Upstream>, Vec<UpstreamFault>> {
        let mut keys = Keys::new(surroundings.secrets);
        match self {
            Self::OpenAi(options) => {
                keys.filled("model", &options.model);
                keys.header_of_back_end(AUTHORIZATION, BEARER, options.key_env.as_ref());
                keys.extra(&options.headers, &options.headers_env);
                let url = Some(options.url.ending_with("/chat/completions"));
                opened(*options.clone(), url, options.limits, keys, surroundings)
            }
            Self::OpenAiResponses(options) => {
                keys.filled("model", &options.model);
                keys.header_of_back_end(AUTHORIZATION, BEARER, options.key_env.as_ref());
                keys.extra(&options.headers, &options.headers_env);
                let url = Some(options.url.ending_with("/responses"));
                opened(*options.clone(), url, options.limits, keys, surroundings)
            }
            Self::Gemini(options) => {
                keys.filled("model", &options.model);
                keys.header_of_back_end(HeaderName::from_static("x-goog-api-key"), "", options.key_env.as_ref());
                keys.extra(&options.headers, &options.headers_env);
                opened(*options.clone(), options.url(), options.limits, keys, surroundings)
            }
            Self::Anthropic(options) => {
                keys.filled("model", &options.model);
                keys.header_of_back_end(HeaderName::from_static("x-api-key"), "", options.key_env.as_ref());
                match HeaderValue::from_str(&options.version) {
                    Ok(version) => {
                        keys.headers.insert("anthropic-version", version);
                    }
                    Err(_) => keys.impossible("version", "this value is not valid in a header"),
                }
                keys.extra(&options.headers, &options.headers_env);
                let url = Some(options.url.ending_with("/v1/messages"));
                opened(*options.clone(), url, options.limits, keys, surroundings)
            }
            Self::Azure(mut options) => {
                options.take_sources_of_environment(&mut keys);
                keys.filled("deployment", &options.deployment);
                keys.header_of_back_end(HeaderName::from_static("api-key"), "", options.key_env.as_ref());
                keys.extra(&options.headers, &options.headers_env);
                let search_key = keys.secret("search_key_env", options.search_key_env.as_ref());
                if let Some(endpoint) = &options.search_endpoint {
                    // The service passes the key on to the index.
                    keys.go_to(endpoint.url(), |key| key == "search_key_env");
                }
                let missing =
                    "this is required without data_sources in body or AZURE_AI_DATA_SOURCES in the environment";
                if !options.has_own_sources() {
                    if options.search_endpoint.is_none() {
                        keys.impossible("search_endpoint", missing);
                    }
                    match &options.index {
                        Some(index) => keys.filled("index", index),
                        None => keys.impossible("index", missing),
                    }
                }
                let (url, limits) = (options.url(), options.limits.clone());
                opened(Azure { options: *options, search_key }, url, limits, keys, surroundings)
            }
            Self::Http(options) => {
                keys.header_of_back_end(AUTHORIZATION, BEARER, options.key_env.as_ref());
                keys.extra(&options.headers, &options.headers_env);
                let url = Some(options.url.url().clone());
                opened(*options.clone(), url, options.limits, keys, surroundings)
            }
        }
    }
}

/// The fault of a value, in one line without the value.
fn without_value(reason: &str) -> String {
    let line = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let repeats =
        ["invalid type: ", "invalid value: ", "unknown variant "].into_iter().any(|start| line.starts_with(start));
    match line.rsplit_once(", expected ") {
        Some((_, wanted)) if repeats => format!("expected {wanted}"),
        _ => line,
    }
}

pub(super) const BEARER: &str = "Bearer ";

fn opened<I: Interface + 'static>(
    interface: I,
    url: Option<Url>,
    limits: CallLimits,
    mut keys: Keys<'_>,
    surroundings: &Surroundings<'_>,
) -> Result<Arc<dyn Upstream>, Vec<UpstreamFault>> {
    let from = interface.format().among(&surroundings.formats).unwrap_or_else(|unknown| {
        keys.faults.push(UpstreamFault::Section { key: "from".to_owned(), reason: unknown.to_string() });
        ingest::AnswerFormat::default()
    });
    let endpoint = endpoint(url, limits, keys, surroundings)?;
    Ok(Arc::new(HttpUpstream::new(interface, from, endpoint)))
}

/// The URL of a service with all that calls to it need.
pub(super) fn endpoint(
    url: Option<Url>,
    limits: CallLimits,
    mut keys: Keys<'_>,
    surroundings: &Surroundings<'_>,
) -> Result<Endpoint, Vec<UpstreamFault>> {
    if let Some(url) = &url {
        keys.go_to(url, |_| true);
        if !surroundings.may_call_private_hosts
            && let Err(error) = surroundings.egress.allow.judge_written(url)
        {
            keys.faults.push(UpstreamFault::of_egress("url", url, error));
        }
    }
    let Keys { secrets, headers, mut faults, .. } = keys;
    let impossible = limits.faults().into_iter();
    faults.extend(impossible.map(|(key, reason)| UpstreamFault::Impossible { key: format!("limits.{key}"), reason }));
    if url.is_none() {
        faults.push(UpstreamFault::Address { key: "url".to_owned(), reason: InvalidAddress });
    }
    let mut egress = EgressOptions { connect_timeout: limits.connect(), ..surroundings.egress.clone() };
    if surroundings.may_call_private_hosts {
        url.iter().for_each(|url| egress.allow.add_written(url));
    }
    let client = Client::new(egress).map_err(|error| faults.push(error.into())).ok();
    match (url, client) {
        (Some(url), Some(client)) if faults.is_empty() => {
            let (clock, ids) = (Arc::clone(&surroundings.clock), Arc::clone(&surroundings.ids));
            Ok(Endpoint { url, headers, secrets, client, limits, clock, ids })
        }
        _ => Err(faults),
    }
}
