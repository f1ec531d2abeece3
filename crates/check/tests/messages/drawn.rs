//! The cases by which real clients prove the findings (`tests/browser`, `tests/playground`): each code has one or a reason, and
//! each case has its finding.

use std::collections::BTreeSet;

use citewire_check::{Channel, Finding, Profile, check, check_profile, mend, rules};
use serde_json::Value;

use crate::samples::{json_file, project};

fn table(client: &str) -> Value {
    json_file(&project().join(format!("tests/{client}/findings.json")))
}

fn list<'t>(table: &'t Value, name: &str) -> &'t Vec<Value> {
    table[name].as_array().expect("a list")
}

/// `document` with the changes of a case.
fn changed(document: &Value, case: &Value) -> Value {
    let mut document = document.clone();
    let mut change = |pointer: &str, value: Option<&Value>| {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer to a member");
        match (document.pointer_mut(parent).expect("a parent"), value) {
            (Value::Object(members), Some(value)) => drop(members.insert(key.to_owned(), value.clone())),
            (Value::Object(members), None) => drop(members.remove(key)),
            (Value::Array(items), Some(value)) => {
                let index: usize = key.parse().expect("an index");
                if index == items.len() { items.push(value.clone()) } else { items[index] = value.clone() }
            }
            (Value::Array(items), None) => drop(items.remove(key.parse::<usize>().expect("an index"))),
            (other, _) => panic!("{pointer} leads into {other}"),
        }
    };
    for (pointer, value) in case["set"].as_object().into_iter().flatten() {
        change(pointer, Some(value));
    }
    for pointer in case["remove"].as_array().into_iter().flatten().rev() {
        change(pointer.as_str().expect("a pointer"), None);
    }
    document
}

fn has(findings: &[Finding], case: &Value) -> bool {
    findings.iter().any(|finding| case["code"] == finding.code)
}

#[test]
fn every_code_is_drawn_or_says_why_not() {
    let (browser, playground) = (table("browser"), table("playground"));
    let entries = [list(&browser, "cases"), list(&playground, "cases"), list(&playground, "byReading")];
    let proved: BTreeSet<_> =
        entries.into_iter().flatten().map(|case| case["code"].as_str().expect("a code")).collect();
    let codes: BTreeSet<_> = rules().iter().map(|rule| rule.code).collect();
    assert_eq!(proved, codes);
    for entry in list(&playground, "byReading") {
        assert!(entry["because"].as_str().is_some_and(|because| because.len() > 10), "{entry}");
    }
}

#[test]
fn every_case_of_web_chat_has_its_finding_and_is_mended_unless_it_says_otherwise() {
    let table = table("browser");
    for case in list(&table, "cases") {
        let base = case["base"].as_str().unwrap_or("cited");
        let document = changed(&table["bases"][base], case);
        assert!(has(&check(&document, Channel::WebChat), case), "{case}");
        match mend(&document, Channel::WebChat) {
            Ok(mended) => assert_eq!(has(&mended.findings, case), case["left"] == true, "{case} {:?}", mended.findings),
            Err(_) => assert_eq!(case["left"], "refused", "{case}"),
        }
        if case.get("mended").is_some() {
            assert_ne!(case["mended"], case["seen"], "{case}");
        }
    }
}

#[test]
fn every_case_of_teams_has_its_finding_and_is_mended_where_it_says_so() {
    let table = table("playground");
    assert_eq!(check(&table["sound"], Channel::Teams), []);
    for case in list(&table, "cases") {
        let mut document = changed(&table["sound"], case);
        if let Some(long) = case["long"].as_u64() {
            let text = document["text"].as_str().expect("a text").to_owned();
            document["text"] = Value::String(text + &"x".repeat(usize::try_from(long).expect("a length")));
        }
        let found = |document: &Value| match case["profile"].as_str() {
            Some(profile) => check_profile(document, profile.parse::<Profile>().expect("a profile")),
            None => check(document, Channel::Teams),
        };
        assert!(has(&found(&document), case), "{case} {:?}", found(&document));
        if case.get("mended").is_some() {
            let mended = mend(&document, Channel::Teams).expect("an activity");
            assert!(!has(&found(&mended.document), case), "{case}");
        }
    }
}
