//! The stream metadata of an activity, written in both places where clients read it.

use std::num::NonZeroU32;

use serde_json::{Map, Value, json};

use super::{Activity, ActivityId, Entity};

/// The part that an activity plays in its livestream.
///
/// The sequence numbers count informative and streaming activities together, from 1 without gaps. The final activity has
/// none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamInfo {
    /// A short prepared text that is shown before the answer.
    Informative {
        /// Its number in the stream.
        sequence: NonZeroU32,
    },
    /// The text of the answer so far.
    Streaming {
        /// Its number in the stream.
        sequence: NonZeroU32,
    },
    /// The whole answer; it ends the stream.
    Final,
}

impl StreamInfo {
    /// The value of `streamType`.
    #[must_use]
    pub fn stream_type(self) -> &'static str {
        match self {
            Self::Informative { .. } => "informative",
            Self::Streaming { .. } => "streaming",
            Self::Final => "final",
        }
    }

    /// The value of `streamSequence`, from 1; `None` for the final activity.
    #[must_use]
    pub fn sequence(self) -> Option<NonZeroU32> {
        match self {
            Self::Informative { sequence } | Self::Streaming { sequence } => Some(sequence),
            Self::Final => None,
        }
    }
}

/// The `type` of the stream entity.
const ENTITY_TYPE: &str = "streaminfo";

const STREAM_TYPE: &str = "streamType";
const STREAM_SEQUENCE: &str = "streamSequence";
const STREAM_ID: &str = "streamId";

/// The prefix of the types of schema.org entities.
const SCHEMA: &str = "https://schema.org/";

impl Activity {
    /// Makes the activity a part of a livestream.
    ///
    /// Writes the same metadata twice: as an entity `streaminfo`, which Teams and newer versions of Web Chat read, and in
    /// `channelData`, the only place that Web Chat 4.18.1 reads. The entity stands behind the schema.org entities, because
    /// the Message has to come first, and before all others. Other members of `channelData` stay. A `channelData` that is
    /// not an object stays unchanged.
    #[must_use]
    pub fn with_stream_info(mut self, info: StreamInfo) -> Self {
        let mut members = Map::new();
        members.insert(STREAM_TYPE.to_owned(), json!(info.stream_type()));
        if let Some(sequence) = info.sequence() {
            members.insert(STREAM_SEQUENCE.to_owned(), json!(sequence));
        }
        if let Value::Object(data) = self.channel_data.get_or_insert_with(|| Value::Object(Map::new())) {
            data.retain(|key, _| ![STREAM_TYPE, STREAM_SEQUENCE, STREAM_ID].contains(&key.as_str()));
            data.extend(members.clone());
        }
        members.insert("type".to_owned(), json!(ENTITY_TYPE));
        let entities = self.entities.get_or_insert_default();
        entities.retain(|entity| !is_stream_info(entity));
        let place = entities.iter().position(|entity| !is_schema_thing(entity)).unwrap_or(entities.len());
        entities.insert(place, Entity::Other(members));
        self
    }

    /// Removes the stream metadata. An activity without such metadata stays unchanged.
    #[must_use]
    pub fn without_stream_info(mut self) -> Self {
        if let Some(entities) = &mut self.entities {
            entities.retain(|entity| !is_stream_info(entity));
        }
        self.entities = self.entities.filter(|entities| !entities.is_empty());
        if let Some(Value::Object(data)) = &mut self.channel_data {
            data.retain(|key, _| ![STREAM_TYPE, STREAM_SEQUENCE, STREAM_ID].contains(&key.as_str()));
        }
        self.channel_data = self.channel_data.filter(|data| data.as_object().is_none_or(|data| !data.is_empty()));
        self
    }

    /// Writes the id of the livestream in both places. An activity without stream metadata stays unchanged.
    ///
    /// The id of a stream is the id of its first activity, which only the sender knows. So conversions leave it out, and the
    /// sender calls this.
    ///
    /// - A Direct Line server assigns ids itself, and writes the id into every activity, including the first. Otherwise Web
    ///   Chat 4.18.1 draws the second stream of a conversation above the first.
    /// - Teams assigns the id when it accepts the first activity, and returns it. The first activity has no `streamId`; all
    ///   later ones have the returned id.
    #[must_use]
    pub fn with_stream_id(mut self, id: &ActivityId) -> Self {
        let name = |members: &mut Map<String, Value>| members.insert(STREAM_ID.to_owned(), json!(id));
        for entity in self.entities.iter_mut().flatten().filter(|entity| is_stream_info(entity)) {
            if let Entity::Other(members) = entity {
                name(members);
            }
        }
        if let Some(Value::Object(data)) = &mut self.channel_data
            && data.contains_key(STREAM_TYPE)
        {
            name(data);
        }
        self
    }
}

/// The member `type` of an entity from any source.
fn entity_type(entity: &Entity) -> Option<&str> {
    match entity {
        Entity::Message(_) | Entity::Odd(_) => None,
        Entity::Other(members) => members.get("type")?.as_str(),
    }
}

fn is_stream_info(entity: &Entity) -> bool {
    entity_type(entity) == Some(ENTITY_TYPE)
}

fn is_schema_thing(entity: &Entity) -> bool {
    matches!(entity, Entity::Message(_)) || entity_type(entity).is_some_and(|kind| kind.starts_with(SCHEMA))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(activity: &Activity) -> Value {
        serde_json::to_value(activity).expect("JSON")
    }

    fn activity(json: Value) -> Activity {
        serde_json::from_value(json).expect("an activity")
    }

    fn streaming(sequence: u32) -> StreamInfo {
        StreamInfo::Streaming { sequence: NonZeroU32::new(sequence).expect("a number from 1") }
    }

    #[test]
    fn the_metadata_stands_in_both_places() {
        let expected = json!({
            "type": "typing",
            "entities": [{"type": "streaminfo", "streamType": "streaming", "streamSequence": 3}],
            "channelData": {"streamType": "streaming", "streamSequence": 3},
        });
        assert_eq!(wire(&Activity::new("typing").with_stream_info(streaming(3))), expected);
    }

    #[test]
    fn the_entity_stands_behind_those_of_schema_org_and_before_all_others() {
        let thing = json!({"type": "https://schema.org/Message"});
        let message = activity(json!({"type": "message", "entities": [thing, {"type": "mention"}, 7]}));
        let types: Vec<_> = wire(&message.with_stream_info(StreamInfo::Final))["entities"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|entity| entity["type"].clone())
            .collect();
        assert_eq!(types, [json!("https://schema.org/Message"), json!("streaminfo"), json!("mention"), Value::Null]);
    }

    #[test]
    fn what_channel_data_holds_besides_stays() {
        let message = activity(json!({"type": "message", "channelData": {"feedbackLoop": {"type": "default"}}}));
        let data = wire(&message.with_stream_info(StreamInfo::Final))["channelData"].clone();
        assert_eq!(data, json!({"feedbackLoop": {"type": "default"}, "streamType": "final"}));
        let odd = activity(json!({"type": "message", "channelData": "odd"})).with_stream_info(StreamInfo::Final);
        assert_eq!(wire(&odd)["channelData"], "odd");
        assert_eq!(wire(&odd)["entities"][0]["streamType"], "final");
    }

    #[test]
    fn older_metadata_gives_way() {
        let id = ActivityId::from("a|1".to_owned());
        let chunk = Activity::new("typing").with_stream_info(streaming(1)).with_stream_id(&id);
        let last = wire(&chunk.with_stream_info(StreamInfo::Final));
        assert_eq!(last["entities"], json!([{"type": "streaminfo", "streamType": "final"}]));
        assert_eq!(last["channelData"], json!({"streamType": "final"}));
    }

    #[test]
    fn without_its_metadata_a_final_is_an_ordinary_message() {
        let feedback = json!({"type": "message", "channelData": {"feedbackLoop": {"type": "default"}}});
        for message in
            [json!({"type": "message"}), feedback, json!({"type": "message", "entities": [{"type": "mention"}]})]
        {
            let id = ActivityId::from("a|1".to_owned());
            let streamed = activity(message.clone()).with_stream_info(StreamInfo::Final).with_stream_id(&id);
            assert_eq!(wire(&streamed.without_stream_info()), message);
        }
    }

    #[test]
    fn the_name_goes_to_both_places_of_a_stream_and_nowhere_else() {
        let id = ActivityId::from("a|1".to_owned());
        let chunk = wire(&Activity::new("typing").with_stream_info(streaming(1)).with_stream_id(&id));
        assert_eq!(
            (&chunk["entities"][0]["streamId"], &chunk["channelData"]["streamId"]),
            (&json!("a|1"), &json!("a|1"))
        );
        let other = activity(json!({"type": "message", "entities": [{"type": "mention"}], "channelData": {"x": 1}}));
        assert_eq!(other.clone().with_stream_id(&id), other);
    }
}
