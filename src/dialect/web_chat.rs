//! Web Chat and everything that speaks Direct Line (`docs/web-chat.md`).

use super::Wishes;
use crate::activity::{Activity, Entity};
use crate::graph::{Action, Message};

/// The message that Web Chat draws: Markdown, the Message thing first among the entities.
pub(super) fn message(text: String, mut message: Message, wishes: Wishes) -> Activity {
    if wishes.feedback {
        message.potential_action = Action::thumbs();
    }
    let mut activity = Activity::message(text);
    activity.entities = Some(vec![Entity::Message(Box::new(message))]);
    activity
}
