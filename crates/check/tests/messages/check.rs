//! Findings of `check` in whole documents: each fixture states a document and every finding that it deserves.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use citewire_check::{Channel, check, rules};
use serde_json::{Value, json};

fn fixtures() -> Vec<(PathBuf, Value)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/check");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the folder of fixtures").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a readable fixture");
            let fixture = serde_json::from_str(&text).expect("a fixture in JSON");
            (path, fixture)
        })
        .collect()
}

/// The channel of a fixture: Web Chat when it names none.
fn channel(fixture: &Value) -> Channel {
    fixture["channel"].as_str().map_or(Channel::WebChat, |name| name.parse().expect("a channel"))
}

/// Code, severity and pointer of each finding; the wording of messages is free.
fn found(fixture: &Value) -> Vec<Value> {
    check(&fixture["document"], channel(fixture))
        .into_iter()
        .map(|finding| json!({"code": finding.code, "severity": finding.severity, "pointer": finding.pointer}))
        .collect()
}

#[test]
fn each_fixture_has_exactly_the_findings_that_it_states() {
    let fixtures = fixtures();
    assert!(fixtures.len() >= 40, "only {} fixtures", fixtures.len());
    let wrong: Vec<_> = fixtures
        .iter()
        .filter(|(_, fixture)| json!(found(fixture)) != fixture["expect"])
        .map(|(path, fixture)| {
            format!(
                "{} ({}):\n  found  {}\n  expect {}",
                path.display(),
                fixture["name"],
                json!(found(fixture)),
                fixture["expect"]
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_pointer_leads_into_the_document() {
    for (path, fixture) in fixtures() {
        for finding in check(&fixture["document"], channel(&fixture)) {
            assert!(fixture["document"].pointer(&finding.pointer).is_some(), "{}: {finding:?}", path.display());
        }
    }
}

#[test]
fn the_same_document_gives_the_same_findings_in_the_same_order() {
    for (_, fixture) in fixtures() {
        let first = check(&fixture["document"], channel(&fixture));
        assert_eq!(first, check(&fixture["document"], channel(&fixture)));
    }
}

#[test]
fn expected_codes_are_documented_codes() {
    let known: BTreeSet<_> = rules().iter().map(|rule| rule.code).collect();
    for (path, fixture) in fixtures() {
        for expected in fixture["expect"].as_array().expect("a list") {
            let code = expected["code"].as_str().expect("a code");
            assert!(known.contains(code), "{}: {code}", path.display());
        }
    }
}

#[test]
fn every_rule_of_teams_has_a_fixture() {
    let mut missing: BTreeSet<_> =
        rules().iter().filter(|rule| rule.channel == Some(Channel::Teams)).map(|rule| rule.code).collect();
    for (_, fixture) in fixtures() {
        for expected in fixture["expect"].as_array().expect("a list") {
            missing.remove(expected["code"].as_str().expect("a code"));
        }
    }
    assert_eq!(missing, BTreeSet::new());
}

/// Every pointer into `value`, itself included.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    if let Some(object) = value.as_object() {
        for (key, member) in object {
            pointers(member, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), all);
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        pointers(item, &format!("{at}/{index}"), all);
    }
}

#[test]
fn any_value_in_any_place_is_judged_and_never_breaks_the_check() {
    let odd = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("_:"),
        json!("_:s1"),
        json!("[1][2]\u{0}"),
        json!([]),
        json!([null, [[]], {}]),
        json!({}),
        json!({"@id": "_:s1"}),
        json!({"@value": null, "@list": 3, "@graph": "x"}),
    ];
    for name in ["published-sample", "clean-stream", "clean-conversation", "teams-clean-full", "teams-stream-clean"] {
        let (_, fixture) = fixtures()
            .into_iter()
            .find(|(path, _)| path.file_stem().is_some_and(|stem| stem == name))
            .expect("a fixture");
        let mut places = Vec::new();
        pointers(&fixture["document"], "", &mut places);
        if name.starts_with("clean") {
            places.retain(|place| !place.contains("/citation/"));
        }
        for place in places {
            for value in &odd {
                let mut document = fixture["document"].clone();
                *document.pointer_mut(&place).expect("a place") = value.clone();
                for finding in check(&document, channel(&fixture)) {
                    assert!(document.pointer(&finding.pointer).is_some(), "{value} at {place}: {finding:?}");
                }
            }
        }
    }
}

mod pathological {
    //! Hostile documents: their check must end, in time that grows with their length.

    use std::fmt::Write as _;

    use super::*;

    fn activity(text: &str) -> Value {
        json!({"type": "message", "textFormat": "markdown", "text": text})
    }

    fn codes(document: &Value) -> BTreeSet<&'static str> {
        check(document, Channel::WebChat).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_text_of_ten_megabytes() {
        let mut text = "Plain words *and* [brackets] and `code`.\n\n".repeat(240_000);
        text.push_str("End[1].\n\n[1]: https://a.example/\n");
        assert!(text.len() > 10_000_000);
        assert_eq!(codes(&activity(&text)), BTreeSet::from(["message-missing"]));
    }

    #[test]
    fn a_hundred_thousand_markers_are_capped() {
        let mut text = "[7]x".repeat(100_000);
        text.push_str("[1]\n\n[1]: https://a.example/\n");
        let findings = check(&activity(&text), Channel::WebChat);
        assert_eq!(findings.iter().filter(|finding| finding.code == "marker-without-definition").count(), 100);
        let note = findings.iter().find(|finding| finding.code == "findings-capped").expect("a closing note");
        assert!(note.message.starts_with("99900 more"), "{}", note.message);
    }

    #[test]
    fn ten_thousand_definitions_and_claims() {
        let mut text = String::new();
        let mut claims = Vec::new();
        for number in 1..=10_000 {
            let _ = write!(text, "[{number}] ");
            claims.push(json!({
                "@type": "Claim", "@id": format!("https://a.example/{number}"), "position": number.to_string(),
                "appearance": {"@type": "DigitalDocument", "url": format!("https://a.example/{number}")},
            }));
        }
        text.push_str("\n\n");
        for number in 1..=10_000 {
            let _ = writeln!(text, "[{number}]: https://a.example/{number}");
        }
        let mut document = activity(&text);
        document["entities"] = json!([{
            "type": "https://schema.org/Message", "@context": "https://schema.org", "@type": "Message", "@id": "",
            "citation": claims,
        }]);
        assert_eq!(codes(&document), BTreeSet::new());
    }

    #[test]
    fn ten_thousand_definitions_of_one_label() {
        let mut text = "Text[1].\n\n".to_owned();
        for number in 1..=10_000 {
            let _ = writeln!(text, "[1]: https://a.example/{number}");
        }
        assert_eq!(
            codes(&activity(&text)),
            BTreeSet::from(["definition-duplicate-label", "findings-capped", "message-missing"])
        );
    }

    #[test]
    fn deep_json_is_reported_and_not_followed() {
        let mut deep = json!({"@type": "Thing"});
        for _ in 0..120 {
            deep = json!({"@type": "Thing", "about": deep});
        }
        let document = json!({"type": "message", "text": "x", "entities": [
            {"type": "https://schema.org/Message", "@type": "Message", "@id": "", "about": deep},
        ]});
        assert_eq!(codes(&document), BTreeSet::from(["nesting-too-deep"]));
    }

    #[test]
    fn json_as_deep_as_we_follow_it_is_expanded() {
        let mut deep = json!({"@type": "Thing", "name": "end"});
        for _ in 0..7 {
            deep = json!({"@type": "Thing", "about": deep});
        }
        let document = json!({"type": "message", "text": "x", "entities": [
            {"type": "https://schema.org/Message", "@type": "Message", "@id": "", "about": deep},
        ]});
        assert_eq!(codes(&document), BTreeSet::new());
    }

    #[test]
    fn brackets_without_end_and_nested_quotes() {
        for text in ["[".repeat(100_000), "![[](".repeat(50_000), "> ".repeat(20_000), "[1]:\n".repeat(20_000)] {
            assert!(!codes(&activity(&text)).contains("not-an-activity"));
        }
    }
}
