//! What the two formats of Amazon Bedrock share: lists of decoded events, and exceptions among them.

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

/// What the SDKs of AWS add to every response.
pub(super) const AWS_MEMBERS: &[&str] = &["$metadata", "ResponseMetadata"];

/// Where SDKs put the events of a stream.
#[derive(Default, Deserialize)]
struct Wrapper<'a> {
    #[serde(borrow)]
    stream: Option<&'a RawValue>,
    /// Those of an agent.
    #[serde(borrow)]
    completion: Option<&'a RawValue>,
}

/// Whether a response wraps a list of events, one of which the format knows.
pub(super) fn wraps_events(members: &Members, is_event: fn(&Members) -> bool) -> bool {
    let events = ["stream", "completion"].into_iter().find_map(|name| members.get(name)).and_then(Value::as_array);
    events.is_some_and(|events| events.iter().filter_map(Value::as_object).any(is_event))
}

/// The list of events that a response wraps, and the name under which it stands.
fn wrapped(body: &str) -> Option<(&'static str, &str)> {
    let Wrapper { stream, completion } = serde_json::from_str(body).unwrap_or_default();
    let named = stream.map(|events| ("/stream", events)).or(completion.map(|events| ("/completion", events)));
    named.map(|(name, events)| (name, events.get())).filter(|(_, events)| events.starts_with('['))
}

/// A response in which the halves of characters are put together that two of its events share.
pub(super) fn with_joined_events(body: &str) -> Cow<'_, str> {
    let Some((_, events)) = wrapped(body) else { return Cow::Borrowed(body) };
    let at = events.as_ptr().addr() - body.as_ptr().addr();
    Cow::Owned([&body[..at], &joined(events), &body[at + events.len()..]].concat())
}

/// The answer that the events make which a response wraps; without any, what a whole answer has at `pointer` is missing.
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

/// The fault, its line counted from the beginning of the response.
fn moved(error: IngestError, lines: usize) -> IngestError {
    if let IngestError::Event { place, source } = error {
        IngestError::Event { place: EventPlace { line: place.line + lines, ..place }, source }
    } else {
        error
    }
}

/// The error that an event is: `{"throttlingException": {"message": "…"}}`.
pub(super) fn exception(json: &str) -> Result<Option<ProviderError>, IngestError> {
    let members: Members = json::read(json)?;
    let found = members.iter().find(|(name, value)| name.ends_with("Exception") && !value.is_null());
    Ok(found.map(|(name, value)| {
        let mut error = json::provider_error(value);
        error.kind.get_or_insert_with(|| name.clone());
        error
    }))
}
