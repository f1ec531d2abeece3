//! Links that cite a source: `[Leave policy](https://…)` with the address of one, and `[Leave policy][1]`. Their text stays, and
//! the badge of the source stands behind it.

use std::ops::Range;

use super::construct::{Parsed, label};
use super::definitions::unbracketed;
use super::drawn::drawn;
use super::node::{CitedLink, NodeKind};
use super::scanner::{Input, Opener, Scanner};
use crate::answer::MarkerGrammar;
use crate::cite::marker::{self, MAX_INNER_BYTES, Marker};
use crate::cite::resolve::Indices;

/// Spans that the provider cites, and up to where each of them and those before it reach; by their beginnings.
#[derive(Debug, Default)]
pub(super) struct Annotated(Vec<(usize, usize)>);

impl Annotated {
    /// Adds a span that begins where the last one does, or behind.
    fn push(&mut self, span: Range<usize>) {
        let reach = self.0.last().map_or(0, |(_, reach)| *reach).max(span.end);
        self.0.push((span.start, reach));
    }

    /// Whether one of them holds a part of this range.
    fn overlaps(&self, range: &Range<usize>) -> bool {
        let before = self.0.partition_point(|(start, _)| *start < range.end);
        before > 0 && self.0[before - 1].1 > range.start
    }
}

/// A text of one character is a task box or an index, and one without a letter no name of a document.
fn may_be_text(inner: &str) -> bool {
    inner.trim().chars().nth(1).is_some() && inner.contains(char::is_alphabetic)
}

/// `[doc1][2]` is a list of markers, also where `[doc1]` is no marker of this format.
fn is_marker_of_any_format(inner: &str) -> bool {
    let marker = marker::in_square_brackets(inner, &MarkerGrammar::ALL);
    marker.is_some_and(|marker| !matches!(marker, Marker::Name(_) | Marker::NameEnd(_)))
}

impl Input<'_> {
    /// Whether a link shows nothing but a marker that needs not be kept as text: in brackets, of a machine, or a number that a
    /// reader would take for a badge.
    fn shows_marker_alone(&self, inner: &str) -> bool {
        let is_marker_alone = |shown: &str| {
            let bare = unbracketed(shown);
            let marker = marker::in_square_brackets(bare, &MarkerGrammar::ALL);
            marker.is_some_and(|marker| {
                let is_bracketed = bare.len() < shown.trim().len() && !matches!(marker, Marker::Name(_));
                is_bracketed || marker.is_machine_made()
            })
        };
        inner.trim().is_empty()
            || self.looks_like_badge(inner)
            || is_marker_alone(inner)
            || drawn(inner).is_some_and(|drawn| is_marker_alone(&drawn))
    }
}

impl Scanner {
    /// Takes note of a span that the provider cites: links in it belong to it. Spans come by their beginnings.
    pub(in crate::cite) fn annotate(&mut self, span: Range<usize>) {
        self.annotated.push(span);
    }

    /// The source to whose address a link leads that is no part of what the provider cites.
    pub(super) fn linked_source(
        &self,
        input: &Input<'_>,
        opener: Opener,
        address: &str,
        end: usize,
    ) -> Option<Indices> {
        if !input.grammar.links || opener.image || self.annotated.overlaps(&(opener.at..end)) {
            return None;
        }
        let source = input.resolver.at_address(input.sources, input.rules.tracking, address)?;
        Some(Indices::from_slice(&[source]))
    }

    /// Cites the source of a link whose text ends at `at`, behind that text, or in the place of one that is a marker itself.
    pub(super) fn cite_link(&mut self, input: &Input<'_>, opener: Opener, at: usize, end: usize, sources: Indices) {
        let inner = &input.text[opener.inner()..at];
        if input.shows_marker_alone(inner) {
            self.nodes.truncate(opener.node);
            self.begin_marker(input, opener.at..end, true);
            let link = CitedLink { sources, shown: opener.inner()..at, image: false, lost: None };
            self.push(opener.at..end, NodeKind::CiteLink(Box::new(link)));
        } else {
            for node in opener.node + 1..self.nodes.len() {
                self.unlink_image(node);
            }
            self.nodes[opener.node].kind = NodeKind::TextStart { end: at };
            self.push(at..end, NodeKind::TextEnd(Some(sources)));
            self.end_marker(end);
        }
        self.at = end;
        self.deactivate(true);
    }

    /// Whether the bracket that closes at `at` is the text of a link to the marker behind it: `[Leave policy][1]`. Behind a word
    /// or another bracket it is an index, `m[row][1]`.
    pub(super) fn is_text_of_marker(&self, input: &Input<'_>, opener: Opener, at: usize) -> bool {
        let text = input.text;
        let inner = &text[opener.inner()..at];
        // An underscore belongs to a name only behind one: `m_[i][1]`, and not `_[text][1]_`.
        let before = &text[..opener.at];
        let name = before.strip_suffix('_').unwrap_or(before);
        let is_index = || before.ends_with(']') || name.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if input.rules.only_markers
            || opener.image
            || !opener.active
            || !text[at + 1..].starts_with('[')
            || inner.contains(['[', ']'])
            || !may_be_text(inner)
            || is_index()
            || input.looks_like_badge(inner)
            || is_marker_of_any_format(inner)
        {
            return false;
        }
        let is_link =
            |kind: &NodeKind| matches!(kind, NodeKind::Autolink | NodeKind::Cite(_) | NodeKind::Nameless { .. });
        if self.nodes[opener.node + 1..].iter().any(|node| is_link(&node.kind)) {
            return false;
        }
        let Parsed::Found(close) = label(self.cursor(input, at + 2)) else { return false };
        let named = &text[at + 2..close];
        if named.len() > MAX_INNER_BYTES || named.contains(['`', '<', '$', '\\', '\n', '\r']) {
            return false;
        }
        let Some(marker) = marker::in_square_brackets(named, input.grammar) else { return false };
        let is_resolved = || input.resolver.resolve(input.sources, &text[at + 1..=close], &marker).is_some();
        // A marker that only a machine writes vanishes where it names nothing; a number, a name or a note stays as it is then.
        marker.is_machine_made() || is_resolved()
    }
}
