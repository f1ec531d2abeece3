//! The grounding of a Gemini answer: chunks are the sources, supports are the claims.

use std::num::NonZeroU32;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::annotated::Annotated;
use super::gemini_legacy::{self, Legacy};
use super::json::{TextOrNumber, entries, filled, list, number_or_text, text_or_number};
use super::location::{Located, location};
use super::span::Unit;
use crate::answer::{Source, SourceIndex, SourceKind};
use crate::report::{Entry, Kind};

/// `groundingMetadata`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Grounding {
    #[serde(default, alias = "web_search_queries", rename = "webSearchQueries", deserialize_with = "list")]
    web_queries: Vec<Value>,
    #[serde(default, alias = "retrieval_queries", rename = "retrievalQueries", deserialize_with = "list")]
    retrieval_queries: Vec<Value>,
    #[serde(default, alias = "image_search_queries", rename = "imageSearchQueries", deserialize_with = "list")]
    image_queries: Vec<Value>,
    #[serde(default, alias = "grounding_chunks", rename = "groundingChunks", deserialize_with = "entries")]
    chunks: Vec<Chunk>,
    #[serde(default, alias = "grounding_supports", rename = "groundingSupports", deserialize_with = "entries")]
    supports: Vec<Support>,
    #[serde(alias = "grounding_attributions", rename = "groundingAttributions")]
    attributions: Option<Value>,
    citations: Option<Value>,
    #[serde(alias = "cited_sources", rename = "citedSources")]
    cited_sources: Option<Value>,
    #[serde(alias = "supporting_content", rename = "supportingContent")]
    supporting_content: Option<Value>,
    #[serde(alias = "web_search_sources", rename = "webSearchSources")]
    web_search_sources: Option<Value>,
    sources: Option<Value>,
    #[serde(alias = "retrieval_metadata", rename = "retrievalMetadata")]
    retrieval: Option<Value>,
    /// The entries of older lists.
    #[serde(skip)]
    legacy: Legacy,
    /// JSON pointer of the list of chunks.
    #[serde(skip)]
    chunks_at: String,
    #[serde(skip)]
    supports_at: String,
}

/// One source. At most one of the first four members is present.
#[derive(Debug, Default, Deserialize)]
struct Chunk {
    web: Option<Web>,
    #[serde(alias = "retrieved_context", rename = "retrievedContext")]
    retrieved: Option<Retrieved>,
    maps: Option<Maps>,
    image: Option<Image>,
    // The address of the page itself, which has precedence over redirects to it (rule RC-02), and the members of a chunk
    // that has none of the above.
    #[serde(alias = "source_url", rename = "sourceUrl")]
    source_url: Option<Value>,
    #[serde(alias = "page_url", rename = "pageUrl")]
    page_url: Option<Value>,
    url: Option<Value>,
    uri: Option<Value>,
    title: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Web {
    uri: Option<String>,
    title: Option<String>,
    domain: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Retrieved {
    uri: Option<String>,
    title: Option<String>,
    text: Option<String>,
    #[serde(alias = "document_name", rename = "documentName")]
    document_name: Option<String>,
    #[serde(default, alias = "page_number", rename = "pageNumber", deserialize_with = "number_or_text")]
    page: Option<u32>,
    #[serde(alias = "rag_chunk", rename = "ragChunk")]
    chunk: Option<RagChunk>,
    #[serde(alias = "custom_metadata", rename = "customMetadata")]
    metadata: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
struct RagChunk {
    text: Option<String>,
    #[serde(alias = "page_span", rename = "pageSpan")]
    pages: Option<PageSpan>,
    #[serde(default, alias = "chunk_id", rename = "chunkId", deserialize_with = "text_or_number")]
    chunk_id: Option<String>,
    #[serde(default, alias = "file_id", rename = "fileId", deserialize_with = "text_or_number")]
    file_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct PageSpan {
    #[serde(default, alias = "first_page", rename = "firstPage", deserialize_with = "number_or_text")]
    first: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct Maps {
    uri: Option<String>,
    title: Option<String>,
    text: Option<String>,
    #[serde(default, alias = "place_id", rename = "placeId", deserialize_with = "text_or_number")]
    place_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Image {
    #[serde(alias = "source_uri", rename = "sourceUri")]
    source_uri: Option<String>,
    #[serde(alias = "image_uri", rename = "imageUri")]
    image_uri: Option<String>,
    title: Option<String>,
    domain: Option<String>,
}

/// One claim.
#[derive(Debug, Default, Deserialize)]
struct Support {
    segment: Option<Segment>,
    #[serde(default, alias = "grounding_chunk_indices", rename = "groundingChunkIndices", deserialize_with = "list")]
    chunks: Vec<TextOrNumber>,
    #[serde(default, alias = "confidence_scores", rename = "confidenceScores", deserialize_with = "list")]
    scores: Vec<Option<f64>>,
    /// The other members, which may name a source of their own.
    #[serde(flatten)]
    own: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
struct Segment {
    #[serde(default, alias = "part_index", rename = "partIndex", deserialize_with = "number_or_text")]
    part: Option<u32>,
    #[serde(default, alias = "start_index", rename = "startIndex", deserialize_with = "number_or_text")]
    start: Option<u32>,
    #[serde(default, alias = "end_index", rename = "endIndex", deserialize_with = "number_or_text")]
    end: Option<u32>,
    text: Option<String>,
}

impl Grounding {
    /// Whether the model looked anything up.
    pub(super) fn tools_invoked(&self) -> bool {
        let queries = [&self.web_queries, &self.retrieval_queries, &self.image_queries];
        queries.iter().any(|queries| !queries.is_empty()) || !self.chunks.is_empty() || !self.legacy.is_empty()
    }

    /// Whether claims have places in the text.
    pub(super) fn has_supports(&self) -> bool {
        !self.supports.is_empty()
    }

    /// Like [`standing_at`](Self::standing_at), below the pointer of a candidate.
    pub(super) fn found_at(self, candidate: &str, json: &str) -> Self {
        let metadata = spelled(json, "groundingMetadata", "grounding_metadata");
        self.standing_at(&format!("{candidate}/{metadata}"), json)
    }

    /// Records the JSON pointers of the lists. `metadata` is the pointer of the object, and `json` the input, which tells
    /// whether the member names are in camel or snake case. Also moves the older lists to [`Legacy`].
    pub(super) fn standing_at(mut self, metadata: &str, json: &str) -> Self {
        let at = |camel, snake| format!("{metadata}/{}", spelled(json, camel, snake));
        self.chunks_at = at("groundingChunks", "grounding_chunks");
        self.supports_at = at("groundingSupports", "grounding_supports");
        let legacy = &mut self.legacy;
        legacy.add_cited(self.cited_sources.take(), &at("citedSources", "cited_sources"));
        legacy.add_claims(self.citations.take(), &at("citations", "citations"));
        legacy.add_claims(self.attributions.take(), &at("groundingAttributions", "grounding_attributions"));
        legacy.add_seen(self.supporting_content.take(), &at("supportingContent", "supporting_content"));
        legacy.add_seen(self.sources.take(), &at("sources", "sources"));
        legacy.add_seen(self.web_search_sources.take(), &at("webSearchSources", "web_search_sources"));
        // The API has a score in this member. Other services put lists of retrieved documents here, alone or under any name.
        let retrieval = at("retrievalMetadata", "retrieval_metadata");
        match self.retrieval.take() {
            Some(Value::Object(members)) => {
                for (name, list) in members {
                    legacy.add_seen(Some(list), &format!("{retrieval}/{}", name.replace('~', "~0").replace('/', "~1")));
                }
            }
            list => legacy.add_seen(list, &retrieval),
        }
        self
    }

    /// Replaces each list that newer metadata contains: a stream may repeat the lists, and they may grow.
    pub(super) fn renew(&mut self, newer: Self) {
        fn put<T>(mine: &mut Vec<T>, newer: Vec<T>) -> bool {
            let is_newer = !newer.is_empty();
            if is_newer {
                *mine = newer;
            }
            is_newer
        }
        put(&mut self.web_queries, newer.web_queries);
        put(&mut self.retrieval_queries, newer.retrieval_queries);
        put(&mut self.image_queries, newer.image_queries);
        if put(&mut self.chunks, newer.chunks) {
            self.chunks_at = newer.chunks_at;
        }
        if put(&mut self.supports, newer.supports) {
            self.supports_at = newer.supports_at;
        }
        self.legacy.renew(newer.legacy);
    }

    /// Adds sources and claims. `parts` are the text parts in which offsets count. If it is empty, they count in the whole text.
    pub(super) fn annotate(self, parts: &[usize], annotated: &mut Annotated, warnings: &mut Vec<Entry>) {
        let chunks: Vec<SourceIndex> = self
            .chunks
            .into_iter()
            .enumerate()
            .map(|(at, chunk)| {
                let merges = chunk.merges();
                let source = chunk.into_source(format!("{}/{at}", self.chunks_at), warnings);
                if merges { annotated.sources.page(source) } else { annotated.sources.push(source) }
            })
            .collect();
        for (at, Support { segment, chunks: places, scores, own }) in self.supports.into_iter().enumerate() {
            let pointer = format!("{}/{at}", self.supports_at);
            let own = gemini_legacy::source(&Value::Object(own), pointer.clone(), warnings);
            let mut cited: Vec<SourceIndex> = own.map(|source| annotated.sources.page(source)).into_iter().collect();
            for (n, TextOrNumber(place)) in places.iter().enumerate() {
                let Some(source) = place.parse::<usize>().ok().and_then(|place| chunks.get(place).copied()) else {
                    let message = format!("there is no chunk {place:?}");
                    let pointer = format!("{pointer}/groundingChunkIndices/{n}");
                    warnings.push(Entry::in_input(Kind::Unresolved, "annotation-source", pointer, message));
                    continue;
                };
                let score = scores.get(n).copied().flatten().filter(|score| (0.0..=1.0).contains(score));
                if let (Some(score), Some(source)) = (score, annotated.sources.get_mut(source)) {
                    source.score = Some(source.score.map_or(score, |known| known.max(score)));
                }
                cited.push(source);
            }
            let Segment { part, start, end, text } =
                segment.unwrap_or(Segment { part: None, start: None, end: None, text: None });
            let part = part.and_then(|part| parts.get(part as usize)).or(parts.first()).copied().unwrap_or_default();
            let span = (start.map(|start| start as usize), end.map(|end| end as usize), Unit::Utf8);
            annotated.quoted_span(part, span, text, cited, pointer);
        }
        self.legacy.annotate(parts, annotated, warnings);
    }
}

/// The spelling of a name that the input has.
fn spelled(json: &str, camel: &'static str, snake: &'static str) -> &'static str {
    let is_snake = memchr::memmem::find(json.as_bytes(), format!("\"{snake}\"").as_bytes()).is_some();
    if is_snake { snake } else { camel }
}

impl Chunk {
    /// Whether chunks with the same address are one source. Passages of the caller's own documents are never merged, because
    /// they are numbered individually (rule N-03).
    fn merges(&self) -> bool {
        self.retrieved.is_none()
    }

    fn into_source(self, pointer: String, warnings: &mut Vec<Entry>) -> Source {
        let mut source = Source::default();
        let text = |value: Option<Value>| filled(value.as_ref().and_then(Value::as_str).map(str::to_owned));
        let page = text(self.source_url).or_else(|| text(self.page_url));
        let uri;
        if let Some(web) = self.web {
            (uri, source.title) = (("web/uri", web.uri), filled(web.title));
            source.kind = Some(SourceKind::Web);
            source.metadata.extend(filled(web.domain).map(|domain| ("domain".to_owned(), domain.into())));
        } else if let Some(retrieved) = self.retrieved {
            let RagChunk { text, pages, chunk_id, file_id } = retrieved.chunk.unwrap_or_default();
            (uri, source.title) = (("retrievedContext/uri", retrieved.uri), filled(retrieved.title));
            source.kind = Some(SourceKind::Document);
            source.content = filled(retrieved.text).or(filled(text));
            source.id = filled(retrieved.document_name).or(filled(file_id));
            source.page = retrieved.page.or(pages.and_then(|pages| pages.first)).and_then(NonZeroU32::new);
            source.metadata = metadata(retrieved.metadata);
            source.chunk_id = filled(chunk_id);
            let chunk_id = source.chunk_id.clone().map(|id| ("chunk_id".to_owned(), id.into()));
            source.metadata.extend(chunk_id);
        } else if let Some(maps) = self.maps {
            (uri, source.title) = (("maps/uri", maps.uri), filled(maps.title));
            (source.id, source.content) = (filled(maps.place_id), filled(maps.text));
            source.kind = Some(SourceKind::Maps);
        } else if let Some(image) = self.image {
            source.kind = Some(SourceKind::Image);
            let address = filled(image.source_uri).or(image.image_uri);
            (uri, source.title) = (("image/sourceUri", address), filled(image.title));
            source.metadata.extend(filled(image.domain).map(|domain| ("domain".to_owned(), domain.into())));
        } else {
            let flat = text(self.url).or_else(|| text(self.uri));
            (uri, source.title) = (("uri", flat), text(self.title));
            source.kind = uri.1.is_some().then_some(SourceKind::Web);
        }
        let (member, uri) = page.map_or(uri, |page| ("sourceUrl", Some(page)));
        let Located { url, filepath, address } = location(uri, || format!("{pointer}/{member}"), warnings);
        (source.url, source.filepath, source.address) = (url, filepath, address);
        source.pointer = pointer;
        source
    }
}

/// Metadata that the caller gave to the document: an object, or a list of keys with values of one of several types.
fn metadata(value: Option<Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(map)) => map,
        Some(Value::Array(pairs)) => pairs.into_iter().filter_map(pair).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => Map::new(),
    }
}

fn pair(pair: Value) -> Option<(String, Value)> {
    let Value::Object(mut pair) = pair else { return None };
    let Some(Value::String(key)) = pair.remove("key") else { return None };
    let value = pair.into_iter().map(|(_, value)| value).find(|value| !value.is_null())?;
    Some((key, value))
}
