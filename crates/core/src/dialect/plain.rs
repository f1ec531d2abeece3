//! [Plain text](https://github.com/microsoft/botframework-sdk/blob/main/specs/botframework-activity/botframework-activity.md#text-format),
//! without markup: SMS, e-mail (`docs/guides/plain.md`).

use super::reference_list::{self, Form};
use super::row::{MAX_DIRECT_LINE_BYTES, Row};
use super::{MessageOptions, Pacing};
use crate::activity::Activity;
use crate::cite::Rules;
use crate::graph::{GraphRules, Message};
use crate::report::{Entry, Kind};

pub(super) const ROW: Row = Row {
    slug: "plain",
    channels: &["email", "sms"],
    rules: Rules::plain,
    graph_rules: GraphRules::plain,
    message,
    drawing: None,
    stream: None,
    max_message_bytes: MAX_DIRECT_LINE_BYTES,
    pacing: Pacing::WEB_CHAT,
};

/// The text with a numbered reference list below it, because such a channel shows only text.
#[expect(clippy::needless_pass_by_value, reason = "the messages of all dialects have one form")]
fn message(mut text: String, message: Message, wishes: MessageOptions, entries: &mut Vec<Entry>) -> Activity {
    reference_list::append(&mut text, &message, Form::Plain);
    if wishes.feedback {
        let message = "a plain text has no thumbs";
        entries.push(Entry::in_input(Kind::Dropped, "feedback", "/options/feedback", message));
    }
    let mut activity = Activity::message(text);
    activity.text_format = Some("plain".into());
    activity
}
