//! Finds citations, labels and the mark of AI where no client reads them: outside of the entities, or in an entity that does not say
//! what it is.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::code;
use super::findings::Findings;
use super::link_label::is_number;
use super::markdown::Markdown;
use super::place::{Place, printed};

/// The depth of members in which something may have been put.
const DEPTH: usize = 7;

/// The members of an activity that hold something else, and in which a member of the same name means something else.
const OTHERS: [&str; 6] = ["entities", "from", "recipient", "conversation", "relatesTo", "suggestedActions"];

/// The names under which lists of sources are sent.
const LISTS: [&str; 4] = ["citation", "citations", "sources", "references"];

/// The members of which a source has one at least.
const TITLES: [&str; 8] = ["name", "title", "url", "link", "href", "uri", "filename", "document"];

/// A part of a Message thing that readers see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Citations,
    AiMark,
    Label,
}

impl Part {
    /// The part that a member is, wherever it stands.
    fn of(key: &str, value: &Value) -> Option<Self> {
        let any = |test: fn(&Value) -> bool| value.as_array().map_or_else(|| test(value), |all| all.iter().any(test));
        let is_mark =
            |value: &Value| value.as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("AIGeneratedContent"));
        let is_label = |value: &Value| value.get("@type").is_some() && value.get("name").is_some();
        match key {
            "citation" | "citations" if any(is_claim) => Some(Self::Citations),
            "additionalType" if any(is_mark) => Some(Self::AiMark),
            "usageInfo" if any(is_label) => Some(Self::Label),
            _ => None,
        }
    }

    fn loss(self) -> &'static str {
        match self {
            Self::Citations => "citations",
            Self::AiMark => "mark of AI",
            Self::Label => "label",
        }
    }
}

/// Whether a value is a claim, also one without its type.
pub(crate) fn is_claim(value: &Value) -> bool {
    value["@type"] == "Claim" || value.get("appearance").is_some_and(Value::is_object)
}

/// Whether a member lists sources in a form of its own.
fn lists_sources(key: &str, value: &Value) -> bool {
    let is_source = |one: &Value| TITLES.iter().any(|title| one.get(*title).is_some_and(Value::is_string));
    LISTS.contains(&key) && value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_source))
}

/// The parts of an object.
fn parts(object: &Map<String, Value>) -> impl Iterator<Item = (&String, Part)> {
    object.iter().filter_map(|(key, value)| Some((key, Part::of(key, value)?)))
}

/// Whether an entity has a part of a Message thing, whatever it says that it is.
pub(super) fn has_parts(entity: &Value) -> bool {
    entity.as_object().is_some_and(|object| parts(object).next().is_some())
}

/// Reports parts that the entities lack and that stand elsewhere in the activity.
pub(super) fn check(activity: &Place<'_>, findings: &mut Findings) {
    let entities = activity.many("entities");
    let objects = || entities.iter().filter_map(Place::object);
    let known = Known {
        parts: objects().flat_map(parts).map(|(_, part)| part).collect(),
        claims: objects().flat_map(|entity| items(entity.get("citation")).iter().map(source)).collect(),
        labels: objects().flat_map(|entity| items(entity.get("usageInfo")).iter().map(Value::to_string)).collect(),
        // A list of sources that no marker needs may be for a program of the bot's own.
        wants_sources: objects().all(|entity| entity.get("citation").is_none())
            && activity.text("text").is_some_and(has_open_marker),
    };
    walk(activity, &known, DEPTH, findings);
}

/// The parts that the entities have.
struct Known {
    parts: BTreeSet<Part>,
    claims: BTreeSet<(String, String)>,
    labels: BTreeSet<String>,
    /// Whether the text has markers, and neither definitions nor claims for them.
    wants_sources: bool,
}

fn has_open_marker(text: &str) -> bool {
    let markdown = Markdown::read(text);
    markdown.definitions.is_empty() && markdown.loose.iter().any(|loose| is_number(&loose.label))
}

impl Known {
    /// Whether the entities say what a part says: of citations each claim, and of labels each one.
    fn has(&self, part: Part, value: &Value) -> bool {
        match part {
            Part::Citations => items(Some(value)).iter().all(|claim| self.claims.contains(&source(claim))),
            Part::Label => items(Some(value)).iter().all(|label| self.labels.contains(&label.to_string())),
            Part::AiMark => self.parts.contains(&part),
        }
    }
}

fn items(value: Option<&Value>) -> &[Value] {
    value.map_or(&[], |value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice))
}

/// The position of a claim, as it is printed, and its source: the address, or else all that it says.
fn source(claim: &Value) -> (String, String) {
    let position = claim.get("position").and_then(printed).unwrap_or_default();
    let url = claim.pointer("/appearance/url").and_then(Value::as_str).map(ToOwned::to_owned);
    let whole = || {
        let mut rest = claim.clone();
        rest.as_object_mut().map(|claim| claim.remove("position"));
        rest.to_string()
    };
    (position, url.unwrap_or_else(whole))
}

fn walk(place: &Place<'_>, known: &Known, depth: usize, findings: &mut Findings) {
    match place.value {
        Value::Object(object) => {
            for (key, part) in parts(object).filter(|(key, part)| !known.has(*part, &object[*key])) {
                let message = format!(
                    "No client reads `{key}` here: users see no {}. Move it into a Message thing in `entities`.",
                    part.loss()
                );
                findings.add(code::MESSAGE_MISPLACED, &place.at.key(key), message);
            }
            for (key, _) in object.iter().filter(|(key, value)| known.wants_sources && lists_sources(key, value)) {
                if Part::of(key, &object[key]).is_none() {
                    findings.add(
                        code::MESSAGE_MISPLACED,
                        &place.at.key(key),
                        format!(
                            "No client reads `{key}` here: the numbers in brackets of the text stay text, and users see none of \
                             these sources. Write each as a claim, in `citation` of a Message thing in `entities`."
                        ),
                    );
                }
            }
            if depth > 0 {
                let is_activity = depth == DEPTH;
                for (key, value) in object {
                    if Part::of(key, value).is_none() && !(is_activity && OTHERS.contains(&key.as_str())) {
                        walk(&Place::new(value, place.at.key(key)), known, depth - 1, findings);
                    }
                }
            }
        }
        Value::Array(items) if depth > 0 => {
            for (index, item) in items.iter().enumerate() {
                walk(&Place::new(item, place.at.index(index)), known, depth - 1, findings);
            }
        }
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::cited;
    use super::super::{Channel, check, mend};
    use super::*;

    fn codes(document: &Value, channel: Channel) -> Vec<(&'static str, String)> {
        let all = check(document, channel).into_iter();
        all.filter(|one| one.code == "message-misplaced").map(|one| (one.code, one.pointer)).collect()
    }

    #[test]
    fn what_no_client_reads_is_named_and_moved() {
        let thing = cited()["entities"][0].clone();
        let (claims, mark) = (thing["citation"].clone(), json!(["AIGeneratedContent"]));
        for (members, pointer) in [
            (json!({"citation": claims}), "/citation"),
            (json!({"citations": claims}), "/citations"),
            (json!({"additionalType": mark}), "/additionalType"),
            (json!({"additionalType": "AIGeneratedContent"}), "/additionalType"),
            (json!({"channelData": {"additionalType": mark}}), "/channelData/additionalType"),
            (json!({"channelData": {"citation": claims}}), "/channelData/citation"),
            (
                json!({"channelData": {"entities": [{"additionalType": mark}]}}),
                "/channelData/entities/0/additionalType",
            ),
            (json!({"entity": [{"@type": "Message", "citation": claims}]}), "/entity/0/citation"),
            (json!({"value": {"@type": "Message", "additionalType": mark}}), "/value/additionalType"),
            (json!({"usageInfo": {"@type": "CreativeWork", "name": "Secret"}}), "/usageInfo"),
        ] {
            let mut activity = json!({"type": "message", "text": "Keep it[1]\u{200b}[2]."});
            for (key, value) in members.as_object().expect("members") {
                activity[key] = value.clone();
            }
            for channel in [Channel::WebChat, Channel::Teams] {
                assert_eq!(codes(&activity, channel), [("message-misplaced", pointer.to_owned())], "{activity}");
                let mended = mend(&activity, channel).expect("an activity");
                assert_eq!(codes(&mended.document, channel), [], "{}", mended.document);
                let entity = &mended.document["entities"][0];
                assert_eq!((&entity["type"], &entity["@id"]), (&json!("https://schema.org/Message"), &json!("")));
            }
        }
    }

    #[test]
    fn claims_that_stand_in_several_places_are_all_moved() {
        let mut activity = cited();
        let thing = activity["entities"][0].take();
        let with = |at: usize| {
            let mut part = thing.clone();
            part["citation"] = json!([thing["citation"][at]]);
            part
        };
        activity["entities"] = json!(null);
        activity["channelData"] = json!({"tenant": {"id": "t"}, "message": with(0)});
        activity["value"] = with(1);
        for channel in [Channel::WebChat, Channel::Teams] {
            let mended = mend(&activity, channel).expect("an activity");
            assert_eq!(codes(&mended.document, channel), [], "{}", mended.document);
            assert_eq!(mended.document["entities"][0]["citation"].as_array().map(Vec::len), Some(2));
            assert_eq!(mended.document["channelData"]["tenant"]["id"], "t");
        }
    }

    #[test]
    fn what_entities_say_as_well_may_stand_anywhere() {
        let mut activity = cited();
        activity["channelData"] = json!({"citation": activity["entities"][0]["citation"], "usageInfo": {"name": "a"}});
        assert_eq!(codes(&activity, Channel::WebChat), []);
        // Members of these names that are something else.
        for other in [
            json!({"channelData": {"citation": "Smith 2020", "additionalType": ["Report"], "usageInfo": {"count": 1}}}),
            json!({"value": {"citations": ["https://a.example/"]}}),
        ] {
            let mut activity = json!({"type": "message", "text": "a"});
            for (key, value) in other.as_object().expect("members") {
                activity[key] = value.clone();
            }
            assert_eq!(codes(&activity, Channel::Teams), []);
        }
    }

    /// Sources in a form of their own are no claims, so they are named and stay.
    #[test]
    fn sources_that_a_marker_needs_are_named_wherever_they_stand() {
        let sources = json!([{"title": "One", "url": "https://docs.example/1"}]);
        for (members, pointer) in [
            (json!({"citations": sources}), "/citations"),
            (json!({"sources": sources}), "/sources"),
            (json!({"references": sources}), "/references"),
            (json!({"channelData": {"citations": sources}}), "/channelData/citations"),
        ] {
            for channel in [Channel::WebChat, Channel::Teams] {
                let mut activity = json!({"type": "message", "text": "Keep it[1]."});
                for (key, value) in members.as_object().expect("members") {
                    activity[key] = value.clone();
                }
                assert_eq!(codes(&activity, channel), [("message-misplaced", pointer.to_owned())], "{activity}");
                assert_eq!(mend(&activity, channel).expect("an activity").document, activity);
                activity["text"] = json!("Keep it.");
                assert_eq!(codes(&activity, channel), [], "{activity}");
            }
        }
    }

    #[test]
    fn entities_of_a_card_are_named_and_moved() {
        let thing =
            json!({"type": "https://schema.org/Message", "@type": "Message", "additionalType": ["AIGeneratedContent"]});
        let card = json!({"type": "AdaptiveCard", "version": "1.5", "body": [], "entities": [thing]});
        let attachment = json!({"contentType": "application/vnd.microsoft.card.adaptive", "content": card});
        let activity = json!({"type": "message", "attachments": [attachment]});
        let pointer = "/attachments/0/content/entities/0/additionalType".to_owned();
        for channel in [Channel::WebChat, Channel::Teams] {
            assert_eq!(codes(&activity, channel), [("message-misplaced", pointer.clone())]);
            let mended = mend(&activity, channel).expect("an activity");
            assert_eq!(codes(&mended.document, channel), [], "{}", mended.document);
            assert_eq!(mended.document["entities"][0]["additionalType"], json!(["AIGeneratedContent"]));
        }
    }

    #[test]
    fn an_entity_that_does_not_say_what_it_is_is_named_and_mended() {
        let mut activity = cited();
        for key in ["type", "@type", "@context", "@id"] {
            activity["entities"][0].as_object_mut().expect("an object").remove(key);
        }
        for (channel, code) in [(Channel::WebChat, "message-type-wrong"), (Channel::Teams, "teams-message-malformed")] {
            let found = check(&activity, channel);
            assert!(found.iter().any(|one| one.code == code && one.pointer == "/entities/0"), "{found:?}");
            let mended = mend(&activity, channel).expect("an activity");
            assert!(!mended.findings.iter().any(|one| one.code == code), "{:?}", mended.findings);
        }
    }
}
