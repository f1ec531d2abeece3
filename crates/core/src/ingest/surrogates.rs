//! Unpaired surrogate escapes in JSON.
//!
//! JSON may write a character outside of the Basic Multilingual Plane as two escapes, `\ud83d\ude00`. A service that cuts text
//! by UTF-16 units splits the pair. JSON's grammar allows the halves, but a Rust string cannot hold them. So JSON is mended
//! before it is parsed: pairs that are split over two events of a stream are joined, and a half without a partner becomes
//! U+FFFD. Most JSON has no such half and is only searched for backslashes.

use std::borrow::Cow;

use super::json_walk::Walk;
use crate::report::{Entry, Kind};

/// Length of a `\uXXXX` escape; the replacement of a half has the same length.
pub(super) const ESCAPE_BYTES: usize = 6;
const REPLACEMENT: &str = r"\ufffd";

/// Replaces unpaired surrogate escapes with `\ufffd`.
///
/// All other bytes keep their offsets, so that error messages name the right place.
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

/// Like [`mended`], and counts the replacements for the report. `pointer` is the JSON pointer of `json`.
pub(super) fn mended_with_note<'j>(json: &'j str, pointer: &str) -> (Cow<'j, str>, Lost) {
    let halves = lone_halves(json);
    let first = halves.first().map(|half| format!("{pointer}{}", Walk::to_byte(json, half.at).place.pointer()));
    (mended_by(&halves, json), Lost { count: halves.len(), first })
}

/// Prepares a JSON string whose content is JSON itself: each unpaired surrogate escape gets another backslash, so that it
/// becomes an escape of the inner JSON, with the same meaning there.
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

/// The unpaired halves that were replaced.
#[derive(Debug, Default)]
pub(super) struct Lost {
    count: usize,
    /// JSON pointer of the string with the first of them.
    first: Option<String>,
}

impl Lost {
    /// Adds the halves of later JSON.
    pub(super) fn add(&mut self, later: Self) {
        self.count += later.count;
        self.first = self.first.take().or(later.first);
    }

    /// One entry for the report, for any number of halves; `None` without any.
    pub(super) fn entry(self) -> Option<Entry> {
        let Self { count, first } = self;
        let halves = if count == 1 { "half a character stands" } else { "halves of characters stand" };
        let message = format!("{count} {halves} alone, cut between two UTF-16 units; U+FFFD is in each place");
        first.map(|first| Entry::in_input(Kind::Note, "half-character", first, message))
    }
}

/// An unpaired surrogate escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Half {
    /// Byte offset of its backslash.
    pub(super) at: usize,
    /// Whether it is the first half of a pair (U+D800 to U+DBFF).
    pub(super) is_first: bool,
}

/// Whether the JSON has an unpaired surrogate escape.
pub(super) fn has_lone_half(json: &str) -> bool {
    !lone_halves(json).is_empty()
}

pub(super) fn lone_halves(json: &str) -> Vec<Half> {
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
            // Any other escape has at least two bytes, and the next one begins behind them.
            None => 2,
        };
        from = (at + length).min(bytes.len());
    }
    halves
}

/// The lowest second half of a pair; first halves are below it.
pub(super) const FIRST_OF_SECONDS: u16 = 0xdc00;

/// The surrogate of an escape at the start of these bytes; `None` when they begin otherwise.
pub(super) fn surrogate(escape: &[u8]) -> Option<u16> {
    let [b'\\', b'u', digits @ ..] = escape.get(..ESCAPE_BYTES)? else { return None };
    // Fast exit for most escapes.
    if !matches!(digits, [b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..]) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
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

    proptest! {
        #[test]
        fn whatever_comes_is_mended_in_its_place(json in "(\\\\|u|d83d|DE00|\"|\\\\ud83d|\\\\ude00|é){0,16}") {
            let mended = mended(&json);
            prop_assert_eq!(mended.len(), json.len());
            prop_assert!(lone_halves(&mended).is_empty());
        }
    }
}
