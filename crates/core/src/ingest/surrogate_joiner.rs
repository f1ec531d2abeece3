//! Joins surrogate pairs that are split over two events of a stream: the first half moves into the second event.

use std::collections::VecDeque;

use serde_json::value::RawValue;

use super::event::Event;
use super::json_walk::{Place, Walk, offset};
use super::surrogates::{ESCAPE_BYTES, FIRST_OF_SECONDS, has_lone_half, lone_halves, surrogate};

/// An event that the joiner has released. Halves without a partner are still in it.
#[derive(Debug)]
pub(super) struct JoinedEvent {
    number: usize,
    line: usize,
    name: String,
    json: String,
}

impl JoinedEvent {
    pub(super) fn new(event: Event<'_>, json: String) -> Self {
        Self { number: event.number, line: event.line, name: event.name.to_owned(), json }
    }

    pub(super) fn event(&self) -> Event<'_> {
        Event { number: self.number, line: self.line, data: self.json.as_bytes(), name: &self.name }
    }

    pub(super) fn json(&self) -> &str {
        &self.json
    }
}

/// Joins split surrogate pairs in a JSON list of events, and returns the list.
pub(super) fn joined(list: &str) -> String {
    let events: Vec<&RawValue> = serde_json::from_str(list).unwrap_or_default();
    let events: Vec<&str> = events.into_iter().map(RawValue::get).collect();
    let mut torn = SurrogateJoiner::default();
    let mut kept = Vec::with_capacity(events.len());
    for (at, event) in events.iter().enumerate() {
        kept.extend(torn.push(Event { number: at + 1, line: 1, data: event.as_bytes(), name: "" }, event));
    }
    kept.extend(torn.release());
    let (mut joined, mut from) = (String::with_capacity(list.len()), 0);
    for (event, kept) in events.into_iter().zip(&kept) {
        joined.extend([&list[from..offset(list, event)], kept.json()]);
        from = offset(list, event) + event.len();
    }
    joined.push_str(&list[from..]);
    joined
}

/// Joins surrogate pairs that are split over two events.
///
/// An event with a string that ends in the first half of a pair waits for the next event with a string in the same place. If
/// that string begins with the second half, the first half moves to its start; if not, the half stays unpaired. Events between
/// the two wait as well, so that all keep their order.
#[derive(Debug, Default)]
pub(super) struct SurrogateJoiner {
    waiting: VecDeque<JoinedEvent>,
    ends: Vec<TornEnd>,
}

/// The most events and bytes that wait. The next delta of a text is normally one of the next events.
const MAX_WAITING: usize = 16;
const MAX_WAITING_BYTES: usize = 256 * 1024;

/// The most strings of one event whose halves are joined. An event rarely has more than the text and a copy of it.
const MAX_ENDS: usize = 8;

/// A string that ends in the first half of a surrogate pair.
#[derive(Debug)]
struct TornEnd {
    /// Number of its event, counted from 1.
    event: usize,
    /// Byte offset of the escape in the JSON of the event.
    at: usize,
    place: Place,
}

impl SurrogateJoiner {
    /// Whether an event can be read at once: no event waits, and it has no unpaired half.
    pub(super) fn pass(&self, json: &str) -> bool {
        self.waiting.is_empty() && !has_lone_half(json)
    }

    /// Takes the next event and returns the events that need not wait any longer, in order.
    pub(super) fn push(&mut self, event: Event<'_>, json: &str) -> Vec<JoinedEvent> {
        let mut json = json.to_owned();
        self.continue_texts(&mut json);
        let ends = lone_halves(&json).into_iter().filter(|half| half.is_first && ends_text(&json, half.at));
        for half in ends.take(MAX_ENDS) {
            let place = Walk::to_byte(&json, half.at).place;
            self.ends.push(TornEnd { event: event.number, at: half.at, place });
        }
        self.waiting.push_back(JoinedEvent::new(event, json));
        if self.waiting.len() > MAX_WAITING
            || self.waiting.iter().map(|kept| kept.json.len()).sum::<usize>() > MAX_WAITING_BYTES
        {
            return self.release();
        }
        let first = self.ends.iter().map(|end| end.event).min();
        let ready = self.waiting.iter().take_while(|kept| first.is_none_or(|first| kept.number < first)).count();
        self.waiting.drain(..ready).collect()
    }

    /// Returns all waiting events, for example at the end of the input. Their halves stay unpaired.
    pub(super) fn release(&mut self) -> Vec<JoinedEvent> {
        self.ends.clear();
        self.waiting.drain(..).collect()
    }

    /// Moves waiting first halves to the strings of this event that begin with the second half.
    fn continue_texts(&mut self, json: &mut String) {
        let waiting = &mut self.waiting;
        self.ends.retain(|end| {
            let Some(text) = end.place.text_in(json) else { return true };
            let earlier = waiting.iter_mut().find(|kept| kept.number == end.event);
            let goes_on = surrogate(&json.as_bytes()[text..]).is_some_and(|unit| unit >= FIRST_OF_SECONDS);
            if let Some(JoinedEvent { json: earlier, .. }) = earlier.filter(|_| goes_on) {
                let half = end.at..end.at + ESCAPE_BYTES;
                json.insert_str(text, &earlier[half]);
                // The earlier string now ends before the half; blanks keep all byte offsets behind it.
                earlier.replace_range(end.at..=end.at + ESCAPE_BYTES, "\"      ");
            }
            false
        });
    }
}

/// Whether the JSON string ends right behind the escape.
fn ends_text(json: &str, escape: usize) -> bool {
    json.as_bytes().get(escape + ESCAPE_BYTES) == Some(&b'"')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::surrogates::mended;
    use super::*;

    /// The events that are released after each of these.
    fn given(events: &[&str]) -> Vec<Vec<String>> {
        let mut torn = SurrogateJoiner::default();
        let json = |kept: Vec<JoinedEvent>| kept.iter().map(|kept| mended(&kept.json).into_owned()).collect::<Vec<_>>();
        let mut given = Vec::new();
        for (at, event) in events.iter().enumerate() {
            let data = event.as_bytes();
            given.push(json(torn.push(Event { number: at + 1, line: 1, data, name: "" }, event)));
        }
        given.push(json(torn.release()));
        given
    }

    #[test]
    fn a_half_moves_to_the_next_text_in_its_place() {
        let events = [r#"{"d":"a\ud83d"}"#, r#"{"type":"ping"}"#, r#"{"d":"\ude00b"}"#];
        let wanted = [r#"{"d":"a"      }"#, r#"{"type":"ping"}"#, r#"{"d":"\ud83d\ude00b"}"#];
        assert_eq!(given(&events), [vec![], vec![], wanted.map(str::to_owned).to_vec(), vec![]]);
    }

    #[test]
    fn a_half_is_lost_when_its_text_goes_on_without_the_other() {
        let events = [r#"{"d":"a\ud83d"}"#, r#"{"d":"b"}"#, r#"{"d":"\ude00"}"#];
        let wanted = vec![r#"{"d":"a\ufffd"}"#.to_owned(), r#"{"d":"b"}"#.to_owned()];
        assert_eq!(given(&events), [vec![], wanted, vec![r#"{"d":"\ufffd"}"#.to_owned()], vec![]]);
    }

    #[test]
    fn texts_of_other_kinds_or_numbers_are_others() {
        let events = [
            r#"{"type":"delta","index":0,"d":"\ud83d"}"#,
            r#"{"type":"delta","index":1,"d":"\ud83d"}"#,
            r#"{"type":"delta","index":0,"d":"\ude00"}"#,
            r#"{"type":"delta","index":1,"d":"\ude00"}"#,
        ];
        let given = given(&events).concat();
        assert_eq!(given[2], r#"{"type":"delta","index":0,"d":"\ud83d\ude00"}"#);
        assert_eq!(given[3], r#"{"type":"delta","index":1,"d":"\ud83d\ude00"}"#);
    }

    #[test]
    fn events_wait_no_longer_than_the_next_text_can_be_away() {
        let mut events = vec![r#"{"d":"\ud83d"}"#];
        events.extend([r#"{"ping":1}"#; 20]);
        let waited = given(&events).iter().take_while(|given| given.is_empty()).count();
        assert_eq!(waited, MAX_WAITING);
    }

    proptest! {
        #[test]
        fn anything_that_is_torn_can_be_put_together(text in "[a\"\\\\😀🎉\u{e000}]{0,12}", cut in 0_usize..24) {
            let units: Vec<u16> = text.encode_utf16().collect();
            let cut = cut.min(units.len());
            let json = |units: &[u16]| units.iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            let events = [&units[..cut], &units[cut..]].map(|units| format!("{{\"d\":\"{}\"}}", json(units)));
            let given = given(&[&events[0], &events[1]]).concat();
            let read = |json: &String| serde_json::from_str::<BTreeMap<String, String>>(json).expect("JSON")["d"].clone();
            prop_assert_eq!(given.iter().map(read).collect::<String>(), text);
        }
    }
}
