//! Recorded activities: those of a store, and the lines of `citewire store export`.

use serde::Deserialize;

use super::tally::{Count, Known, UNKNOWN};
use crate::activity::{Activity, ConversationId, Role};
use crate::channels::azure_bot::is_behind_azure;
use crate::channels::direct_line::Owner;
use crate::ingest::{Provider, ingest};

/// The name of the assistant that answers behind Azure Bot Service.
const BEHIND_AZURE: &str = "(Azure bot)";

/// The name of the assistant that answers on the secret of the channel.
const OF_CHANNEL: &str = "(channel)";

/// A recorded activity.
#[derive(Deserialize)]
pub(super) struct Exported {
    pub(super) conversation: ConversationId,
    pub(super) watermark: serde_json::Value,
    pub(super) activity: Box<Activity>,
}

/// A line of an export; `None` if it is none.
pub(super) fn read(line: &[u8]) -> Option<Exported> {
    serde_json::from_slice(line).ok()
}

impl Exported {
    /// Counts the activity. `provider` tells the back end of an assistant, `None` being the channel's own.
    pub(super) fn count(self, count: &mut Count, provider: &dyn Fn(Option<&str>) -> Option<String>) {
        let Self { conversation, watermark, activity } = self;
        let watermark = watermark.as_str().map_or_else(|| watermark.to_string(), str::to_owned);
        take(count, &conversation, &watermark, &activity, provider);
    }
}

/// Counts an activity of a conversation if it is an answer.
pub(super) fn take(
    count: &mut Count,
    conversation: &ConversationId,
    watermark: &str,
    activity: &Activity,
    provider: &dyn Fn(Option<&str>) -> Option<String>,
) {
    if !is_answer(activity) {
        count.other_activities += 1;
        return;
    }
    let at = activity.id.as_ref().map_or_else(|| format!("{conversation}|{watermark}"), ToString::to_string);
    let answer = serde_json::to_vec(activity).map_err(|error| error.to_string());
    let answer = answer.and_then(|body| ingest(&body, Provider::Activity).map_err(|error| error.to_string()));
    match answer {
        Ok(answer) => {
            let owner = Owner::of(conversation);
            let (assistant, provider) = if is_behind_azure(conversation) {
                (BEHIND_AZURE.to_owned(), None)
            } else {
                (owner.name().unwrap_or(OF_CHANNEL).to_owned(), provider(owner.name()))
            };
            let day = activity.timestamp.map_or_else(|| UNKNOWN.to_owned(), |time| time.date_naive().to_string());
            let provider = provider.unwrap_or_else(|| UNKNOWN.to_owned());
            count.take(Known { at, assistant, provider, day }, &answer);
        }
        Err(error) => count.unread(at, &error),
    }
}

/// Whether a bot says something with it.
fn is_answer(activity: &Activity) -> bool {
    let is_of_bot = activity.from.as_ref().is_some_and(|from| from.role == Some(Role::Bot));
    let has_words = activity.text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let has_parts = activity.attachments.as_ref().is_some_and(|parts| !parts.is_empty());
    activity.kind == "message" && is_of_bot && (has_words || has_parts)
}
