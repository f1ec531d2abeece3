//! The table of formats, and which of them an answer or an event has.

use std::cmp::Reverse;

use super::format::{Format, Members, is_something};
use super::growing_answer::GrowingAnswer;
use super::unread::{UNREAD, Unread};
use super::{
    IngestError, Provider, anthropic, assistanthub, azsearch_demo, azure_agents, azure_on_your_data, bedrock_converse,
    bedrock_rag, cohere, gemini, gemini_interactions, json, langchain, llamaindex, mistral, native, openai_assistants,
    openai_chat, openai_responses, openwebui, perplexity, perplexity_agent, vercel_ai_sdk, xai,
};
use crate::report::{Entry, Kind};

/// All formats, in the order in which an event is held against them.
///
/// The native manifest is the last: members of its events stand in the events of others, too.
pub(super) const FORMATS: &[&Format] = &[
    // Those that share a shape, by what they tell; one that tells nothing more comes last of them.
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
    &openwebui::FORMAT,
    &langchain::FORMAT,
    &llamaindex::FORMAT,
    &vercel_ai_sdk::FORMAT,
    &native::FORMAT,
];

/// The row of a format.
pub(super) fn of(provider: Provider) -> &'static Format {
    // Every format has a row (a test holds it); the last is as good as any other where there is none.
    FORMATS.iter().find(|format| format.provider == provider).unwrap_or(&FORMATS[FORMATS.len() - 1])
}

/// An answer of which nothing has arrived, in the given format; without one, its first events tell it.
pub(super) fn growing(from: Option<Provider>) -> GrowingAnswer {
    from.map_or_else(|| GrowingAnswer::told_by(of_event), |provider| GrowingAnswer::of(of(provider)))
}

/// A format that fits a whole answer.
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

    /// How many of these members the format has.
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

/// The format of a whole answer by its members, with a note where others would fit as well.
///
/// Of several that fit, the one that has most of the members is the most specific. A single member of another format beside
/// a whole envelope changes nothing then.
pub(super) fn detect(body: &str) -> Result<(&'static Format, Option<Entry>), IngestError> {
    let members: Members = json::read(body)?;
    let mut fitting: Vec<(usize, Fitting)> =
        Fitting::all(&members).map(|format| (format.known(&members), format)).collect();
    fitting.sort_by_key(|(known, _)| Reverse(*known));
    let seen = || fitting.iter().map(|(_, format)| format.shown()).collect::<Vec<_>>().join(", and ");
    match fitting.as_slice() {
        [] if is_something(&members, "error") => Err(json::error_instead(&members["error"])),
        // So close to our own manifest that its own message helps more.
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

/// The format that an event of a stream tells; `None` where it has nothing that is known.
///
/// # Errors
/// When the event is not JSON, or one of a format that is not read.
pub(super) fn of_event(data: &str) -> Result<Option<&'static Format>, IngestError> {
    let members: Members = json::read(data)?;
    match UNREAD.iter().find(|format| (format.is_event)(&members)) {
        Some(unread) => Err(unread.refusal()),
        None => Ok(FORMATS.iter().copied().find(|format| (format.is_event)(&members))),
    }
}

/// Whether an object is an event that only one provider writes, so that it is not our own.
pub(super) fn is_event_of_a_provider(data: &str) -> bool {
    match of_event(data) {
        Ok(format) => format.is_some_and(|format| format.provider != Provider::Native),
        Err(error) => matches!(error, IngestError::NotRead { .. }),
    }
}

/// The names of the members, for people.
fn shown(members: &Members) -> String {
    // A name may be anything, and the message is one line.
    let shown = |name: &String| name.chars().take(40).collect::<String>().escape_debug().to_string();
    let names: Vec<String> = members.keys().take(12).map(|name| format!("`{}`", shown(name))).collect();
    if names.is_empty() { "it is empty".into() } else { format!("it has {}", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_has_one_row() {
        assert_eq!(FORMATS.len(), Provider::all().count());
        for provider in Provider::all() {
            assert_eq!(of(provider).provider, provider);
        }
    }
}
