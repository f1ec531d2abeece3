//! Settings of an assistant under the names that AssistantHub gives them
//! (<https://github.com/jchristn/assistanthub>).

use toml::{Table, Value};

/// AssistantHub's names, and where the same setting stands here.
pub(super) const NAMES: [(&str, &[&str]); 10] = [
    ("EnableCitations", &["enable_citations"]),
    ("CitationLinkMode", &["citation_link_mode"]),
    ("SystemPrompt", &["instructions"]),
    ("ContextWindow", &["context_window"]),
    ("RetrievalTopK", &["documents", "passages"]),
    ("RetrievalScoreThreshold", &["documents", "min_score"]),
    ("Model", &["upstream", "model"]),
    ("Temperature", &["upstream", "temperature"]),
    ("TopP", &["upstream", "body", "top_p"]),
    ("MaxTokens", &["upstream", "max_tokens"]),
];

/// Switches the documents of an assistant off: `false` is an assistant without `documents`.
pub(super) const ENABLE_RAG: &str = "EnableRag";

/// Gives the settings of a section the names that they have here.
///
/// # Errors
/// When a setting is given under both names, or has an impossible place: its key, and the reason.
pub(super) fn rename(section: &mut Table) -> Result<(), (String, String)> {
    for (old, path) in NAMES {
        let Some(value) = section.remove(old) else { continue };
        put(section, path, value).map_err(|reason| (old.to_owned(), reason))?;
    }
    match section.remove(ENABLE_RAG) {
        None => {}
        Some(Value::Boolean(true)) => {
            section.entry("documents").or_insert_with(|| Value::Table(Table::new()));
        }
        Some(Value::Boolean(false)) => {
            section.remove("documents");
        }
        Some(other) => {
            let reason = format!("true or false is required, not a value of type {}", other.type_str());
            return Err((ENABLE_RAG.to_owned(), reason));
        }
    }
    Ok(())
}

fn put(table: &mut Table, path: &[&str], value: Value) -> Result<(), String> {
    match path {
        [] => Ok(()),
        [name] if table.contains_key(*name) => Err(format!("{name} is given as well; leave one of them out")),
        [name] => {
            table.insert((*name).to_owned(), value);
            Ok(())
        }
        [name, rest @ ..] => match table.entry(*name).or_insert_with(|| Value::Table(Table::new())) {
            Value::Table(inner) => put(inner, rest, value),
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_) => Err(format!("{name} is no section")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_assistanthub_have_a_place_here() {
        let mut section: Table =
            "EnableCitations = true\nSystemPrompt = 'Be brief.'\nRetrievalTopK = 4\nEnableRag = true\n\
            TopP = 0.9\n[upstream]\nkind = 'openai'"
                .parse()
                .expect("TOML");
        rename(&mut section).expect("renamed");
        let expected: Table = "enable_citations = true\ninstructions = 'Be brief.'\ndocuments = { passages = 4 }\n\
            [upstream]\nkind = 'openai'\nbody = { top_p = 0.9 }"
            .parse()
            .expect("TOML");
        assert_eq!(section, expected);
    }

    #[test]
    fn a_setting_under_two_names_is_refused() {
        for (toml, key) in [
            ("EnableCitations = true\nenable_citations = false", "EnableCitations"),
            ("RetrievalTopK = 4\ndocuments = 'x'", "RetrievalTopK"),
            ("EnableRag = 'yes'", "EnableRag"),
        ] {
            let error = rename(&mut toml.parse().expect("TOML")).expect_err(toml);
            assert_eq!(error.0, key);
        }
        let mut without: Table = "EnableRag = false\ndocuments = {}".parse().expect("TOML");
        rename(&mut without).expect("renamed");
        assert!(without.is_empty());
    }
}
