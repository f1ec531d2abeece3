//! The part of its document that a source is, as its provider says.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Part, Source};
use crate::text::one_line;

/// The members of metadata that hold the heading above a passage, the nearest first: those of retrievers, and those that LangChain's
/// guide gives its splitter of Markdown.
const HEADINGS: [&str; 8] =
    ["heading", "section_title", "section", "headings", "Header 4", "Header 3", "Header 2", "Header 1"];

/// The longest heading or printed page that is part of a name, in bytes: a longer one is text.
const MAX_BYTES: usize = 120;

impl Source {
    /// The part of its document that this source is, as its provider says; `None` where its name says the part already.
    #[must_use]
    pub fn given_part(&self) -> Option<Part> {
        if self.part.is_some() {
            return None;
        }
        let printed = self.metadata.get("page_label").and_then(words);
        let page = printed.or_else(|| self.page.map(|page| page.to_string())).map(|page| format!("page {page}"));
        let heading = heading(&self.metadata);
        (page.is_some() || heading.is_some()).then(|| Part::new(page, heading))
    }
}

fn heading(metadata: &Map<String, Value>) -> Option<String> {
    HEADINGS.iter().find_map(|name| {
        let heading = metadata.get(*name)?;
        heading.as_array().map_or(Some(heading), |above| above.last()).and_then(words)
    })
}

/// A text or number of metadata that can stand in a name.
fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        Value::Number(number) => Cow::Owned(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    let text = one_line(&text);
    (!text.is_empty() && text.len() <= MAX_BYTES).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn part(page: &str, heading: &str) -> Part {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Part::new(some(page), some(heading))
    }

    #[test]
    fn a_part_is_read_from_the_page_and_from_what_retrievers_say_of_a_passage() {
        let given = |page: u32, metadata: Value| {
            let metadata = metadata.as_object().cloned().unwrap_or_default();
            Source { page: NonZeroU32::new(page), metadata, ..Source::default() }.given_part()
        };
        let json = |text: &str| serde_json::from_str(text).expect("JSON");
        assert_eq!(given(7, Value::Null), Some(part("page 7", "")));
        assert_eq!(given(7, json(r#"{"page_label": "iv"}"#)), Some(part("page iv", "")));
        assert_eq!(given(0, json(r#"{"section": "4.2"}"#)), Some(part("", "4.2")));
        assert_eq!(given(0, json(r#"{"headings": ["Q3", "Guidance"]}"#)), Some(part("", "Guidance")));
        assert_eq!(given(0, json(r#"{"Header 1": "Q3", "Header 2": "Guidance"}"#)), Some(part("", "Guidance")));
        for nothing in [r#"{"heading": ""}"#, r#"{"section": {"a": 1}}"#, r#"{"headings": []}"#, "{}"] {
            assert_eq!(given(0, json(nothing)), None, "{nothing}");
        }
        let long = format!(r#"{{"section": "{}"}}"#, "x".repeat(121));
        assert_eq!(given(0, json(&long)), None);
        let own = Source { part: Some(part("page 7", "")), page: NonZeroU32::new(9), ..Source::default() };
        assert_eq!(own.given_part(), None, "its name says the part");
    }
}
