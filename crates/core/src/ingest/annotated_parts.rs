//! Text in parts with annotations, as OpenAI writes it, and how it becomes an answer: the same way for whole answers and
//! for what a stream has gathered.

use std::collections::BTreeMap;
use std::ops::Range;

use super::annotated::Annotated;
use super::linked_markers::linked_markers;
use super::openai_annotation::{AnnotatedPlace, Annotation, WireAnnotation};
use super::span::{Unit, read_span};
use super::web_results::WebResults;
use crate::answer::{Answer, Source, SourceIndex, SourceKind};
use crate::text::{OffsetIndex, Span};

/// One part of the text. Offsets of its annotations count from its beginning.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) text: String,
    /// With their JSON pointers.
    pub(super) annotations: Vec<(String, WireAnnotation)>,
}

/// What a provider's answer consists of.
#[derive(Debug, Default)]
pub(super) struct AnnotatedParts {
    pub(super) parts: Vec<Part>,
    /// What else is known of files, by id.
    pub(super) files: BTreeMap<String, Source>,
    /// What a search says of pages, before anything cites them.
    pub(super) results: WebResults,
    /// Pages that were seen, used or not; they stand behind those that are used (rule N-02).
    pub(super) seen: Vec<Source>,
    /// Whether `[[n]](url)` is a marker that its address resolves, and a title nothing but its number (xAI).
    pub(super) linked_markers: bool,
}

impl AnnotatedParts {
    /// Gives the answer its text, sources and citations.
    pub(super) fn finish(self, answer: &mut Answer) {
        let mut annotated = Annotated::default();
        let mut taken = Vec::new();
        answer.text.clear();
        for part in &self.parts {
            let at = annotated.begin_part();
            annotated.grow(part.text.len());
            answer.text.push_str(&part.text);
            let index = OffsetIndex::new(&part.text);
            let mut placed = Vec::new();
            for (pointer, annotation) in &part.annotations {
                let annotation = annotation.clone().into_annotation(pointer.clone(), &mut answer.warnings);
                let Some(mut annotation) = annotation else { continue };
                if self.linked_markers {
                    without_label(&mut annotation.source);
                }
                placed.extend(self.annotate(&mut annotated, at, (&part.text, &index), annotation, pointer));
            }
            taken.push(placed);
        }
        // What is attested as used, though it may be anchored nowhere.
        let attested = annotated.sources.len();
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
        for source in self.results.into_list().into_iter().chain(self.seen) {
            annotated.sources.page(source);
        }
        annotated.finish(answer);
        if self.linked_markers {
            for source in &mut answer.sources {
                // A post is told from other pages by its address alone.
                let is_post = source.url.as_ref().is_some_and(|url| matches!(url.host(), "x.com" | "twitter.com"));
                source.kind = if is_post { Some(SourceKind::X) } else { source.kind };
            }
        }
        if answer.citations.is_empty() && attested > 0 {
            answer.attested = (0..attested).map(SourceIndex).collect();
            answer.shown = Some(answer.attested.clone());
        }
    }

    /// Adds an annotation; returns its span in the part, when it has one.
    fn annotate(
        &self,
        annotated: &mut Annotated,
        part: usize,
        (text, index): (&str, &OffsetIndex<'_>),
        annotation: Annotation,
        pointer: &str,
    ) -> Option<Range<usize>> {
        let Annotation { file_id, mut source, place, marker } = annotation;
        let span = match place {
            AnnotatedPlace::Point(_) => None,
            AnnotatedPlace::Span(start, end) => {
                place_in(text, index, start.unwrap_or_default(), end, marker.as_deref())
            }
        };
        if span.is_none() && matches!(place, AnnotatedPlace::Span(..)) {
            // Without a place, the marker itself may still tell.
            source.marker = marker;
        }
        let index = match file_id {
            Some(id) => {
                if let Some(file) = self.files.get(&id) {
                    source.fill_in(file.clone());
                }
                annotated.sources.known_as(&format!("file {id}"), source)
            }
            None => {
                // What the search says of a page comes before what cites it (rule RC-01).
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
            (AnnotatedPlace::Point(at), _) => annotated.point(part, at, Unit::Char, vec![index], pointer.to_owned()),
            (AnnotatedPlace::Span(..), Some(span)) => {
                let place = (Some(span.start), Some(span.end), Unit::Utf8);
                annotated.span(part, place, vec![index], pointer.to_owned());
            }
            (AnnotatedPlace::Span(start, end), None) => {
                annotated.span(part, (start, end, Unit::Char), vec![index], pointer.to_owned());
            }
        }
        span
    }
}

/// How far from its place a marker is looked for.
const MAX_SHIFT_BYTES: usize = 2_048;

/// The bytes of a span that is given in characters. Where the annotation repeats the text that it spans, the text is the
/// authority: it is looked for nearest to the place given.
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

/// xAI titles a page by its number or its address, which is no title.
fn without_label(source: &mut Source) {
    let is_label = |title: &String| {
        title.chars().all(|c| c.is_ascii_digit()) || source.url.is_some() && title.parse().ok() == source.url
    };
    if source.title.as_ref().is_some_and(is_label) {
        source.title = None;
    }
}
