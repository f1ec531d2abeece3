//! Prepares an activity for posting.

use serde_json::{Map, Value, json};

use super::PostError;
use crate::activity::{Activity, ChannelAccount};

/// The longest activity, in characters of its JSON. Direct Line takes 256 K of the encrypted form and recommends to stay
/// under 150 K.
pub const MAX_ACTIVITY_CHARACTERS: usize = 150_000;

/// The member of `channelData` that is ours.
const OURS: &str = "citewire";
/// Our name for a post, by which we know its echo again.
const SEND_ID: &str = "sendId";

/// An activity that is ready to be posted.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) activity: Activity,
    /// The activity as JSON.
    pub(super) body: String,
    /// Our name for this post.
    pub(super) send_id: String,
}

impl Outgoing {
    /// Makes an activity ready. What only the channel may say is taken out of it, and our name for this post is put in.
    pub(super) fn new(mut activity: Activity, from: ChannelAccount, send_id: String) -> Result<Self, PostError> {
        activity.id = None;
        activity.timestamp = None;
        activity.channel_id = None;
        activity.conversation = None;
        activity.recipient = None;
        activity.from = Some(from);
        let channel_data = activity.channel_data.get_or_insert_with(|| Value::Object(Map::new()));
        let channel_data = channel_data.as_object_mut().ok_or(PostError::ChannelData)?;
        channel_data.insert(OURS.to_owned(), json!({ SEND_ID: send_id }));
        let body = serde_json::to_string(&activity).expect("an activity can be written as JSON");
        let characters = body.chars().count();
        if characters > MAX_ACTIVITY_CHARACTERS {
            return Err(PostError::TooLong { characters, limit: MAX_ACTIVITY_CHARACTERS });
        }
        Ok(Self { activity, body, send_id })
    }
}

/// Our name for a post, in an activity that was read.
pub(super) fn send_id_of(activity: &Value) -> Option<&str> {
    activity.get("channelData")?.get(OURS)?.get(SEND_ID)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activity::Role;

    fn outgoing(activity: Activity) -> Result<Outgoing, PostError> {
        Outgoing::new(activity, ChannelAccount::new("citewire", Role::Bot), "s1".to_owned())
    }

    #[test]
    fn only_what_a_client_may_say_goes_out() {
        let activity = json!({"type": "message", "id": "1", "timestamp": "2026-01-01T00:00:00.000Z", "text": "hi",
            "channelId": "directline", "conversation": {"id": "c"}, "recipient": {"id": "u"}, "from": {"id": "x"},
            "channelData": {"feedbackLoop": {"type": "default"}}, "locale": "de"});
        let ready = outgoing(serde_json::from_value(activity).expect("an activity")).expect("ready");
        let body: Value = serde_json::from_str(&ready.body).expect("JSON");
        assert_eq!(
            body,
            json!({"type": "message", "text": "hi", "locale": "de", "from": {"id": "citewire", "role": "bot"},
                "channelData": {"feedbackLoop": {"type": "default"}, "citewire": {"sendId": "s1"}}})
        );
        assert_eq!(send_id_of(&body), Some("s1"));
    }

    #[test]
    fn the_length_is_counted_in_characters_of_the_whole() {
        let around = outgoing(Activity::message("")).expect("ready").body.len();
        let fits = "ä".repeat(MAX_ACTIVITY_CHARACTERS - around);
        assert!(outgoing(Activity::message(fits.clone())).is_ok());
        let error = outgoing(Activity::message(fits + "ä")).expect_err("one too many");
        assert!(matches!(error, PostError::TooLong { characters: 150_001, limit: 150_000 }), "{error:?}");
    }

    #[test]
    fn channel_data_that_is_no_object_is_refused_and_not_lost() {
        let mut activity = Activity::message("hi");
        activity.channel_data = Some(json!([1]));
        assert!(matches!(outgoing(activity), Err(PostError::ChannelData)));
    }
}
