//! A message that is too large for its channel, as several that are not.

use serde_json::Value;

use super::Dialect;
use super::cut::{Cut, cut};
use super::reference_list::{self, Form};
use super::teams::{utf16_bytes, with_short_labels, without_cards};
use crate::activity::{Activity, Entity};
use crate::report::{Entry, Kind};

/// The most messages that one answer becomes. What is left behind them is cut: nobody reads it to its end.
const MAX_PARTS: usize = 12;

/// A part is not made smaller than this, in UTF-16 units of its text.
const MIN_ROOM_UTF16: usize = 256;

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
        if size(&message) <= limit || text.is_empty() {
            return vec![message];
        }
        let (mut rest, definitions) =
            if has_definitions { without_definitions(&text) } else { (text.clone(), Vec::new()) };
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let is_last = parts.len() + 1 == MAX_PARTS;
            let (part, behind) = part(&message, &rest, &definitions, limit, is_last);
            parts.push(part);
            if is_last && !behind.is_empty() {
                let note =
                    format!("the message would be more than {MAX_PARTS}; {} bytes of its text were cut", behind.len());
                entries.push(Entry::in_input(Kind::Cut, "message-size", "/text", note));
                break;
            }
            rest = behind;
        }
        let note = format!("the message is larger than {limit} bytes of UTF-16, so it goes out as {}", parts.len());
        entries.push(Entry::in_input(Kind::Note, "message-parts", "/text", note));
        if let Some((_, all_but_last)) = parts.split_last_mut() {
            all_but_last.iter_mut().for_each(ask_nothing);
        }
        parts
    }

    /// The same message without its claims, the sources readable in the text: for a service that refuses them. `None` when there
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

/// The next part of a message whose text is left so far, and what is left behind it.
fn part(message: &Activity, rest: &str, definitions: &[String], limit: usize, is_last: bool) -> (Activity, String) {
    let mut room = limit / 2;
    loop {
        let Cut { mut head, tail } = cut(rest, room);
        if is_last && !tail.is_empty() {
            head.push_str("\n\n…");
        }
        let part = with_text(message, &head, definitions);
        let taken = size(&part);
        if taken <= limit || room <= MIN_ROOM_UTF16 {
            return (part, tail);
        }
        // JSON escapes make some characters longer than others, and claims come on top; each step leaves less.
        let less = room * limit / taken;
        room = less.min(room - room / 16).max(MIN_ROOM_UTF16);
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
    let used: Vec<&str> =
        definitions.iter().filter(|line| named(number_of(line).unwrap_or_default())).map(String::as_str).collect();
    part.text = Some(if used.is_empty() { text.to_owned() } else { format!("{text}\n\n{}", used.join("\n")) });
    part
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
