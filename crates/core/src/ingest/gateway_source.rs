//! A source object of a service that follows no format: its members by the names that services use.

use std::num::NonZeroU32;

use serde_json::{Map, Value};

use super::json::filled;
use super::location::{Located, location};
use crate::answer::{Source, SourceKind};
use crate::report::Entry;

const ADDRESSES: &[&str] = &["url", "link", "uri", "href", "doc_url", "source_url", "sourceUrl", "source"];
const TITLES: &[&str] = &["title", "document_title", "document_name", "doc_name", "source_name", "sourceName", "name"];
const FILES: &[&str] = &["filename", "file_name", "filepath", "file_path", "document_name", "doc_name"];
const PASSAGES: &[&str] =
    &["content", "cited_text", "snippet", "text", "page_content", "pageContent", "passage", "excerpt", "summary"];
const DOCUMENT_IDS: &[&str] = &["document_id", "documentId", "doc_id", "file_id", "id"];
const PASSAGE_IDS: &[&str] = &["chunk_id", "segment_id", "id"];
const DATES: &[&str] =
    &["publish_date", "published_date", "publishedDate", "publish_time", "date", "last_updated", "page_age"];
const SCORES: &[&str] = &["similarity", "score", "relevance_score", "relevance"];

/// Reads an address, or an object with the members of a source. Anything else is a source without members, so that places in
/// the list stay what they are.
pub(super) fn source(entry: &Value, pointer: &str, warnings: &mut Vec<Entry>) -> Source {
    let pointer = pointer.to_owned();
    match entry {
        Value::String(text) => {
            let Located { url, filepath, address } = location(Some(text.clone()), || pointer.clone(), warnings);
            let kind = url.as_ref().map(|_| SourceKind::Web);
            Source { url, filepath, address, kind, pointer, ..Source::default() }
        }
        Value::Object(members) => of_members(members, pointer, warnings),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Source { pointer, ..Source::default() },
    }
}

fn of_members(members: &Map<String, Value>, pointer: String, warnings: &mut Vec<Entry>) -> Source {
    let text = |names: &[&str]| names.iter().find_map(|name| text_of(members.get(*name)?));
    let named = ADDRESSES.iter().find_map(|name| Some((*name, text_of(members.get(*name)?)?)));
    let (member, address) = named.map_or(("url", None), |(member, address)| (member, Some(address)));
    let Located { url, filepath, address } = location(address, || format!("{pointer}/{member}"), warnings);
    let (id, chunk_id) = (text(DOCUMENT_IDS), text(PASSAGE_IDS));
    let score = SCORES.iter().find_map(|name| members.get(*name)?.as_f64());
    let title = text(TITLES);
    let is_page = url.is_some() && text(FILES).is_none();
    Source {
        chunk_id: chunk_id.filter(|chunk| Some(chunk) != id.as_ref()),
        id,
        filepath: text(FILES).or(filepath),
        title,
        kind: Some(if is_page { SourceKind::Web } else { SourceKind::Document }),
        url,
        address,
        content: text(PASSAGES),
        modified: text(DATES),
        author: text(&["author"]),
        score: score.filter(|score| (0.0..=1.0).contains(score)),
        page: page(members),
        metadata: metadata(members),
        pointer,
        ..Source::default()
    }
}

/// The page, from 1. RAGFlow has it first in each position.
fn page(members: &Map<String, Value>) -> Option<NonZeroU32> {
    let first_position = || members.get("positions")?.get(0)?.get(0)?.as_u64();
    let named = ["page", "page_number"].iter().find_map(|name| members.get(*name)?.as_u64());
    NonZeroU32::new(u32::try_from(named.or_else(first_position)?).ok()?)
}

fn metadata(members: &Map<String, Value>) -> Map<String, Value> {
    let named = ["metadata", "document_metadata"].iter().find_map(|name| members.get(*name)?.as_object());
    named.cloned().unwrap_or_default()
}

/// A text that is not blank, a number as a text, or the first text of a list.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => filled(Some(text.clone())),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(list) => list.iter().find_map(Value::as_str).and_then(|text| filled(Some(text.to_owned()))),
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    }
}
