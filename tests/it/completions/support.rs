//! The verdicts about the citations of a completion.

use serde_json::{Value, json};

use super::scripted::{
    Scripted, completed, content, delta, finish_reasons, joined, question, question_for, sources, streamed,
};

/// Sources with passages, of which the third is about leave.
fn passages() -> Value {
    let mut sources = sources();
    sources["sources"][1]["content"] = json!("The canteen opens at noon and closes at three.");
    sources["sources"][2]["content"] = json!("Employees have 25 days of leave a year.");
    sources
}

fn conflicting() -> Scripted {
    Scripted::saying(&[passages(), delta("Leave is 30 days "), delta("a year [3]. The canteen opens at noon [2].")])
}

/// The numbers and the verdicts of the lines.
fn verdicts(extras: &Value) -> Vec<(u64, &str)> {
    let lines = extras["support"].as_array().unwrap_or_else(|| panic!("{extras}")).iter();
    lines.filter_map(|line| Some((line["position"].as_u64()?, line["verdict"].as_str()?))).collect()
}

#[tokio::test]
async fn a_completion_has_the_verdicts_under_the_numbers_of_its_text() {
    let app = conflicting().serve();
    let whole = completed(&app, &question(false)).await;
    assert_eq!(content(&whole), "Leave is 30 days a year [1]. The canteen opens at noon [2].");
    assert_eq!(verdicts(&whole["citewire"]), [(1, "conflict"), (2, "verbatim")]);
    assert_eq!(whole["citewire"]["uncited_sentences"], 0);
    let whole = completed(&app, &question_for(false, "assistanthub")).await;
    assert_eq!(verdicts(&whole["citewire"]), [(3, "conflict"), (2, "verbatim")]);
    let chunks = streamed(&app, &question(true)).await;
    let with_extras: Vec<&Value> = chunks.iter().filter(|chunk| chunk.get("citewire").is_some()).collect();
    let [last] = with_extras[..] else { panic!("{with_extras:?}") };
    assert_eq!((verdicts(&last["citewire"]).len(), &last["choices"][0]["finish_reason"]), (2, &json!("stop")));
}

#[tokio::test]
async fn with_refuse_a_conflict_gives_the_refusal_alone() {
    let app = conflicting().serve_with(|options| {
        options.convert = serde_json::from_value(json!({"require_support": "refuse"})).expect("options");
        options.refusal = "I do not know.".to_owned();
    });
    let whole = completed(&app, &question(false)).await;
    assert_eq!((content(&whole), whole.get("citewire")), ("I do not know.", None));
    let chunks = streamed(&app, &question(true)).await;
    assert_eq!((joined(&chunks).as_str(), finish_reasons(&chunks)), ("I do not know.", vec!["content_filter"]));
}

#[tokio::test]
async fn nothing_is_said_of_verdicts_where_they_are_off() {
    let app = conflicting().serve_with(|options| {
        options.convert = serde_json::from_value(json!({"require_support": "off"})).expect("options");
    });
    assert_eq!(completed(&app, &question(false)).await.get("citewire"), None);
}
