//! The parts of a Markdown text in which a bracket is no text: code, math, HTML, addresses.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// How far a bare address is looked for before a place in it.
const MAX_ADDRESS_BYTES: usize = 2 * 1024;

/// The places of one text.
pub(super) struct MarkdownPlaces {
    /// Where brackets are no text; in order, without overlaps.
    opaque: Vec<Range<usize>>,
}

impl MarkdownPlaces {
    pub(super) fn of(text: &str) -> Self {
        let options = Options::ENABLE_TABLES | Options::ENABLE_MATH;
        let parser = Parser::new_ext(text, options);
        let definitions = parser.reference_definitions().iter().map(|(_, definition)| definition.span.clone());
        // A label is not touched alone: it changes with the places that refer to it.
        let mut opaque: Vec<Range<usize>> =
            definitions.filter_map(|span| Some(span.start + text[span.clone()].find("]:")? + 2..span.end)).collect();
        // The links that are open, and where the last piece of the text of each ends.
        let mut links: Vec<(Range<usize>, usize, bool)> = Vec::new();
        for (event, range) in parser.into_offset_iter() {
            let end = range.end;
            match event {
                Event::Code(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
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
                    if let Some((link, inner, true)) = links.pop() {
                        opaque.push(inner.min(link.end)..link.end);
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
        Self { opaque: merged }
    }

    /// Whether a bracket at this place is no text.
    pub(super) fn is_opaque(&self, text: &str, at: usize) -> bool {
        self.last_before(at).is_some_and(|range| at < range.end) || self.is_in_bare_address(text, at)
    }

    /// Whether what stands at this place would be read as a part of a bare address before it: nothing but a blank or `<`
    /// ends one.
    pub(super) fn is_in_bare_address(&self, text: &str, at: usize) -> bool {
        let from = self.last_before(at).map_or(0, |range| range.end.min(at));
        let from = text.floor_char_boundary(at.saturating_sub(MAX_ADDRESS_BYTES)).max(from);
        let before = &text[from..at];
        let word = before.rfind(|c: char| c.is_whitespace() || c == '<').map_or(before, |blank| &before[blank..]);
        ["http://", "https://", "www."].into_iter().any(|begin| word.contains(begin))
    }

    fn last_before(&self, at: usize) -> Option<&Range<usize>> {
        let count = self.opaque.partition_point(|range| range.start <= at);
        self.opaque[..count].last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with a dot for every opening bracket that is text.
    fn shown(text: &str) -> String {
        let places = MarkdownPlaces::of(text);
        let dot = |(at, c)| if c == '[' && !places.is_opaque(text, at) { '.' } else { c };
        text.char_indices().map(dot).collect()
    }

    #[test]
    fn brackets_are_text_but_in_code_math_html_and_addresses() {
        for (text, expected) in [
            ("`a[0]` b[0]", "`a[0]` b.0]"),
            ("```\na[0]\n```\nb[0]", "```\na[0]\n```\nb.0]"),
            ("$a[0]$ it costs $5 [0] or $6", "$a[0]$ it costs $5 .0] or $6"),
            ("<b title=\"[0]\"> [0]", "<b title=\"[0]\"> .0]"),
            ("[a [0]](https://x/[0] \"[0]\") [0]", ".a .0]](https://x/[0] \"[0]\") .0]"),
            ("![a [0]](u[0])[0]", "!.a .0]](u[0]).0]"),
            ("<https://x/[0]> https://x/[0] www.x/[0] x[0]", "<https://x/[0]> https://x/[0] www.x/[0] x.0]"),
            ("[a][0] [0]\n\n[0]: /u[0]", ".a].0] .0]\n\n.0]: /u[0]"),
            ("> [0](u[0])", "> .0](u[0])"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }
}
