//! Halves of characters.
//!
//! JSON may write a character outside of the Basic Multilingual Plane as two escapes, `\ud83d\ude00`, and whoever cuts texts by
//! UTF-16 units tears the two apart. JSON's grammar allows that; a Rust text cannot hold it. So JSON is mended before it is
//! read: halves that two events of a stream share are put together in the second, and a half that stays alone becomes
//! U+FFFD. JSON without a torn character, which is nearly all, is only searched for escapes.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use serde_json::value::RawValue;

use super::event::Event;
use crate::report::{Entry, Kind};

/// How long an escape is, and what takes the place of a half.
const ESCAPE_BYTES: usize = 6;
const REPLACEMENT: &str = r"\ufffd";

/// JSON in which no half of a character stands alone.
///
/// Every byte keeps its place, so that messages about faults name the right ones.
pub(super) fn mended(json: &str) -> Cow<'_, str> {
    mended_by(&lone_halves(json), json)
}

fn mended_by<'j>(halves: &[Half], json: &'j str) -> Cow<'j, str> {
    if halves.is_empty() {
        return Cow::Borrowed(json);
    }
    let mut mended = String::with_capacity(json.len());
    let mut from = 0;
    for half in halves {
        mended.extend([&json[from..half.at], REPLACEMENT]);
        from = half.at + ESCAPE_BYTES;
    }
    mended.push_str(&json[from..]);
    Cow::Owned(mended)
}

/// The same, with an entry for the report where something was mended; `pointer` leads to the JSON.
pub(super) fn mended_with_note<'j>(json: &'j str, pointer: &str) -> (Cow<'j, str>, Lost) {
    let halves = lone_halves(json);
    let first = halves.first().map(|half| format!("{pointer}{}", Walk::to_byte(json, half.at).place.pointer()));
    (mended_by(&halves, json), Lost { count: halves.len(), first })
}

/// JSON of a text that holds JSON in its turn: halves that stand alone in the former become escapes of the latter, where they
/// mean the same.
pub fn handed_down(json: &str) -> Cow<'_, str> {
    let halves = lone_halves(json);
    if halves.is_empty() {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + halves.len());
    let mut from = 0;
    for half in halves {
        escaped.extend([&json[from..half.at], "\\"]);
        from = half.at;
    }
    escaped.push_str(&json[from..]);
    Cow::Owned(escaped)
}

/// Halves that stayed alone.
#[derive(Debug, Default)]
pub(super) struct Lost {
    count: usize,
    /// JSON pointer of the text with the first of them.
    first: Option<String>,
}

impl Lost {
    /// Adds those that came later.
    pub(super) fn add(&mut self, later: Self) {
        self.count += later.count;
        self.first = self.first.take().or(later.first);
    }

    /// What the report says of them: one entry, however many there are.
    pub(super) fn entry(self) -> Option<Entry> {
        let Self { count, first } = self;
        let halves = if count == 1 { "half a character stands" } else { "halves of characters stand" };
        let message = format!("{count} {halves} alone, cut between two UTF-16 units; U+FFFD is in each place");
        first.map(|first| Entry::in_input(Kind::Note, "half-character", first, message))
    }
}

/// Half a character that stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Half {
    /// Where its escape begins.
    at: usize,
    is_first: bool,
}

/// Whether half a character stands alone.
pub(super) fn has_lone_half(json: &str) -> bool {
    !lone_halves(json).is_empty()
}

fn lone_halves(json: &str) -> Vec<Half> {
    let bytes = json.as_bytes();
    let (mut halves, mut from) = (Vec::new(), 0);
    while let Some(found) = memchr::memchr(b'\\', &bytes[from..]) {
        let at = from + found;
        let second = || surrogate(bytes.get(at + ESCAPE_BYTES..)?).filter(|unit| *unit >= FIRST_OF_SECONDS);
        let length = match surrogate(&bytes[at..]) {
            Some(unit) if unit < FIRST_OF_SECONDS && second().is_some() => 2 * ESCAPE_BYTES,
            Some(unit) => {
                halves.push(Half { at, is_first: unit < FIRST_OF_SECONDS });
                ESCAPE_BYTES
            }
            // Whatever else is behind a backslash, the next escape begins behind that.
            None => 2,
        };
        from = (at + length).min(bytes.len());
    }
    halves
}

/// The first halves of pairs are below it.
const FIRST_OF_SECONDS: u16 = 0xdc00;

/// The surrogate that an escape stands for.
fn surrogate(escape: &[u8]) -> Option<u16> {
    let [b'\\', b'u', digits @ ..] = escape.get(..ESCAPE_BYTES)? else { return None };
    // Most escapes end here.
    if !matches!(digits, [b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..]) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// An event that has been kept for a while. Halves that stayed alone are still in it.
#[derive(Debug)]
pub(super) struct Kept {
    number: usize,
    line: usize,
    json: String,
}

impl Kept {
    pub(super) fn event(&self) -> Event<'_> {
        Event { number: self.number, line: self.line, data: self.json.as_bytes() }
    }

    pub(super) fn json(&self) -> &str {
        &self.json
    }
}

/// A list of events in which the halves are put together that two events share.
pub(super) fn joined(list: &str) -> String {
    let events: Vec<&RawValue> = serde_json::from_str(list).unwrap_or_default();
    let events: Vec<&str> = events.into_iter().map(RawValue::get).collect();
    let mut torn = TornCharacters::default();
    let mut kept = Vec::with_capacity(events.len());
    for (at, event) in events.iter().enumerate() {
        kept.extend(torn.push(Event { number: at + 1, line: 1, data: event.as_bytes() }, event));
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

/// Puts characters together that two events share.
///
/// An event with a text that ends in the first half of a character waits for the next event with a text in the same place.
/// Where that begins with the other half, the first half moves over; where it does not, the half is lost. The events between
/// wait as well, so that all keep their order.
#[derive(Debug, Default)]
pub(super) struct TornCharacters {
    waiting: VecDeque<Kept>,
    ends: Vec<TornEnd>,
}

/// So many events wait at most, and so many bytes: the next delta of a text is near.
const MAX_WAITING: usize = 16;
const MAX_WAITING_BYTES: usize = 256 * 1024;

/// So many texts of one event are gone on with: it rarely has more than the text itself, and a copy of it.
const MAX_ENDS: usize = 8;

/// A text that ends in the first half of a character.
#[derive(Debug)]
struct TornEnd {
    /// The number of its event.
    event: usize,
    /// Where the half stands in it.
    at: usize,
    place: Place,
}

impl TornCharacters {
    /// Whether an event can be read as it is: nothing is torn in it, nor before it.
    pub(super) fn pass(&self, json: &str) -> bool {
        self.waiting.is_empty() && !has_lone_half(json)
    }

    /// Takes the next event; gives those that need not wait any longer, in order.
    pub(super) fn push(&mut self, event: Event<'_>, json: &str) -> Vec<Kept> {
        let mut json = json.to_owned();
        self.continue_texts(&mut json);
        let ends = lone_halves(&json).into_iter().filter(|half| half.is_first && ends_text(&json, half.at));
        for half in ends.take(MAX_ENDS) {
            let place = Walk::to_byte(&json, half.at).place;
            self.ends.push(TornEnd { event: event.number, at: half.at, place });
        }
        self.waiting.push_back(Kept { number: event.number, line: event.line, json });
        if self.waiting.len() > MAX_WAITING
            || self.waiting.iter().map(|kept| kept.json.len()).sum::<usize>() > MAX_WAITING_BYTES
        {
            return self.release();
        }
        let first = self.ends.iter().map(|end| end.event).min();
        let ready = self.waiting.iter().take_while(|kept| first.is_none_or(|first| kept.number < first)).count();
        self.waiting.drain(..ready).collect()
    }

    /// Gives all events that wait: what would go on with their texts does not come.
    pub(super) fn release(&mut self) -> Vec<Kept> {
        self.ends.clear();
        self.waiting.drain(..).collect()
    }

    /// Moves the halves that wait to the texts of an event that go on with them.
    fn continue_texts(&mut self, json: &mut String) {
        let waiting = &mut self.waiting;
        self.ends.retain(|end| {
            let Some(text) = end.place.text_in(json) else { return true };
            let earlier = waiting.iter_mut().find(|kept| kept.number == end.event);
            let goes_on = surrogate(&json.as_bytes()[text..]).is_some_and(|unit| unit >= FIRST_OF_SECONDS);
            if let Some(Kept { json: earlier, .. }) = earlier.filter(|_| goes_on) {
                let half = end.at..end.at + ESCAPE_BYTES;
                json.insert_str(text, &earlier[half]);
                // The text ends before the half, and blanks keep everything behind it in its place.
                earlier.replace_range(end.at..=end.at + ESCAPE_BYTES, "\"      ");
            }
            false
        });
    }
}

/// Whether a text ends behind the escape.
fn ends_text(json: &str, escape: usize) -> bool {
    json.as_bytes().get(escape + ESCAPE_BYTES) == Some(&b'"')
}

/// Where a text stands in an event.
#[derive(Debug, Default, PartialEq, Eq)]
struct Place {
    /// The names and numbers of the members on the way.
    names: Vec<String>,
    /// What tells texts in the same place apart: the kinds and numbers of the objects on the way.
    kinds: Vec<String>,
}

/// The members that tell texts apart which stand in the same place of their events.
const TELLING: [&str; 6] = ["type", "index", "contentBlockIndex", "output_index", "content_index", "summary_index"];

/// JSON is looked into so deep.
const MAX_DEPTH: usize = 32;

impl Place {
    fn pointer(&self) -> String {
        self.names.iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
    }

    /// Where in the JSON the content of the text of this place begins, where there is one.
    fn text_in(&self, json: &str) -> Option<usize> {
        let walk = Walk::new(json, |depth, name, _| self.names.get(depth).is_some_and(|wanted| wanted == name));
        (walk.place == *self && walk.end.starts_with('"')).then(|| offset(json, walk.end) + 1)
    }
}

/// A way into JSON.
struct Walk<'j> {
    place: Place,
    /// The value to which it leads.
    end: &'j str,
}

impl<'j> Walk<'j> {
    /// The way to the innermost value with this byte.
    fn to_byte(json: &'j str, at: usize) -> Self {
        Self::new(json, |_, _, value| (offset(json, value)..offset(json, value) + value.len()).contains(&at))
    }

    /// Goes on to the member that is chosen by depth, name and value, as long as there is one.
    fn new(json: &'j str, choose: impl Fn(usize, &str, &'j str) -> bool) -> Self {
        let mut walk = Self { place: Place::default(), end: json };
        for depth in 0..MAX_DEPTH {
            let members = members(walk.end);
            let telling = members
                .iter()
                .filter(|(name, value)| TELLING.contains(&name.as_str()) && !value.starts_with(['{', '[']));
            let chosen = members.iter().find(|(name, value)| choose(depth, name, value));
            let Some((name, value)) = chosen else { break };
            walk.place.kinds.extend(telling.map(|(name, value)| format!("{depth} {name} {value}")));
            walk.place.names.push(name.clone());
            walk.end = value;
        }
        walk
    }
}

/// The members of an object or a list, with their names or numbers; a text or a number has none.
fn members(json: &str) -> Vec<(String, &str)> {
    if json.starts_with('[') {
        let list: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
        return list.into_iter().enumerate().map(|(at, value)| (at.to_string(), value.get())).collect();
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).unwrap_or_default();
    members.into_iter().map(|(name, value)| (name, value.get())).collect()
}

/// Where a part of a text begins in it.
fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr().addr() - whole.as_ptr().addr()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_a_half_that_stands_alone_is_mended() {
        for (json, wanted) in [
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\\ud83d \u00e9 \n""#, r#""\\ud83d \u00e9 \n""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""\uD83D\uD83D\uDE00\uDE00""#, r#""\ufffd\uD83D\uDE00\ufffd""#),
            (r#""\ud83d \ude00""#, r#""\ufffd \ufffd""#),
            (r#""\ud83d\n\udg00 \ud8"#, r#""\ufffd\n\udg00 \ud8"#),
            (r"\", r"\"),
        ] {
            assert_eq!(mended(json), wanted, "{json}");
        }
    }

    #[test]
    fn the_note_leads_to_the_first_half() {
        let json = r#"{"type": "x", "a/b": ["\ud83d\ude00", {"c": "d\ud83d"}], "e": "\ude00"}"#;
        let (_, lost) = mended_with_note(json, "/3");
        let entry = lost.entry().expect("an entry");
        assert_eq!(entry.at, crate::report::At::Pointer("/3/a~1b/1/c".into()));
        assert!(entry.message.starts_with("2 halves of characters stand alone"), "{}", entry.message);
    }

    /// The events that are given after each of these.
    fn given(events: &[&str]) -> Vec<Vec<String>> {
        let mut torn = TornCharacters::default();
        let json = |kept: Vec<Kept>| kept.iter().map(|kept| mended(&kept.json).into_owned()).collect::<Vec<_>>();
        let mut given = Vec::new();
        for (at, event) in events.iter().enumerate() {
            let data = event.as_bytes();
            given.push(json(torn.push(Event { number: at + 1, line: 1, data }, event)));
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

        #[test]
        fn whatever_comes_is_mended_in_its_place(json in "(\\\\|u|d83d|DE00|\"|\\\\ud83d|\\\\ude00|é){0,16}") {
            let mended = mended(&json);
            prop_assert_eq!(mended.len(), json.len());
            prop_assert!(lone_halves(&mended).is_empty());
        }
    }
}
