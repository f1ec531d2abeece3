//! The metadata of a livestream, in both places where clients look for it.

use std::num::NonZeroU32;

use serde_json::{Map, Value, json};

use super::{Activity, ActivityId, Entity};

/// What an activity is to its livestream.
///
/// The numbers count informative and streaming activities together, from 1 and without a gap; the final has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamInfo {
    /// A prepared short text while the answer is awaited.
    Informative {
        /// Its place in the stream.
        sequence: NonZeroU32,
    },
    /// Everything of the answer so far.
    Streaming {
        /// Its place in the stream.
        sequence: NonZeroU32,
    },
    /// The whole answer, which ends the stream.
    Final,
}

impl StreamInfo {
    /// The wire's `streamType`.
    #[must_use]
    pub fn stream_type(self) -> &'static str {
        match self {
            Self::Informative { .. } => "informative",
            Self::Streaming { .. } => "streaming",
            Self::Final => "final",
        }
    }

    /// The wire's `streamSequence`, an integer from 1.
    #[must_use]
    pub fn sequence(self) -> Option<NonZeroU32> {
        match self {
            Self::Informative { sequence } | Self::Streaming { sequence } => Some(sequence),
            Self::Final => None,
        }
    }
}

/// The `type` of the entity.
const ENTITY_TYPE: &str = "streaminfo";

const STREAM_TYPE: &str = "streamType";
const STREAM_SEQUENCE: &str = "streamSequence";
const STREAM_ID: &str = "streamId";

/// The types of schema.org entities begin so.
const SCHEMA: &str = "https://schema.org/";

impl Activity {
    /// The activity as a part of a livestream.
    ///
    /// The metadata is written twice, the same in both places: as an entity `streaminfo`, which Teams and newer versions of
    /// Web Chat read, and in `channelData`, the only place that Web Chat 4.18.1 reads. The entity stands behind those of
    /// schema.org, because the Message has to come first, and before all others. What `channelData` holds besides stays;
    /// when it is no object there is no room in it, and it stays as a whole.
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

    /// The activity as one of its own, without what makes it a part of a livestream. An activity of no livestream stays as it is.
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

    /// The activity with the name of its livestream, in both places; an activity of no livestream stays as it is.
    ///
    /// A stream is named after the id of its first activity, which only the sender knows: conversions leave the name out,
    /// and whoever sends calls this.
    ///
    /// - A Direct Line server assigns ids itself. It names every activity, the first one too, by its own id: Web Chat 4.18.1
    ///   draws a second stream of a conversation above the first one otherwise.
    /// - Teams assigns the id when it takes the first activity, and returns it. The first goes out without a name, all
    ///   others with that id.
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

/// The member `type` of an entity that somebody else may have written.
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
