//! The numbers of the tags style: sources with the same id share a number.

use std::collections::HashMap;

use serde_json::Value;

use crate::answer::Source;

/// The id of all sources without one (rule OW-01).
const ANONYMOUS: &str = "N/A";

/// The id of a source: `metadata.source`, else its `id`, else [`ANONYMOUS`].
fn identity(source: &Source) -> String {
    let named = match source.metadata.get("source") {
        Some(Value::String(name)) => Some(name.clone()),
        Some(Value::Number(name)) => Some(name.to_string()),
        Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => None,
    };
    let filled = |text: &String| !text.trim().is_empty();
    named.filter(filled).or_else(|| source.id.clone().filter(filled)).unwrap_or_else(|| ANONYMOUS.to_owned())
}

/// The number of each source in the tags style, from 1. Each unique id gets the next number when it first occurs (rule OW-01).
pub(super) fn numbers_of_ids(sources: &[Source]) -> Vec<usize> {
    let mut known = HashMap::new();
    sources
        .iter()
        .map(|source| {
            let next = known.len() + 1;
            *known.entry(identity(source)).or_insert(next)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn source(id: Option<&str>, named: Value) -> Source {
        let metadata = [("source".to_owned(), named)].into_iter().collect();
        Source { id: id.map(str::to_owned), metadata, ..Source::default() }
    }

    #[test]
    fn a_number_counts_unique_ids_and_the_same_id_keeps_its_number() {
        let ids = ["a", "b", "a", "c", "b"].map(|id| source(Some(id), Value::Null));
        assert_eq!(numbers_of_ids(&ids), [1, 2, 1, 3, 2]);
    }

    #[test]
    fn the_id_is_that_of_the_metadata_else_the_own_one_else_none() {
        assert_eq!(identity(&source(Some("a"), json!("file.pdf"))), "file.pdf");
        assert_eq!(identity(&source(Some("a"), json!(7))), "7");
        for absent in [json!(""), json!(null), json!({}), json!(" ")] {
            assert_eq!(identity(&source(Some("a"), absent)), "a");
        }
        assert_eq!(identity(&source(None, json!(null))), "N/A");
        let anonymous = [None, Some("a"), None].map(|id| source(id, Value::Null));
        assert_eq!(numbers_of_ids(&anonymous), [1, 2, 1]);
    }
}
