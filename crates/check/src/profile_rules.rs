//! Checks what a profile demands beyond the rules of its channel.

use serde_json::Value;

use super::address::Scheme;
use super::findings::Findings;
use super::markdown::Markdown;
use super::message::{is_bare_thing, is_message_type};
use super::place::Place;
use super::{Profile, code};

/// Checks one activity for a profile, or a Message entity without an activity around it.
pub(super) fn check(profile: Profile, activity: &Place<'_>, findings: &mut Findings) {
    if is_bare_thing(activity.value) {
        // The format is a matter of the activity.
        if profile == Profile::CopilotStore {
            check_addresses(std::slice::from_ref(activity), findings);
        }
        return;
    }
    let from_user = activity.member("from").and_then(|from| from.text("role")) == Some("user");
    if activity.text("type") != Some("message") || from_user {
        return;
    }
    match profile {
        Profile::CopilotStore => {
            let is_message = |entity: &Place<'_>| entity.text("type").is_some_and(is_message_type);
            let messages: Vec<_> = activity.many("entities").into_iter().filter(is_message).collect();
            check_addresses(&messages, findings);
        }
        Profile::TeamsExtended => check_html(activity, findings),
    }
}

/// Each source needs an address (<https://learn.microsoft.com/microsoft-365-copilot/extensibility/plugin-citations>, August
/// 2026): without one, a citation cannot be pressed. The store asks agents for citations
/// (<https://learn.microsoft.com/microsoftteams/platform/concepts/deploy-and-publish/appsource/prepare/review-copilot-validation-guidelines>).
fn check_addresses(messages: &[Place<'_>], findings: &mut Findings) {
    for claim in messages.iter().flat_map(|message| message.many("citation")) {
        let appearance = claim.member("appearance");
        let address = appearance.as_ref().and_then(|appearance| appearance.some_text("url"));
        if address.is_none_or(|address| Scheme::of(address) != Scheme::Web) {
            findings.add(
                code::COPILOT_SOURCE_WITHOUT_ADDRESS,
                &appearance.map_or(claim.at, |appearance| appearance.at),
                "Readers of Copilot cannot open this source, and its store demands citations that can be pressed \
                 (learn.microsoft.com/microsoft-365-copilot/extensibility/plugin-citations). Add an http(s) `url`.",
            );
        }
    }
}

/// Extended Markdown is documented without HTML
/// (<https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages>, preview of August 2026).
fn check_html(activity: &Place<'_>, findings: &mut Findings) {
    let text = activity.text("text").unwrap_or_default();
    if format_is_extended(activity) && !Markdown::read(text).html.is_empty() {
        findings.add(
            code::TEAMS_EXTENDED_HTML,
            &activity.at.key("text"),
            "Extended Markdown is documented without HTML: the tags may appear as text. Write Markdown.",
        );
    }
}

fn format_is_extended(activity: &Place<'_>) -> bool {
    activity.value.get("textFormat").and_then(Value::as_str) == Some("extendedmarkdown")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::check_profile;
    use super::*;

    fn found(document: &Value, profile: Profile) -> Vec<(&'static str, String)> {
        check_profile(document, profile).into_iter().map(|finding| (finding.code, finding.pointer)).collect()
    }

    fn cited(url: &Value) -> Value {
        json!({"type": "message", "text": "a [1]", "textFormat": "markdown", "entities": [{
            "type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org", "@id": "",
            "citation": [{"@type": "Claim", "position": 1,
                          "appearance": {"@type": "DigitalDocument", "name": "A", "url": url}}]}]})
    }

    #[test]
    fn the_store_demands_an_address_of_each_source() {
        assert_eq!(found(&cited(&json!("https://a.example/")), Profile::CopilotStore), []);
        let at = "/entities/0/citation/0/appearance".to_owned();
        let expected = [("copilot-source-without-address", at)];
        assert_eq!(found(&cited(&Value::Null), Profile::CopilotStore), expected);
        assert_eq!(
            found(&json!([cited(&Value::Null)]), Profile::CopilotStore)[0].1,
            "/0/entities/0/citation/0/appearance"
        );
        assert_eq!(found(&cited(&Value::Null), Profile::TeamsExtended), []);
        let bare = cited(&Value::Null)["entities"][0].clone();
        let at = "/citation/0/appearance".to_owned();
        assert_eq!(found(&bare, Profile::CopilotStore), [("copilot-source-without-address", at)]);
    }

    #[test]
    fn tables_and_formulas_need_the_extended_format() {
        for text in ["| a |\n| - |\n| b |", "a $$x^2$$ b", "- [ ] a", "a ![b](https://a.example/b.png)"] {
            let plain = json!({"type": "message", "text": text, "textFormat": "markdown"});
            let expected = [("teams-extended-format-missing", "/textFormat".to_owned())];
            assert_eq!(found(&plain, Profile::TeamsExtended), expected, "{text}");
            assert_eq!(found(&plain, Profile::CopilotStore), expected, "without this profile");
            let extended = json!({"type": "message", "text": text, "textFormat": "extendedmarkdown"});
            assert_eq!(found(&extended, Profile::TeamsExtended), [], "{text}");
        }
        let html = json!({"type": "message", "text": "a<br>b", "textFormat": "extendedmarkdown"});
        assert_eq!(found(&html, Profile::TeamsExtended), [("teams-extended-html", "/text".to_owned())]);
    }
}
