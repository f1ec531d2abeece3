//! Open WebUI's source objects: one list with passages, and a parallel list with the metadata of each (rule OW-01).

use std::num::NonZeroU32;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::annotated::Sources;
use super::format::Members;
use super::json::{Content, filled, list, text_or_number};
use super::location::{Located, location};
use crate::answer::{Source, SourceKind};
use crate::report::{Entry, Kind};
use crate::url::{InvalidWebUrl, WebUrl};

/// The identity that all sources without an id share (rule OW-01).
const ANONYMOUS: &str = "N/A";

/// The `type` of an event whose `data` is an object.
pub(super) fn kind(event: &Members) -> Option<&str> {
    event.get("type").and_then(Value::as_str).filter(|_| event.get("data").is_some_and(Value::is_object))
}

/// Whether a completion, or a chunk of one, carries sources in Open WebUI's shape.
pub(super) fn carries_sources(members: &Members) -> bool {
    let event = members.get("event").and_then(Value::as_object).and_then(kind);
    let sources = members.get("sources").and_then(Value::as_array);
    matches!(event, Some("source" | "citation"))
        || sources.is_some_and(|sources| sources.iter().any(|source| source["document"].is_array()))
}

/// One source object. Its passages may belong to several sources, by `metadata[i].source`.
#[derive(Default, Deserialize)]
pub(super) struct WireSource {
    pub(super) source: Option<Named>,
    pub(super) document: Option<Content<String>>,
    #[serde(default, deserialize_with = "list")]
    pub(super) metadata: Vec<Option<Map<String, Value>>>,
    #[serde(default, deserialize_with = "list")]
    pub(super) distances: Vec<Option<f64>>,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
}

/// Name, id and address of a source object.
#[derive(Default, Deserialize)]
pub(super) struct Named {
    #[serde(default, deserialize_with = "text_or_number")]
    id: Option<String>,
    name: Option<String>,
    url: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

impl WireSource {
    /// Adds each passage to the source with its identity: `metadata[i].source`, else the id, else `N/A` (rule OW-01).
    pub(super) fn add_to(self, sources: &mut Sources, pointer: &str, warnings: &mut Vec<Entry>) {
        let Self { source, document, metadata, distances, kind } = self;
        // The output of executed code is no source, and an empty object says nothing.
        if kind.as_deref() == Some("code_execution") || source.is_none() && document.is_none() && metadata.is_empty() {
            return;
        }
        let Named { id, name, url, kind: type_of_source } = source.unwrap_or_default();
        let passages = match document.unwrap_or_default() {
            Content::Text(passage) => vec![passage],
            Content::Parts(passages) => passages,
        };
        if passages.is_empty() {
            let message = "a source without a passage has no number";
            warnings.push(Entry::in_input(Kind::Dropped, "no-passage", pointer, message));
        }
        let mut metadata = metadata.into_iter();
        let mut distances = distances.into_iter();
        for passage in passages {
            let metadata = metadata.next().flatten().unwrap_or_default();
            let score = distances.next().flatten().filter(|score| (0.0..=1.0).contains(score));
            let text = |name: &str| metadata.get(name).and_then(Value::as_str).map(str::to_owned);
            let identity = text("source");
            let key = identity.as_ref().or(id.as_ref()).map_or(ANONYMOUS, String::as_str).to_owned();
            let (place, filepath) = match key.parse::<WebUrl>() {
                Ok(place) => (Some(place), None),
                // The identity is an id such as `citewire:1`, neither an address nor a path.
                Err(InvalidWebUrl::Scheme { scheme }) if scheme.len() > 1 && !key.contains("://") => (None, None),
                Err(_) => (None, identity),
            };
            let Located { filepath, address, .. } = location(filepath, || format!("{pointer}/metadata"), warnings);
            let (url, address) = match place {
                Some(place) => (Some(place), address),
                None => {
                    let found = location(url.clone(), || format!("{pointer}/source/url"), warnings);
                    (found.url, found.address.or(address))
                }
            };
            let page = metadata.get("page").and_then(Value::as_u64).and_then(|page| u32::try_from(page).ok());
            let source = Source {
                pointer: pointer.to_owned(),
                id: filled(id.clone()),
                title: filled(text("name")).or_else(|| filled(name.clone())),
                kind: type_of_source.as_deref().and_then(SourceKind::named),
                url,
                address,
                filepath,
                // Open WebUI counts pages from 0.
                page: page.and_then(|page| page.checked_add(1)).and_then(NonZeroU32::new),
                content: filled(Some(passage)),
                modified: filled(text("date_accessed")),
                score,
                metadata,
                ..Source::default()
            };
            sources.known_as(&key, source);
        }
    }
}
