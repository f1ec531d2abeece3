//! Hears that an answer has to end: its reader wants that, or its conversation is deleted.

use crate::activity::{Activity, ConversationId, Role, Watermark};
use crate::channels::direct_line::streaming::Stop;
use crate::store::{ChangeListener, ConversationStore, StoreError};

/// The number of activities to read at a time.
const PAGE: usize = 200;

/// The name of the event by which a client asks for the end.
const EVENT: &str = "stop";

/// Asks for the end of an answer to the question at this place as soon as a user of the conversation has wished that. The wish is
/// recorded like everything that users do, so that it reaches whichever node answers, and outlives it. It means the answer that
/// is written when it comes: a bot's message behind it is the end of that one.
pub(super) async fn hear(
    store: &dyn ConversationStore,
    id: &ConversationId,
    question: Option<Watermark>,
    mut changes: ChangeListener,
    stop: &Stop,
) {
    let Some(mut seen) = question else { return };
    loop {
        changes.mark_seen();
        match look(store, id, &mut seen).await {
            Ok(true) => {
                tracing::info!(conversation.id = %id, "an answer was stopped by its reader");
                return stop.ask();
            }
            Ok(false) => {}
            Err(error) => {
                tracing::debug!(conversation.id = %id, %error, "it was not seen whether an answer is to be stopped");
            }
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// Resolves when a conversation is deleted; never for one that is not there.
pub(super) async fn deleted(listener: Option<ChangeListener>) {
    match listener {
        Some(mut listener) => listener.closed().await,
        None => std::future::pending().await,
    }
}

/// Whether the activities since then end with the wish.
async fn look(store: &dyn ConversationStore, id: &ConversationId, seen: &mut Watermark) -> Result<bool, StoreError> {
    let mut is_wished = false;
    while let Some(page) = store.read(id, Some(*seen), PAGE).await? {
        for recorded in &page.recorded {
            if is_wish(&recorded.activity) {
                is_wished = true;
            } else if is_by(&recorded.activity, &Role::Bot) && recorded.activity.kind == "message" {
                is_wished = false;
            }
            *seen = recorded.watermark;
        }
        if page.recorded.len() < PAGE {
            break;
        }
    }
    Ok(is_wished)
}

fn is_wish(activity: &Activity) -> bool {
    let is_event = || activity.extra.get("name").and_then(serde_json::Value::as_str) == Some(EVENT);
    let is_wish = activity.kind == "endOfConversation" || activity.kind == "event" && is_event();
    is_wish && is_by(activity, &Role::User)
}

fn is_by(activity: &Activity, role: &Role) -> bool {
    activity.from.as_ref().is_some_and(|from| from.role.as_ref() == Some(role))
}
