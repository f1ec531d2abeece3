//! Checks actions: the thumbs beside an answer.

use super::code;
use super::findings::Findings;
use super::place::Place;

/// Checks the actions of a Message entity. Returns whether Web Chat draws at least one.
pub(super) fn check(thing: &Place<'_>, findings: &mut Findings) -> bool {
    let mut drawn = false;
    for action in thing.many("potentialAction") {
        if !action.is_thing("this button", findings) {
            continue;
        }
        if !matches!(action.text("@type"), Some("LikeAction" | "DislikeAction")) {
            findings.add(
                code::ACTION_IGNORED,
                &action.at,
                "Only LikeAction and DislikeAction are drawn from `potentialAction`: users see no button for this one.",
            );
            continue;
        }
        drawn = true;
        if action.some_text("@id").is_none() {
            findings.add(
                code::FEEDBACK_WITHOUT_ID,
                &action.at,
                "4.18.1 sends the pressed action back without naming the message. Give each action an `@id` that names \
                 the answer.",
            );
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::{assert_finds, cited_with, found};

    #[test]
    fn actions_need_a_known_type_and_a_name() {
        let actions = "/entities/0/potentialAction";
        let like = json!({"@type": "LikeAction", "@id": "a1-like", "actionStatus": "PotentialActionStatus"});
        assert_eq!(found(&cited_with(actions, json!([like]))), []);
        let nameless = json!([{"@type": "LikeAction"}]);
        assert_finds(&cited_with(actions, nameless), "feedback-without-id", "/entities/0/potentialAction/0");
        assert_finds(&cited_with(actions, json!({"@type": "VoteAction"})), "action-ignored", actions);
    }
}
