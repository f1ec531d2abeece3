//! Writes server-sent events. `ingest` reads them.

use bytes::Bytes;
use serde::Serialize;

/// The event that ends a stream for clients of OpenAI.
pub fn done() -> Bytes {
    Bytes::from_static(b"data: [DONE]\n\n")
}

/// An event with a name, as the .NET clients of the Agents SDK write and read it: one blank behind each colon, CR LF at the ends.
///
/// # Panics
/// As [`event`].
pub fn named_event(name: &str, data: &impl Serialize) -> Bytes {
    let mut event = format!("event: {name}\r\ndata: ").into_bytes();
    serde_json::to_writer(&mut event, data).expect("data of events can be written as JSON");
    event.extend_from_slice(b"\r\n\r\n");
    event.into()
}

/// An event without a name: its data is JSON, which has no line ends.
///
/// # Panics
/// When the data cannot be written as JSON, as a map whose keys are no texts cannot.
pub fn event(data: &impl Serialize) -> Bytes {
    let mut event = b"data: ".to_vec();
    serde_json::to_writer(&mut event, data).expect("data of events can be written as JSON");
    event.extend_from_slice(b"\n\n");
    event.into()
}
