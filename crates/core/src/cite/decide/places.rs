//! Span citations of the provider: some cite an offset, others replace a marker in the text (rules N-04 and N-05, policy
//! P-15).

use std::collections::VecDeque;
use std::ops::Range;

use crate::answer::{Answer, Citation, is_marker_span};
use crate::cite::place::place_or_first;
use crate::cite::place::written_at;
use crate::cite::resolve::Indices;

/// The span citations that are not written yet, in text order.
#[derive(Debug, Default)]
pub(crate) struct Places {
    anchors: Vec<(usize, Indices)>,
    /// How many of the anchors are written.
    written: usize,
    replaced: VecDeque<(Range<usize>, Indices)>,
    /// The start of each cited span, with the furthest end of this span and those before it.
    annotated: Vec<(usize, usize)>,
}

impl Places {
    /// Collects the span citations of an answer.
    pub(crate) fn of(answer: &Answer) -> Self {
        let mut citations: Vec<&Citation> = answer.citations.iter().collect();
        citations.sort_by_key(|citation| (citation.span.start(), citation.span.end()));
        let (markers, claims): (Vec<&Citation>, Vec<&Citation>) =
            citations.into_iter().partition(|citation| is_marker_span(&answer.text[citation.span.range()]));
        let mut places = Self::default();
        for citation in markers {
            let span = citation.span.range();
            match places.replaced.back_mut() {
                // Some providers send an annotation for each source of one marker.
                Some((last, sources)) if *last == span => sources.extend(citation.sources.iter().copied()),
                Some((last, _)) if span.start < last.end => {}
                Some(_) | None => places.replaced.push_back((span, Indices::from_slice(&citation.sources))),
            }
        }
        for citation in claims {
            let reach = places.annotated.last().map_or(0, |(_, reach)| *reach).max(citation.span.end());
            places.annotated.push((citation.span.start(), reach));
            places.cite_at(place_of(answer, citation), Indices::from_slice(&citation.sources));
        }
        places
    }

    /// Adds a citation at an offset that is not written yet.
    pub(crate) fn cite_at(&mut self, at: usize, sources: Indices) {
        let waiting = &self.anchors[self.written..];
        let place = self.written + waiting.partition_point(|(anchor, _)| *anchor < at);
        match self.anchors.get_mut(place) {
            Some((same, cited)) if *same == at => cited.extend(sources),
            _ => self.anchors.insert(place, (at, sources)),
        }
        let cited = &mut self.anchors[place].1;
        cited.sort_unstable();
        cited.dedup();
    }

    /// The offset of the next badge or replaced marker, never inside Markdown syntax; `usize::MAX` without one.
    pub(super) fn next(&self, text: &str) -> usize {
        let anchor = self.anchors.get(self.written).map_or(usize::MAX, |(at, _)| written(text, *at));
        let replaced = self.replaced.front().map_or(usize::MAX, |(range, _)| range.start);
        anchor.min(replaced)
    }

    /// Takes the marker that begins at `at` and that a citation replaces.
    pub(super) fn take_replaced(&mut self, at: usize) -> Option<(Range<usize>, Indices)> {
        let (range, _) = self.replaced.front()?;
        if range.start == at { self.replaced.pop_front() } else { None }
    }

    /// Whether no citation waits to be written: all anchors have badges, and no marker is left to replace.
    pub(super) fn is_done(&self) -> bool {
        self.anchors.len() == self.written && self.replaced.is_empty()
    }

    /// Takes the sources cited up to `to`. A marker that was passed over is cited at its end.
    pub(crate) fn take(&mut self, text: &str, to: usize) -> Indices {
        while self.replaced.front().is_some_and(|(range, _)| range.start < to) {
            if let Some((range, sources)) = self.replaced.pop_front() {
                self.cite_at(range.end, sources);
            }
        }
        let mut taken = Indices::new();
        while let Some((_, sources)) = self.anchors.get(self.written).filter(|(at, _)| written(text, *at) <= to) {
            taken.extend_from_slice(sources);
            self.written += 1;
        }
        taken
    }

    /// How many anchors are written.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    /// Undoes all but the first `written` anchors.
    pub(super) fn back_to(&mut self, written: usize) {
        self.written = written;
    }

    /// Whether a cited span overlaps this range.
    pub(super) fn overlap(&self, range: &Range<usize>) -> bool {
        let before = self.annotated.partition_point(|(start, _)| *start < range.end);
        before > 0 && self.annotated[before - 1].1 > range.start
    }
}

/// The offset for the badge of an anchor; `usize::MAX` when the text ends before the anchor.
fn written(text: &str, at: usize) -> usize {
    if at <= text.len() { written_at(text, at) } else { usize::MAX }
}

/// The anchor of a citation.
fn place_of(answer: &Answer, citation: &Citation) -> usize {
    let end = citation.span.end();
    let word = answer.text[..end].trim_end().len();
    // An empty span inside a line is where the provider removed a marker, and the blank before the marker stayed.
    let is_point = citation.span.start() == end && !answer.text[word..end].contains(['\n', '\r']);
    if is_point && (1..end).contains(&word) { end } else { place_or_first(&answer.text, end) }
}
