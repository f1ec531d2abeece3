//! Citations of the Amazon Bedrock Converse API: of documents, search results and web pages.

use std::num::NonZeroU32;

use serde::Deserialize;

use super::annotated::Sources;
use super::json::{entries, filled, number_or_text, text_or_number};
use super::location::{Located, location};
use crate::answer::{Source, SourceIndex, SourceKind};
use crate::report::Entry;

/// A citation, or a delta of one.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireCitation {
    title: Option<String>,
    source: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    source_content: Vec<Passage>,
    location: Option<Location>,
}

#[derive(Debug, Default, Deserialize)]
struct Passage {
    text: Option<String>,
}

/// Exactly one of these members is present.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    web: Option<Web>,
    document_char: Option<InDocument>,
    document_page: Option<InDocument>,
    document_chunk: Option<InDocument>,
    search_result_location: Option<InSearchResult>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Web {
    url: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct InDocument {
    #[serde(default, deserialize_with = "text_or_number")]
    document_index: Option<String>,
    #[serde(default, deserialize_with = "number_or_text")]
    start: Option<u32>,
    #[serde(default, deserialize_with = "number_or_text")]
    end: Option<u32>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct InSearchResult {
    #[serde(default, deserialize_with = "text_or_number")]
    search_result_index: Option<String>,
    #[serde(default, deserialize_with = "number_or_text")]
    start: Option<u32>,
}

impl WireCitation {
    /// Whether a delta belongs to this citation: no member that both have differs.
    pub(super) fn goes_on_with(&self, piece: &Self) -> bool {
        fn fits<T: PartialEq>(mine: &Option<T>, other: &Option<T>) -> bool {
            mine.is_none() || other.is_none() || mine == other
        }
        fits(&self.title, &piece.title) && fits(&self.source, &piece.source) && fits(&self.location, &piece.location)
    }

    /// Adds a delta. Its passages go behind the known ones.
    pub(super) fn append(&mut self, piece: Self) {
        self.title = self.title.take().or(piece.title);
        self.source = self.source.take().or(piece.source);
        self.location = self.location.take().or(piece.location);
        self.source_content.extend(piece.source_content);
    }

    /// Adds the cited source, or finds it by its address, document index, search result index or name.
    pub(super) fn cite(self, sources: &mut Sources, pointer: String, warnings: &mut Vec<Entry>) -> SourceIndex {
        let Location { web, document_char, document_page, document_chunk, search_result_location } =
            self.location.unwrap_or_default();
        let page = document_page.as_ref().and_then(|page| page.start).and_then(NonZeroU32::new);
        let place = [document_page, document_char, document_chunk].into_iter().flatten().next();
        let chunk_id = place.as_ref().and_then(|place| Some(format!("{}-{}", place.start?, place.end?)));
        let document = place.and_then(|place| place.document_index);
        let result = search_result_location.and_then(|place| place.search_result_index);
        let is_web = web.is_some();
        let web = web.and_then(|web| filled(web.url));
        let member = if web.is_some() { "location/web/url" } else { "source" };
        let address = web.or_else(|| filled(self.source));
        let name = address.clone().or_else(|| self.title.clone());
        let Located { url, filepath, address } = location(address, || format!("{pointer}/{member}"), warnings);
        let content: String = self.source_content.into_iter().filter_map(|passage| passage.text).collect();
        let key = match (&document, &result) {
            (Some(index), _) => Some(format!("document {index}")),
            (None, Some(index)) => Some(format!("search result {index}")),
            (None, None) => name.map(|name| format!("called {name}")),
        };
        let source = Source {
            id: document,
            title: filled(self.title),
            url,
            address,
            filepath,
            chunk_id,
            kind: Some(if is_web { SourceKind::Web } else { SourceKind::Document }),
            page,
            content: filled(Some(content)),
            pointer,
            ..Source::default()
        };
        match key.filter(|_| source.url.is_none()) {
            Some(key) => sources.known_as(&key, source),
            None => sources.page(source),
        }
    }
}
