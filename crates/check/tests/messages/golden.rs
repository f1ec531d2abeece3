//! The sample answers through the whole pipeline: one folder of `samples/answers` is one case.
//!
//! The input is `input.json`, or a stream: `input.sse` with server-sent events, `input.jsonl` with an object a line.
//! `activity.json` is the whole output, byte for byte as JSON. `report.json` names the codes of every list of the report
//! but `cited`, in order; a list that is not named must be empty. A file that is called after another dialect, such as `teams.json`,
//! holds both for that one, where it teaches something; `records.json` is what `records/samples.rs` compares. Expected files are written by hand from the policies;
//! one that changes needs a sentence in the commit that says which rule it broke.

use std::path::PathBuf;

use citewire_core::convert::convert;
use citewire_core::dialect::Dialect;
use citewire_core::report::Report;
use serde_json::{Value, json};

use crate::samples::{input, json_blocks, json_file, project, samples, to_message};

/// The folders of the cases whose whole output is written down.
pub(crate) fn cases() -> Vec<PathBuf> {
    samples().into_iter().filter(|case| case.join("activity.json").exists()).collect()
}

/// The codes of every list of a report but the first.
pub(crate) fn codes(report: &Report) -> Value {
    let lists = report.lists().into_iter().filter(|(name, list)| *name != "cited" && !list.is_empty());
    lists
        .map(|(name, list)| (name.to_owned(), json!(list.iter().map(|entry| entry.code).collect::<Vec<_>>())))
        .collect()
}

#[test]
fn every_sample_becomes_its_activity() {
    let cases = cases();
    assert!(cases.len() >= 22, "only {} cases found", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let name = case.strip_prefix(project()).expect("inside the project").display().to_string();
        // A case without a description is not offered on the page, and is read in its format alone.
        let described = Some(case.join("case.json")).filter(|path| path.exists());
        let named =
            described.map(|path| json_file(&path)["from"].as_str().expect("a format").parse().expect("a format"));
        let body = input(case);
        for from in std::iter::once(None).chain(named.map(Some)) {
            let mut conversion = to_message(Dialect::WebChat);
            conversion.from = from.into();
            let converted = convert(&body, &conversion).unwrap_or_else(|error| panic!("{name}: {error}"));
            let [activity] = &converted.activities[..] else { panic!("{name}: there is one message") };
            let activity = serde_json::to_value(activity).expect("JSON");
            let expected = json_file(&case.join("activity.json"));
            if activity != expected {
                let shown = |value: &Value| serde_json::to_string_pretty(value).expect("JSON");
                wrong.push(format!("{name}\n--- expected\n{}\n--- got\n{}", shown(&expected), shown(&activity)));
            }
            let codes = codes(&converted.report);
            let expected = json_file(&case.join("report.json"));
            if codes != expected {
                wrong.push(format!("{name}: the report has {codes}, expected {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn samples_become_the_activities_of_other_dialects() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for case in cases() {
        for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::WebChat) {
            let path = case.join(format!("{dialect}.json"));
            if !path.exists() {
                continue;
            }
            seen += 1;
            let body = input(&case);
            let converted = convert(&body, &to_message(dialect)).expect("an activity");
            let [activity] = &converted.activities[..] else { panic!("there is one message") };
            let got = json!({"activity": activity, "report": codes(&converted.report)});
            if got != json_file(&path) {
                wrong.push(format!("{}\n{}", path.display(), serde_json::to_string_pretty(&got).expect("JSON")));
            }
        }
    }
    assert!(seen >= 30, "only {seen} files found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_check_for_teams_finds_nothing_in_what_any_sample_becomes_there() {
    for case in cases() {
        let body = input(&case);
        let converted = convert(&body, &to_message(Dialect::Teams)).expect("an activity");
        let activity = serde_json::to_value(&converted.activities[0]).expect("JSON");
        let mut findings = citewire_check::check(&activity, citewire_check::Channel::Teams);
        // Tables and formulas stay as the model wrote them, unless the extended format is chosen.
        findings.retain(|finding| finding.code != "teams-extended-format-missing");
        if !converted.report.unresolved.is_empty() {
            // A number without a source stays visible on purpose (policy P-05), and the check says so.
            findings.retain(|finding| !["teams-marker-without-claim", "teams-markers-joined"].contains(&finding.code));
        }
        assert!(findings.is_empty(), "{}: {findings:#?}", case.display());
    }
}

/// The published sample of Web Chat has findings (`tests/fixtures/check`); what citewire writes has none.
#[test]
fn the_check_finds_nothing_in_what_any_sample_becomes() {
    for case in cases() {
        let activity = json_file(&case.join("activity.json"));
        let mut findings = citewire_check::check(&activity, citewire_check::Channel::WebChat);
        // A formula stays as the model wrote it: newer versions draw it.
        findings.retain(|finding| finding.code != "text-formula");
        if json_file(&case.join("report.json")).get("unresolved").is_some() {
            // A number without a source stays visible on purpose, and the check says so.
            findings.retain(|finding| finding.code != "marker-without-definition");
        }
        if json_file(&case.join("report.json"))["notes"]
            .as_array()
            .is_some_and(|notes| notes.contains(&json!("no-markers")))
        {
            // Sources that were used, and that the text does not cite, are listed on purpose (policy P-03).
            findings.retain(|finding| finding.code != "definition-uncited");
        }
        assert!(findings.is_empty(), "{}: {findings:#?}", case.display());
    }
}

#[test]
fn the_example_of_the_readme_is_a_sample_and_what_comes_out_of_it() {
    let root = project();
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    let sample = root.join("samples/answers/native/leave");
    let expected = ["input.json", "activity.json"].map(|file| json_file(&sample.join(file)));
    assert_eq!(json_blocks(&readme), expected);
}
