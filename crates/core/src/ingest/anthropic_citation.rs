//! Citations of Claude: of documents, of search results that the caller supplied, and of pages from a web search.

use std::num::NonZeroU32;

use serde::Deserialize;

use super::annotated::Sources;
use super::anthropic_pages::FoundPages;
use super::json::{filled, number_or_text, text_or_number};
use super::location::{Located, location};
use crate::answer::{Source, SourceIndex, SourceKind};
use crate::report::Entry;

/// One citation. Its positions are those in the source, not in the answer.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WireCitation {
    #[serde(rename = "type")]
    kind: Option<String>,
    cited_text: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    document_index: Option<String>,
    document_title: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    file_id: Option<String>,
    #[serde(default, deserialize_with = "number_or_text")]
    start_page_number: Option<u32>,
    #[serde(default, deserialize_with = "number_or_text")]
    end_page_number: Option<u32>,
    #[serde(default, deserialize_with = "number_or_text")]
    start_char_index: Option<u32>,
    #[serde(default, deserialize_with = "number_or_text")]
    end_char_index: Option<u32>,
    #[serde(default, deserialize_with = "number_or_text")]
    start_block_index: Option<u32>,
    #[serde(default, deserialize_with = "number_or_text")]
    end_block_index: Option<u32>,
    url: Option<String>,
    source: Option<String>,
    title: Option<String>,
}

/// A range in a document, in the provider's unit: `12-40`.
fn range(ends: [Option<u32>; 2]) -> Option<String> {
    let [Some(start), Some(end)] = ends else { return None };
    Some(format!("{start}-{end}"))
}

impl WireCitation {
    /// Adds the cited source; `None` for an unknown kind of citation.
    pub(super) fn cite(
        self,
        sources: &mut Sources,
        found: &mut FoundPages,
        pointer: String,
        warnings: &mut Vec<Entry>,
    ) -> Option<SourceIndex> {
        let content = filled(self.cited_text);
        match self.kind.as_deref()? {
            "char_location" | "page_location" | "content_block_location" => {
                let index = self.document_index.unwrap_or_default();
                let chunk_id = range([self.start_char_index, self.end_char_index])
                    .or_else(|| range([self.start_page_number, self.end_page_number]))
                    .or_else(|| range([self.start_block_index, self.end_block_index]));
                let file = filled(self.file_id);
                let mut source = Source {
                    id: file.or_else(|| filled(Some(index.clone()))),
                    title: filled(self.document_title),
                    page: self.start_page_number.and_then(NonZeroU32::new),
                    is_quotation: content.is_some(),
                    content,
                    chunk_id,
                    kind: Some(SourceKind::Document),
                    pointer,
                    ..Source::default()
                };
                found.complete_document(&mut source);
                Some(sources.known_as(&format!("document {index}"), source))
            }
            kind @ ("web_search_result_location" | "search_result_location") => {
                let (member, address) =
                    if kind == "search_result_location" { ("source", self.source) } else { ("url", self.url) };
                let key = format!("search result {}", address.as_deref().unwrap_or_default());
                let Located { url, filepath, address } = location(address, || format!("{pointer}/{member}"), warnings);
                let is_search = kind == "web_search_result_location";
                let mut source = Source {
                    title: filled(self.title),
                    url,
                    address,
                    filepath,
                    chunk_id: range([self.start_block_index, self.end_block_index]),
                    kind: Some(if is_search { SourceKind::Web } else { SourceKind::Document }),
                    is_quotation: content.is_some(),
                    content,
                    pointer,
                    ..Source::default()
                };
                found.complete_page(&mut source);
                Some(if source.url.is_some() { sources.page(source) } else { sources.known_as(&key, source) })
            }
            _ => None,
        }
    }
}
