//! Messages of citewire have no error and no warning in the check of its channel, or a named reason.

use std::fs;
use std::path::{Path, PathBuf};

use citewire_check::{Channel, Severity, check};
use citewire_core::convert::{Conversion, Converted, convert};
use citewire_core::dialect::Dialect;
use serde_json::{Value, json};

/// The dialects whose channels have rules to check.
const CHECKED: [(Dialect, Channel); 2] = [(Dialect::WebChat, Channel::WebChat), (Dialect::Teams, Channel::Teams)];

/// Findings that are right about an answer with a marker without a source, which stays on purpose (policy P-05).
const UNRESOLVED: [&str; 3] = ["marker-without-definition", "teams-marker-without-claim", "text-marker-raw"];

/// Findings that are right about Markdown of the answer which stays as its model wrote it: newer versions and formats draw it.
const AS_WRITTEN: [&str; 3] = ["teams-extended-format-missing", "text-formula", "text-task-list"];

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).expect("a folder");
    let mut folders: Vec<_> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The inputs of all samples.
fn inputs() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/answers");
    let cases = folders(&root).into_iter().flat_map(|provider| folders(&provider));
    let files = cases.flat_map(|case| ["input.json", "input.sse", "input.jsonl"].map(|file| case.join(file)));
    files.filter(|file| file.exists()).map(|file| (file.clone(), fs::read(&file).expect("an input"))).collect()
}

fn findings(converted: &Converted, channel: Channel) -> Vec<String> {
    let activities = serde_json::to_value(&converted.activities).expect("JSON");
    let is_unresolved = !converted.report.unresolved.is_empty();
    let found = check(&activities, channel)
        .into_iter()
        .filter(|finding| finding.severity != Severity::Note && !(is_unresolved && UNRESOLVED.contains(&finding.code)))
        .filter(|finding| !AS_WRITTEN.contains(&finding.code));
    found.map(|finding| format!("{channel} {}: {}", finding.code, finding.message)).collect()
}

#[test]
fn the_check_finds_nothing_in_any_sample_whole_or_streamed() {
    let inputs = inputs();
    assert!(inputs.len() >= 100, "only {} samples", inputs.len());
    let mut wrong = Vec::new();
    for (file, body) in &inputs {
        for (dialect, channel) in CHECKED {
            for updates in [None, Some(0)] {
                let mut conversion = Conversion::to(dialect);
                conversion.options.updates = updates;
                let Ok(converted) = convert(body, &conversion) else { continue };
                let found = findings(&converted, channel);
                wrong.extend(found.iter().map(|found| format!("{}: {found}", file.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Once, each source but the first of an answer that ends with a list got a warning.
#[test]
fn the_check_finds_nothing_in_an_answer_that_ends_with_any_container() {
    let ends = [
        "- step 1 [1]\n- step 2 [2]",
        "1. step 1 [1]\n2. step 2 [2]",
        "- a [1]\n  - b [2]",
        "> quoted [1]\n> again [2]",
        "> - a [1]\n> - b [2]",
        "| a | b |\n| --- | --- |\n| x [1] | y [2] |",
        "- [ ] a [1]\n- [x] b [2]",
        "a [1] b [2]\n\n```\ncode\n```",
        "# a [1] b [2]",
    ];
    let sources: Vec<Value> =
        (1..=3).map(|n| json!({"title": format!("S{n}"), "url": format!("https://a.example/{n}")})).collect();
    for end in ends {
        let body = json!({"text": format!("Steps:\n\n{end}"), "sources": sources}).to_string();
        for (dialect, channel) in CHECKED {
            let converted = convert(body.as_bytes(), &Conversion::to(dialect)).expect("an activity");
            assert_eq!(findings(&converted, channel), [] as [String; 0], "{:?}", converted.activities[0].text);
        }
    }
}

/// The codes of everything that is found, notes included.
fn codes(converted: &Converted, channel: Channel) -> Vec<&'static str> {
    let activities = serde_json::to_value(&converted.activities).expect("JSON");
    check(&activities, channel).into_iter().map(|finding| finding.code).collect()
}

#[test]
fn marks_and_reviews_give_no_finding_that_the_message_has_not_without_them() {
    let conflict = json!({"text": "Leave is 30 days a year [1]. The canteen opens at noon [2][3].", "sources": [
        {"title": "Leave", "url": "https://hr.example/leave", "content": "Employees have 25 days of leave a year."},
        {"title": "Canteen", "content": "The canteen opens at noon and closes at three."},
        {"title": "Yard \"A\" [2]", "url": "https://hr.example/yard", "content": "Bicycles stand behind the second building."}]});
    let inputs = inputs().into_iter().map(|(file, body)| (file.display().to_string(), body));
    let mut marked = 0;
    for (name, body) in inputs.chain([("a conflict".to_owned(), conflict.to_string().into_bytes())]) {
        for (dialect, channel) in CHECKED {
            let plain = Conversion::to(dialect);
            let mut other = plain.clone();
            let options = json!({"require_support": "mark", "support_markup": true});
            other.options = serde_json::from_value(options).expect("options");
            let (Ok(plain), Ok(converted)) = (convert(&body, &plain), convert(&body, &other)) else { continue };
            assert_eq!(codes(&converted, channel), codes(&plain, channel), "{name} for {channel}");
            marked += usize::from(json!(&converted.activities).to_string().contains("not confirmed by this source"));
        }
    }
    assert!(marked >= 2, "only {marked} messages are marked");
}
