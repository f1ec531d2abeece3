//! Code that both formats of Amazon Bedrock use: responses that wrap lists of decoded events, and exceptions among the events.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::format::{Format, Members};
use super::growing_answer::GrowingAnswer;
use super::surrogate_joiner::joined;
use super::{EventPlace, IngestError, json};
use crate::answer::{Answer, ProviderError};
use crate::report::At;

/// Members that the AWS SDKs add to every response.
pub(super) const AWS_MEMBERS: &[&str] = &["$metadata", "ResponseMetadata"];

/// The members in which SDKs return the events of a stream.
#[derive(Default, Deserialize)]
struct Wrapper<'a> {
    #[serde(borrow)]
    stream: Option<&'a RawValue>,
    /// The events of an agent.
    #[serde(borrow)]
    completion: Option<&'a RawValue>,
}

/// Whether a response wraps a list of events and the format knows at least one of them.
pub(super) fn wraps_events(members: &Members, is_event: fn(&Members) -> bool) -> bool {
    let events = ["stream", "completion"].into_iter().find_map(|name| members.get(name)).and_then(Value::as_array);
    events.is_some_and(|events| events.iter().filter_map(Value::as_object).any(is_event))
}

/// The list of events that a response wraps, with the JSON pointer of the list.
fn wrapped(body: &str) -> Option<(&'static str, &str)> {
    let Wrapper { stream, completion } = serde_json::from_str(body).unwrap_or_default();
    let named = stream.map(|events| ("/stream", events)).or(completion.map(|events| ("/completion", events)));
    named.map(|(name, events)| (name, events.get())).filter(|(_, events)| events.starts_with('['))
}

/// The response with its torn characters joined: two events may each hold one surrogate half of a character.
pub(super) fn with_joined_events(body: &str) -> Cow<'_, str> {
    let Some((_, events)) = wrapped(body) else { return Cow::Borrowed(body) };
    let at = events.as_ptr().addr() - body.as_ptr().addr();
    Cow::Owned([&body[..at], &joined(events), &body[at + events.len()..]].concat())
}

/// Builds the answer from the events that a response wraps. Pointers and line numbers in it count from the response.
///
/// # Errors
/// When an event is unusable, or the response wraps no events: then the error says that the member at `pointer` is missing.
pub(super) fn answer_of_events(body: &str, format: &'static Format, pointer: &str) -> Result<Answer, IngestError> {
    let Some((name, events)) = wrapped(body) else {
        return Err(IngestError::member(pointer, "missing; the answer of the model is required"));
    };
    let lines_before = body[..events.as_ptr().addr() - body.as_ptr().addr()].matches('\n').count();
    let mut answer = GrowingAnswer::of(format).of_list(events).map_err(|error| moved(error, lines_before))?;
    for source in &mut answer.sources {
        source.pointer.insert_str(0, name);
    }
    for warning in &mut answer.warnings {
        if let At::Pointer(pointer) = &mut warning.at {
            pointer.insert_str(0, name);
        }
    }
    Ok(answer)
}

/// Adds lines to the line number of an error, so that it counts from the start of the response.
fn moved(error: IngestError, lines: usize) -> IngestError {
    if let IngestError::Event { place, source } = error {
        IngestError::Event { place: EventPlace { line: place.line + lines, ..place }, source }
    } else {
        error
    }
}

/// The error that an event reports: `{"throttlingException": {"message": "…"}}`.
pub(super) fn exception(json: &str) -> Result<Option<ProviderError>, IngestError> {
    let members: Members = json::read(json)?;
    let found = members.iter().find(|(name, value)| name.ends_with("Exception") && !value.is_null());
    Ok(found.map(|(name, value)| {
        let mut error = json::provider_error(value);
        error.kind.get_or_insert_with(|| name.clone());
        error
    }))
}
