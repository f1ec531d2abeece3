//! The entry point: recognizes the kind of document, and passes its parts to the rules.

use serde_json::Value;

use super::activity;
use super::blank_nodes::BlankNodes;
use super::code;
use super::conversation;
use super::findings::Findings;
use super::linked_data;
use super::message;
use super::place::Place;
use super::pointer::{Pointer, document_order};
use super::profile_rules;
use super::stream;
use super::teams;
use super::terms;
use super::{Channel, Finding, Profile};

/// Checks an Activity, an ActivitySet, an array of activities or a bare Message entity against the rules of a channel.
///
/// Returns findings in document order: an object before its members, members by name, items by number. At most 100 findings
/// of one code are listed, and a note counts the rest.
///
/// Members that only delivery adds (`id`, `timestamp`, `from`) may be absent.
///
/// # Examples
///
/// ```
/// use citewire_check::{Channel, check};
///
/// let findings = check(&serde_json::json!({"type": "message", "text": "a[1][2].\n\n[1]: https://a.example/\n[2]: https://b.example/"}), Channel::WebChat);
/// assert!(findings.iter().any(|finding| finding.code == "markers-fused" && finding.pointer == "/text"));
/// ```
#[must_use]
pub fn check(document: &Value, channel: Channel) -> Vec<Finding> {
    let mut findings = Findings::default();
    let root = Place::new(document, Pointer::default());
    if document.is_object() && document.get("activities").is_none() && message::is_bare_thing(document) {
        match channel {
            Channel::WebChat => check_bare_message(&root, &mut findings),
            Channel::Teams => teams::check_bare(&root, &mut findings),
        }
        return findings.finish();
    }
    let Some((mut places, is_list)) = activities(&root, &mut findings) else { return findings.finish() };
    if is_list && places.is_empty() {
        let message = "The list has no activities, so nothing was checked.";
        findings.add(code::NOTHING_TO_CHECK, &root.at, message);
    }
    places.retain(|place| !is_answer(place, &mut findings));
    match channel {
        Channel::WebChat => {
            let activities: Vec<_> = places.iter().filter_map(|place| activity::check(place, &mut findings)).collect();
            if is_list {
                conversation::check(&activities, &mut findings);
            }
            stream::check(&activities, &mut findings);
        }
        Channel::Teams => {
            let streamed: Vec<_> = places.iter().filter_map(|place| teams::check(place, &mut findings)).collect();
            teams::check_streams(&streamed, is_list, &mut findings);
        }
    }
    findings.finish()
}

/// Checks a document against the rules of a profile and of its channel. The order is that of [`check()`].
#[must_use]
pub fn check_profile(document: &Value, profile: Profile) -> Vec<Finding> {
    let mut own = Findings::default();
    let root = Place::new(document, Pointer::default());
    if let Some((places, _)) = activities(&root, &mut Findings::default()) {
        places.iter().for_each(|place| profile_rules::check(profile, place, &mut own));
    }
    let mut all = check(document, profile.channel());
    all.extend(own.finish());
    all.sort_by(|left, right| document_order(&left.pointer, &right.pointer));
    all
}

/// The activities of a document, and whether it has a list of them.
fn activities<'v>(root: &Place<'v>, findings: &mut Findings) -> Option<(Vec<Place<'v>>, bool)> {
    let in_list = |items: &'v [Value], at: &Pointer| {
        (items.iter().enumerate().map(|(index, item)| Place::new(item, at.index(index))).collect(), true)
    };
    if let Some(items) = root.value.as_array() {
        return Some(in_list(items, &root.at));
    }
    let Some(written) = root.value.get("activities") else { return Some((vec![root.clone()], false)) };
    let at = root.at.key("activities");
    if let Some(items) = written.as_array() {
        return Some(in_list(items, &at));
    }
    findings.add(code::NOT_AN_ACTIVITY, &at, "`activities` is not a list. An ActivitySet is {\"activities\": [ … ]}.");
    None
}

/// Whether this is an answer that has to be converted first. Findings about members that an activity needs would not help.
fn is_answer(place: &Place<'_>, findings: &mut Findings) -> bool {
    let has = |name| place.value.get(name).is_some_and(Value::is_array);
    let is_answer = place.value.get("type").is_none() && (has("sources") || has("annotations"));
    if is_answer {
        findings.add(
            code::NOT_AN_ACTIVITY,
            &place.at,
            "This is an answer with its sources, not an activity. Convert it first, with `citewire convert` or POST \
             /v1/activities, and check the activity.",
        );
    }
    is_answer
}

fn check_bare_message(root: &Place<'_>, findings: &mut Findings) {
    let nodes = BlankNodes::gather(root, findings);
    message::check_bare(root, &nodes, findings);
    nodes.check(findings);
    terms::check(root, findings);
    linked_data::check(&[root], findings);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn codes(document: &Value) -> Vec<(&'static str, String)> {
        check(document, Channel::WebChat).into_iter().map(|finding| (finding.code, finding.pointer)).collect()
    }

    #[test]
    fn anything_else_than_the_four_documents_is_one_error() {
        for document in [json!(null), json!(1), json!("x"), json!({}), json!({"a": 1})] {
            assert_eq!(codes(&document), [("not-an-activity", String::new())], "{document}");
        }
        assert_eq!(codes(&json!({"activities": 3})), [("not-an-activity", "/activities".into())]);
        let of_dot_net = check(&json!({"Type": "message", "Text": "a"}), Channel::Teams);
        assert!(of_dot_net[0].message.contains("small letters"), "{of_dot_net:?}");
    }

    #[test]
    fn an_answer_that_is_no_activity_yet_has_to_be_converted_first() {
        let answer = json!({"text": "Leave is 30 days [1].", "sources": [{"title": "Leave"}]});
        for channel in [Channel::WebChat, Channel::Teams] {
            for (document, pointer) in [
                (answer.clone(), ""),
                (json!({"activities": [{"type": "typing"}, answer]}), "/activities/1"),
                (json!([{"text": "a", "annotations": []}]), "/0"),
            ] {
                let found: Vec<_> =
                    check(&document, channel).into_iter().filter(|f| f.code == "not-an-activity").collect();
                assert_eq!(found.len(), 1, "{document} {found:?}");
                assert_eq!(found[0].pointer, pointer);
                assert!(found[0].message.contains("citewire convert"), "{found:?}");
            }
            assert_eq!(check(&answer, channel).len(), 1, "and nothing else");
        }
    }

    #[test]
    fn plain_activities_sets_and_lists_pass() {
        let activity = json!({"type": "message", "text": "hello"});
        assert_eq!(codes(&activity), []);
        assert_eq!(codes(&json!([activity, activity])), []);
        assert_eq!(codes(&json!({"activities": [activity], "watermark": "1"})), []);
    }

    /// Once, the check said that all was good.
    #[test]
    fn a_list_without_activities_is_named() {
        for empty in [json!([]), json!({"activities": [], "watermark": "1"})] {
            for channel in [Channel::WebChat, Channel::Teams] {
                let found: Vec<_> = check(&empty, channel).into_iter().map(|finding| finding.code).collect();
                assert_eq!(found, ["nothing-to-check"], "{empty}");
            }
        }
    }

    #[test]
    fn an_activity_of_another_channel_is_named() {
        let of = |channel: &str| json!({"type": "message", "text": "a", "channelId": channel});
        for (id, channel, named) in [
            ("msteams", Channel::WebChat, true),
            ("slack", Channel::WebChat, true),
            ("webchat", Channel::Teams, true),
            ("msteams", Channel::Teams, false),
            ("directline", Channel::WebChat, false),
            ("emulator", Channel::Teams, false),
            ("acme", Channel::WebChat, false),
        ] {
            let found = check(&of(id), channel);
            assert_eq!(found.iter().any(|finding| finding.code == "channel-differs"), named, "{id} {channel}");
        }
    }

    #[test]
    fn pointers_lead_to_the_item_of_the_list() {
        assert_eq!(
            codes(&json!({"activities": [{"type": "message", "text": "a"}, 7]})),
            [("not-an-activity", "/activities/1".into())]
        );
    }

    #[test]
    fn a_bare_message_thing_is_checked_without_a_text() {
        let thing = json!({
            "@context": "https://schema.org", "type": "https://schema.org/Message", "@type": "Message", "@id": "",
            "citation": [{"@type": "Claim", "position": "1", "appearance": {"@type": "DigitalDocument", "name": "A"}}],
        });
        assert_eq!(codes(&thing), [("passage-missing", "/citation/0/appearance".into())]);
    }
}
