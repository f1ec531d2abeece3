//! Web Chat and everything that speaks Direct Line (`docs/web-chat.md`).

use crate::activity::{Activity, Entity};
use crate::graph::Message;

/// The message that Web Chat draws: Markdown, the Message thing first among the entities.
pub(super) fn message(text: String, message: Message) -> Activity {
    let mut activity = Activity::message(text);
    activity.entities = Some(vec![Entity::Message(Box::new(message))]);
    activity
}
