//! Documents of [LangChain](https://reference.langchain.com/python/langchain-core/documents/base/Document), of Python and of
//! JavaScript, bare or in the constructor form of its serializer.

use std::num::NonZeroU32;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::json::{filled, text_or_number};
use super::location::{Located, location};
use crate::answer::{IdOf, Source, SourceKind};
use crate::report::Entry;

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Document {
    #[serde(default, deserialize_with = "id")]
    id: Option<String>,
    #[serde(alias = "pageContent")]
    page_content: Option<String>,
    metadata: Option<Map<String, Value>>,
    /// The members, in the constructor form.
    kwargs: Option<Box<Document>>,
}

/// The id of a document. In the constructor form, `id` is the path of the class, which names no document.
fn id<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let id = Value::deserialize(deserializer)?;
    if id.is_array() { Ok(None) } else { text_or_number(id).map_err(serde::de::Error::custom) }
}

/// Whether a value is a document.
pub(super) fn is_document(value: &Value) -> bool {
    let fields = if value["type"] == "constructor" { &value["kwargs"] } else { value };
    fields["page_content"].is_string() || fields["pageContent"].is_string()
}

impl Document {
    pub(super) fn into_source(self, pointer: String, warnings: &mut Vec<Entry>) -> Source {
        if let Some(inner) = self.kwargs {
            return inner.into_source(format!("{pointer}/kwargs"), warnings);
        }
        let metadata = self.metadata.unwrap_or_default();
        let text = |name: &str| filled(metadata.get(name).and_then(Value::as_str).map(str::to_owned));
        let address = text("source").or_else(|| text("url")).or_else(|| text("file_path"));
        let Located { url, filepath, address } = location(address, || format!("{pointer}/metadata/source"), warnings);
        Source {
            id: filled(self.id),
            id_of: IdOf::Passage,
            title: text("title"),
            kind: Some(SourceKind::Document),
            url,
            address,
            filepath,
            page: page(&metadata),
            content: filled(self.page_content),
            author: text("author"),
            metadata,
            pointer,
            ..Source::default()
        }
    }
}

/// The page, counted from 1. Loaders of Python count `page` from 0 and may add `page_label`, the number that is printed on
/// the page; those of JavaScript count `loc.pageNumber` from 1.
fn page(metadata: &Map<String, Value>) -> Option<NonZeroU32> {
    let number = |value: &Value| value.as_u64().and_then(|page| u32::try_from(page).ok());
    let label = metadata.get("page_label").and_then(Value::as_str).and_then(|label| label.trim().parse().ok());
    let from_zero = || metadata.get("page").and_then(number)?.checked_add(1).and_then(NonZeroU32::new);
    let from_one = || metadata.get("loc").map(|loc| &loc["pageNumber"]).and_then(number).and_then(NonZeroU32::new);
    label.or_else(from_zero).or_else(from_one)
}
