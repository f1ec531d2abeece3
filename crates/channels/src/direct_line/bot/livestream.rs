//! The streaming messages of a bot.

use std::num::NonZeroU32;

use serde_json::{Map, Value};

use crate::activity::{Activity, ActivityId, Entity, StreamInfo};

/// The activity with the metadata of its livestream in both places where clients look for it; an activity of no
/// livestream stays as it is. SDKs write an entity, which Web Chat 4.18.1 does not read. The first piece has no name for
/// its stream yet: it gets the one of `fresh`, which the bot learns and repeats.
pub(super) fn with_stream_info(activity: Activity, fresh: impl FnOnce() -> ActivityId) -> Activity {
    let Some((info, name)) = find(&activity) else {
        return activity;
    };
    let mut activity = activity.with_stream_info(info);
    match name {
        Some(name) => activity.with_stream_id(&name),
        // A final without a name ends no stream that anyone saw.
        None if activity.is_ephemeral() => {
            let id = activity.id.get_or_insert_with(fresh).clone();
            activity.with_stream_id(&id)
        }
        None => activity,
    }
}

/// The stream as the entity says, or else `channelData`.
fn find(activity: &Activity) -> Option<(StreamInfo, Option<ActivityId>)> {
    let entities = activity.entities.iter().flatten().filter_map(|entity| match entity {
        Entity::Other(members) => Some(members),
        Entity::Message(_) | Entity::Odd(_) => None,
    });
    let mut entities = entities.filter(|members| members.get("type").is_some_and(|kind| kind == "streaminfo"));
    let data = activity.channel_data.as_ref().and_then(Value::as_object);
    entities.find_map(read).or_else(|| data.and_then(read))
}

fn read(members: &Map<String, Value>) -> Option<(StreamInfo, Option<ActivityId>)> {
    let sequence = || members.get("streamSequence")?.as_u64().and_then(|n| NonZeroU32::new(u32::try_from(n).ok()?));
    let info = match members.get("streamType")?.as_str()? {
        "informative" => StreamInfo::Informative { sequence: sequence()? },
        "streaming" => StreamInfo::Streaming { sequence: sequence()? },
        "final" => StreamInfo::Final,
        _ => return None,
    };
    let name = members.get("streamId").and_then(Value::as_str).filter(|name| !name.is_empty());
    Some((info, name.map(|name| ActivityId::from(name.to_owned()))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn through(activity: Value) -> Value {
        let activity = serde_json::from_value(activity).expect("an activity");
        let activity = with_stream_info(activity, || ActivityId::from("c1|e1".to_owned()));
        serde_json::to_value(activity).expect("JSON")
    }

    #[test]
    fn the_first_piece_gets_a_name_and_every_piece_its_metadata_twice() {
        let entity = json!({"type": "streaminfo", "streamType": "streaming", "streamSequence": 1});
        let first = through(json!({"type": "typing", "text": "a", "entities": [entity]}));
        let data = json!({"streamType": "streaming", "streamSequence": 1, "streamId": "c1|e1"});
        assert_eq!((&first["channelData"], &first["entities"][0]["streamId"]), (&data, &json!("c1|e1")));
        assert_eq!(first["id"], "c1|e1");
        let data = json!({"streamType": "streaming", "streamSequence": 2, "streamId": "s", "own": 1});
        let second = through(json!({"type": "typing", "text": "ab", "channelData": data}));
        assert_eq!((&second["channelData"], second["entities"][0]["streamId"].as_str()), (&data, Some("s")));
    }

    #[test]
    fn the_final_has_no_number() {
        let entity = json!({"type": "streaminfo", "streamType": "final", "streamSequence": 3, "streamId": "s"});
        let last = through(json!({"type": "message", "text": "abc", "entities": [entity]}));
        assert_eq!(last["channelData"], json!({"streamType": "final", "streamId": "s"}));
        assert_eq!(last.get("id"), None);
    }

    #[test]
    fn what_belongs_to_no_stream_stays() {
        for activity in [
            json!({"type": "typing"}),
            json!({"type": "message", "text": "a", "entities": [5, {"type": "mention"}], "channelData": {"a": 1}}),
            json!({"type": "typing", "entities": [{"type": "streaminfo", "streamType": "streaming"}]}),
        ] {
            assert_eq!(through(activity.clone()), activity);
        }
    }
}
