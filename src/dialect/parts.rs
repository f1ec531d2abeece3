//! A message that is too large for its channel, as several that are not.

use serde_json::Value;

use super::Dialect;
use super::cut::{Cut, cut};
use super::reference_list::{self, Form};
use super::teams::{MAX_MESSAGE_BYTES, utf16_bytes, without_cards};
use crate::activity::{Activity, Entity};
use crate::report::{Entry, Kind};

/// The most messages that one answer becomes. What is left behind them is cut: nobody reads it to its end.
const MAX_PARTS: usize = 12;

/// Direct Line takes 256 K characters and recommends to stay under 150 K.
const MAX_DIRECT_LINE_BYTES: usize = 2 * 150_000;

/// A part is not made smaller than this, in UTF-16 units of its text.
const MIN_ROOM_UTF16: usize = 256;

impl Dialect {
    /// The most that a message has on the wire, in bytes of UTF-16, without what delivery adds.
    #[must_use]
    pub fn max_message_bytes(self) -> usize {
        match self {
            Self::Teams | Self::M365Copilot => MAX_MESSAGE_BYTES,
            Self::WebChat | Self::Plain => MAX_DIRECT_LINE_BYTES,
        }
    }

    /// The message in parts of at most `limit` bytes of UTF-16 each: one, when it fits. It is divided at paragraphs, else at
    /// lines, else at words; a code fence that is divided is closed and opened again. Each part has the claims, and the
    /// definitions, whose numbers stand in it; the numbers stay the same. What readers are asked to do stands on the last one.
    ///
    /// What does not fit into twelve parts is cut; `entries` says so.
    #[must_use]
    pub fn parts(self, mut message: Activity, limit: usize, entries: &mut Vec<Entry>) -> Vec<Activity> {
        let text = message.text.clone().unwrap_or_default();
        if size(&message) > limit && self != Self::WebChat {
            for entity in message.entities.iter_mut().flatten() {
                if let Entity::Message(thing) = entity {
                    entries.extend(without_cards(thing));
                }
            }
        }
        if size(&message) <= limit || text.is_empty() {
            return vec![message];
        }
        let (mut rest, definitions) = match self {
            Self::WebChat => without_definitions(&text),
            Self::Teams | Self::M365Copilot | Self::Plain => (text.clone(), Vec::new()),
        };
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
        if self != Self::WebChat
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::convert::{Conversion, convert};

    fn message(dialect: Dialect, text: &str) -> Activity {
        let sources: Vec<_> = (1..=3)
            .map(
                |n| json!({"title": format!("Source {n}"), "url": format!("https://docs.example/{n}"), "content": "p"}),
            )
            .collect();
        let mut conversion = Conversion { in_parts: true, ..Conversion::to(dialect) };
        conversion.options = serde_json::from_value(json!({"feedback": true})).expect("options");
        let body = json!({"text": text, "sources": sources}).to_string();
        let converted = convert(body.as_bytes(), &conversion).expect("an activity");
        converted.activities.into_iter().next_back().expect("a message")
    }

    fn wire(part: &Activity) -> Value {
        serde_json::to_value(part).expect("JSON")
    }

    fn positions(part: &Activity) -> Vec<String> {
        let claims = wire(part)["entities"][0]["citation"].clone();
        claims.as_array().into_iter().flatten().map(|claim| claim["position"].to_string()).collect()
    }

    fn long() -> String {
        let paragraph = |n: usize| format!("{} [{n}].", "words ".repeat(250).trim_end());
        [1, 2, 2, 3, 1].map(paragraph).join("\n\n")
    }

    #[test]
    fn a_message_that_fits_is_its_only_part() {
        for dialect in Dialect::ALL {
            let message = message(dialect, "Leave [1].");
            let mut entries = Vec::new();
            assert_eq!(dialect.parts(message.clone(), dialect.max_message_bytes(), &mut entries), [message]);
            assert_eq!(entries, []);
        }
    }

    #[test]
    fn each_part_is_whole_paragraphs_with_the_claims_of_its_numbers() {
        for dialect in [Dialect::Teams, Dialect::M365Copilot, Dialect::WebChat] {
            let message = message(dialect, &long());
            let mut entries = Vec::new();
            let parts = dialect.parts(message.clone(), 8 * 1024, &mut entries);
            assert!(parts.len() > 1, "{dialect}");
            assert!(parts.iter().all(|part| size(part) <= 8 * 1024), "{dialect}");
            let bodies = parts.iter().map(|part| without_definitions(part.text.as_deref().unwrap_or_default()).0);
            assert_eq!(bodies.collect::<Vec<_>>().join("\n\n"), long(), "{dialect}");
            for part in &parts {
                let (body, definitions) = without_definitions(part.text.as_deref().unwrap_or_default());
                let named: Vec<_> =
                    (1..=3).filter(|n| body.contains(&format!("[{n}]"))).map(|n| n.to_string()).collect();
                let claimed: Vec<_> = positions(part).iter().map(|at| at.trim_matches('"').to_owned()).collect();
                assert_eq!(claimed, named, "{dialect}");
                if dialect == Dialect::WebChat {
                    assert_eq!(definitions.len(), named.len());
                }
            }
            assert_eq!(entries.iter().map(|entry| entry.code).collect::<Vec<_>>(), ["message-parts"]);
        }
    }

    #[test]
    fn readers_are_asked_once_what_they_think() {
        for dialect in [Dialect::Teams, Dialect::WebChat] {
            let parts = dialect.parts(message(dialect, &long()), 8 * 1024, &mut Vec::new());
            let asks = |part: &Activity| {
                let wire = wire(part);
                wire["channelData"]["feedbackLoop"].is_object() || wire["entities"][0]["potentialAction"].is_array()
            };
            let asking: Vec<bool> = parts.iter().map(asks).collect();
            assert_eq!(asking.iter().filter(|asks| **asks).count(), 1, "{dialect}");
            assert_eq!(asking.last(), Some(&true), "{dialect}");
        }
    }

    #[test]
    fn what_twelve_messages_do_not_hold_is_cut_and_told() {
        let mut entries = Vec::new();
        let parts = Dialect::Teams.parts(message(Dialect::Teams, &"word ".repeat(20_000)), 8 * 1024, &mut entries);
        assert_eq!(parts.len(), MAX_PARTS);
        assert!(parts.last().and_then(|part| part.text.as_deref()).is_some_and(|text| text.ends_with("\n\n…")));
        let codes: Vec<_> = entries.iter().map(|entry| entry.code).collect();
        assert_eq!(codes, ["message-size", "message-parts"]);
    }

    #[test]
    fn without_its_claims_a_message_lists_its_sources_once() {
        for dialect in [Dialect::Teams, Dialect::M365Copilot] {
            let cited = message(dialect, "Leave [1] [2].");
            let listed = dialect.listed(&cited).expect("something to leave out");
            assert_eq!(
                listed.text.as_deref(),
                Some("Leave [1] [2].\n\n[1] Source 1: https://docs.example/1\n\n[2] Source 2: https://docs.example/2")
            );
            assert_eq!(listed.entities, None);
            assert_eq!(dialect.listed(&listed), None);
            let again = Activity { entities: cited.entities.clone(), ..listed.clone() };
            assert_eq!(dialect.listed(&again).and_then(|twice| twice.text), listed.text);
        }
        let web_chat = message(Dialect::WebChat, "Leave [1].");
        assert_eq!(Dialect::WebChat.listed(&web_chat).and_then(|listed| listed.text), web_chat.text);
    }
}
