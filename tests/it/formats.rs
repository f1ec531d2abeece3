//! Mappings: those of `samples/formats`, `--map`, `--explain`, and `[formats.NAME]`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use citewire::config::{Config, ConfigSources, mapping_file};
use citewire::ingest::{AnswerFormat, AnswerStream, Mapping, Mappings, Provider, ingest, propose};
use serde_json::{Value, json};

use crate::app::{API_KEY, TestApp, answer as told, citewire as program};
use crate::described::{by_place, claims, difference};
use crate::samples::{input, samples};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/formats")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// Each mapping of a product with its cases.
fn mapped() -> Vec<(Mapping, Vec<PathBuf>)> {
    let files = entries(&folder()).into_iter().filter(|path| path.extension().is_some_and(|end| end == "toml"));
    files.map(|file| (mapping_file(&file).expect("a mapping"), entries(&file.with_extension("")))).collect()
}

#[test]
fn every_mapping_reads_its_product() {
    let mapped = mapped();
    assert!(mapped.len() >= 3);
    let all: Mappings = mapped.iter().map(|(mapping, _)| mapping.clone()).collect();
    for (mapping, cases) in mapped {
        let mapping = Arc::new(mapping);
        for case in cases {
            let name = case.display();
            let expected: Value =
                serde_json::from_slice(&fs::read(case.join("expected.json")).expect("expected.json")).expect("JSON");
            let body = input(&case);
            let answer = ingest(&body, Arc::clone(&mapping)).unwrap_or_else(|error| panic!("{name}: {error}"));
            let detected = ingest(&body, AnswerFormat::Detected(all.clone())).expect("an answer");
            assert_eq!(detected, answer, "{name}: detected");
            assert_eq!(json!(answer.provider), expected["provider"], "{name}: provider");
            assert_eq!(json!(answer.complete), expected["complete"], "{name}: complete");
            let wanted = expected["sources"].as_array().expect("sources");
            assert_eq!(answer.sources.len(), wanted.len(), "{name}: {:#?}", answer.sources);
            for (source, wanted) in answer.sources.iter().zip(wanted) {
                assert_eq!(difference(source, wanted), None, "{name}");
            }
            let (text, cited) = by_place(&answer);
            assert_eq!((json!(text), json!(cited)), (expected["text"].clone(), expected["cited"].clone()), "{name}");
            if let Some(claimed) = expected.get("claims") {
                assert_eq!(&claims(&answer), claimed, "{name}: claims");
            }
            assert_eq!(answer.warnings, [], "{name}");
            for cut in 0..=body.len() {
                let mut stream = AnswerStream::new(Arc::clone(&mapping));
                stream.push(&body[..cut]).expect("a beginning");
                stream.push(&body[cut..]).expect("an end");
                assert_eq!(stream.finish().expect("an answer"), answer, "{name}: cut at {cut}");
            }
        }
    }
}

/// The text of every format is found again inside an unknown envelope.
#[test]
fn answers_of_every_format_in_an_unknown_envelope_get_a_mapping_that_reads_them() {
    let (mut read, mut all) = (0, 0);
    let mut lost = Vec::new();
    for case in samples() {
        let body = input(&case);
        let Ok(value) = serde_json::from_slice::<Value>(&body) else { continue };
        let Ok(known) = ingest(&body, None::<Provider>) else { continue };
        if known.sources.is_empty() || known.text.split_whitespace().count() < 4 || !value.is_object() {
            continue;
        }
        all += 1;
        let body = json!({"ok": true, "reply": value}).to_string();
        let mapping = propose(body.as_bytes()).and_then(|options| Mapping::new("proposed", &options).ok());
        let answer = mapping.and_then(|mapping| ingest(body.as_bytes(), Arc::new(mapping)).ok());
        let is_read = answer.is_some_and(|answer| {
            !answer.sources.is_empty()
                && (answer.text.contains(known.text.trim()) || known.text.contains(answer.text.trim()))
        });
        if is_read {
            read += 1;
        } else {
            lost.push(case.display().to_string());
        }
    }
    assert!(read * 10 >= all * 8, "{read} of {all} are read; not {lost:#?}");
}

#[test]
fn markers_name_sources_by_place_by_id_and_by_the_name_in_an_object() {
    let numbered = |options: Value, body: Value| {
        let options = serde_json::from_value(options).expect("options");
        let mapping = Mapping::new("wiki", &options).expect("a mapping");
        by_place(&ingest(body.to_string().as_bytes(), Arc::new(mapping)).expect("an answer")).0
    };
    let ids = json!({"text": "$.a", "sources": "$.s[*]", "source": {"id": "@.id", "title": "@.t"}, "markers": {"numbers": "ids"}});
    let body = json!({"a": "x [37], [12].", "s": [{"id": 12, "t": "A"}, {"id": 37, "t": "B"}]});
    assert_eq!(numbered(ids, body), "x [2], [1].");
    let options = json!({"text": "$.a", "sources": ["$.links[*]", "$.docs.*"], "source": {"title": "@.t"}});
    let body =
        json!({"a": "x [1] [d9]", "links": ["https://x.example/a"], "docs": {"d8": {"t": "A"}, "d9": {"t": "B"}}});
    assert_eq!(numbered(options, body), "x [1] [3]");
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = program(arguments).output().expect("the command runs");
    let words = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), words(output.stdout), words(output.stderr))
}

#[test]
fn what_explain_prints_is_a_mapping_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let body = json!({"data": {"result": {"answer": "Leave is 30 days [1]."}, "docs": [
        {"meta": {"title": "Leave", "link": "https://wiki.example/leave"}, "text": "30 days for all."}]}});
    fs::write(path("answer.json"), body.to_string()).expect("written");
    let (code, explained, _) = run(&["convert", "--explain", &path("answer.json")]);
    assert!(code == 0 && explained.contains("sources: 1, of which the text cites 1"), "{explained}");
    fs::write(path("wiki.toml"), &explained).expect("written");
    let (code, records, told) = run(&["convert", "--map", &path("wiki.toml"), "--to", "records", &path("answer.json")]);
    let records: Value = serde_json::from_str(&records).unwrap_or_else(|_| panic!("{code}: {told}"));
    assert_eq!((&records["provider"], &records["sources"][0]["title"]), (&json!("wiki"), &json!("Leave")), "{records}");
    let (code, activity, _) = run(&["convert", "--map", &path("wiki.toml"), &path("answer.json")]);
    assert!(code == 0 && activity.contains("https://wiki.example/leave"), "{activity}");
    for to in ["open-webui", "assistanthub"] {
        let (code, output, _) = run(&["convert", "--map", &path("wiki.toml"), "--to", to, &path("answer.json")]);
        assert!(code == 0 && output.contains("Leave"), "{output}");
    }
    let (_, explained, _) = run(&["convert", "--map", &path("wiki.toml"), "--explain", &path("answer.json")]);
    assert!(explained.contains("This is read as wiki."), "{explained}");
    let (_, explained, _) = run(&["convert", "--explain", "samples/answers/native/leave/input.json"]);
    assert!(
        explained.contains("This is read as citewire.") && explained.lines().all(|line| line.starts_with('#')),
        "{explained}"
    );
    fs::write(path("nothing.json"), "{\"id\": 7}").expect("written");
    let (code, explained, _) = run(&["convert", "--explain", &path("nothing.json")]);
    assert!(code == 1 && explained.contains("no mapping can be proposed"), "{explained}");
    fs::write(path("wrong.toml"), "text = '$.a'\nsource.titel = '@.t'\nsources = '$.s'").expect("written");
    let (code, _, told) = run(&["convert", "--map", &path("wrong.toml"), &path("answer.json")]);
    assert!(code == 2 && told.contains("source.titel: there is no `titel`; `title` is meant"), "{told}");
}

fn explained(body: &str, name: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    fs::write(&file, body).expect("written");
    run(&["convert", "--explain", &file.display().to_string()]).1
}

#[test]
fn explain_names_the_ready_mapping_of_a_product() {
    for (mapping, cases) in mapped() {
        for case in cases {
            let file = entries(&case).into_iter().find(|path| path.file_stem().is_some_and(|stem| stem == "input"));
            let (_, explained, _) = run(&["convert", "--explain", &file.expect("input").display().to_string()]);
            let told = format!("samples/formats/{}.toml, reads it", mapping.name());
            let is_known = explained.starts_with("# This is read as ") && !explained.contains("sources: 0,");
            assert!(is_known || explained.contains(&told), "{}: {explained}", case.display());
        }
    }
}

#[test]
fn a_format_that_reads_the_text_and_loses_all_sources_gets_a_mapping() {
    let body = json!({"text": "Leave is 30 days [1].", "search": {"hits": [
        {"title": "Leave", "link": "https://x.example/l", "snippet": "All staff get 30 days."}]}});
    let explained = explained(&body.to_string(), "answer.json");
    assert!(explained.contains("This is read as citewire.") && explained.contains("None of its sources was read."));
    assert!(explained.contains("\nsources = \"$.search.hits[*]\"\n"), "{explained}");
}

#[test]
fn explain_writes_events_on_one_line_and_says_what_is_doubtful() {
    let stream = "event: found\ndata: {\"docs\":[{\"title\":\"Leave\",\"url\":\"https://x.example/l\"}]}\n\n\
        event: token\ndata: {\"t\":\"Leave is \"}\n\nevent: token\ndata: {\"t\":\"30 days [1].\"}\n\nevent: done\ndata: {}\n\n";
    let explained_stream = explained(stream, "answer.sse");
    assert!(explained_stream.contains("\ntext = { event = \"token\", path = \"$.t\" }\n"), "{explained_stream}");
    assert!(!explained_stream.contains("# check: "), "{explained_stream}");
    let doubtful = explained(r#"{"reply": "<p>Leave is 30 days [4].</p>", "ok": true}"#, "answer.json");
    for doubt in ["the text is HTML", "no sources were found"] {
        assert!(doubtful.contains(&format!("# check: {doubt}")), "{doubtful}");
    }
}

#[tokio::test]
async fn a_format_of_the_settings_is_named_or_detected_over_http() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("citewire.toml");
    let sources = |toml: &str| {
        fs::write(&file, toml).expect("written");
        let environment = [("CITEWIRE_DATA_DIR".to_owned(), folder.path().display().to_string())].into();
        ConfigSources { file: Some(file.clone()), environment, ..ConfigSources::default() }
    };
    let wrong = Config::load(&sources("[formats.wiki]\ntext = 'a'")).expect_err("a wrong mapping").to_string();
    assert!(wrong.contains("formats.wiki.text in the configuration file: `a` does not begin with `$`"), "{wrong}");
    let wiki = "[formats.wiki]\nrecognize = '$.data.answer'\ntext = '$.data.answer'\nsources = '$.data.docs[*]'\n\
        source = { title = '@.name' }\n";
    let config = Config::load(&sources(wiki)).expect("a configuration");
    let app = TestApp::with(|setup| setup.http.formats = config.http.formats);
    let body = json!({"data": {"answer": "30 days [1].", "docs": [{"name": "Leave"}]}});
    for path in ["/v1/activities?from=wiki", "/v1/activities"] {
        let (status, activity) = told(app.post(path, API_KEY).json(&body)).await;
        assert!(status == 200 && activity.to_string().contains("Leave"), "{path}: {activity}");
    }
    let (_, records) = told(app.post("/v1/records?from=wiki", API_KEY).json(&body)).await;
    assert_eq!(records["provider"], "wiki", "{records}");
    let (status, problem) = told(app.post("/v1/activities?from=wikki", API_KEY).json(&body)).await;
    assert!(status == 400 && problem.to_string().contains("mappings: wiki"), "{problem}");
}
