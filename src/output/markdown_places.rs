//! The parts of a Markdown text in which a bracket is no text: code, math, HTML, addresses.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

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
}

impl MarkdownPlaces {
    pub(super) fn of(text: &str) -> Self {
        let options = Options::ENABLE_TABLES | Options::ENABLE_MATH;
        let parser = Parser::new_ext(text, options);
        let definitions = parser.reference_definitions().iter().map(|(_, definition)| definition.span.clone());
        // A label is not touched alone: it changes with the places that refer to it.
        let mut opaque: Vec<Range<usize>> =
            definitions.filter_map(|span| Some(span.start + text[span.clone()].find("]:")? + 2..span.end)).collect();
        let mut all_links = Vec::new();
        // The links that are open, and where the last piece of the text of each ends.
        let mut links: Vec<(Range<usize>, usize, bool)> = Vec::new();
        for (event, range) in parser.into_offset_iter() {
            let end = range.end;
            match event {
                Event::InlineMath(_) | Event::DisplayMath(_) => {
                    // Engines disagree on dollars beside words and digits: `$5 [9]$7`.
                    let is_word = |c: char| c.is_alphanumeric();
                    if !text[..range.start].ends_with(is_word) && !text[end..].starts_with(is_word) {
                        opaque.push(range);
                    }
                }
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
        opaque.sort_by_key(|range| (range.start, range.end));
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(opaque.len());
        for range in opaque {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        all_links.sort_by_key(|link| (link.start, link.end));
        Self { opaque: merged, links: all_links }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with a dot for every opening bracket that is text.
    fn shown(text: &str) -> String {
        let places = MarkdownPlaces::of(text);
        let dot = |(at, c)| if c == '[' && !places.is_opaque(text, 0, at) { '.' } else { c };
        text.char_indices().map(dot).collect()
    }

    #[test]
    fn brackets_are_text_but_in_code_math_html_and_addresses() {
        for (text, expected) in [
            ("`a[0]` b[0]", "`a[0]` b.0]"),
            ("```\na[0]\n```\nb[0]", "```\na[0]\n```\nb.0]"),
            ("$a[0]$ it costs $5 [0] or $6 [0]$7", "$a[0]$ it costs $5 .0] or $6 .0]$7"),
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
