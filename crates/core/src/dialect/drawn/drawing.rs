//! Puts text in a channel's own markup into the activity.

use serde_json::Value;

use super::super::MessageOptions;
use super::{PLAIN, draw};
use crate::activity::{Activity, Entity};
use crate::graph::Message;
use crate::report::{Entry, Kind};

/// A message in the form of a channel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawn {
    /// The text; for a message of parts, what is shown where these cannot be.
    pub(crate) text: String,
    /// The parts of the message, for a channel whose messages are more than text.
    pub(crate) data: Value,
    /// The report lines about parts that the channel cannot show as the answer has them.
    pub(crate) entries: Vec<Entry>,
}

impl From<String> for Drawn {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// The functions and limits that draw a message for a channel.
#[derive(Debug)]
pub(crate) struct Drawing {
    /// Turns the Markdown of a message into the channel's markup, with a reference list.
    pub(crate) draw: fn(&str, &Message) -> Drawn,
    /// Puts the drawn message into the member that the channel reads.
    pub(crate) place: fn(&mut Activity, Drawn),
    /// The length of a drawn message in the channel's own count, in UTF-16 code units.
    pub(crate) length: fn(&Drawn) -> usize,
    /// The longest part of a message that is sent in several parts.
    pub(crate) max_part_utf16: usize,
    /// The longest message that is sent whole.
    pub(crate) max_message_utf16: usize,
}

impl Drawing {
    /// The message in the form of the channel, its length in the channel's count, and what was written otherwise. A message without Markdown (already
    /// drawn, or empty) stays unchanged, with length 0.
    pub(crate) fn of(&self, message: &Activity) -> (Activity, usize, Vec<Entry>) {
        let mut activity = message.clone();
        let Some(text) = message.text.as_deref().filter(|_| message.text_format.as_deref() == Some("markdown")) else {
            return (activity, 0, Vec::new());
        };
        let thing = thing(&mut activity);
        let unspoken = Message::new(Vec::new(), None);
        let mut drawn = (self.draw)(text, thing.as_deref().unwrap_or(&unspoken));
        if drawn.text.trim().is_empty() && drawn.data.is_null() {
            return (activity, 0, Vec::new());
        }
        let length = (self.length)(&drawn);
        let entries = std::mem::take(&mut drawn.entries);
        (self.place)(&mut activity, drawn);
        if activity.text.is_none()
            && let Some(thing) = self::thing(&mut activity)
        {
            thing.text = Some(draw(text, thing, &PLAIN));
        }
        (activity, length, entries)
    }
}

fn thing(activity: &mut Activity) -> Option<&mut Message> {
    activity.entities.iter_mut().flatten().find_map(|entity| match entity {
        Entity::Message(thing) => Some(&mut **thing),
        Entity::Other(_) | Entity::Odd(_) => None,
    })
}

/// The message in Markdown. It is drawn later, when it is known whether it is sent whole.
pub(crate) fn message(text: String, thing: Message, wishes: MessageOptions, entries: &mut Vec<Entry>) -> Activity {
    if wishes.feedback {
        let note = "the channel has no thumbs";
        entries.push(Entry::in_input(Kind::Dropped, "feedback", "/options/feedback", note));
    }
    if thing.usage_info.is_some() {
        let note = "readers see no sensitivity label: the channel has none, and it is in the entity alone";
        entries.push(Entry::in_input(Kind::Dropped, "label", "/label", note));
    }
    let mut activity = Activity::message(text);
    activity.entities = Some(vec![Entity::Message(Box::new(thing))]);
    activity
}

/// Puts a native message into `channelData` and removes `text`, which Azure's channels would send as a second message
/// (<https://github.com/microsoft/BotFramework-Services/issues/299> for Slack,
/// <https://github.com/microsoft/botframework-sdk/issues/4186> for Telegram). The Message entity keeps the text for other
/// programs.
pub(crate) fn native(activity: &mut Activity, data: Value) {
    activity.text = None;
    activity.text_format = None;
    activity.channel_data = Some(data);
}

/// The length of a text in UTF-16 code units, which most channels count.
pub(crate) fn units(drawn: &Drawn) -> usize {
    drawn.text.encode_utf16().count()
}
