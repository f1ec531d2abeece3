//! Reads the livestream metadata of one activity from both of its places.

use serde_json::Value;

use super::Channel;
use super::code;
use super::findings::Findings;
use super::place::Place;
use super::pointer::Pointer;

/// The type of the entity with stream metadata.
pub(super) const ENTITY: &str = "streaminfo";

/// The spelling of that type in the table of Microsoft's page, where the samples have [`ENTITY`]
/// (<https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux>).
const ENTITY_OF_TEAMS: &str = "streamInfo";

/// The stream metadata of an activity.
#[derive(Clone, Debug)]
pub(super) struct StreamInfo<'v> {
    pub(super) phase: Phase,
    pub(super) stream_id: Option<&'v str>,
    /// `streamSequence`; `None` if it is absent or not an integer from 1.
    pub(super) sequence: Option<u64>,
    /// The object that holds the metadata.
    pub(super) at: Pointer,
}

/// The values of `streamType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// A short prepared text before the answer.
    Informative,
    /// The text of the answer so far.
    Streaming,
    /// The whole answer.
    Final,
}

/// Reads the metadata of `activity` from the place that `channel` reads, and reports errors that one activity shows.
pub(super) fn read<'v>(activity: &Place<'v>, channel: Channel, findings: &mut Findings) -> Option<StreamInfo<'v>> {
    let in_data = activity.member("channelData").filter(|data| data.member("streamType").is_some());
    let in_entities = in_entities(activity, channel, findings);
    if let (Some(data), Some(entity)) = (&in_data, &in_entities) {
        // A final has no number, and one that has it has a finding of its own.
        let is_final = [data, entity].iter().any(|info| info.text("streamType") == Some("final"));
        let keys =
            if is_final { &["streamType", "streamId"][..] } else { &["streamType", "streamId", "streamSequence"] };
        for key in keys {
            if differs(key, data, entity, channel) {
                findings.add(
                    code::STREAM_PLACES_DIFFER,
                    &entity.at,
                    format!(
                        "`{key}` is not the same here and in `channelData`: readers of different places draw \
                         different messages. Write the same in both."
                    ),
                );
            }
        }
    }
    let others = [in_data.clone(), in_entities.clone()];
    let info = match (channel, in_data, in_entities) {
        (_, None, None) => return None,
        (Channel::WebChat, Some(data), _) => data,
        (Channel::WebChat, None, Some(entity)) => {
            findings.add(
                code::STREAM_ONLY_IN_ENTITIES,
                &entity.at,
                "4.18.1 reads stream metadata from `channelData` only: each activity of the stream gets a bubble of its \
                 own. Write it into `channelData` as well.",
            );
            entity
        }
        (Channel::Teams, _, Some(entity)) => entity,
        (Channel::Teams, Some(data), None) => {
            findings.add(
                code::TEAMS_STREAM_ONLY_IN_CHANNEL_DATA,
                &data.at,
                "Teams reads stream metadata from an entity: without one this is no part of a stream, and no rule of streams \
                 was checked. Add {\"type\": \"streaminfo\", …} to `entities`.",
            );
            return None;
        }
    };
    let phase = match info.text("streamType") {
        Some("informative") => Phase::Informative,
        Some("streaming") => Phase::Streaming,
        Some("final") => Phase::Final,
        None if channel == Channel::Teams && info.member("streamType").is_none() => Phase::Streaming,
        _ => {
            findings.add(
                code::STREAM_TYPE_UNKNOWN,
                &info.at.key("streamType"),
                "No channel knows this `streamType`: the activity gets a bubble of its own, or none. Known are \
                 informative, streaming and final.",
            );
            return None;
        }
    };
    let kind = activity.text("type");
    if kind != Some("typing") && phase != Phase::Final {
        findings.add(
            code::STREAM_KIND_MISMATCH,
            &activity.at.key("type"),
            "Only activities of the type `typing` are chunks: this one gets a bubble of its own that stays. Write \
             \"typing\".",
        );
    }
    let sequence = sequence(&info, phase, channel, others, findings);
    Some(StreamInfo { phase, stream_id: info.some_text("streamId"), sequence, at: info.at })
}

/// Whether the two places contradict each other. Teams reads the entity only, so a member may be missing in its mirror there.
fn differs(key: &str, data: &Place<'_>, entity: &Place<'_>, channel: Channel) -> bool {
    let mirrored = data.value.get(key).filter(|value| !value.is_null());
    let written = entity.value.get(key).filter(|value| !value.is_null());
    match (channel, mirrored, written) {
        (Channel::Teams, None, _) => false,
        (Channel::Teams, Some(kind), None) if key == "streamType" => kind != "streaming",
        _ => mirrored != written,
    }
}

/// Whether an entity was meant for stream metadata, however its `type` is written.
pub(super) fn is_meant(entity: &Value) -> bool {
    let kind = entity.get("type").and_then(Value::as_str).unwrap_or_default();
    let letters: String = kind.chars().filter(char::is_ascii_alphanumeric).collect();
    letters.eq_ignore_ascii_case(ENTITY)
}

/// The entity with the stream metadata. One whose type is misspelt is taken for what was meant when there is no other.
fn in_entities<'v>(activity: &Place<'v>, channel: Channel, findings: &mut Findings) -> Option<Place<'v>> {
    let entities = activity.many("entities");
    let is_known =
        |kind: Option<&str>| kind == Some(ENTITY) || channel == Channel::Teams && kind == Some(ENTITY_OF_TEAMS);
    if let Some(entity) = entities.iter().find(|entity| is_known(entity.text("type"))) {
        return Some(entity.clone());
    }
    let meant = entities.into_iter().find(|entity| is_meant(entity.value))?;
    findings.add(
        code::STREAM_ENTITY_MISSPELT,
        &meant.at.key("type"),
        format!(
            "Clients read {ENTITY:?} only, in small letters: the activity is no part of a stream to those that read stream \
             metadata from entities. Write {ENTITY:?}."
        ),
    );
    Some(meant)
}

fn sequence(
    info: &Place<'_>,
    phase: Phase,
    channel: Channel,
    others: [Option<Place<'_>>; 2],
    findings: &mut Findings,
) -> Option<u64> {
    let written = info.member("streamSequence");
    if phase == Phase::Final {
        let mirrored = others.into_iter().flatten().find_map(|other| other.member("streamSequence"));
        match (channel, &written, mirrored) {
            (Channel::Teams, Some(written), _) => findings.add(
                code::TEAMS_STREAM_FINAL_WITH_SEQUENCE,
                &written.at,
                "Teams' page on streaming forbids a number on the final, which ends the sequence: it may be refused, and users \
                 keep half an answer. Leave `streamSequence` out.",
            ),
            (_, written, mirrored) => {
                let written = written.as_ref().or(mirrored.as_ref())?;
                findings.add(
                    code::STREAM_FINAL_WITH_SEQUENCE,
                    &written.at,
                    "The final activity ends the sequence and has no number in it. Web Chat ignores one, other channels may \
                     refuse it. Leave `streamSequence` out.",
                );
            }
        }
        return None;
    }
    let number = written.as_ref().and_then(|written| match written.value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let float = number.as_f64()?;
            super::place::printed(&Value::from(float))?.parse().ok()
        }),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
    });
    match number {
        Some(number) if number > 0 => Some(number),
        Some(_) | None => {
            findings.add(
                code::STREAM_SEQUENCE_INVALID,
                written.as_ref().map_or(&info.at, |written| &written.at),
                "Without an integer `streamSequence` from 1 the activity belongs to no stream: it gets a bubble of its \
                 own. Count informative and streaming activities together, from 1.",
            );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::example::found;
    use super::super::{Channel, check, mend};

    fn chunk(channel_data: &Value, entities: &Value) -> Value {
        json!({"type": "typing", "text": "x", "channelData": channel_data, "entities": entities})
    }

    #[test]
    fn metadata_belongs_into_channel_data() {
        let info = json!({"streamType": "streaming", "streamSequence": 1});
        let entity = json!([{"type": "streaminfo", "streamType": "streaming", "streamSequence": 1}]);
        assert_eq!(found(&chunk(&info, &entity)), []);
        assert_eq!(found(&chunk(&json!({}), &entity)), [("stream-only-in-entities", "/entities/0".into())]);
        let other = json!([{"type": "streaminfo", "streamType": "streaming", "streamSequence": 2}]);
        assert_eq!(found(&chunk(&info, &other)), [("stream-places-differ", "/entities/0".into())]);
    }

    /// Once, rules of streams contradicted the finding that there is none.
    #[test]
    fn teams_reads_the_entity_only() {
        let codes = |document: &Value| -> Vec<_> {
            check(document, Channel::Teams).into_iter().map(|finding| finding.code).collect()
        };
        let message = |text: &str, data: Value| json!({"type": "message", "text": text, "channelData": data});
        let hidden = json!([
            chunk(&json!({"streamType": "streaming", "streamSequence": 1}), &json!([])),
            message("y", json!({"streamType": "final", "streamSequence": 2})),
        ]);
        assert_eq!(codes(&hidden), ["teams-stream-only-in-channel-data"; 2]);
        let entity = json!([{"type": "streaminfo", "streamType": "streaming", "streamSequence": 1}]);
        assert_eq!(codes(&chunk(&json!({"streamType": "streaming"}), &entity)), [] as [&str; 0]);
        let other = json!({"streamType": "streaming", "streamSequence": 2});
        assert_eq!(codes(&chunk(&other, &entity)), ["stream-places-differ"]);
        assert_eq!(found(&chunk(&json!({"streamType": "streaming"}), &entity))[0].0, "stream-sequence-invalid");
        let default = json!([{"type": "streaminfo", "streamSequence": 1}]);
        assert_eq!(codes(&chunk(&json!({"streamType": "streaming"}), &default)), [] as [&str; 0]);
    }

    #[test]
    fn a_misspelt_entity_is_taken_for_what_was_meant() {
        let info = json!({"streamType": "streaming", "streamSequence": 1});
        for kind in ["streamInfo", "StreamInfo", "stream-info", "stream_info"] {
            let entity = json!([{"type": kind, "streamType": "streaming", "streamSequence": 1}]);
            let misspelt = ("stream-entity-misspelt", "/entities/0/type".to_owned());
            let document = chunk(&info, &entity);
            assert_eq!(found(&document), std::slice::from_ref(&misspelt));
            let mended = mend(&document, Channel::WebChat).expect("an activity");
            assert_eq!((&mended.document["entities"][0]["type"], mended.findings.len()), (&json!("streaminfo"), 0));
            let alone = chunk(&json!({}), &entity);
            assert_eq!(found(&alone), [("stream-only-in-entities", "/entities/0".into()), misspelt]);
            let mut without_text = alone.clone();
            without_text["text"] = json!("");
            let codes: Vec<_> = check(&without_text, Channel::Teams).into_iter().map(|finding| finding.code).collect();
            let misspelt = (kind != "streamInfo").then_some("stream-entity-misspelt");
            assert_eq!(codes, misspelt.into_iter().chain(["teams-stream-text-missing"]).collect::<Vec<_>>());
        }
        assert_eq!(found(&chunk(&info, &json!([{"type": "streaming"}]))), []);
    }

    #[test]
    fn sequences_are_integers_from_one() {
        for odd in [json!(0), json!(-1), json!(1.5), json!("1")] {
            let info = json!({"streamType": "streaming", "streamSequence": odd});
            let expected = [("stream-sequence-invalid", "/channelData/streamSequence".into())];
            assert_eq!(found(&chunk(&info, &json!([]))), expected);
        }
        let missing = json!({"streamType": "streaming"});
        assert_eq!(found(&chunk(&missing, &json!([]))), [("stream-sequence-invalid", "/channelData".into())]);
        assert_eq!(found(&chunk(&json!({"streamType": "streaming", "streamSequence": 1.0}), &json!([]))), []);
    }

    #[test]
    fn types_go_together() {
        let unknown = json!({"streamType": "Streaming", "streamSequence": 1});
        let expected = [("stream-type-unknown", "/channelData/streamType".into())];
        assert_eq!(found(&chunk(&unknown, &json!([]))), expected);
        let mut message = chunk(&json!({"streamType": "streaming", "streamSequence": 1}), &json!([]));
        message["type"] = json!("message");
        assert_eq!(found(&message), [("stream-kind-mismatch", "/type".into())]);
    }
}
