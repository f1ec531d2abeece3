//! Proposes a mapping for a body of an unknown format, from the names and the values in it.

mod answers;
mod roles;
mod stream;
mod survey;

use serde_json::Value;

use super::super::event::{Arrived, SENTINEL};
use super::super::framing::{BodyKind, Framing};
use super::super::surrogates::mended;
use super::options::MappingOptions;

/// Proposes a mapping for a body, whole or a stream. `None` where nothing in it looks like the text of an answer.
#[must_use]
pub fn propose(body: &[u8]) -> Option<MappingOptions> {
    match BodyKind::of_any(body) {
        BodyKind::Whole => {
            let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
            let value: Value = serde_json::from_str(&mended(std::str::from_utf8(body).ok()?)).ok()?;
            let as_stream = || {
                let events = value.as_array().filter(|events| !is_conversation(events))?.iter();
                stream::propose(&events.map(|event| (String::new(), event.clone())).collect::<Vec<_>>(), false)
            };
            as_stream().or_else(|| answers::propose(&value))
        }
        BodyKind::Events | BodyKind::JsonLines => {
            let (events, has_sentinel) = events(body)?;
            stream::propose(&events, has_sentinel)
        }
    }
}

/// Whether a list holds messages, of which some are the user's.
fn is_conversation(list: &[Value]) -> bool {
    list.iter().any(|entry| survey::role(entry).is_some_and(|role| answers::is_question(&role)))
}

/// The events of a stream with their names, and whether `[DONE]` ends them. Data that is no JSON is a text.
fn events(body: &[u8]) -> Option<(Vec<(String, Value)>, bool)> {
    let (mut arrived, mut framing) = (Arrived::default(), Framing::naming_events());
    framing.push(body, &mut arrived).ok()?;
    framing.finish(&mut arrived).ok()?;
    let mut events = Vec::new();
    for event in arrived.iter() {
        let data = std::str::from_utf8(event.data).ok()?;
        if data.trim() == SENTINEL {
            return Some((events, true));
        }
        let value = serde_json::from_str(&mended(data)).unwrap_or_else(|_| Value::String(data.to_owned()));
        events.push((event.name.to_owned(), value));
    }
    Some((events, false))
}
