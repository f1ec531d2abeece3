//! The parts of a message of the [Vercel AI SDK](https://ai-sdk.dev/docs/ai-sdk-core/generating-text#citations), in their
//! order, and the answer that they make. Texts may cite sources; other parts list the sources that were found.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::IngestError;
use super::annotated::{Annotated, Sources};
use super::json::{self, entries, filled, offset, text_or_number};
use super::location::{Located, location};
use super::pydantic_citation;
use super::span::Unit;
use crate::answer::{Answer, IdOf, MarkerGrammar, Source, SourceIndex, SourceKind};
use crate::report::Entry;
use crate::text::OffsetIndex;

/// A page (`url`) or a document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireSource {
    #[serde(default, deserialize_with = "text_or_number")]
    pub(super) id: Option<String>,
    pub(super) url: Option<String>,
    pub(super) title: Option<String>,
    pub(super) media_type: Option<String>,
    pub(super) filename: Option<String>,
    pub(super) provider_metadata: Option<Map<String, Value>>,
}

/// A source that a text cites. `citedText` is from the source.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireCitation {
    source: Option<WireSource>,
    /// The place in the text, in the unit of the provider, which the SDK does not convert.
    #[serde(default, deserialize_with = "offset")]
    start_index: Option<usize>,
    #[serde(default, deserialize_with = "offset")]
    end_index: Option<usize>,
    cited_text: Option<String>,
}

/// The citations that Pydantic AI adds to the metadata of a text.
#[derive(Default, Deserialize)]
struct PydanticText {
    #[serde(default, deserialize_with = "entries")]
    citations: Vec<pydantic_citation::WireCitation>,
}

/// A text of a message.
#[derive(Debug, Default)]
struct Text {
    text: String,
    citations: Vec<WireCitation>,
    pydantic: Vec<pydantic_citation::WireCitation>,
    /// Whether its provider repeats the citations as it sent them. Only OpenAI's have offsets, in code points.
    has_annotations: bool,
    /// The pointer of the part, or of the event that ended it.
    pointer: String,
}

#[derive(Debug)]
enum Part {
    Text(Text),
    Source(Box<Source>),
}

/// The parts of one message, whole or as far as they have arrived.
#[derive(Debug, Default)]
pub(super) struct Message {
    parts: Vec<Part>,
    /// The texts that have not ended, by id.
    open: HashMap<String, usize>,
    /// How many parts stand before the current step.
    step: usize,
    /// Whether sources are nodes of LlamaIndexServer.
    has_nodes: bool,
}

impl WireSource {
    pub(super) fn into_source(self, pointer: String, warnings: &mut Vec<Entry>) -> Source {
        let Self { id, url, title, media_type, filename, provider_metadata } = self;
        let kind = if url.is_some() { SourceKind::Web } else { SourceKind::Document };
        let Located { url, filepath, address } = location(url, || format!("{pointer}/url"), warnings);
        Source {
            id: filled(id),
            id_of: IdOf::Passage,
            title: filled(title),
            kind: Some(kind),
            url,
            address,
            filepath: filled(filename).or(filepath),
            media_type: filled(media_type),
            metadata: provider_metadata.unwrap_or_default(),
            pointer,
            ..Source::default()
        }
    }
}

impl Message {
    pub(super) fn has_text(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Text(text) if !text.text.is_empty()))
    }

    pub(super) fn begin_step(&mut self) {
        self.step = self.parts.len();
        self.open.clear();
    }

    /// Takes back the current step, which the model writes anew. Returns whether it had parts.
    pub(super) fn reset_step(&mut self) -> bool {
        self.open.clear();
        self.parts.drain(self.step.min(self.parts.len())..).count() > 0
    }

    pub(super) fn begin_text(&mut self, id: String) -> usize {
        self.parts.push(Part::Text(Text::default()));
        let at = self.parts.len() - 1;
        self.open.insert(id, at);
        at
    }

    pub(super) fn add_text(&mut self, id: Option<String>, new: &str) {
        let id = id.unwrap_or_default();
        let at = self.open.get(&id).copied().unwrap_or_else(|| self.begin_text(id));
        if let Some(Part::Text(text)) = self.parts.get_mut(at) {
            text.text.push_str(new);
        }
    }

    /// Ends a text. Returns whether it cites sources.
    ///
    /// # Errors
    /// When the citations in the metadata are of a wrong type.
    pub(super) fn end_text(
        &mut self,
        id: Option<String>,
        citations: Vec<WireCitation>,
        metadata: Option<Map<String, Value>>,
        pointer: String,
    ) -> Result<bool, IngestError> {
        let at = self.open.remove(&id.unwrap_or_default());
        let Some(Part::Text(text)) = at.and_then(|at| self.parts.get_mut(at)) else { return Ok(false) };
        let mut metadata = metadata.unwrap_or_default();
        if let Some(pydantic) = metadata.remove("pydantic_ai").filter(Value::is_object) {
            let PydanticText { citations } =
                json::member(pydantic, &format!("{pointer}/providerMetadata/pydantic_ai"))?;
            text.pydantic = citations;
        }
        text.has_annotations = metadata.values().any(|provider| provider["annotations"].is_array());
        (text.citations, text.pointer) = (citations, pointer);
        Ok(text.is_cited())
    }

    /// Adds a node of LlamaIndexServer. `[citation:ID]()` means it, with an empty link behind.
    pub(super) fn add_node(&mut self, node: Source) {
        self.has_nodes = true;
        self.add_source(node);
    }

    /// Whether a text has not ended.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn add_source(&mut self, source: Source) {
        self.parts.push(Part::Source(Box::new(source)));
    }

    /// The forms of marker in the text. Where texts do not cite sources themselves, a model may have numbered them.
    pub(super) fn grammar(&self) -> MarkerGrammar {
        let cites = self.parts.iter().any(|part| matches!(part, Part::Text(text) if text.is_cited()));
        if cites {
            MarkerGrammar::ANNOTATED
        } else {
            MarkerGrammar { linked: self.has_nodes, ..MarkerGrammar::BRACKETED_NUMBERS }
        }
    }

    /// Writes text, sources and citations to the answer.
    pub(super) fn finish(self, answer: &mut Answer) {
        answer.grammar = self.grammar();
        let cites = answer.grammar == MarkerGrammar::ANNOTATED;
        let mut annotated = Annotated::default();
        let mut listed = Vec::new();
        answer.text.clear();
        for part in self.parts {
            match part {
                Part::Text(text) => {
                    answer.text.push_str(&text.text);
                    text.cite(&mut annotated, &mut answer.warnings);
                }
                Part::Source(source) => listed.push(*source),
            }
        }
        // Sources that the texts cite come first, because a listed source is often one of these under another id (rule N-02).
        for source in listed {
            if cites { list_cited(&mut annotated.sources, source) } else { list(&mut annotated.sources, source) }
        }
        annotated.finish(answer);
        answer.attested = (0..answer.sources.len()).map(SourceIndex).collect();
    }
}

impl Text {
    fn is_cited(&self) -> bool {
        !self.citations.is_empty() || !self.pydantic.is_empty()
    }

    fn cite(self, annotated: &mut Annotated, warnings: &mut Vec<Entry>) {
        let part = annotated.begin_part();
        annotated.grow(self.text.len());
        if !self.is_cited() {
            return;
        }
        let unit = self.unit();
        let Self { citations, pydantic, pointer, .. } = self;
        let mut unplaced = Vec::new();
        for (at, citation) in citations.into_iter().enumerate() {
            let WireCitation { source: Some(source), start_index, end_index, cited_text } = citation else { continue };
            let pointer = format!("{pointer}/citations/{at}");
            let source = source.into_source(format!("{pointer}/source"), warnings);
            let point = point(&source);
            let index = cite(&mut annotated.sources, source);
            if let Some(passage) = filled(cited_text) {
                annotated.sources.add_passage(index, passage);
            }
            match (start_index, end_index, point) {
                (None, None, Some(at)) => annotated.point(part, at, Unit::Char, vec![index], pointer),
                (None, None, None) => unplaced.push(index),
                (start, end, _) => annotated.span(part, (start, end, unit), vec![index], pointer),
            }
        }
        // Without a place, a citation belongs to the whole text.
        annotated.block(part, unplaced);
        let pointer = format!("{pointer}/providerMetadata/pydantic_ai/citations");
        pydantic_citation::cite(pydantic, annotated, part, &pointer, warnings);
    }

    /// The unit of the offsets.
    fn unit(&self) -> Unit {
        if self.has_annotations {
            return Unit::Char;
        }
        let place = |citation: &WireCitation| Some((citation.start_index.unwrap_or_default(), citation.end_index?));
        let places: Vec<_> = self.citations.iter().filter_map(place).collect();
        Unit::fitting(&self.text, &OffsetIndex::new(&self.text), &places, [Unit::Utf16, Unit::Char])
    }
}

/// The place of a citation that OpenAI's file search gives, in the metadata of its source.
fn point(source: &Source) -> Option<usize> {
    let cited = source.metadata.values().find(|provider| provider["type"] == "file_citation")?;
    usize::try_from(cited["index"].as_u64()?).ok()
}

/// Adds a source that a text cites.
fn cite(sources: &mut Sources, mut source: Source) -> SourceIndex {
    if source.url.is_some() {
        // Providers without ids of their own give the address as id.
        let is_address = |id: &String| id.parse().ok() == source.url;
        source.id = source.id.filter(|id| !is_address(id));
        return sources.page(source);
    }
    let (by_id, by_name) = (id_key(source.id.as_deref()), name_key(&source));
    let index = match by_id {
        Some(key) => sources.known_as(&key, source),
        None => sources.known_as(&by_name, source),
    };
    sources.also_known_as(&by_name, index);
    index
}

/// Adds a listed source where texts cite sources themselves. The SDK makes up the ids of most listed sources, so their pages,
/// files and names identify them.
fn list_cited(sources: &mut Sources, mut source: Source) {
    if source.url.is_some() {
        source.id = None;
        sources.page(source);
        return;
    }
    let file = source.metadata.values().find_map(|provider| provider["fileId"].as_str());
    let keys = [id_key(file), id_key(source.id.as_deref()), Some(name_key(&source))];
    let known = keys.iter().flatten().find(|key| sources.find(key).is_some()).or(keys[1].as_ref()).cloned();
    match known {
        Some(key) => sources.known_as(&key, source),
        None => sources.push(source),
    };
}

/// Adds a listed source. A marker may count these, so only one id makes two of them one.
fn list(sources: &mut Sources, source: Source) {
    match id_key(source.id.as_deref()) {
        Some(key) => sources.known_as(&key, source),
        None => sources.push(source),
    };
}

fn id_key(id: Option<&str>) -> Option<String> {
    Some(format!("id {}", id?))
}

fn name_key(source: &Source) -> String {
    let name = |name: &Option<String>| name.clone().unwrap_or_default();
    format!("document {:?} {:?}", name(&source.title), name(&source.filepath))
}
