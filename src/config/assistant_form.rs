//! The JSON schema of an assistant as the form of the settings page needs it: what callers of the API can set, with defaults.

use serde_json::{Map, Value, json};

use super::{assistanthub, schema};
use crate::assistant::{AssistantOptions, DocumentsPlan, DocumentsSource};
use crate::document::UploadOptions;

/// Definitions of other parts of the configuration file.
const OTHERS: [&str; 3] = ["Key", "Label", "NamedSecret"];

/// Settings without a meaning here: files and folders of the server, which the API refuses, and updates, which assistants
/// send as they like.
const ABSENT: [(&str, &str); 4] =
    [("Assistant", "secret_file"), ("Documents", "folder"), ("Documents", "max_depth"), ("Options", "updates")];

/// The words by which descriptions for the configuration file name variables, and those that name a secret for a
/// setting of the API.
const SECRETS: [(&str, &str); 2] = [
    ("The environment variable with", "The name, in the section `[secrets]` of the configuration file, of"),
    ("the environment variable that contains", "the name, in the section `[secrets]` of the configuration file, of"),
];

/// The schema: `definitions/Assistant` is the form, and `names` has the places of the settings that AssistantHub names
/// otherwise.
#[must_use]
pub fn assistant_form() -> Value {
    let mut definitions = schema()["definitions"].take();
    if let Value::Object(definitions) = &mut definitions {
        definitions.retain(|name, _| !OTHERS.contains(&name.as_str()));
        definitions.values_mut().filter_map(|one| one["properties"].as_object_mut()).for_each(name_secrets);
    }
    for (definition, name) in ABSENT {
        leave_out(&mut definitions, definition, name);
    }
    for (old, _) in assistanthub::NAMES {
        leave_out(&mut definitions, "Assistant", old);
    }
    leave_out(&mut definitions, "Assistant", assistanthub::ENABLE_RAG);
    for (definition, name, word, value) in additions() {
        definitions[definition]["properties"][name][word] = value;
    }
    let names: Map<String, Value> =
        assistanthub::NAMES.iter().map(|(old, path)| ((*old).to_owned(), json!(path))).collect();
    json!({ "$ref": "#/definitions/Assistant", "definitions": definitions, "names": names })
}

fn name_secrets(properties: &mut Map<String, Value>) {
    for (_, property) in properties.iter_mut().filter(|(name, _)| name.ends_with("_env")) {
        if let Some(description) = property["description"].as_str() {
            let described =
                SECRETS.iter().fold(description.to_owned(), |text, (of_file, ours)| text.replace(of_file, ours));
            property["description"] = json!(described);
        }
    }
}

fn leave_out(definitions: &mut Value, definition: &str, name: &str) {
    if let Some(properties) = definitions[definition]["properties"].as_object_mut() {
        properties.remove(name);
    }
}

/// The defaults and choices that the types of the settings do not tell.
fn additions() -> Vec<(&'static str, &'static str, &'static str, Value)> {
    let options = AssistantOptions::default();
    let uploads = UploadOptions::default();
    let assistant = |name, value| ("Assistant", name, "default", value);
    let documents = |name, value| ("Documents", name, "default", value);
    vec![
        assistant("shared", json!(options.is_shared)),
        assistant("enable_citations", json!(options.citations)),
        assistant("citation_link_mode", json!("none")),
        ("Assistant", "citation_link_mode", "enum", json!(["none", "authenticated", "public"])),
        assistant("history_tokens", json!(options.history_tokens)),
        assistant("informative", json!(options.informative)),
        assistant("refusal", json!(options.refusal)),
        assistant("failure", json!(options.failure)),
        assistant("stopped", json!(options.stopped)),
        assistant("busy", json!(options.busy)),
        documents("max_document_bytes", json!(uploads.max_document_bytes)),
        documents("max_total_bytes", json!(uploads.max_total_bytes)),
        documents("max_text_bytes", json!(uploads.max_text_bytes)),
        documents("max_documents", json!(uploads.max_documents)),
        documents("passages", json!(DocumentsPlan::new(DocumentsSource::Uploads(uploads)).passages)),
        ("OpenAiOptions", "url", "default", json!("https://api.openai.com/v1")),
        ("OpenAiResponsesOptions", "url", "default", json!("https://api.openai.com/v1")),
        ("AnthropicOptions", "url", "default", json!("https://api.anthropic.com")),
        ("GeminiOptions", "url", "default", json!("https://generativelanguage.googleapis.com/v1beta")),
        ("Options", "ai_label", "default", json!(true)),
        ("Options", "sentence_links", "default", json!(true)),
        ("Options", "numbering", "enum", json!(["dense", "provider"])),
        ("Options", "pages", "enum", json!(["anchors", "merge", "split"])),
        ("Options", "require_grounding", "enum", json!([false, "extracted", "any", "anchored"])),
        ("Options", "require_grounding", "default", json!(false)),
        ("Options", "require_support", "enum", json!(["off", "report", "mark", "refuse"])),
        ("Options", "require_support", "default", json!("report")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_addition_stands_at_a_setting_that_exists() {
        let schema = schema();
        for (definition, name, _, _) in additions() {
            let property = &schema["definitions"][definition]["properties"][name];
            assert!(property["description"].is_string(), "{definition}.{name}");
        }
        for (definition, name) in ABSENT {
            assert!(schema["definitions"][definition]["properties"][name].is_object(), "{definition}.{name}");
        }
    }

    #[test]
    fn the_form_has_no_place_of_the_server_and_no_second_names() {
        let form = assistant_form();
        let assistant = form["definitions"]["Assistant"]["properties"].as_object().expect("properties");
        for absent in ["secret_file", "EnableCitations", "EnableRag", "TopP"] {
            assert!(!assistant.contains_key(absent), "{absent}");
        }
        assert!(form["definitions"]["Documents"]["properties"]["folder"].is_null());
        assert_eq!(form["names"]["TopP"], json!(["upstream", "body", "top_p"]));
        let key = &form["definitions"]["OpenAiOptions"]["properties"]["key_env"]["description"];
        assert!(key.as_str().is_some_and(|words| words.contains("`[secrets]`")), "{key}");
    }
}
