//! The payloads of NOTIFY.
//!
//! The first line is the version of the form and the sender, each other line one thing. Unknown versions and lines are ignored:
//! during an upgrade two versions talk.

use uuid::Uuid;

use crate::TurnKind;
use crate::activity::{ConversationId, Watermark};

/// The version of the form.
const VERSION: &str = "1";

/// PostgreSQL refuses a payload of 8,000 bytes.
const MAX_PAYLOAD: usize = 7_900;

/// Something that nodes tell each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// The conversation reaches as far as this.
    Reaches(ConversationId, Watermark),
    /// The conversation is gone.
    Gone(ConversationId),
    /// A turn of this kind waits in the conversation, and nobody may hold its line.
    Turn(TurnKind, ConversationId),
    /// The sender hears what it sends.
    Alive,
}

impl Message {
    fn line(&self) -> String {
        match self {
            Self::Reaches(id, newest) => format!("\n{} {id}", newest.index()),
            Self::Gone(id) => format!("\n- {id}"),
            Self::Turn(kind, id) => format!("\n?{} {id}", kind.number()),
            Self::Alive => "\n~".to_owned(),
        }
    }

    fn of_line(line: &str) -> Option<Self> {
        if line == "~" {
            return Some(Self::Alive);
        }
        let (what, id) = line.split_once(' ')?;
        let id = id.parse().ok()?;
        match what {
            "-" => Some(Self::Gone(id)),
            kind if kind.starts_with('?') => Some(Self::Turn(TurnKind::of_number(kind[1..].parse().ok()?)?, id)),
            place => Some(Self::Reaches(id, Watermark::from_index(place.parse().ok()?))),
        }
    }
}

/// Messages in as few payloads as hold them.
pub(super) fn pack(sender: Uuid, messages: impl IntoIterator<Item = Message>) -> Vec<String> {
    let head = format!("{VERSION} {sender}");
    let mut payloads: Vec<String> = Vec::new();
    for message in messages {
        let line = message.line();
        match payloads.last_mut() {
            Some(payload) if payload.len() + line.len() <= MAX_PAYLOAD => payload.push_str(&line),
            Some(_) | None => payloads.push(format!("{head}{line}")),
        }
    }
    payloads
}

/// The sender of a payload, and its messages.
pub(super) fn unpack(payload: &str) -> Option<(Uuid, impl Iterator<Item = Message>)> {
    let mut lines = payload.lines();
    let sender = lines.next()?.strip_prefix(VERSION)?.strip_prefix(' ')?.parse().ok()?;
    Some((sender, lines.filter_map(Message::of_line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_as_they_were_sent_and_fit_into_payloads() {
        let id = |number: u64| format!("{number:0>100}").parse::<ConversationId>().expect("an id");
        let mut messages = vec![Message::Alive, Message::Gone(id(7)), Message::Turn(TurnKind::Bot, id(8))];
        messages.extend((0..500).map(|number| Message::Reaches(id(number), Watermark::from_index(number))));
        let sender = Uuid::from_u128(7);
        let payloads = pack(sender, messages.clone());
        assert!(payloads.len() > 5 && payloads.iter().all(|payload| payload.len() < 8_000));
        let unpacked = payloads.iter().flat_map(|payload| {
            let (from, messages) = unpack(payload).expect("a payload");
            assert_eq!(from, sender);
            messages
        });
        assert_eq!(unpacked.collect::<Vec<_>>(), messages);
    }

    #[test]
    fn what_a_later_version_says_is_ignored() {
        let sender = Uuid::from_u128(7);
        for unknown in ["", "2 00000000-0000-0000-0000-000000000007\n~", "1\n~", "nonsense"] {
            assert!(unpack(unknown).is_none(), "{unknown}");
        }
        let payload = format!("1 {sender}\n! x\n-1 c\n- \n~");
        let (_, messages) = unpack(&payload).expect("a payload");
        assert_eq!(messages.collect::<Vec<_>>(), [Message::Alive]);
    }
}
