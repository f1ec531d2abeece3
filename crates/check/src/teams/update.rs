//! Checks the members and the place of one activity in a livestream.

use super::super::code;
use super::super::findings::Findings;
use super::super::message::is_schema_thing;
use super::super::place::Place;
use super::super::stream_info::Phase;
use super::super::stream_order;
use super::streamed::Streamed;

/// Checks an activity of a stream.
pub(super) fn check(activity: &Streamed<'_>, findings: &mut Findings) {
    let Streamed { place, info } = activity;
    let written = place.member("text");
    if activity.text().is_none() && written.as_ref().is_none_or(|text| text.value.is_string()) {
        findings.add(
            code::TEAMS_STREAM_TEXT_MISSING,
            &written.map_or_else(|| place.at.clone(), |text| text.at),
            "Teams refuses it with 400, \"Start streaming activities should include text\". Send everything of the answer so \
             far, and nothing while there is none.",
        );
    }
    check_cards(place, findings);
    if info.phase == Phase::Final {
        if place.text("type") != Some("message") {
            findings.add(
                code::STREAM_KIND_MISMATCH,
                &place.at.key("type"),
                "The final of a stream is an activity of the type \"message\".",
            );
        }
        return;
    }
    if !place.many("attachments").is_empty() {
        stream_order::report_attachments(&place.at, findings);
    }
    let things = place.many("entities").into_iter().filter(|entity| is_schema_thing(entity.value));
    let things: Vec<_> = things.collect();
    for early in things.iter().filter(|thing| !thing.many("citation").is_empty()) {
        findings.add(
            code::TEAMS_STREAM_CLAIMS_EARLY,
            &early.at,
            "Microsoft's page on streaming says once that updates may have citations, and once that only the final may; its own \
             SDKs send them. The final needs them in any case.",
        );
    }
    let is_labelled = |thing: &Place<'_>| ["additionalType", "usageInfo"].iter().any(|key| thing.member(key).is_some());
    let labelled = things.into_iter().filter(is_labelled);
    let data = place.member("channelData");
    let feedback = ["feedbackLoop", "feedbackLoopEnabled"].into_iter().filter_map(|key| data.as_ref()?.member(key));
    for early in labelled.chain(feedback) {
        findings.add(
            code::TEAMS_STREAM_FINAL_ONLY,
            &early.at,
            "The AI label, sensitivity labels and feedback go with the final activity only: in an update users do not see them, or \
             the update is refused. Leave them out until then.",
        );
    }
}

fn check_cards(place: &Place<'_>, findings: &mut Findings) {
    let claims = place.many("entities").into_iter().flat_map(|entity| entity.many("citation"));
    for appearance in claims.filter_map(|claim| claim.member("appearance")) {
        if let Some(card) = ["text", "encodingFormat"].into_iter().find_map(|key| appearance.member(key)) {
            findings.add(
                code::TEAMS_STREAM_CARD,
                &card.at,
                "Teams answers with \"Internal server error\", and users keep half an answer. Leave `text` and \
                 `encodingFormat` out, or send the message without a stream.",
            );
        }
    }
}

/// Checks the conversation: Teams streams only in one-on-one chats.
pub(super) fn check_conversation(place: &Place<'_>, findings: &mut Findings) {
    let Some(conversation) = place.member("conversation") else { return };
    let kind = conversation.member("conversationType").filter(|kind| kind.value != "personal");
    let group = conversation.member("isGroup").filter(|group| group.value == true);
    if let Some(odd) = kind.or(group) {
        findings.add(
            code::TEAMS_STREAM_IN_GROUP,
            &odd.at,
            "Teams takes streams in one-on-one chats only: here it refuses them, and users see nothing. Send one whole \
             message.",
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::super::{Channel, check};

    fn found(stream_type: &str, with: &Value) -> Vec<(&'static str, String)> {
        let kind = if stream_type == "final" { "message" } else { "typing" };
        let mut info = json!({"type": "streaminfo", "streamType": stream_type});
        if stream_type == "final" {
            info["streamId"] = json!("a-1");
        } else {
            info["streamSequence"] = json!(1);
        }
        let mut activity = json!({"type": kind, "text": "a [1]", "entities": [info]});
        for (key, value) in with.as_object().cloned().unwrap_or_default() {
            match (key.as_str(), value) {
                ("entities", Value::Array(more)) => {
                    activity["entities"].as_array_mut().expect("a list").extend(more);
                }
                (_, value) => activity[key] = value,
            }
        }
        check(&activity, Channel::Teams).into_iter().map(|finding| (finding.code, finding.pointer)).collect()
    }

    fn message(card: bool) -> Value {
        let mut claim =
            json!({"@type": "Claim", "position": 1, "appearance": {"@type": "DigitalDocument", "name": "A"}});
        if card {
            claim["appearance"]["text"] = json!("{\"type\": \"AdaptiveCard\"}");
            claim["appearance"]["encodingFormat"] = json!("application/vnd.microsoft.card.adaptive");
        }
        json!({"entities": [{"type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org",
                             "@id": "", "citation": [claim]}]})
    }

    #[test]
    fn every_activity_has_a_text() {
        for stream_type in ["informative", "streaming", "final"] {
            assert_eq!(found(stream_type, &json!({})), []);
            assert_eq!(found(stream_type, &json!({"text": ""})), [("teams-stream-text-missing", "/text".into())]);
            assert_eq!(found(stream_type, &json!({"text": null})), [("teams-stream-text-missing", String::new())]);
            assert_eq!(found(stream_type, &json!({"text": 7})), [("text-not-string", "/text".into())]);
        }
    }

    #[test]
    fn claims_feedback_and_attachments_wait_for_the_final() {
        assert_eq!(found("final", &message(false)), []);
        let expected = [("teams-stream-claims-early", "/entities/1".into())];
        assert_eq!(found("streaming", &message(false)), expected);
        let mut labelled = message(false);
        labelled["entities"][0]["additionalType"] = json!(["AIGeneratedContent"]);
        let both =
            ["teams-stream-claims-early", "teams-stream-final-only"].map(|code| (code, "/entities/1".to_owned()));
        assert_eq!(found("streaming", &labelled), both);
        let feedback = json!({"channelData": {"feedbackLoop": {"type": "default"}}});
        assert_eq!(found("final", &feedback), []);
        assert_eq!(found("streaming", &feedback), [("teams-stream-final-only", "/channelData/feedbackLoop".into())]);
        let attached = json!({"attachments": [{"contentType": "image/png"}]});
        assert_eq!(found("final", &attached), []);
        assert_eq!(found("informative", &attached), [("stream-attachments-early", "/attachments".into())]);
    }

    #[test]
    fn a_card_has_no_place_in_a_stream() {
        let at = "/entities/1/citation/0/appearance/text".to_owned();
        assert_eq!(found("final", &message(true)), [("teams-stream-card", at)]);
    }

    #[test]
    fn a_stream_is_for_one_reader() {
        for (conversation, at) in [
            (json!({"id": "c", "conversationType": "groupChat", "isGroup": true}), "/conversation/conversationType"),
            (json!({"id": "c", "conversationType": "channel"}), "/conversation/conversationType"),
            (json!({"id": "c", "isGroup": true}), "/conversation/isGroup"),
        ] {
            let expected = [("teams-stream-in-group", at.to_owned())];
            assert_eq!(found("streaming", &json!({"conversation": conversation})), expected);
        }
        let personal = json!({"conversation": {"id": "c", "conversationType": "personal", "isGroup": false}});
        assert_eq!(found("streaming", &personal), []);
    }

    #[test]
    fn types_and_places_go_together() {
        assert_eq!(found("final", &json!({"type": "typing"})), [("stream-kind-mismatch", "/type".into())]);
        assert_eq!(found("streaming", &json!({"type": "message"})), [("stream-kind-mismatch", "/type".into())]);
        let hidden =
            json!({"type": "typing", "text": "a", "channelData": {"streamType": "streaming", "streamSequence": 1}});
        let codes: Vec<_> = check(&hidden, Channel::Teams).into_iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["teams-stream-only-in-channel-data"]);
        let default = json!({"type": "typing", "text": "a", "entities": [{"type": "streaminfo", "streamSequence": 1}]});
        assert_eq!(check(&default, Channel::Teams), []);
    }
}
