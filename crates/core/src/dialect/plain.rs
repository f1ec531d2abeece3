//! [Plain text](https://github.com/microsoft/botframework-sdk/blob/main/specs/botframework-activity/botframework-activity.md#text-format),
//! without markup: SMS, e-mail (`docs/guides/plain.md`).

use super::drawn::{Drawing, PLAIN, blocks, units};
use super::reference_list::{self, Form};
use super::row::{MAX_DIRECT_LINE_BYTES, Row};
use super::{MessageOptions, Pacing};
use crate::activity::{Activity, Entity};
use crate::cite::Rules;
use crate::graph::{GraphRules, Message};
use crate::report::{Entry, Kind};

pub(super) const ROW: Row = Row {
    slug: "plain",
    channels: &["email", "sms"],
    rules: Rules::chat,
    graph_rules: GraphRules::plain,
    message,
    drawing: Some(&DRAWING),
    stream: None,
    max_message_bytes: MAX_DIRECT_LINE_BYTES,
    pacing: Pacing::WEB_CHAT,
};

/// Readers see each sign of the text, so it has no marks. Neither channel reads entities.
static DRAWING: Drawing = Drawing {
    draw: |text, message| {
        // Separators serve Markdown engines. In an SMS, one of them would halve the room.
        let mut drawn = blocks(text, &PLAIN).join("\n\n").replace('\u{200b}', "").replace('\u{200a}', " ");
        // Marks with nothing between them are all that there is to show.
        if drawn.trim().is_empty() {
            drawn = text.replace('\u{200b}', "");
        }
        reference_list::append(&mut drawn, message, Form::Plain);
        drawn.into()
    },
    place: |activity, drawn| {
        activity.text = Some(drawn.text);
        activity.text_format = Some("plain".to_owned());
        activity.entities = None;
    },
    length: units,
    max_part_utf16: MAX_DIRECT_LINE_BYTES / 2,
    max_message_utf16: MAX_DIRECT_LINE_BYTES / 2,
};

/// The message in Markdown. It is drawn later, when it is known whether it is sent whole.
fn message(text: String, message: Message, wishes: MessageOptions, entries: &mut Vec<Entry>) -> Activity {
    if wishes.feedback {
        let message = "a plain text has no thumbs";
        entries.push(Entry::in_input(Kind::Dropped, "feedback", "/options/feedback", message));
    }
    let mut activity = Activity::message(text);
    if activity.text.as_deref().is_none_or(|text| text.trim().is_empty()) {
        activity.text_format = Some("plain".to_owned());
        return activity;
    }
    activity.entities = Some(vec![Entity::Message(Box::new(message))]);
    activity
}
