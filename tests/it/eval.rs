use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::app::{Serving, citewire};

const API_KEY: &str = "the-api-key-of-the-tests";
const SECRET: &str = "the-direct-line-secret-of-the-tests";

/// An answer with a verbatim citation, a conflict, a sentence without a citation and a marker without a source.
fn leave() -> Value {
    json!({"text": "Leave is 30 days a year [1]. The canteen opens at noon [2]. Ask Anna first. It closes late [7].", "sources": [
        {"title": "Leave", "content": "Employees have 25 days of leave a year."},
        {"title": "Canteen", "content": "The canteen opens at noon and closes at three."}]})
}

fn bare() -> Value {
    json!({"choices": [{"message": {"role": "assistant", "content": "I found nothing about it."}}]})
}

fn eval(arguments: &[&str]) -> Output {
    citewire(&["eval"]).args(arguments).output().expect("the command ends")
}

/// Lines with single blanks.
fn even(bytes: &[u8]) -> String {
    let lines = words(bytes);
    let lines = lines.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// The figures of a command that ends with this code.
fn figures(arguments: &[&str], code: i32) -> Value {
    let output = eval(arguments);
    assert_eq!(output.status.code(), Some(code), "{}{}", words(&output.stdout), words(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn put(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, content).expect("written");
}

fn path(folder: &Path) -> &str {
    folder.to_str().expect("a path")
}

#[test]
fn answers_of_a_folder_are_counted_by_assistant_provider_and_day() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "hr/2026-11-26/a.json", leave().to_string());
    put(folder.path(), "hr/2026-11-27/b.json", bare().to_string());
    put(folder.path(), "it/2026-11-27/more.jsonl", format!("{}\n\n{}\r\n", leave(), leave()));
    let all = figures(&[path(folder.path()), "--json"], 0);
    let total = &all["total"];
    let expected = json!({"answers": 4, "answers_without_sources": 1, "cited_sentences": 6, "uncited_sentences": 6,
        "sentences_without_sources": 1, "citations": 6, "verdicts": {"verbatim": 3, "conflict": 3},
        "reasons": {"number-missing": 3}, "unresolved": 3, "unread_sources": 0});
    assert_eq!(total, &expected);
    let answers = |group: &str, name: &str| all["by"][group][name]["answers"].as_u64();
    assert_eq!([answers("assistant", "hr"), answers("assistant", "it")], [Some(2), Some(2)]);
    assert_eq!([answers("provider", "citewire"), answers("provider", "openai-chat")], [Some(3), Some(1)]);
    assert_eq!([answers("day", "2026-11-26"), answers("day", "2026-11-27")], [Some(1), Some(3)]);
    let alarms = all["alarms"].as_array().expect("a list");
    let places: Vec<_> = alarms.iter().map(|alarm| alarm["at"].as_str().expect("a place")).collect();
    assert_eq!(places, ["hr/2026-11-26/a.json", "it/2026-11-27/more.jsonl:1", "it/2026-11-27/more.jsonl:3"]);
    assert_eq!((&all["shares"]["alarms"], &all["unread"], &all["left_out"]), (&json!(0.5), &json!([]), &json!([])));
    let text = even(&eval(&[path(folder.path())]).stdout);
    for line in ["4 answers of", "conflict 3 50.0 %", "hr/2026-11-26/a.json: 1 conflict, 0 unsupported"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn nothing_is_passed_over_in_silence() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "a.json", leave().to_string());
    put(folder.path(), "b.jsonl", format!("{}\n{{\"text\"\n{{\"x\": 1}}\n", leave()));
    put(folder.path(), "c.txt", "No answer.");
    put(folder.path(), "d.json", "");
    put(folder.path(), "e.json", b"{\"text\": \"\xff\"}");
    put(folder.path(), "f.jsonl", "");
    let stream = [
        json!({"sources": leave()["sources"]}),
        json!({"delta": "Leave is 25 "}),
        json!({"delta": "days [1]."}),
        json!({"done": true}),
    ];
    let stream: String = stream.iter().map(|event| format!("{event}\n")).collect();
    put(folder.path(), "stream.jsonl", &stream);
    let update = |text: &str| json!({"type": "agent_response_update", "contents": [{"type": "text", "text": text}], "role": "assistant", "response_id": "r"});
    put(folder.path(), "updates.jsonl", format!("{}\n{}\n", update("Oolong "), update("is black tea.")));
    put(folder.path(), "mixed.jsonl", format!("{}\n{stream}", leave()));
    put(folder.path(), ".hidden/g.json", leave().to_string());
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), folder.path().join("circle")).expect("a link");
    let all = figures(&[path(folder.path()), "--output", "json"], 1);
    let named = |list: &str| -> Vec<String> {
        let list = all[list].as_array().expect("a list").iter();
        list.map(|named| named["at"].as_str().expect("a place").to_owned()).collect()
    };
    assert_eq!(all["total"]["answers"], 5);
    assert_eq!(
        named("unread"),
        [
            "b.jsonl:2",
            "b.jsonl:3",
            "c.txt",
            "d.json",
            "e.json",
            "f.jsonl",
            "mixed.jsonl:2",
            "mixed.jsonl:3",
            "mixed.jsonl:4",
            "mixed.jsonl:5"
        ]
    );
    assert_eq!(named("left_out"), [".hidden", "circle"]);
    let text = words(&eval(&[path(folder.path())]).stdout);
    assert!(text.contains("10: not read\n  b.jsonl:2: ") && text.contains("  .hidden: hidden\n"), "{text}");
    let missing = eval(&["/nowhere/at/all"]);
    assert_eq!((missing.status.code(), missing.stdout.len()), (Some(2), 0));
    assert!(words(&missing.stderr).contains("/nowhere/at/all cannot be read"));
    for arguments in [&[][..], &["x", "--conversations"], &["x", "--from", "y"], &["x", "--against", "/nowhere"]] {
        assert_eq!(eval(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn two_runs_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let earlier = folder.path().join("earlier.json");
    let answers = folder.path().join("answers");
    put(&answers, "hr/2026-11-26.json", leave().to_string());
    put(&answers, "old/2026-11-26.json", leave().to_string());
    fs::write(&earlier, eval(&[path(&answers), "--json"]).stdout).expect("written");
    fs::remove_dir_all(answers.join("old")).expect("removed");
    let mut right = leave();
    right["text"] = json!("Leave is 25 days a year [1]. The canteen opens at noon [2].");
    put(&answers, "hr/2026-11-26.json", right.to_string());
    put(&answers, "it/2026-11-27.json", right.to_string());
    let all = figures(&[path(&answers), "--json", "--against", path(&earlier)], 0);
    let change = &all["change"];
    assert_eq!(
        (&change["total"]["alarms"], &change["total"]["held"], &change["total"]["cited"]),
        (&json!(-0.5), &json!(0.5), &json!(0.5))
    );
    assert_eq!(
        (&change["by"]["assistant"]["hr"]["alarms"], &change["by"]["assistant"]["it"]),
        (&json!(-0.5), &Value::Null)
    );
    assert_eq!((&change["gone"]["assistant"], &all["against"]["total"]["answers"]), (&json!(["old"]), &json!(2)));
    let text = even(&eval(&[path(&answers), "--against", path(&earlier)]).stdout);
    for words in
        ["compared with 2 answers of", "conflict 0 0.0 % -50.0", "cited +50.0 alarms -50.0", "old no longer there"]
    {
        assert!(text.contains(words), "{words}\n{text}");
    }
    put(folder.path(), "other.json", r#"{"version": 9, "of": "", "total": {}, "by": {}}"#);
    let other = folder.path().join("other.json");
    assert!(words(&eval(&[path(&answers), "--against", path(&other)]).stderr).contains("has version 9, not 1"));
}

#[test]
fn the_page_needs_nothing_else_and_says_names_as_text() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "<b>&\"/2026-11-26.json", leave().to_string());
    put(folder.path(), "x/<script>.json", "{");
    let output = eval(&[path(folder.path()), "--output", "html"]);
    let page = words(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page}");
    assert!(page.contains("<bdi>&lt;b&gt;&amp;&quot;</bdi>") && page.contains("x/&lt;script&gt;.json"), "{page}");
    for outside in ["<script", "http:", "https:", "url(", "@import", "src=", "href="] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[tokio::test]
async fn answers_of_the_store_and_of_its_export_are_counted_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("a folder");
    let serving = Serving::start(&data, &[("CITEWIRE_API_KEY", API_KEY), ("CITEWIRE_DIRECT_LINE_SECRET", SECRET)]);
    let client = reqwest::Client::builder().build().expect("a client");
    let url = format!("{}/v3/directline/conversations", serving.url);
    let started: Value = client
        .post(&url)
        .bearer_auth(SECRET)
        .json(&json!({}))
        .send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("JSON");
    let id = started["conversationId"].as_str().expect("an id");
    let said = json!({"type": "event", "name": "x", "from": {"id": "ann"}});
    client.post(format!("{url}/{id}/activities")).bearer_auth(SECRET).json(&said).send().await.expect("an answer");
    let answers = format!("{}/v1/conversations/{id}/answers", serving.url);
    for answer in [leave(), bare()] {
        let posted = client.post(&answers).bearer_auth(API_KEY).json(&answer).send().await.expect("an answer");
        assert_eq!(posted.status(), 201);
    }
    let run = |arguments: &[&str]| {
        let output = citewire(arguments).env("CITEWIRE_DATA_DIR", &data).output().expect("the command ends");
        assert_eq!(output.status.code(), Some(0), "{}", words(&output.stderr));
        output.stdout
    };
    let stored: Value = serde_json::from_slice(&run(&["eval", "--conversations", "--json"])).expect("JSON");
    assert_eq!(
        (&stored["total"]["answers"], &stored["total"]["verdicts"]),
        (&json!(2), &json!({"verbatim": 1, "conflict": 1}))
    );
    assert_eq!((&stored["total"]["answers_without_sources"], &stored["other_activities"]), (&json!(1), &json!(1)));
    assert_eq!(stored["by"]["assistant"]["(channel)"]["answers"], 2, "{stored}");
    assert_eq!(stored["by"]["provider"].as_object().expect("groups").len(), 1);
    assert!(stored["alarms"][0]["at"].as_str().is_some_and(|at| at.starts_with(&format!("{id}|"))), "{stored}");
    let lines = folder.path().join("exported");
    put(&lines, "all.jsonl", run(&["store", "export"]));
    let mut exported = figures(&[path(&lines), "--json"], 0);
    // The configuration alone knows the back end.
    assert!(exported["by"]["provider"]["unknown"]["answers"] == 2, "{exported}");
    exported["by"]["provider"] = stored["by"]["provider"].clone();
    exported["of"] = stored["of"].clone();
    assert_eq!(exported, stored);
    drop(serving);
}
