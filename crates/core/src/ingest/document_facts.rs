//! Reads title, address, file name and passage of a document from an index or a tool, whose owner named the members.

use serde_json::{Map, Value};

use super::json::filled;

/// Names of members with the title.
const TITLES: [&str; 4] = ["title", "name", "document_title", "document_name"];

/// Names of members with the file name or path.
const FILES: [&str; 12] = [
    "filepath",
    "file_path",
    "filename",
    "file_name",
    "fileName",
    "sourcepage",
    "sourcefile",
    "docName",
    "metadata_storage_name",
    "file",
    "path",
    "source",
];

/// Names of members with the address. The indexes that Azure AI Search makes for files have `blob_url` and `doc_url`.
const ADDRESSES: [&str; 10] = [
    "url",
    "uri",
    "link",
    "webUrl",
    "web_url",
    "contentUrl",
    "source_url",
    "blob_url",
    "doc_url",
    "metadata_storage_path",
];

/// Names of members with the passage.
const PASSAGES: [&str; 8] = ["content", "snippet", "text", "chunk", "page_content", "passage", "description", "body"];

/// The facts about a document. The first member of each list of names that has a text gives the fact.
#[derive(Debug, Default, PartialEq)]
pub(super) struct DocumentFacts {
    pub(super) title: Option<String>,
    pub(super) file: Option<String>,
    pub(super) address: Option<String>,
    pub(super) passage: Option<String>,
}

impl DocumentFacts {
    /// The facts in the members of a document.
    pub(super) fn of(members: &Map<String, Value>) -> Self {
        let text = |names: &[&str]| {
            let texts = names.iter().filter_map(|name| members.get(*name)?.as_str());
            texts.map(str::to_owned).find_map(|text| filled(Some(text)))
        };
        Self { title: text(&TITLES), file: text(&FILES), address: text(&ADDRESSES), passage: text(&PASSAGES) }
    }

    /// Whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
