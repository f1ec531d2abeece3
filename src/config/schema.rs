//! The JSON schema of the configuration file, for completion and checks in editors.

use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::setting::{DefaultValue, Setting, ValueKind};
use super::settings::settings;
use super::{assistant_section, assistanthub, assistants, formats, keys, labels, secrets};
use crate::ingest::MappingOptions;
use crate::upstream::UpstreamOptions;

/// The path of definitions in OpenAPI and in a JSON schema.
const COMPONENTS: &str = "#/components/schemas/";
const DEFINITIONS: &str = "#/definitions/";

/// The schema, in the version that editors of TOML read.
#[must_use]
pub fn schema() -> Value {
    let mut definitions = Map::new();
    let mut root = table(&json!({}));
    for setting in settings() {
        add(&mut root, setting.key, property(setting));
        if setting.is_secret() {
            let description = format!("The file with {}, instead of the text.", setting.key);
            add(&mut root, &format!("{}_file", setting.key), json!({ "type": "string", "description": description }));
        }
    }
    let section = define::<assistant_section::AssistantSection>(&mut definitions);
    back_ends(&mut definitions);
    with_old_names(&mut definitions["Assistant"]["properties"]);
    add(&mut root, assistants::KEY, sections("The assistants, each in a section `[assistants.NAME]`.", &section));
    let section = define::<keys::KeySection>(&mut definitions);
    add(&mut root, keys::KEY, sections("The API keys, each in a section `[keys.NAME]` with its scopes.", &section));
    let secret = define::<secrets::SecretEntry>(&mut definitions);
    add(
        &mut root,
        secrets::KEY,
        sections("Names for secrets, which assistants that are made over HTTP can use.", &secret),
    );
    let format = define::<MappingOptions>(&mut definitions);
    let described = "Formats of your own: mappings that say where an answer has its text, sources and citations.";
    add(&mut root, formats::KEY, sections(described, &format));
    let label = define::<labels::LabelEntry>(&mut definitions);
    add(
        &mut root,
        labels::KEY,
        json!({ "type": "array", "items": label, "description": "The sensitivity labels of your organization." }),
    );
    let members = "The metadata members of sources that contain the id of a label.";
    add(&mut root, labels::MEMBERS, json!({ "type": "array", "items": { "type": "string" }, "description": members }));
    let only = "Whether citewire omits labels that `labels` does not list.";
    add(&mut root, labels::ONLY, json!({ "type": "boolean", "default": false, "description": only }));
    root["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    root["title"] = json!("The configuration of citewire");
    root["definitions"] = Value::Object(definitions);
    of_toml(&mut root);
    root
}

/// A table that allows only these keys.
fn table(properties: &Value) -> Value {
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

fn sections(description: &str, section: &Value) -> Value {
    json!({ "type": "object", "additionalProperties": section, "description": description })
}

/// Adds a schema at its key; a dot separates a table from its key.
fn add(table: &mut Value, key: &str, schema: Value) {
    let properties = &mut table["properties"];
    match key.split_once('.') {
        None => properties[key] = schema,
        Some((name, rest)) => {
            if properties[name].is_null() {
                properties[name] = self::table(&json!({}));
            }
            add(&mut properties[name], rest, schema);
        }
    }
}

fn property(setting: &Setting) -> Value {
    let mut property = match setting.kind {
        ValueKind::Text | ValueKind::Secret => json!({ "type": "string" }),
        ValueKind::Choice(words) => json!({ "type": "string", "enum": words }),
        ValueKind::Flag => json!({ "type": "boolean" }),
        ValueKind::Number { least, most: None } => json!({ "type": "integer", "minimum": least }),
        ValueKind::Number { least, most: Some(most) } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        // Texts with commas are taken in the file as well.
        ValueKind::List => {
            json!({ "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "string" }] })
        }
    };
    property["description"] = json!(plain(setting.meaning));
    if let DefaultValue::Is(value) = setting.default {
        property["default"] = match setting.kind {
            ValueKind::Flag | ValueKind::Number { .. } => {
                serde_json::from_str(value).expect("a truth value or a number is JSON")
            }
            ValueKind::Text | ValueKind::Choice(_) | ValueKind::List | ValueKind::Secret => json!(value),
        };
    }
    property
}

/// Markdown with its links replaced by their text.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some((before, (words, (_, after)))) = rest.split_once('[').and_then(|(before, link)| {
        let (words, link) = link.split_once("](")?;
        Some((before, (words, link.split_once(')')?)))
    }) {
        text.push_str(before);
        text.push_str(words);
        rest = after;
    }
    text + rest
}

/// Adds the definitions of a type and its member types, and returns a reference to it.
fn define<T: ToSchema>(definitions: &mut Map<String, Value>) -> Value {
    let mut schemas = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut schemas);
    for (name, schema) in schemas {
        definitions.insert(name, serde_json::to_value(schema).expect("a schema is JSON"));
    }
    json!({ "$ref": format!("{COMPONENTS}{}", T::name()) })
}

/// Adds the definitions of the kinds of back ends.
fn back_ends(definitions: &mut Map<String, Value>) {
    let mut kinds = vec![table(&json!({ "kind": { "const": assistant_section::LOCAL } }))];
    for (kind, schemas) in UpstreamOptions::schemas() {
        let Some((last, _)) = schemas.last() else { continue };
        kinds.push(json!({ "$ref": format!("{COMPONENTS}{last}") }));
        let last = last.clone();
        for (name, schema) in schemas {
            definitions.insert(name, serde_json::to_value(schema).expect("a schema is JSON"));
        }
        let options = &mut definitions[&last];
        options["properties"]["kind"] = json!({ "const": kind });
        options["required"].as_array_mut().expect("each kind needs something").push(json!("kind"));
    }
    kinds[0]["required"] = json!(["kind"]);
    let description = "The back end. Without a back end, answers are sentences of the documents.";
    definitions["Assistant"]["properties"][assistant_section::UPSTREAM] =
        json!({ "anyOf": kinds, "description": description });
}

/// Adds the AssistantHub names of two settings, which the loader also accepts.
fn with_old_names(properties: &mut Value) {
    for (old, path) in assistanthub::NAMES {
        properties[old] = match path {
            [name] => properties[*name].clone(),
            _ => json!({ "description": format!("`{}`, as AssistantHub names it.", path.join(".")) }),
        };
    }
    properties[assistanthub::ENABLE_RAG] =
        json!({ "type": "boolean", "description": "Whether the assistant has `documents`, as AssistantHub names it." });
}

/// Converts an OpenAPI schema to draft 7 for TOML: without null, with other paths of definitions, and with `allOf` around
/// each `$ref` that has siblings, because draft 7 ignores siblings.
fn of_toml(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Array(types)) = members.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    members["type"] = only.clone();
                }
            }
            if let Some(Value::Array(choices)) = members.get_mut("oneOf") {
                choices.retain(|choice| choice["type"] != "null");
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    members.remove("oneOf");
                    members.extend(only);
                }
            }
            members.retain(|name, value| name != "default" || !value.is_null());
            if members.len() > 1
                && let Some(reference) = members.remove("$ref")
            {
                members.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
            }
            if let Some(Value::String(description)) = members.get_mut("description") {
                *description = description.replace('\n', " ");
            }
            members.values_mut().for_each(of_toml);
        }
        Value::Array(items) => items.iter_mut().for_each(of_toml),
        Value::String(text) => {
            if let Some(name) = text.strip_prefix(COMPONENTS) {
                *text = format!("{DEFINITIONS}{name}");
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    fn repository() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
    }

    /// Rewritten with `CITEWIRE_UPDATE=1`.
    #[test]
    fn the_schema_in_the_repository_is_the_one_that_is_printed() {
        let path = repository().join("docs/api/citewire.schema.json");
        let rebuilt = format!("{:#}\n", schema());
        if std::env::var_os("CITEWIRE_UPDATE").is_some() {
            std::fs::write(&path, &rebuilt).expect("written");
        }
        let kept = std::fs::read_to_string(&path).expect("docs/api/citewire.schema.json");
        assert!(kept == rebuilt, "docs/api/citewire.schema.json is out of date: run the tests with CITEWIRE_UPDATE=1");
    }

    /// The faults of a value, for those words of JSON schema that ours has.
    fn faults(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        if let Some(name) = schema["$ref"].as_str() {
            return faults(root, &root["definitions"][name.trim_start_matches(DEFINITIONS)], value, at);
        }
        let mut found = Vec::new();
        let mut expect = |holds: bool, wanted: &Value| {
            if !holds {
                found.push(format!("{at}: {wanted} is required, not {value}"));
            }
        };
        let is = |name: &str| match name {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            _ => false,
        };
        match &schema["type"] {
            Value::Null => {}
            Value::String(name) => expect(is(name), &schema["type"]),
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => expect(false, other),
        }
        let number = value.as_f64();
        for (word, holds) in [("minimum", f64::ge as fn(&f64, &f64) -> bool), ("maximum", f64::le)] {
            if let (Some(limit), Some(number)) = (schema[word].as_f64(), number) {
                expect(holds(&number, &limit), &schema[word]);
            }
        }
        schema.get("const").inspect(|only| expect(*only == value, only));
        schema["enum"].as_array().inspect(|words| expect(words.contains(value), &schema["enum"]));
        for choice in schema["allOf"].as_array().into_iter().flatten() {
            expect(faults(root, choice, value, at).is_empty(), choice);
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(choices) = schema[word].as_array() {
                let fits = |choice| faults(root, choice, value, at).is_empty();
                expect(choices.iter().any(fits), &schema[word]);
            }
        }
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            expect(value.get(name).is_some(), &json!(name));
        }
        for (name, member) in value.as_object().into_iter().flatten() {
            let at = format!("{at}.{name}");
            match (schema["properties"].get(name), &schema["additionalProperties"]) {
                (Some(schema), _) | (None, schema @ Value::Object(_)) => {
                    found.extend(faults(root, schema, member, &at));
                }
                (None, Value::Bool(false)) => found.push(format!("{at}: there is no such setting")),
                (None, _) => {}
            }
        }
        for item in value.as_array().into_iter().flatten() {
            found.extend(schema.get("items").map(|schema| faults(root, schema, item, at)).into_iter().flatten());
        }
        found
    }

    fn faults_of(toml: &str) -> Vec<String> {
        let table: toml::Table = toml.parse().expect("TOML");
        let root = schema();
        faults(&root, &root, &serde_json::to_value(table).expect("JSON"), "")
    }

    /// Every page of the documentation, and those below folders.
    fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pages(&path, found);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }

    #[test]
    fn every_example_of_the_documentation_fits() {
        let mut found = Vec::new();
        pages(&repository().join("docs"), &mut found);
        let mut examples = 0;
        for page in found {
            let text = std::fs::read_to_string(&page).expect("a page");
            for block in text.split("```toml\n").skip(1) {
                let block = block.split("```").next().unwrap_or_default();
                assert_eq!(faults_of(block), Vec::<String>::new(), "{}: {block}", page.display());
                examples += 1;
            }
        }
        assert!(examples > 10, "{examples}");
    }

    /// Lines behind `# ` in the file are there to be uncommented.
    #[test]
    fn the_file_of_the_package_fits_with_all_that_it_offers() {
        let text = std::fs::read_to_string(repository().join("packaging/debian/citewire.toml")).expect("the file");
        let is_setting =
            |line: &str| line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
        let lines = text.lines().map(|line| line.strip_prefix("# ").filter(|line| is_setting(line)).unwrap_or(line));
        assert_eq!(faults_of(&lines.collect::<Vec<_>>().join("\n")), Vec::<String>::new());
    }

    #[test]
    fn what_the_loader_refuses_does_not_fit() {
        for wrong in [
            "bnid = 'x'",
            "workers = 'many'",
            "workers = 2000",
            "[direct_line]\nsecert = 'a'",
            "[bot]\ndelivery = 'pigeon'",
            "[[labels]]\nid = 'x'",
            "[keys.a]\nsecret = 'x'\nscopes = []",
            "[assistants.hr]\ndocuments = '/srv/hr'",
            "[assistants.hr.upstream]\nkind = 'openai'",
            "[assistants.hr.upstream]\nkind = 'local'\nmodel = 'm'",
            "[assistants.hr.upstream]\nkind = 'openai'\nmodel = 'm'\nmodle = 'm'",
        ] {
            assert_ne!(faults_of(wrong), Vec::<String>::new(), "{wrong}");
        }
        for right in [
            "api_key_file = '/run/secrets/key'",
            "[embed]\norigins = ['https://a.example']",
            "[assistants.hr]\nEnableCitations = false\n[assistants.hr.options]\nrequire_grounding = 'any'",
            "[assistants.hr.upstream]\nkind = 'openai'\nmodel = 'm'\nlimits = { retries = 1 }",
        ] {
            assert_eq!(faults_of(right), Vec::<String>::new(), "{right}");
        }
    }
}
