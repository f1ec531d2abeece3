//! [Server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html), parsed from bytes in
//! pieces of any size.
//!
//! The parser follows section 9.2.6 of the HTML standard, with two differences. The end of the input ends the last event
//! (rule T-07), because many providers omit the last blank line. And a `data` line with whole JSON is an event of
//! its own when the next `data` line begins with `{` or `[`, because some logs and proxies drop the blank lines between
//! events. The fields `id` and `retry` are skipped, because citewire does not reconnect. So is `event`, unless a mapping
//! may ask for it: providers name the type of an event in its JSON.

use serde::de::IgnoredAny;

use super::event::{Arrived, Event};
use super::lines::{Lines, MAX_EVENT_BYTES};
use super::{EventPlace, IngestError};

/// Splits bytes into events.
#[derive(Debug)]
pub(super) struct SseEvents {
    lines: Lines,
    open: Open,
}

/// The maximum number of names of events that are kept for an error.
const MAX_NAMES: usize = 4;

/// The maximum number of characters of a name that an error shows.
const MAX_NAME_CHARS: usize = 40;

/// The event that is still open.
#[derive(Debug, Default)]
struct Open {
    data: Vec<u8>,
    /// Number of the line where its data began; `None` before the first `data` line.
    line: Option<usize>,
    /// Whether its data has more than one line.
    is_continued: bool,
    /// Number of complete events.
    ended: usize,
    /// Whether its data exceeds [`MAX_EVENT_BYTES`].
    too_long: bool,
    /// The first names in the `event` fields, each once, as sent.
    names: Vec<Vec<u8>>,
    /// The name of this event; `None` where nobody wants names.
    own_name: Option<String>,
}

impl SseEvents {
    /// A parser whose first line has this number, counted from 1. `names` says whether events get their names.
    pub(super) fn from_line(number: usize, names: bool) -> Self {
        let open = Open { own_name: names.then(String::new), ..Open::default() };
        Self { lines: Lines::from_number(number), open }
    }

    /// The first names that `event` fields gave, each once, on one line.
    pub(super) fn names(&self) -> Vec<String> {
        let shown = |name: &Vec<u8>| {
            String::from_utf8_lossy(name).chars().take(MAX_NAME_CHARS).flat_map(char::escape_debug).collect()
        };
        self.open.names.iter().map(shown).collect()
    }

    /// Parses more bytes and appends the events that they complete.
    pub(super) fn push(&mut self, bytes: &[u8], events: &mut Arrived) -> Result<(), IngestError> {
        let open = &mut self.open;
        let pushed = self.lines.push(bytes, |number, line| {
            if !open.too_long {
                open.take(number, line, events);
            }
        });
        let line = match (pushed, self.open.too_long) {
            (Ok(()), false) => return Ok(()),
            (Err(too_long), _) => too_long.line,
            (Ok(()), true) => self.open.line.unwrap_or_default(),
        };
        let place = EventPlace { event: self.open.ended + 1, line };
        Err(IngestError::EventTooLong { place, limit: MAX_EVENT_BYTES })
    }

    /// Appends the event that the end of the input completes (rule T-07).
    pub(super) fn finish(mut self, events: &mut Arrived) {
        if let Some((number, line)) = self.lines.finish() {
            self.open.take(number, &line, events);
        }
        self.open.end(events);
    }
}

impl Open {
    fn take(&mut self, number: usize, line: &[u8], events: &mut Arrived) {
        if line.is_empty() {
            return self.end(events);
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = colon.map_or((line, &[][..]), |colon| (&line[..colon], &line[colon + 1..]));
        let value = value.strip_prefix(b" ").unwrap_or(value);
        if field == b"event" && self.names.len() < MAX_NAMES {
            self.name(value);
        }
        if field != b"data" {
            if let Some(name) = self.own_name.as_mut().filter(|_| field == b"event") {
                *name = String::from_utf8_lossy(value).trim().to_owned();
            }
            return;
        }
        if self.is_followed_by(value) {
            self.end(events);
        }
        if self.data.len() + value.len() >= MAX_EVENT_BYTES {
            self.too_long = true;
            return;
        }
        if self.line.is_some() {
            self.data.push(b'\n');
            self.is_continued = true;
        }
        self.line.get_or_insert(number);
        self.data.extend_from_slice(value);
    }

    fn name(&mut self, name: &[u8]) {
        let name = &name[..name.len().min(4 * MAX_NAME_CHARS)];
        if !name.is_empty() && !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_vec());
        }
    }

    /// Whether a `data` line with this value begins another event, although no blank line ended this one.
    ///
    /// Only the second data line of an event is checked, so that an event of many lines is not parsed again for each of them.
    fn is_followed_by(&self, value: &[u8]) -> bool {
        let value = value.trim_ascii();
        !self.is_continued
            && matches!(value.first(), Some(b'{' | b'['))
            && matches!(self.data.trim_ascii_start().first(), Some(b'{' | b'['))
            && serde_json::from_slice::<IgnoredAny>(&self.data).is_ok()
    }

    fn end(&mut self, events: &mut Arrived) {
        self.is_continued = false;
        let name = self.own_name.as_mut().map(std::mem::take).unwrap_or_default();
        let Some(line) = self.line.take() else { return };
        // An event without data is dropped (rule T-02).
        if !self.data.is_empty() {
            self.ended += 1;
            events.push(Event { number: self.ended, line, data: &self.data, name: &name });
            self.data.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> Vec<(usize, usize, String)> {
        let mut reader = SseEvents::from_line(1, false);
        let mut events = Arrived::default();
        for piece in pieces {
            reader.push(piece, &mut events).expect("short events");
        }
        reader.finish(&mut events);
        let shown = |event: Event<'_>| (event.number, event.line, String::from_utf8_lossy(event.data).into_owned());
        events.iter().map(shown).collect()
    }

    fn data(text: &str) -> Vec<String> {
        read([text.as_bytes()]).into_iter().map(|(_, _, data)| data).collect()
    }

    #[test]
    fn fields_are_read_as_the_standard_says() {
        assert_eq!(data("data: a\n\ndata:b\n\ndata:  c\n\n"), ["a", "b", " c"]);
        assert_eq!(data("data: a\ndata: b\n\n"), ["a\nb"]);
        assert_eq!(data("data\ndata: a\n\n"), ["\na"]);
        assert_eq!(data(": ping\n\nevent: x\nid: 1\nretry: 5\nfoo: bar\n\ndata: a\n\n"), ["a"]);
        assert_eq!(data("event: x\ndata: a\nid: 7\n\n"), ["a"]);
        assert_eq!(data("data:\n\ndata: \n\ndata: a\n\n"), ["a"]);
        assert_eq!(data("Data: a\n data: b\n\n"), Vec::<String>::new());
    }

    #[test]
    fn the_end_of_the_input_ends_the_last_event() {
        assert_eq!(data("data: a\n\ndata: b\n"), ["a", "b"]);
        assert_eq!(data("data: a\n\ndata: b"), ["a", "b"]);
    }

    /// Some logs drop the blank lines of a stream; all its events were once read as a single one, which was not JSON.
    #[test]
    fn objects_on_lines_of_their_own_are_events_without_blank_lines() {
        assert_eq!(data("data: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]\n"), ["{\"a\":1}", "{\"b\":2}", "[DONE]"]);
        assert_eq!(data("data: [1]\ndata: [2]\ndata: {}\n"), ["[1]", "[2]", "{}"]);
        assert_eq!(data("event: x\ndata: {}\nevent: y\ndata:{}\n\ndata: {}"), ["{}", "{}", "{}"]);
        assert_eq!(data("data: {\"a\":\ndata: {\"b\":2}\ndata: }\n\n"), ["{\"a\":\n{\"b\":2}\n}"]);
        assert_eq!(data("data: {\"a\":1}\ndata: x\n\n"), ["{\"a\":1}\nx"]);
        assert_eq!(data("data: {\"a\":1\ndata: }\ndata: {}\n"), ["{\"a\":1\n}\n{}"]);
        let numbered = [(1, 1, "{}".to_owned()), (2, 3, "{}".to_owned())];
        assert_eq!(read(["data: {}\n: x\ndata: {}\n".as_bytes()]), numbered);
    }

    #[test]
    fn events_know_their_number_and_line() {
        let text = ": x\n\ndata: a\n\n\nevent: e\ndata: b\r\n\r\n";
        let expected = [(1, 3, "a".to_owned()), (2, 7, "b".to_owned())];
        assert_eq!(read([text.as_bytes()]), expected);
    }

    #[test]
    fn an_event_without_an_end_is_refused_with_its_place() {
        let mut reader = SseEvents::from_line(1, false);
        let mut events = Arrived::default();
        reader.push(b"data: a\n\n", &mut events).expect("an event");
        let mut line = b"data: ".to_vec();
        line.resize(MAX_EVENT_BYTES / 2, b'x');
        line.push(b'\n');
        reader.push(&line, &mut events).expect("half of what is taken");
        reader.push(&line, &mut events).expect("nearly all that is taken");
        let error = reader.push(&line, &mut events).expect_err("too much");
        assert!(error.to_string().starts_with("event 2 at line 3 is longer than 16777216 bytes"), "{error}");
    }

    proptest! {
        #[test]
        fn the_cut_of_the_bytes_does_not_matter(
            parts in prop::collection::vec(
                prop::sample::select(vec!["data: ", "data", ":", "\n", "\r", "\r\n", "\n\n", "é😀", "{\"a\":1}", " ", "event: x", "data: {}\n", "data: [DONE]\n"]),
                0..24,
            ),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let bytes = parts.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
            prop_assert_eq!(read(pieces), read([&bytes[..]]));
        }
    }
}
