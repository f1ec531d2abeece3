//! citewire's own activities, read as activities and converted again, have the same claims.

use std::path::{Path, PathBuf};

use citewire_core::convert::{Conversion, convert};
use citewire_core::dialect::Dialect;
use citewire_core::ingest::Provider;
use serde_json::Value;

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect()
}

/// The activities that the samples become in Web Chat, each with the name of its sample.
fn samples() -> Vec<(String, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/answers");
    let mut found = Vec::new();
    for case in folders(&root).iter().flat_map(|format| folders(format)) {
        if let Ok(text) = std::fs::read_to_string(case.join("activity.json")) {
            found.push((case.display().to_string(), serde_json::from_str(&text).expect("JSON")));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found
}

/// The claims as readers see them: number, name, address, passage and label. An uncut passage may be the abstract.
fn claims(activity: &Value) -> Vec<[Value; 5]> {
    let claims = activity["entities"][0]["citation"].as_array().cloned().unwrap_or_default();
    let shown = |claim: Value| {
        let document = &claim["appearance"];
        let member = |name: &str| document[name].clone();
        let passage = [member("text"), member("abstract")].into_iter().find(|passage| !passage.is_null());
        [claim["position"].clone(), member("name"), member("url"), passage.unwrap_or_default(), member("usageInfo")]
    };
    claims.into_iter().map(shown).collect()
}

/// The numbers of the badges, in the order of the text.
fn badges(activity: &Value) -> Vec<String> {
    let text = activity["text"].as_str().unwrap_or_default();
    let content = text.split("\n\n[1]: ").next().unwrap_or_default();
    let number = |part: &str| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        part[digits.len()..].starts_with(']').then_some(digits).filter(|digits| !digits.is_empty())
    };
    content.split('[').skip(1).filter_map(number).collect()
}

#[test]
fn an_activity_of_a_sample_gives_the_same_claims_and_badges_again() {
    let samples = samples();
    assert!(samples.len() > 30, "{} samples", samples.len());
    let mut differing = Vec::new();
    for (name, activity) in &samples {
        let conversion = Conversion { from: Some(Provider::Activity).into(), ..Conversion::to(Dialect::WebChat) };
        let again = convert(activity.to_string().as_bytes(), &conversion).expect(name);
        let again = serde_json::to_value(again.activities.last().expect("a message")).expect("JSON");
        if claims(activity) != claims(&again) {
            differing.push(format!("{name}:\n{:#?}\nbecame\n{:#?}", claims(activity), claims(&again)));
        }
        if badges(activity) != badges(&again) {
            let text = |activity: &Value| activity["text"].as_str().unwrap_or_default().to_owned();
            differing.push(format!(
                "{name}: badges {:?} became {:?}\n{}\n---\n{}",
                badges(activity),
                badges(&again),
                text(activity),
                text(&again)
            ));
        }
    }
    assert!(differing.is_empty(), "{} of {} differ:\n{}", differing.len(), samples.len(), differing.join("\n\n"));
}
