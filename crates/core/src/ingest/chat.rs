//! Chat completions, a shape that many providers use: the parts that all share, and how to tell the providers apart.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::IngestError;
use super::event::Event;
use super::format::{Members, is_addresses, is_something};
use super::json::{self, filled, list};
use super::openai_annotation::{WireAnnotation, annotations};
use super::openwebui_source::carries_sources;
use super::responses::is_grok;
use crate::answer::ProviderError;
use crate::report::{Entry, Kind};

/// The members of a whole completion.
pub(super) const CHAT_MEMBERS: &[&str] = &[
    "choices",
    "created",
    "id",
    "model",
    "moderation",
    "object",
    "prompt_filter_results",
    "provider",
    "service_tier",
    "system_fingerprint",
    "usage",
];

/// The provider of a completion, as far as its members tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChatKind {
    /// A message or delta has a `context`, as only Azure OpenAI On Your Data has, or a choice the messages of its sample app.
    AzureOnYourData,
    /// A choice has the context of azure-search-openai-demo beside its message.
    AzureSearchDemo,
    /// `citations` is an object.
    AssistantHub,
    /// A chunk carries an event of Open WebUI, or the sources of Open WebUI stand beside the choices.
    OpenWebUi,
    /// The model is Grok.
    Xai,
    /// A part of the content is a reference.
    Mistral,
    /// There are search results or a list of addresses, or a router names a Perplexity model.
    Perplexity,
    /// None of the above.
    OpenAi,
}

impl ChatKind {
    /// The kind of a whole completion or of a chunk; `None` if the members are neither.
    pub(super) fn of(members: &Members) -> Option<Self> {
        let choices = members.get("choices").filter(|choices| !choices.is_null())?;
        let choices = || choices.as_array().into_iter().flatten();
        let messages = || choices().flat_map(|choice| [&choice["message"], &choice["delta"]]);
        let is = |name: &str, test: fn(&Value) -> bool| members.get(name).is_some_and(test);
        let is_app = || choices().any(|choice| is_of_app(&choice["messages"]));
        Some(if messages().any(|message| message["context"].is_object()) || is_app() {
            Self::AzureOnYourData
        } else if choices().any(|choice| has_data_points(&choice["context"])) {
            Self::AzureSearchDemo
        } else if is("citations", Value::is_object) {
            Self::AssistantHub
        } else if carries_sources(members) {
            Self::OpenWebUi
        } else if is_grok(members.get("model").and_then(Value::as_str)) {
            Self::Xai
        } else if messages().any(|message| has_reference(&message["content"])) {
            Self::Mistral
        } else if is("search_results", Value::is_array) || is("citations", is_addresses) || is_sonar(members) {
            Self::Perplexity
        } else {
            Self::OpenAi
        })
    }

    /// Whether the members are a whole completion of this kind.
    pub(super) fn is_whole(self, members: &Members) -> bool {
        is_something(members, "choices") && Self::of(members) == Some(self)
    }
}

/// Whether a choice has messages as Microsoft's sample app for On Your Data has them.
fn is_of_app(messages: &Value) -> bool {
    let is_part = |message: &Value| matches!(message["role"].as_str(), Some("assistant" | "tool"));
    messages.as_array().is_some_and(|messages| messages.iter().any(is_part))
}

/// Whether a context is that of azure-search-openai-demo.
pub(super) fn has_data_points(context: &Value) -> bool {
    context["data_points"].is_object()
}

/// Whether a router names a model of Perplexity. OpenRouter sends its results as annotations, without a list of addresses.
fn is_sonar(members: &Members) -> bool {
    members.get("model").and_then(Value::as_str).is_some_and(|model| model.starts_with("perplexity/"))
}

fn has_reference(content: &Value) -> bool {
    content.as_array().is_some_and(|chunks| chunks.iter().any(|chunk| chunk["type"] == "reference"))
}

#[derive(Deserialize)]
struct Completion {
    choices: Option<Vec<Choice>>,
    model: Option<String>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    index: Option<u64>,
    message: Option<WireMessage>,
    delta: Option<WireMessage>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct WireMessage {
    content: Option<Content>,
    refusal: Option<String>,
    #[serde(default, deserialize_with = "list")]
    annotations: Vec<Value>,
    /// RAGFlow's last delta: the whole text with the markers that were put in at the end.
    final_content: Option<String>,
}

/// The content of a message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    Text(String),
    /// Parts, each with its own type.
    Chunks(Vec<Value>),
}

impl Content {
    /// The text. Reasoning is not part of it (rule N-09).
    pub(super) fn into_text(self) -> String {
        let text = |chunk: &Value| match chunk["type"].as_str() {
            Some("text" | "output_text") => chunk["text"].as_str().map(str::to_owned),
            _ => None,
        };
        match self {
            Self::Text(text) => text,
            Self::Chunks(chunks) => chunks.iter().filter_map(text).collect(),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;
        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_str<E>(self, text: &str) -> Result<Content, E> {
                Ok(Content::Text(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, chunks: A) -> Result<Content, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(chunks)).map(Content::Chunks)
            }
            /// Structured output that the service has parsed. The result is its JSON without blanks, as the model wrote it.
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Content, A::Error> {
                let mut json = Vec::new();
                while let Some((name, value)) = members.next_entry::<Value, Box<RawValue>>()? {
                    json.push(format!("{name}:{}", without_blanks(value.get())));
                }
                Ok(Content::Text(format!("{{{}}}", json.join(","))))
            }
        }
        deserializer.deserialize_any(ContentVisitor)
    }
}

/// Removes the blanks between the tokens of JSON.
fn without_blanks(json: &str) -> String {
    let (mut in_string, mut is_escaped) = (false, false);
    let is_kept = |c: &char| {
        let kept = in_string || !c.is_ascii_whitespace();
        in_string ^= *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        kept
    };
    json.chars().filter(is_kept).collect()
}

/// The first choice, of a whole completion or of one chunk.
#[derive(Debug)]
pub(super) struct Said {
    /// JSON pointer of the message.
    pub(super) pointer: String,
    pub(super) content: Option<Content>,
    pub(super) annotations: Vec<(String, WireAnnotation)>,
    /// Whether the choice has a finish reason.
    pub(super) ended: bool,
}

/// One chunk of a streamed completion.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) said: Option<Said>,
    /// A whole message beside the delta.
    pub(super) message: Option<Content>,
    /// The text of the whole answer, which takes the place of the text of all deltas.
    pub(super) final_content: Option<String>,
    pub(super) model: Option<String>,
    pub(super) error: Option<ProviderError>,
}

/// The first choice, which is the answer (rule N-09).
pub(super) fn first_choice<C>(choices: Option<Vec<C>>) -> Result<C, IngestError> {
    choices
        .ok_or_else(|| IngestError::member("/choices", "missing; the answer of the model is required"))?
        .into_iter()
        .next()
        .ok_or_else(|| IngestError::member("/choices", "empty; the first choice is the answer"))
}

/// Reads a whole completion.
pub(super) fn whole(body: &str, warnings: &mut Vec<Entry>) -> Result<(Content, Said), IngestError> {
    let completion: Completion = json::read(body)?;
    let choice = first_choice(completion.choices)?;
    let message =
        choice.message.ok_or_else(|| IngestError::member("/choices/0/message", "missing; the answer is required"))?;
    let content = message.content.or(filled(message.refusal).map(Content::Text)).ok_or_else(|| {
        IngestError::member("/choices/0/message/content", "missing; the text of the answer is required")
    })?;
    if let Some(reason) = &choice.finish_reason {
        warnings.extend(finish_reason(reason, "/choices/0/finish_reason".to_owned()));
    }
    let annotations = annotations(message.annotations, "/choices/0/message/annotations")?;
    Ok((content, Said { pointer: "/choices/0/message".to_owned(), content: None, annotations, ended: true }))
}

/// Reads a chunk. Only the first choice is the answer (rule N-09). Others come in chunks of their own, or beside it.
pub(super) fn chunk(event: Event<'_>, json: &str, notes: &mut Vec<Entry>) -> Result<Chunk, IngestError> {
    let completion: Completion = json::read(json)?;
    let mut chunk = Chunk { model: completion.model, ..Chunk::default() };
    if let Some(error) = completion.error {
        chunk.error = Some(json::provider_error(&error));
        return Ok(chunk);
    }
    let choices = completion.choices.unwrap_or_default().into_iter().enumerate();
    let first = choices.into_iter().find(|(_, choice)| choice.index.unwrap_or_default() == 0);
    let Some((at, Choice { delta, message, finish_reason: reason, .. })) = first else { return Ok(chunk) };
    let WireMessage { content, refusal, annotations: noted, final_content } = delta.unwrap_or_default();
    // Some servers send an empty reason with each chunk until the last.
    let reason = filled(reason);
    if let Some(reason) = &reason {
        notes.extend(finish_reason(reason, format!("{}/choices/{at}/finish_reason", event.pointer())));
    }
    let content = content.filter(|content| *content != Content::Text(String::new()));
    let pointer = format!("/choices/{at}/delta");
    let mut annotations = annotations(noted, &format!("{pointer}/annotations"))?;
    for (pointer, _) in &mut annotations {
        pointer.insert_str(0, &event.pointer());
    }
    chunk.said = Some(Said {
        pointer: format!("{}{pointer}", event.pointer()),
        content: content.or(filled(refusal).map(Content::Text)),
        annotations,
        ended: reason.is_some(),
    });
    chunk.final_content = filled(final_content);
    chunk.message = message.and_then(|message| message.content);
    Ok(chunk)
}

/// A note for a finish reason other than `stop`.
pub(super) fn finish_reason(reason: &str, pointer: String) -> Option<Entry> {
    let message = || format!("the model ended with {reason:?}, so the answer may lack its end");
    (reason != "stop").then(|| Entry::in_input(Kind::Note, "finish-reason", pointer, message()))
}
