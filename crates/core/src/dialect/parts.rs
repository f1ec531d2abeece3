//! A message that is too large for its channel, as several that are not.

use std::fmt;

use serde_json::Value;

use super::Dialect;
use super::cut::{Cut, cut};
use super::reference_list::{self, Form};
use super::teams::{utf16_bytes, with_short_labels, without_cards};
use crate::activity::{Activity, Entity};
use crate::graph::Claim;
use crate::report::{Entry, Kind};

/// The most messages that one answer becomes. What is left behind them is cut: nobody reads it to its end.
const MAX_PARTS: usize = 12;

/// A part is not made smaller than this, in UTF-16 units of its text.
const MIN_ROOM_UTF16: usize = 256;

/// The least room where the drawn text may be many times as long.
const MIN_DRAWN_ROOM_UTF16: usize = 16;

impl Dialect {
    /// The most that a message has on the wire, in bytes of UTF-16, without what delivery adds.
    #[must_use]
    pub fn max_message_bytes(self) -> usize {
        self.row().max_message_bytes
    }

    /// The message in parts of at most `limit` bytes of UTF-16 each: one, when it fits. It is divided at paragraphs, else at
    /// lines, else at words; a code fence that is divided is closed and opened again. Each part has the claims, and the
    /// definitions, whose numbers stand in it; the numbers stay the same. What readers are asked to do stands on the last one.
    ///
    /// Where the channel has a form of its own, each part is drawn in it, and short enough as it is drawn. A part that was drawn is
    /// divided no more.
    ///
    /// What does not fit into twelve parts is cut; `entries` says so.
    #[must_use]
    pub fn parts(self, mut message: Activity, limit: usize, entries: &mut Vec<Entry>) -> Vec<Activity> {
        let text = message.text.clone().unwrap_or_default();
        let has_definitions = self.rules().definitions;
        for lighten in [without_cards, with_short_labels] {
            if size(&message) > limit && !has_definitions {
                for entity in message.entities.iter_mut().flatten() {
                    if let Entity::Message(thing) = entity {
                        entries.extend(lighten(thing));
                    }
                }
            }
        }
        let bounds = Bounds { bytes: limit, utf16: self.row().drawing.map(|drawing| drawing.max_part_utf16) };
        let parts = if text.is_empty() { vec![message] } else { self.divided(message, bounds, MAX_PARTS, entries) };
        parts.into_iter().map(|part| self.drawn(part, entries)).collect()
    }

    /// The message as one, drawn as the channel wants it. What is too long for that is cut; `entries` says so.
    pub(super) fn whole(self, message: Activity, entries: &mut Vec<Entry>) -> Activity {
        let Some(drawing) = self.row().drawing else { return message };
        let bounds = Bounds { bytes: self.max_message_bytes(), utf16: Some(drawing.max_message_utf16) };
        let only = self.divided(message, bounds, 1, entries).into_iter().next();
        only.map_or_else(Activity::default, |message| self.drawn(message, entries))
    }

    fn drawn(self, message: Activity, entries: &mut Vec<Entry>) -> Activity {
        let Some(drawing) = self.row().drawing else { return message };
        let (drawn, _, told) = drawing.of(&message);
        entries.extend(told);
        drawn
    }

    /// The message in at most `max_parts` parts, in Markdown.
    fn divided(self, message: Activity, bounds: Bounds, max_parts: usize, entries: &mut Vec<Entry>) -> Vec<Activity> {
        if self.weight(&message, bounds) <= bounds.bytes {
            return vec![message];
        }
        let text = message.text.clone().unwrap_or_default();
        let (mut rest, definitions) =
            if self.rules().definitions { without_definitions(&text) } else { (text, Vec::new()) };
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let is_last = parts.len() + 1 == max_parts;
            let left = Left { text: &rest, definitions: &definitions, is_last };
            let (part, behind) = self.part(&message, left, bounds, entries);
            parts.push(part);
            if is_last && !behind.is_empty() {
                let note = match max_parts {
                    1 => format!("the message is larger than {bounds}; {} bytes of its text were cut", behind.len()),
                    _ => format!(
                        "the message would be more than {max_parts}; {} bytes of its text were cut",
                        behind.len()
                    ),
                };
                entries.push(Entry::in_input(Kind::Cut, "message-size", "/text", note));
                break;
            }
            rest = behind;
        }
        if max_parts > 1 {
            let note = format!("the message is larger than {bounds}, so it goes out as {}", parts.len());
            entries.push(Entry::in_input(Kind::Note, "message-parts", "/text", note));
        }
        if let Some((_, all_but_last)) = parts.split_last_mut() {
            all_but_last.iter_mut().for_each(ask_nothing);
        }
        parts
    }

    /// How large the channel finds the message. Where units of its text count as well, they weigh as much of the bytes as they
    /// take of their own bound.
    fn weight(self, message: &Activity, bounds: Bounds) -> usize {
        match (self.row().drawing, bounds.utf16) {
            (Some(drawing), Some(utf16)) => {
                let (drawn, length, _) = drawing.of(message);
                size(&drawn).max((length * bounds.bytes).div_ceil(utf16))
            }
            (Some(_) | None, _) => size(message),
        }
    }

    /// The next part of a message whose text is left so far, and what is left behind it.
    fn part(self, message: &Activity, left: Left<'_>, bounds: Bounds, entries: &mut Vec<Entry>) -> (Activity, String) {
        let (mut room, least) = match bounds.utf16 {
            Some(utf16) => (utf16.min(bounds.bytes / 2), MIN_DRAWN_ROOM_UTF16),
            None => (bounds.bytes / 2, MIN_ROOM_UTF16),
        };
        loop {
            let Cut { mut head, tail } = cut(left.text, room);
            if left.is_last && !tail.is_empty() {
                head.push_str("\n\n…");
            }
            let part = with_text(message, &head, left.definitions);
            let taken = self.weight(&part, bounds);
            if taken <= bounds.bytes {
                return (part, tail);
            }
            if room <= least {
                let part = if bounds.utf16.is_some() { self.without_last_claims(part, bounds, entries) } else { part };
                return (part, tail);
            }
            // JSON escapes and marks make some characters longer than others, and claims come on top; each step leaves less.
            let less = room * bounds.bytes / taken;
            let step = if bounds.utf16.is_some() { room / 4 } else { room / 16 };
            room = less.min(room - step).min(room - 1).max(least);
        }
    }

    /// Takes claims away from the last one on, until the message fits. Their numbers stay as text.
    fn without_last_claims(self, mut part: Activity, bounds: Bounds, entries: &mut Vec<Entry>) -> Activity {
        let all = citations(&mut part).map_or(0, |claims| claims.len());
        // How many fit is looked for by halves: each look draws the whole message.
        let (mut fitting, mut too_many) = (0, all + 1);
        while fitting + 1 < too_many {
            let middle = fitting.midpoint(too_many);
            if self.weight(&with_first_claims(&part, middle), bounds) <= bounds.bytes {
                fitting = middle;
            } else {
                too_many = middle;
            }
        }
        let count = all - fitting;
        if count > 0 {
            part = with_first_claims(&part, fitting);
            let note = format!("a message was larger than {bounds}, so its last {count} claims were left out");
            entries.push(Entry::in_input(Kind::Dropped, "claims-size", "", note));
        }
        part
    }

    /// The message without its claims, the sources readable in the text: for a service that refuses them. `None` when there
    /// is nothing to leave out.
    #[must_use]
    pub fn listed(self, message: &Activity) -> Option<Activity> {
        let mut listed = message.clone();
        let entities = listed.entities.as_mut()?;
        let mut thing = None;
        entities.retain(|entity| match entity {
            Entity::Message(found) => {
                thing.get_or_insert_with(|| found.clone());
                false
            }
            Entity::Other(_) | Entity::Odd(_) => true,
        });
        let thing = thing?;
        listed.entities = listed.entities.filter(|entities| !entities.is_empty());
        if !self.rules().definitions
            && let Some(text) = &mut listed.text
        {
            let mut list = String::new();
            reference_list::append(&mut list, &thing, Form::Markdown);
            // An answer for callers that drop entities has it already.
            if !text.ends_with(&list) {
                reference_list::append(text, &thing, Form::Markdown);
            }
        }
        Some(listed)
    }
}

/// The content of the next part.
#[derive(Clone, Copy)]
struct Left<'t> {
    text: &'t str,
    definitions: &'t [String],
    is_last: bool,
}

/// How large a message may be.
#[derive(Clone, Copy)]
struct Bounds {
    /// On the wire, in bytes of UTF-16.
    bytes: usize,
    /// Its text as it is drawn, in units of UTF-16.
    utf16: Option<usize>,
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.utf16 {
            Some(utf16) => write!(f, "{utf16} units or {} bytes of UTF-16", self.bytes),
            None => write!(f, "{} bytes of UTF-16", self.bytes),
        }
    }
}

/// The message with this text, and with the claims and definitions that it names.
fn with_text(message: &Activity, text: &str, definitions: &[String]) -> Activity {
    let mut part = message.clone();
    let named = |number: &str| text.contains(&format!("[{number}]"));
    for entity in part.entities.iter_mut().flatten() {
        if let Entity::Message(thing) = entity {
            thing.citation.retain(|claim| named(&claim.position.position().to_string()));
        }
    }
    let used = definitions.iter().map(String::as_str).filter(|line| named(number_of(line).unwrap_or_default()));
    let mut text = text.to_owned();
    push_definitions(&mut text, used);
    part.text = Some(text);
    part
}

fn push_definitions<'d>(text: &mut String, definitions: impl Iterator<Item = &'d str>) {
    for (at, line) in definitions.enumerate() {
        text.push_str(if at == 0 { "\n\n" } else { "\n" });
        text.push_str(line);
    }
}

/// The message with so many of its claims, and without the definitions of the others.
fn with_first_claims(message: &Activity, count: usize) -> Activity {
    let mut part = message.clone();
    let Some(claims) = citations(&mut part) else { return part };
    let gone = claims.split_off(count.min(claims.len()));
    let numbers: Vec<String> = gone.iter().map(|claim| claim.position.position().to_string()).collect();
    if let Some(text) = &mut part.text {
        let (mut body, mut definitions) = without_definitions(text);
        definitions.retain(|line| number_of(line).is_none_or(|number| !numbers.iter().any(|gone| gone == number)));
        push_definitions(&mut body, definitions.iter().map(String::as_str));
        *text = body;
    }
    part
}

/// The claims of a message.
fn citations(message: &mut Activity) -> Option<&mut Vec<Claim>> {
    message.entities.iter_mut().flatten().find_map(|entity| match entity {
        Entity::Message(thing) => Some(&mut thing.citation),
        Entity::Other(_) | Entity::Odd(_) => None,
    })
}

/// The size on the wire, in bytes of UTF-16.
fn size(message: &Activity) -> usize {
    serde_json::to_string(message).map_or(usize::MAX, |wire| utf16_bytes(&wire))
}

/// The text without the definitions at its end, and these.
fn without_definitions(text: &str) -> (String, Vec<String>) {
    let lines: Vec<&str> = text.lines().collect();
    let count = lines.iter().rev().take_while(|line| number_of(line).is_some()).count();
    let definitions = &lines[lines.len() - count..];
    if definitions.is_empty() {
        return (text.to_owned(), Vec::new());
    }
    let length: usize = definitions.iter().map(|line| line.len()).sum::<usize>() + definitions.len() - 1;
    let body_length = text.trim_end_matches('\n').len().saturating_sub(length);
    let body = text.get(..body_length).unwrap_or_default();
    (body.trim_end().to_owned(), definitions.iter().map(|line| (*line).to_owned()).collect())
}

/// The number that a line defines: `[1]: https://…`.
fn number_of(line: &str) -> Option<&str> {
    let (number, rest) = line.strip_prefix('[')?.split_once(']')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && rest.starts_with(": ")).then_some(number)
}

/// Takes away what readers are asked to do.
fn ask_nothing(part: &mut Activity) {
    if let Some(Value::Object(data)) = &mut part.channel_data {
        data.remove("feedbackLoop");
    }
    part.channel_data = part.channel_data.take().filter(|data| data.as_object().is_none_or(|data| !data.is_empty()));
    for entity in part.entities.iter_mut().flatten() {
        if let Entity::Message(thing) = entity {
            thing.potential_action.clear();
        }
    }
}
