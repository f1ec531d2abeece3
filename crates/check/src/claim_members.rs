//! Finds members of a claim that clients read in its `appearance` only.

use super::code;
use super::findings::Findings;
use super::place::Place;

/// Members that Web Chat reads in the appearance only.
pub(super) const WEB_CHAT: [&str; 3] = ["usageInfo", "url", "text"];

/// Members that Teams reads in the appearance only.
pub(super) const TEAMS: [&str; 7] = ["usageInfo", "url", "abstract", "keywords", "image", "text", "name"];

/// Reports `members` of the claim that its appearance lacks.
pub(super) fn check(claim: &Place<'_>, appearance: Option<&Place<'_>>, members: &[&str], findings: &mut Findings) {
    for key in members {
        let has_it = appearance.is_some_and(|appearance| appearance.one(key).is_some());
        if let Some(misplaced) = claim.member(key).filter(|_| !has_it) {
            let told = match *key {
                "usageInfo" => "users see no label at this source",
                "url" => "the source has no address",
                "text" | "abstract" => "users see no passage",
                "keywords" | "image" => "users see none of it",
                _ => "the source has no name",
            };
            findings.add(
                code::CLAIM_MEMBER_MISPLACED,
                &misplaced.at,
                format!("`{key}` of the claim itself is not read: {told}. Move it into `appearance`."),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{Channel, check, mend};

    fn activity(members: &Value, appearance: &Value) -> Value {
        let mut claim = json!({"@type": "Claim", "position": 1, "appearance": appearance});
        for (key, value) in members.as_object().expect("members") {
            claim[key] = value.clone();
        }
        json!({"type": "message", "text": "a [1]\n", "entities": [{"type": "https://schema.org/Message", "@type": "Message",
               "@context": "https://schema.org", "@id": "", "citation": [claim]}]})
    }

    fn misplaced(activity: &Value) -> Vec<String> {
        let all = check(activity, Channel::Teams).into_iter();
        all.filter(|found| found.code == "claim-member-misplaced").map(|found| found.pointer).collect()
    }

    #[test]
    fn members_that_belong_into_the_appearance_are_moved_for_teams() {
        let label = json!({"@type": "CreativeWork", "name": "Secret"});
        for (key, value) in [
            ("usageInfo", label),
            ("url", json!("https://a.example/")),
            ("abstract", json!("Words.")),
            ("keywords", json!(["HR"])),
            ("image", json!({"@type": "ImageObject", "name": "PDF"})),
            ("name", json!("Leave")),
            ("text", json!("Words.")),
        ] {
            let given = activity(&json!({key: value}), &json!({"@type": "DigitalDocument"}));
            assert_eq!(misplaced(&given), [format!("/entities/0/citation/0/{key}")]);
            let mended = mend(&given, Channel::Teams).expect("an activity").document;
            let claim = &mended["entities"][0]["citation"][0];
            let target = if key == "text" { "abstract" } else { key };
            assert_eq!((&claim[key], &claim["appearance"][target]), (&Value::Null, &value), "{mended}");
        }
    }

    #[test]
    fn what_the_appearance_has_may_stand_in_the_claim_as_well() {
        let own = json!({"@type": "DigitalDocument", "name": "A", "url": "https://a.example/"});
        assert_eq!(misplaced(&activity(&json!({"name": "B", "url": "https://a.example/"}), &own)), [] as [&str; 0]);
        let whole = json!({"name": "B", "url": "https://a.example/", "abstract": "Words."});
        let without = activity(&whole, &Value::Null);
        assert_eq!(misplaced(&without).len(), 3);
        assert!(misplaced(&mend(&without, Channel::Teams).expect("an activity").document).is_empty());
    }
}
