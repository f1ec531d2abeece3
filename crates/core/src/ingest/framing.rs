//! Detects the form of an input by its first byte behind a byte order mark and blanks: one JSON document, server-sent events
//! or JSON lines (one object per line). `{` and `[` begin JSON, and a line in the form of a field begins server-sent events.
//! JSON whose first line is an event is read as JSON lines; if a whole answer could have the same members, only when another
//! line follows.

use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use super::event::{Arrived, Event};
use super::lines::{Lines, MAX_EVENT_BYTES};
use super::sse::SseEvents;
use super::surrogates::mended;
use super::{EventPlace, IngestError, formats};

const MARK: &[u8] = b"\xef\xbb\xbf";

/// The longest field name with which server-sent events may begin, in bytes.
const MAX_FIELD_BYTES: usize = 64;

/// The form of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyKind {
    /// One document, or an input that no reader takes.
    Whole,
    /// Server-sent events.
    Events,
    /// JSON lines: one object per line.
    JsonLines,
}

impl BodyKind {
    /// The form of an input that has arrived completely.
    pub(super) fn of(body: &[u8]) -> Self {
        Opening::default().form(body, true).unwrap_or(Self::Whole)
    }

    /// The form of an input of any format: two objects on two lines are events.
    pub(super) fn of_any(body: &[u8]) -> Self {
        Opening { names: true, ..Opening::default() }.form(body, true).unwrap_or(Self::Whole)
    }
}

/// Splits the bytes of an input into events.
#[derive(Debug)]
pub(super) enum Framing {
    /// Too few bytes have arrived to detect the form.
    Opening(Opening),
    /// One document.
    Whole(Vec<u8>),
    /// Server-sent events.
    Events(SseEvents),
    /// JSON lines: one object per line.
    JsonLines {
        /// The line splitter.
        lines: Lines,
        /// The number of events so far.
        events: usize,
    },
}

impl Default for Framing {
    fn default() -> Self {
        Self::Opening(Opening::default())
    }
}

impl Framing {
    /// A splitter for any format: it gives each event its name, and two objects on two lines are events.
    pub(super) fn naming_events() -> Self {
        Self::Opening(Opening { names: true, ..Opening::default() })
    }

    /// Takes bytes, and adds the events that end in them.
    pub(super) fn push(&mut self, bytes: &[u8], events: &mut Arrived) -> Result<(), IngestError> {
        match self {
            Self::Opening(opening) => {
                opening.bytes.extend_from_slice(bytes);
                let kept = std::mem::take(&mut opening.bytes);
                match opening.form(&kept, false) {
                    Some(form) => {
                        let names = opening.names;
                        self.go_on(form, names, kept, events)
                    }
                    None => {
                        opening.bytes = kept;
                        Ok(())
                    }
                }
            }
            Self::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(())
            }
            Self::Events(reader) => reader.push(bytes, events),
            Self::JsonLines { lines, events: count } => {
                let pushed = lines.push(bytes, |number, line| json_line(number, line, count, events));
                pushed.map_err(|too_long| IngestError::EventTooLong {
                    place: EventPlace { event: *count + 1, line: too_long.line },
                    limit: MAX_EVENT_BYTES,
                })
            }
        }
    }

    /// The first names of events, which only server-sent events have.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Self::Events(reader) => reader.names(),
            Self::Opening(_) | Self::Whole(_) | Self::JsonLines { .. } => Vec::new(),
        }
    }

    /// Ends the input. Returns the body if it is one document; otherwise returns `None` and adds the last events.
    pub(super) fn finish(mut self, events: &mut Arrived) -> Result<Option<Vec<u8>>, IngestError> {
        if let Self::Opening(opening) = &mut self {
            let kept = std::mem::take(&mut opening.bytes);
            let form = opening.form(&kept, true).unwrap_or(BodyKind::Whole);
            let names = opening.names;
            self.go_on(form, names, kept, events)?;
        }
        match self {
            Self::Opening(Opening { bytes: body, .. }) | Self::Whole(body) => return Ok(Some(body)),
            Self::Events(reader) => reader.finish(events),
            Self::JsonLines { lines, events: mut count } => {
                if let Some((number, line)) = lines.finish() {
                    json_line(number, &line, &mut count, events);
                }
            }
        }
        Ok(None)
    }

    /// Reads the bytes that were kept until the form was known.
    fn go_on(&mut self, form: BodyKind, names: bool, bytes: Vec<u8>, events: &mut Arrived) -> Result<(), IngestError> {
        let start = start(&bytes);
        let line = 1 + line_ends(&bytes[..start]);
        *self = match form {
            BodyKind::Whole => {
                *self = Self::Whole(bytes);
                return Ok(());
            }
            BodyKind::Events => Self::Events(SseEvents::from_line(line, names)),
            BodyKind::JsonLines => Self::JsonLines { lines: Lines::from_number(line), events: 0 },
        };
        self.push(&bytes[start..], events)
    }
}

fn json_line(number: usize, line: &[u8], count: &mut usize, events: &mut Arrived) {
    let data = line.trim_ascii();
    if !data.is_empty() {
        *count += 1;
        events.push(Event { number: *count, line: number, data, name: "" });
    }
}

/// The offset of the first byte behind a byte order mark and blanks.
fn start(bytes: &[u8]) -> usize {
    let marked = bytes.strip_prefix(MARK).unwrap_or(bytes);
    bytes.len() - marked.trim_ascii_start().len()
}

fn line_ends(blanks: &[u8]) -> usize {
    let mut lines = 0;
    let mut before = 0;
    for byte in blanks {
        lines += usize::from(*byte == b'\r' || (*byte == b'\n' && before != b'\r'));
        before = *byte;
    }
    lines
}

/// The first bytes of an input, kept until they reveal its form.
#[derive(Debug, Default)]
pub(super) struct Opening {
    bytes: Vec<u8>,
    /// The offset at which the first line of JSON ends.
    line_end: Option<usize>,
    /// How many bytes have been searched, so that many small pieces do not cause repeated searches.
    seen: usize,
    /// Whether the input may have any format: events get their names, and two objects on two lines are events.
    names: bool,
}

impl Opening {
    fn form(&mut self, bytes: &[u8], at_end: bool) -> Option<BodyKind> {
        // An incomplete byte order mark would be taken for a letter.
        if !at_end && bytes.len() < MARK.len() && MARK.starts_with(bytes) {
            return None;
        }
        let start = start(bytes);
        match bytes.get(start)? {
            b'[' => Some(BodyKind::Whole),
            b'{' => self.json(bytes, start, at_end),
            _ => field(&bytes[start..], at_end),
        }
    }

    fn json(&mut self, bytes: &[u8], start: usize, at_end: bool) -> Option<BodyKind> {
        self.seen = self.seen.max(start);
        if self.line_end.is_none() {
            self.line_end = bytes[self.seen..].iter().position(|b| matches!(b, b'\n' | b'\r')).map(|at| self.seen + at);
            self.seen = self.line_end.unwrap_or(bytes.len());
        }
        let end = match self.line_end {
            Some(end) => end,
            None if at_end => bytes.len(),
            None => return None,
        };
        let follows = bytes[self.seen..].iter().position(|byte| !byte.is_ascii_whitespace());
        if follows.is_none() && !at_end {
            self.seen = bytes.len();
            // A first line with only `{` is the start of an indented document.
            return (bytes[start..end].trim_ascii() == b"{").then_some(BodyKind::Whole);
        }
        let line = &bytes[start..end];
        let follows = follows.filter(|_| self.line_end.is_some()).map(|at| bytes[self.seen + at]);
        let is_event = serde_json::from_slice::<Line>(line).is_ok_and(|line| line.is_event(follows.is_some()))
            || follows == Some(b'{')
                && (self.names && is_object(line) || is_event_of_a_provider(line) || is_part(line));
        Some(if is_event { BodyKind::JsonLines } else { BodyKind::Whole })
    }
}

fn is_object(line: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(line).is_ok()
}

/// Whether an object on a line of its own is an event of a provider's stream, and not a whole chat completion.
fn is_event_of_a_provider(line: &[u8]) -> bool {
    let is_whole = serde_json::from_slice::<Line>(line).is_ok_and(|line| line.has_message());
    std::str::from_utf8(line).is_ok_and(|line| formats::is_event_of_a_provider(&mended(line))) && !is_whole
}

/// Whether an object on a line of its own is no whole answer, so that the line is an event, if only of an unknown format.
fn is_part(line: &[u8]) -> bool {
    let has_members = || serde_json::from_slice::<HashMap<String, IgnoredAny>>(line).is_ok_and(|line| !line.is_empty());
    serde_json::from_slice::<Line>(line).is_ok_and(|line| line.text.is_none() && !line.has_message()) && has_members()
}

/// The members that distinguish an event on a line of its own from a whole answer.
#[derive(Deserialize)]
struct Line {
    text: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "named")]
    delta: Named,
    #[serde(default, deserialize_with = "named")]
    sources: Named,
    #[serde(default, deserialize_with = "named")]
    annotations: Named,
    #[serde(default, deserialize_with = "named")]
    label: Named,
    #[serde(default, deserialize_with = "named")]
    interpreter: Named,
    #[serde(default, deserialize_with = "named")]
    done: Named,
    #[serde(default, deserialize_with = "named")]
    error: Named,
    choices: Option<Vec<Choice>>,
}

/// The outer option says whether the member is present, the inner one whether it is not `null`.
type Named = Option<Option<IgnoredAny>>;

fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Named, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct Choice {
    message: Option<IgnoredAny>,
    delta: Option<IgnoredAny>,
}

impl Line {
    /// Whether this is a whole chat completion.
    fn has_message(&self) -> bool {
        let choices = self.choices.as_deref().unwrap_or_default();
        choices.iter().any(|choice| choice.message.is_some() && choice.delta.is_none())
    }

    /// Whether this is an event. If another line follows (`followed`), members count that a broken whole answer could have, too.
    fn is_event(&self, followed: bool) -> bool {
        let Self { text, delta, sources, annotations, label, interpreter, done, error, choices } = self;
        let only_in_events = [delta, done].into_iter().any(|member| member.is_some_and(|member| member.is_some()));
        // An event may contain only `null`: some writers send all members in each event.
        let elsewhere_too =
            [delta, sources, annotations, label, interpreter, done, error].into_iter().any(Option::is_some)
                || choices.as_ref().is_some_and(|choices| choices.iter().all(|choice| choice.message.is_none()));
        text.is_none() && (only_in_events || followed && elsewhere_too)
    }
}

/// Whether the first line begins with a field or a comment of server-sent events.
fn field(bytes: &[u8], at_end: bool) -> Option<BodyKind> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let name = bytes.iter().take(MAX_FIELD_BYTES).take_while(|byte| is_name(byte)).count();
    match bytes.get(name) {
        Some(b':') => Some(BodyKind::Events),
        Some(b'\n' | b'\r') if matches!(&bytes[..name], b"data" | b"event" | b"id" | b"retry") => {
            Some(BodyKind::Events)
        }
        Some(_) => Some(BodyKind::Whole),
        None if at_end => Some(BodyKind::Whole),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> BodyKind {
        let form = BodyKind::of(text.as_bytes());
        // This input, byte by byte.
        let mut carrier = Framing::default();
        let mut events = Arrived::default();
        for byte in text.as_bytes() {
            carrier.push(std::slice::from_ref(byte), &mut events).expect("short");
        }
        let whole = carrier.finish(&mut events).expect("short");
        assert_eq!(whole.is_some(), form == BodyKind::Whole, "{text:?}");
        assert!(whole.is_none_or(|body| body == text.as_bytes()), "{text:?}");
        form
    }

    #[test]
    fn the_first_byte_tells_json_from_server_sent_events() {
        for text in ["data: {}", "\u{feff}data: {}", "\n\n  data: {}\n\n", ": ping\n\n", "event: x\n", "id\n", ":"] {
            assert_eq!(form(text), BodyKind::Events, "{text:?}");
        }
        for text in
            ["", " \n", "\u{feff}", "[1]", " [", "{", "\"data: x\"", "hello", "hello world: x", "5", "\u{e9}: x"]
        {
            assert_eq!(form(text), BodyKind::Whole, "{text:?}");
        }
    }

    #[test]
    fn json_is_a_stream_when_another_object_follows_on_another_line() {
        for text in [
            "{\"sources\":[]}\n{\"delta\":\"a\"}\n",
            "\u{feff}\r\n{\"delta\":\"a\"}\r\n\r\n{\"done\":true}",
            "{\"delta\":\"a\"}",
            "{\"done\":true}\n",
            "{\"choices\":[{\"delta\":{}}]}\n{\"choices\":[]}",
            "{\"error\":{}}\n{}",
            "{\"delta\":null}\n{\"delta\":\"a\"}",
            "{\"sources\":null,\"done\":null}\n{\"delta\":\"a\"}",
            "{\"candidates\":[{\"content\":{}}]}\n{\"candidates\":[]}",
            "{\"type\":\"message_start\",\"message\":{}}\n\n{\"type\":\"message_stop\"}",
        ] {
            assert_eq!(form(text), BodyKind::JsonLines, "{text:?}");
        }
        for text in [
            "{\"text\":\"a\"}",
            "{\"text\":\"a\"}\n{\"delta\":\"b\"}",
            "{\n\"delta\":\"a\"}",
            "{\"sources\":[]}\n",
            "{\"error\":{}}",
            "{\"delta\":null}",
            "{\"choices\":[{\"message\":{}}]}\n{}",
            "{\"delta\":\"a\"} x",
            "{\"candidates\":[{\"content\":{}}]}\n",
            "{\"candidates\":[{\"content\":{}}]}\nx",
            "{}\n{}",
        ] {
            assert_eq!(form(text), BodyKind::Whole, "{text:?}");
        }
    }

    #[test]
    fn lines_are_counted_from_the_first_byte() {
        let mut carrier = Framing::default();
        let mut events = Arrived::default();
        carrier.push(b"\n\r\n {\"delta\":\"a\"}\n\n {\"delta\":\"b\"}", &mut events).expect("short");
        assert_eq!(carrier.finish(&mut events).expect("short"), None);
        let places: Vec<_> = events.iter().map(|event| (event.number, event.line, event.data.len())).collect();
        assert_eq!(places, [(1, 3, 13), (2, 5, 13)]);
    }
}
