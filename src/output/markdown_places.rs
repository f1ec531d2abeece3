//! The parts of a Markdown text in which a bracket is no text: code, math, HTML, addresses.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::cite::CitedPlace;

/// How far a bare address is looked for before a place in it.
const MAX_ADDRESS_BYTES: usize = 2 * 1024;

/// Links do not stand in links, but images do, and these in each other.
const MAX_NESTED_LINKS: usize = 8;

/// The places of one text.
pub(super) struct MarkdownPlaces {
    /// Where brackets are no text; in order, without overlaps.
    opaque: Vec<Range<usize>>,
    /// Where links stand, text and all, in order; an address in the text of one ends with it.
    links: Vec<Range<usize>>,
    /// The colons of what would be a definition, and hide the number of a source in it.
    hiding_colons: BTreeSet<usize>,
}

impl MarkdownPlaces {
    /// The places of a text in which the numbers of sources stand at `cited`, in order.
    pub(super) fn of(text: &str, cited: &[CitedPlace]) -> Self {
        let parser = Parser::new_ext(text, Options::ENABLE_TABLES);
        let definitions = parser.reference_definitions().iter().map(|(_, definition)| definition.span.clone());
        // A label is not touched alone: it changes with the places that refer to it.
        let behind_labels =
            definitions.filter_map(|span| Some(span.start + text[span.clone()].find("]:")? + 2..span.end));
        let hides = |span: &Range<usize>| {
            let next = cited.partition_point(|place| place.range.start < span.start);
            cited.get(next).is_some_and(|place| place.range.start < span.end)
        };
        // What defines something was no place for a marker, so that only the number of one has made it a definition.
        let (hiding, mut opaque): (Vec<_>, Vec<_>) = behind_labels.partition(hides);
        let hiding_colons = hiding.into_iter().map(|behind| behind.start - 1).collect();
        let mut all_links = Vec::new();
        // The links that are open, and where the last piece of the text of each ends.
        let mut links: Vec<(Range<usize>, usize, bool)> = Vec::new();
        for (event, range) in parser.into_offset_iter() {
            let end = range.end;
            match event {
                Event::Code(_)
                | Event::Html(_)
                | Event::InlineHtml(_)
                | Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => opaque.push(range),
                Event::Start(Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }) => {
                    opaque.push(range.clone());
                    links.push((range, end, false));
                }
                Event::Start(Tag::Link { link_type, .. } | Tag::Image { link_type, .. }) => {
                    links.push((range.clone(), range.start + 1, link_type == LinkType::Inline));
                    continue;
                }
                Event::End(TagEnd::Link | TagEnd::Image) => {
                    if let Some((link, inner, is_inline)) = links.pop() {
                        if is_inline {
                            opaque.push(inner.min(link.end)..link.end);
                        }
                        all_links.push(link);
                    }
                }
                Event::Start(_)
                | Event::End(_)
                | Event::Text(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::FootnoteReference(_)
                | Event::SoftBreak
                | Event::HardBreak
                | Event::Rule
                | Event::TaskListMarker(_) => {}
            }
            if let Some((_, inner, _)) = links.last_mut() {
                *inner = end.max(*inner);
            }
        }
        opaque.extend(math(text));
        opaque.sort_by_key(|range| (range.start, range.end));
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(opaque.len());
        for range in opaque {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        all_links.sort_by_key(|link| (link.start, link.end));
        Self { opaque: merged, links: all_links, hiding_colons }
    }

    /// The colons between two places before which something has to be written, so that the line stays a text.
    pub(super) fn hiding_colons(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        self.hiding_colons.range(from..to.max(from)).copied()
    }

    /// Whether a bracket at this place is no text; an address that began before `since` has ended.
    pub(super) fn is_opaque(&self, text: &str, since: usize, at: usize) -> bool {
        self.is_in_opaque(at) || self.is_in_bare_address(text, since, at)
    }

    /// Whether what stands at this place would be read as a part of a bare address before it: nothing but a blank or `<`
    /// ends one, not even code. What began before `since` has ended.
    pub(super) fn is_in_bare_address(&self, text: &str, since: usize, at: usize) -> bool {
        let from = text.floor_char_boundary(at.saturating_sub(MAX_ADDRESS_BYTES)).max(since);
        let before = &text[from..at];
        let word = before.rfind(|c: char| c.is_whitespace() || c == '<').map_or(from, |blank| from + blank);
        let begins = ["http://", "https://", "www."].into_iter().flat_map(|begin| text[word..at].match_indices(begin));
        begins.map(|(place, _)| word + place).any(|begin| !self.is_in_opaque(begin) && !self.ends_between(begin, at))
    }

    fn is_in_opaque(&self, at: usize) -> bool {
        let count = self.opaque.partition_point(|range| range.start <= at);
        self.opaque[..count].last().is_some_and(|range| at < range.end)
    }

    /// Whether a link ends between two places that begins before both.
    fn ends_between(&self, from: usize, to: usize) -> bool {
        let count = self.links.partition_point(|link| link.start <= from);
        self.links[..count].iter().rev().take(MAX_NESTED_LINKS).any(|link| (from + 1..=to).contains(&link.end))
    }
}

/// Where formulas stand. What is between dollars is read apart from the rest, because engines disagree on dollars beside words
/// and digits, and those that see no formula there see what is in it: `$5 [a](b)[9]$7`.
fn math(text: &str) -> Vec<Range<usize>> {
    if !text.contains('$') {
        return Vec::new();
    }
    let events = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_MATH).into_offset_iter();
    let formulas = events.filter(|(event, _)| matches!(event, Event::InlineMath(_) | Event::DisplayMath(_)));
    let is_word = |c: char| c.is_alphanumeric();
    let is_alone =
        |range: &Range<usize>| !text[..range.start].ends_with(is_word) && !text[range.end..].starts_with(is_word);
    formulas.map(|(_, range)| range).filter(is_alone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with a dot for every opening bracket that is text.
    fn shown(text: &str) -> String {
        let places = MarkdownPlaces::of(text, &[]);
        let dot = |(at, c)| if c == '[' && !places.is_opaque(text, 0, at) { '.' } else { c };
        text.char_indices().map(dot).collect()
    }

    #[test]
    fn brackets_are_text_but_in_code_math_html_and_addresses() {
        for (text, expected) in [
            ("`a[0]` b[0]", "`a[0]` b.0]"),
            ("```\na[0]\n```\nb[0]", "```\na[0]\n```\nb.0]"),
            ("$a[0]$ it costs $5 [0] or $6 [0]$7", "$a[0]$ it costs $5 .0] or $6 .0]$7"),
            ("$5 [a](u[0])[0]$5", "$5 .a](u[0]).0]$5"),
            ("<b title=\"[0]\"> [0]", "<b title=\"[0]\"> .0]"),
            ("[a [0]](https://x/[0] \"[0]\") [0]", ".a .0]](https://x/[0] \"[0]\") .0]"),
            ("![a [0]](u[0])[0]", "!.a .0]](u[0]).0]"),
            ("<https://x/[0]> https://x/[0] www.x/[0] x[0]", "<https://x/[0]> https://x/[0] www.x/[0] x.0]"),
            ("[a][0] [0]\n\n[0]: /u[0]", ".a].0] .0]\n\n.0]: /u[0]"),
            ("> [0](u[0])", "> .0](u[0])"),
            ("https://x/`a`[0] `https://x`[0]", "https://x/`a`[0] `https://x`.0]"),
            ("[see https://x/[0]](/u)[0]", ".see https://x/[0]](/u).0]"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }
}
