//! The table of formats, and the detection of the format of an answer or an event.

use std::cmp::Reverse;
use std::sync::Arc;

use serde_json::Value;

use super::format::{Format, Members};
use super::growing_answer::GrowingAnswer;
use super::unread::{UNREAD, Unread};
use super::{
    AnswerFormat, IngestError, Provider, activity, agent_framework, anthropic, assistanthub, azsearch_demo,
    azure_agents, azure_knowledge_base, azure_on_your_data, bedrock_converse, bedrock_rag, chatkit, cohere, dify,
    gemini, gemini_interactions, haystack, json, langchain, llamaindex, m365_copilot_chat, mcp, mistral, native,
    openai_assistants, openai_chat, openai_responses, openwebui, perplexity, perplexity_agent, pydantic_ai,
    vercel_ai_sdk, xai,
};
use crate::report::{Entry, Kind};

/// All formats, in the order in which an event is tested against them.
///
/// The native manifest is last, because events of other formats may have the same members.
pub(super) const FORMATS: &[&Format] = &[
    // Several formats share a shape and differ in additional members. The format without additions comes last of them.
    &xai::FORMAT,
    &perplexity_agent::FORMAT,
    &openai_responses::FORMAT,
    &azure_on_your_data::FORMAT,
    &assistanthub::FORMAT,
    &perplexity::FORMAT,
    &mistral::FORMAT,
    &azsearch_demo::FORMAT,
    &openai_chat::FORMAT,
    &azure_agents::FORMAT,
    &openai_assistants::FORMAT,
    &gemini::FORMAT,
    &anthropic::FORMAT,
    &gemini_interactions::FORMAT,
    &cohere::FORMAT,
    &bedrock_rag::FORMAT,
    &bedrock_converse::FORMAT,
    &agent_framework::FORMAT,
    &openwebui::FORMAT,
    &dify::FORMAT,
    &haystack::FORMAT,
    &azure_knowledge_base::FORMAT,
    &m365_copilot_chat::FORMAT,
    &activity::FORMAT,
    &langchain::FORMAT,
    &llamaindex::FORMAT,
    &vercel_ai_sdk::FORMAT,
    &pydantic_ai::FORMAT,
    &chatkit::FORMAT,
    &mcp::FORMAT,
    &native::FORMAT,
];

/// The format of a provider.
pub(super) fn of(provider: Provider) -> &'static Format {
    // A test ensures that every provider has a format; the fallback only avoids a panic.
    FORMATS.iter().find(|format| format.provider == provider).unwrap_or(&FORMATS[FORMATS.len() - 1])
}

/// An empty answer in the given format. Where it is to be detected, the first events decide it.
pub(super) fn growing(from: &AnswerFormat) -> GrowingAnswer {
    match from {
        AnswerFormat::Detected(mappings) => GrowingAnswer::told_by(of_event, mappings.clone()),
        AnswerFormat::Known(provider) => GrowingAnswer::given(of(*provider), of_event),
        AnswerFormat::Mapped(mapping) => GrowingAnswer::mapped(Arc::clone(mapping)),
    }
}

/// A format that a whole answer fits.
#[derive(Clone, Copy)]
enum Fitting {
    Read(&'static Format),
    Unread(&'static Unread),
}

impl Fitting {
    fn all(members: &Members) -> impl Iterator<Item = Self> {
        let read = FORMATS.iter().filter(|format| (format.is_whole)(members)).map(|format| Self::Read(format));
        read.chain(UNREAD.iter().filter(|format| (format.is_whole)(members)).map(Self::Unread))
    }

    /// How many of the answer's members the format has.
    fn known(self, members: &Members) -> usize {
        let is_known = |name: &&String| match self {
            Self::Read(format) => format.members.iter().any(|names| names.contains(&name.as_str())),
            Self::Unread(format) => format.members.contains(&name.as_str()),
        };
        members.keys().filter(is_known).count()
    }

    fn shown(self) -> String {
        let (sign, name) = match self {
            Self::Read(format) => (format.sign, format.provider.slug()),
            Self::Unread(format) => (format.sign, format.name),
        };
        format!("{sign}, as {name} has")
    }
}

/// Detects the format of a whole answer by its members. The note, if any, names other formats that fit.
///
/// If several formats fit, the one with most of the members is chosen, so a single member of another format beside a whole
/// answer changes nothing.
///
/// # Errors
/// When the body is not JSON, when it is an error of the provider, when no format fits, when two formats fit equally well,
/// or when the best one has no reader.
pub(super) fn detect(body: &str) -> Result<(&'static Format, Option<Entry>), IngestError> {
    let members: Members = json::read(body)?;
    let mut fitting: Vec<(usize, Fitting)> =
        Fitting::all(&members).map(|format| (format.known(&members), format)).collect();
    fitting.sort_by_key(|(known, _)| Reverse(*known));
    let seen = || fitting.iter().map(|(_, format)| format.shown()).collect::<Vec<_>>().join(", and ");
    match fitting.as_slice() {
        [] if members.get("error").is_some_and(json::is_error) => Err(json::error_instead(&members["error"])),
        // This is close to a native manifest, and the native reader's own error is more helpful.
        [] if members.contains_key("text") || members.contains_key("sources") => Ok((&native::FORMAT, None)),
        [] => Err(IngestError::Unrecognized { seen: shown(&members) }),
        [(most, _), (next, _), ..] if most == next => {
            Err(IngestError::Unrecognized { seen: format!("it has {}", seen()) })
        }
        [(_, Fitting::Unread(format)), ..] => Err(format.refusal()),
        [(_, Fitting::Read(format))] => Ok((format, None)),
        [(_, Fitting::Read(format)), ..] => {
            let slug = format.provider.slug();
            let message = format!("it has {}; most of its members are those of {slug}, as which it is read", seen());
            Ok((format, Some(Entry::in_input(Kind::Note, "format-chosen", "", message))))
        }
    }
}

/// Detects the format of an event of a stream; `None` if it has no known members.
///
/// # Errors
/// When the event is not JSON, or its format has no reader.
pub(super) fn of_event(data: &str) -> Result<Option<&'static Format>, IngestError> {
    if data.starts_with('[') {
        let list: Vec<Value> = json::read(data)?;
        return Ok(Some(&langchain::FORMAT).filter(|_| langchain::is_list_event(&list)));
    }
    let members: Members = json::read(data)?;
    match UNREAD.iter().find(|format| (format.is_event)(&members)) {
        Some(unread) => Err(unread.refusal()),
        None => Ok(FORMATS.iter().copied().find(|format| (format.is_event)(&members))),
    }
}

/// Whether an object is an event of a provider's stream, and not one of the native format.
pub(super) fn is_event_of_a_provider(data: &str) -> bool {
    match of_event(data) {
        Ok(format) => format.is_some_and(|format| format.provider != Provider::Native),
        Err(error) => matches!(error, IngestError::NotRead { .. }),
    }
}

/// A list of the member names, for an error message.
fn shown(members: &Members) -> String {
    // A name may contain line breaks, but the message is one line.
    let shown = |name: &String| name.chars().take(40).collect::<String>().escape_debug().to_string();
    let names: Vec<String> = members.keys().take(12).map(|name| format!("`{}`", shown(name))).collect();
    if names.is_empty() { "it is empty".into() } else { format!("it has {}", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_has_one_row() {
        for provider in Provider::all() {
            let rows = FORMATS.iter().filter(|format| format.provider == provider).count();
            assert_eq!(rows, 1, "rows of {} in FORMATS", provider.slug());
        }
    }
    #[test]
    fn no_format_that_is_read_is_refused() {
        for unread in UNREAD {
            let is_read = unread.name.to_lowercase().parse::<Provider>().is_ok();
            assert!(!is_read, "{} is read: take it out of UNREAD in unread.rs, with its tests", unread.name);
        }
    }
}
