//! [Web Chat](https://github.com/microsoft/BotFramework-WebChat/blob/main/docs/CITATION.md) and all other Direct Line
//! clients (`docs/guides/web-chat.md`).

use super::row::{MAX_DIRECT_LINE_BYTES, Row, Stream};
use super::{MessageOptions, Pacing};
use crate::activity::{Activity, Entity};
use crate::cite::Rules;
use crate::graph::{Action, GraphRules, Message};
use crate::report::Entry;

pub(super) const ROW: Row = Row {
    slug: "web-chat",
    channels: &["webchat", "directline", "emulator"],
    rules: Rules::web_chat,
    graph_rules: GraphRules::web_chat,
    message,
    drawing: None,
    stream: Some(Stream::Free),
    max_message_bytes: MAX_DIRECT_LINE_BYTES,
    pacing: Pacing::WEB_CHAT,
};

/// The message for Web Chat: Markdown, with the Message entity first.
fn message(text: String, mut message: Message, wishes: MessageOptions, _: &mut Vec<Entry>) -> Activity {
    if wishes.feedback {
        message.potential_action = Action::thumbs();
    }
    let mut activity = Activity::message(text);
    activity.entities = Some(vec![Entity::Message(Box::new(message))]);
    activity
}
