//! Text in parts with annotations, as OpenAI writes it. [`AnnotatedParts::finish`] builds the answer from them, both for
//! whole answers and for the parts that a stream has gathered.

use std::collections::BTreeMap;
use std::ops::Range;

use super::agent_documents::{AgentDocuments, Mention};
use super::annotated::{Annotated, each_once};
use super::gateway::{Gateway, Used};
use super::linked_markers::linked_markers;
use super::openai_annotation::{AnnotatedPlace, Annotation, WireAnnotation};
use super::span::{Unit, read_span};
use super::web_results::WebResults;
use crate::answer::{Answer, Source, SourceIndex, SourceKind};
use crate::text::{OffsetIndex, Span};

/// One part of the text. The offsets of its annotations count from its start.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) text: String,
    /// The annotations with their JSON pointers.
    pub(super) annotations: Vec<(String, WireAnnotation)>,
}

/// The text, annotations and sources of one answer.
#[derive(Debug, Default)]
pub(super) struct AnnotatedParts {
    pub(super) parts: Vec<Part>,
    /// More data about files, by file id.
    pub(super) files: BTreeMap<String, Source>,
    /// The results of a web search. They may name pages that nothing cites.
    pub(super) results: WebResults,
    /// Pages that the provider has seen, whether or not it used them. They are listed behind the used ones (rule N-02).
    pub(super) seen: Vec<Source>,
    /// Documents that tools found for an agent.
    pub(super) found: AgentDocuments,
    /// Members that gateways put beside the text. Its places count in the first part.
    pub(super) gateway: Gateway,
    /// Whether `[[n]](url)` is a marker whose source is the address, and a title that is only a number is dropped (xAI).
    pub(super) linked_markers: bool,
}

impl AnnotatedParts {
    /// Writes the text, sources and citations to the answer.
    pub(super) fn finish(mut self, answer: &mut Answer) {
        let mut annotated = Annotated::default();
        let mut found = std::mem::take(&mut self.found);
        let mut taken = Vec::new();
        answer.text.clear();
        // LiteLLM repeats Gemini's places as annotations, and counts bytes there as characters.
        let are_repeated = self.gateway.has_places();
        let Used { all: mut used, mut attested } = self.add_gateway(&mut annotated, answer);
        for part in &self.parts {
            let at = annotated.begin_part();
            annotated.grow(part.text.len());
            answer.text.push_str(&part.text);
            let index = OffsetIndex::new(&part.text);
            let mut placed = Vec::new();
            for (pointer, annotation) in &part.annotations {
                let annotation = annotation.clone().into_annotation(pointer.clone(), &mut answer.warnings);
                let Some(mut annotation) = annotation else { continue };
                if are_repeated && annotation.file_id.is_none() {
                    continue;
                }
                if self.linked_markers {
                    without_label(&mut annotation.source);
                }
                // Annotations attest their sources as used, even if no span of the text cites them.
                let tools = (&mut annotated, &mut found);
                let (source, span) = self.annotate(tools, at, (&part.text, &index), annotation, pointer);
                attested.push(source);
                placed.extend(span);
            }
            taken.push(placed);
        }
        if self.linked_markers {
            for (at, (part, placed)) in self.parts.iter().zip(&taken).enumerate() {
                for marker in linked_markers(&part.text) {
                    if placed.iter().any(|span| span.start < marker.range.end && marker.range.start < span.end) {
                        continue;
                    }
                    let kind = Some(SourceKind::Web);
                    let source = Source { url: Some(marker.url), kind, ..Source::default() };
                    let source = annotated.sources.page(source);
                    let place = (Some(marker.range.start), Some(marker.range.end), Unit::Utf8);
                    annotated.span(at, place, vec![source], String::new());
                }
            }
        }
        let found = self.results.into_list().into_iter().chain(found.into_rest());
        for source in found.chain(self.seen).chain(self.gateway.into_found()) {
            annotated.sources.page(source);
        }
        annotated.finish(answer);
        if self.linked_markers {
            for source in &mut answer.sources {
                // Only the address tells a post on X from other pages.
                let is_post = source.url.as_ref().is_some_and(|url| matches!(url.host(), "x.com" | "twitter.com"));
                source.kind = if is_post { Some(SourceKind::X) } else { source.kind };
            }
        }
        used.extend(&attested);
        if answer.citations.is_empty() && !used.is_empty() {
            answer.attested = each_once(attested);
            answer.shown = Some(each_once(used));
        }
    }

    /// Adds what stands beside the first part.
    fn add_gateway(&mut self, annotated: &mut Annotated, answer: &mut Answer) -> Used {
        let text = self.parts.first().map_or("", |part| part.text.as_str());
        self.gateway.add_used(0, annotated, (text, &mut answer.warnings))
    }

    /// Adds an annotation. Returns its source, and its span in the part, as bytes, if it has one.
    fn annotate(
        &self,
        (annotated, found): (&mut Annotated, &mut AgentDocuments),
        part: usize,
        (text, index): (&str, &OffsetIndex<'_>),
        annotation: Annotation,
        pointer: &str,
    ) -> (SourceIndex, Option<Range<usize>>) {
        let Annotation { file_id, mut source, place, marker, get_url } = annotation;
        let span = match place {
            AnnotatedPlace::Point(_) => None,
            AnnotatedPlace::Span(start, end) => {
                place_in(text, index, start.unwrap_or_default(), end, marker.as_deref())
            }
        };
        if span.is_none() && matches!(place, AnnotatedPlace::Span(..)) {
            // Without a span, the marker in the text may still lead to the source.
            source.marker = marker;
        }
        let source = match file_id {
            Some(id) => {
                if let Some(file) = self.files.get(&id) {
                    source.fill_in(file.clone());
                }
                annotated.sources.known_as(&format!("file {id}"), source)
            }
            None if found.is_of_service(&mut source) => {
                let marker = span.as_ref().map(|span| text[span.clone()].to_owned()).or_else(|| source.marker.clone());
                let mention = Mention { get_url: get_url.as_deref(), marker: marker.as_deref() };
                match found.complete(&mut source, mention) {
                    Some(key) => annotated.sources.known_as(&key, source),
                    None => annotated.sources.page(source),
                }
            }
            None => {
                // The search result has precedence over the citation of the same page (rule RC-01).
                if let Some(mut result) = self.results.of_page(&source).cloned() {
                    result.fill_in(std::mem::take(&mut source));
                    source = result;
                }
                let path = source.filepath.clone().filter(|_| source.url.is_none());
                match path {
                    Some(path) => annotated.sources.known_as(&format!("path {path}"), source),
                    None => annotated.sources.page(source),
                }
            }
        };
        match (place, &span) {
            (AnnotatedPlace::Point(at), _) => annotated.point(part, at, Unit::Char, vec![source], pointer.to_owned()),
            (AnnotatedPlace::Span(..), Some(span)) => {
                let place = (Some(span.start), Some(span.end), Unit::Utf8);
                annotated.span(part, place, vec![source], pointer.to_owned());
            }
            (AnnotatedPlace::Span(start, end), None) => {
                annotated.span(part, (start, end, Unit::Char), vec![source], pointer.to_owned());
            }
        }
        (source, span)
    }
}

/// How far from its offset a marker is looked for, in bytes.
const MAX_SHIFT_BYTES: usize = 2_048;

/// Converts a span in code points to bytes. If the annotation repeats the text of the span in `marker`, that text decides:
/// its occurrence nearest to the start offset is the span.
fn place_in(
    text: &str,
    index: &OffsetIndex<'_>,
    start: usize,
    end: Option<usize>,
    marker: Option<&str>,
) -> Option<Range<usize>> {
    let end = end.filter(|end| start < *end)?;
    let span = read_span(text, index, start, end, Unit::Char).map(Span::range);
    let Some(marker) = marker else { return span };
    if span.as_ref().is_some_and(|span| &text[span.clone()] == marker) {
        return span;
    }
    let near = Unit::Char.byte(index, start);
    let from = text.floor_char_boundary(near.saturating_sub(MAX_SHIFT_BYTES));
    let window = &text[from..text.floor_char_boundary(near + MAX_SHIFT_BYTES)];
    let found = window.match_indices(marker).min_by_key(|(at, _)| (from + at).abs_diff(near));
    found.map(|(at, marker)| from + at..from + at + marker.len()).or(span)
}

/// Drops a title that is only the number or the address of the page, as xAI writes them.
fn without_label(source: &mut Source) {
    let is_label = |title: &String| {
        title.chars().all(|c| c.is_ascii_digit()) || source.url.is_some() && title.parse().ok() == source.url
    };
    if source.title.as_ref().is_some_and(is_label) {
        source.title = None;
    }
}
