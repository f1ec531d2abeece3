//! The samples of three formats against what the rules make of them: `open-webui.json`, `open-webui-links.json` and
//! `assistanthub.json` beside the input.

use std::fs;

use citewire_core::ingest::ingest;
use citewire_core::output::{
    AssistantHubOptions, CardMetadata, OpenWebUiOptions, WebUiCitations, assistanthub, open_webui,
};
use serde_json::{Value, json};

use crate::samples::{input, json_blocks, json_file, project, samples};

/// The output under the name of its file.
fn written(file: &str, body: &[u8]) -> Value {
    let answer = ingest(body, None).expect("an answer");
    match file {
        "open-webui" => json!(open_webui(&answer, &OpenWebUiOptions::default())),
        "open-webui-links" => {
            let citations = WebUiCitations::Links(CardMetadata::Named);
            let options = OpenWebUiOptions { citations, ..OpenWebUiOptions::default() };
            json!(open_webui(&answer, &options))
        }
        _ => json!(assistanthub(&answer, &AssistantHubOptions::default())),
    }
}

#[test]
fn samples_become_what_the_rules_make_of_them() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for case in samples() {
        for file in ["open-webui", "open-webui-links", "assistanthub"] {
            let path = case.join(format!("{file}.json"));
            let Ok(expected) = fs::read_to_string(&path) else { continue };
            seen += 1;
            let expected: Value = serde_json::from_str(&expected).expect("JSON");
            let got = written(file, &input(&case));
            if got != expected {
                wrong.push(format!("{}\n{}", path.display(), serde_json::to_string_pretty(&got).expect("JSON")));
            }
        }
    }
    assert!(seen >= 31, "only {seen} files found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_examples_of_the_documentation_are_samples_and_what_comes_out_of_them() {
    let root = project();
    for (document, sample, file) in [
        ("open-webui", "azure-oyd/basic", "open-webui"),
        ("open-webui", "azure-oyd/basic", "open-webui-links"),
        ("assistanthub", "assistanthub/basic", "assistanthub"),
    ] {
        let text = fs::read_to_string(root.join(format!("docs/guides/{document}.md"))).expect("a document");
        let expected = json_file(&root.join(format!("samples/answers/{sample}/{file}.json")));
        assert!(json_blocks(&text).contains(&expected), "docs/guides/{document}.md has no {sample}/{file}.json");
    }
}
