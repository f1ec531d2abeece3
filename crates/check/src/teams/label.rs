//! Checks sensitivity labels: one for the message, which claims with the same label repeat.

use super::super::code;
use super::super::findings::Findings;
use super::super::place::Place;

/// The label of the message.
#[derive(Debug, Default)]
pub(super) struct MessageLabel<'v> {
    node: Option<Place<'v>>,
}

impl<'v> MessageLabel<'v> {
    pub(super) fn read(message: &Place<'v>, findings: &mut Findings) -> Self {
        let node = message.member("usageInfo");
        if let Some(node) = &node {
            check_complete(node, &["name"], findings);
        }
        Self { node }
    }

    /// Checks the label of a claim against the label of the message.
    pub(super) fn check_claim(&self, appearance: &Place<'_>, findings: &mut Findings) {
        let Some(label) = appearance.member("usageInfo") else { return };
        if !check_complete(&label, &["@id", "name"], findings) {
            return;
        }
        let same = |key: &str| {
            let of = |place: &Place<'_>| place.member(key).map(|member| member.value.clone());
            self.node.as_ref().and_then(of) == of(&label)
        };
        if self.node.is_none() || !same("@id") {
            findings.add(
                code::TEAMS_LABEL_WITHOUT_TWIN,
                &label.at.key("@id"),
                "The Message has no label of this `@id`, and Teams refuses the whole message with 400. Give the Message \
                 the same `usageInfo`, or leave this one out: a message has one label.",
            );
        } else if !same("name") || !same("description") {
            findings.add(
                code::TEAMS_LABEL_DIFFERS,
                &label.at,
                "The label of the Message has the same `@id` with another name or description, and Teams refuses the \
                 whole message with 400. Write both alike.",
            );
        }
    }
}

fn check_complete(label: &Place<'_>, texts: &[&str], findings: &mut Findings) -> bool {
    let is_text =
        |key: &str| label.member(key).is_some_and(|text| text.value.as_str().is_some_and(|text| !text.is_empty()));
    let missing = texts.iter().copied().find(|key| !is_text(key));
    let typed = label.member("@type").is_some_and(|kind| kind.value == "CreativeWork");
    let Some(missing) = missing.or((!typed).then_some("@type")) else { return true };
    findings.add(
        code::TEAMS_LABEL_INCOMPLETE,
        &label.at,
        format!(
            "A label is written out at each place, and this one lacks `{missing}`; Teams refuses the message or shows no \
             shield. It needs \"@type\": \"CreativeWork\", a `name`, and at a claim an `@id`."
        ),
    );
    false
}
