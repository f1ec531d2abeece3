//! The parts of a Markdown text in which a bracket is no text: code, math, HTML, addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::cite::CitedPlace;

/// The character that is written between a label and its colon, so that the line is a text and no definition. Any character would
/// do.
const BREAK: char = '\u{2060}';

/// How far a bare address is looked for before a place in it.
const MAX_ADDRESS_BYTES: usize = 2 * 1024;

/// Beginnings of a bare address.
const ADDRESS_BEGINS: [&str; 3] = ["http://", "https://", "www."];

/// A link, an image or an emphasis that has begun.
struct OpenSpan {
    /// Where the last piece of its text ends.
    inner: usize,
    /// The end of the span, in bytes of the whole text.
    end: usize,
    /// Whether its address stands behind its text.
    has_address: bool,
}

/// Reads the places off the events of a parser.
#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    opaque: Vec<Range<usize>>,
    addresses: BTreeMap<usize, usize>,
    spans: Vec<OpenSpan>,
    /// How many blocks of code or HTML are open.
    blocks: usize,
    /// The numbers of sources that no event has shown so far.
    hidden: BTreeSet<usize>,
    /// Where events end that show something.
    ends: BTreeSet<usize>,
}

impl Reader<'_> {
    fn take(&mut self, event: &Event<'_>, range: Range<usize>) {
        let Range { start, end } = range;
        if matches!(event, Event::Text(_) | Event::Code(_) | Event::Html(_) | Event::InlineHtml(_)) {
            let shown: Vec<usize> = self.hidden.range(range.clone()).copied().collect();
            shown.iter().for_each(|place| {
                self.hidden.remove(place);
            });
            self.ends.insert(end);
        }
        match event {
            Event::Code(_) | Event::Html(_) | Event::InlineHtml(_) => self.opaque.push(range),
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => {
                self.blocks += 1;
                self.opaque.push(range);
            }
            Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock) => self.blocks = self.blocks.saturating_sub(1),
            Event::Start(Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }) => {
                self.opaque.push(range);
                return self.spans.push(OpenSpan { inner: end, end, has_address: false });
            }
            Event::Start(Tag::Link { link_type, .. } | Tag::Image { link_type, .. }) => {
                // A number that is the text of a link is shown, though the text is told without its brackets.
                self.hidden.remove(&start);
                let has_address = *link_type == LinkType::Inline;
                return self.spans.push(OpenSpan { inner: start + 1, end, has_address });
            }
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => {
                let end = if self.is_in_bare_address(start) { self.limit() } else { end };
                return self.spans.push(OpenSpan { inner: end, end, has_address: false });
            }
            Event::End(TagEnd::Link | TagEnd::Image | TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => {
                if let Some(OpenSpan { inner, end, has_address: true }) = self.spans.pop() {
                    self.opaque.push(inner.min(end)..end);
                }
            }
            Event::Text(_) if self.blocks == 0 => self.text(range),
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
        if let Some(span) = self.spans.last_mut() {
            span.inner = end.max(span.inner);
        }
    }

    /// The colons of the definitions in which numbers are hidden: nothing is shown between the two. What they hide is text.
    fn hiding_colons(&mut self) -> BTreeSet<usize> {
        let mut colons = BTreeSet::new();
        for place in std::mem::take(&mut self.hidden) {
            let shown = self.ends.range(..=place).next_back().copied().unwrap_or_default();
            if let Some(label) = self.text[shown..place].rfind("]:") {
                colons.insert(shown + label + 1);
                self.text(shown + label + 1..place);
            }
        }
        colons
    }

    /// Whether this place is inside a bare address, which ends at a blank or `<`. There a `*` or `_` begins no emphasis.
    fn is_in_bare_address(&self, at: usize) -> bool {
        let from = self.text.floor_char_boundary(at.saturating_sub(MAX_ADDRESS_BYTES));
        let word =
            self.text[from..at].rfind(|c: char| c.is_whitespace() || c == '<').map_or(from, |blank| from + blank);
        self.addresses.range(word..at).any(|(_, limit)| at < *limit)
    }

    /// Where what an address stands in ends.
    fn limit(&self) -> usize {
        self.spans.last().map_or(self.text.len(), |span| span.end)
    }

    fn text(&mut self, range: Range<usize>) {
        let limit = self.limit();
        let begins = ADDRESS_BEGINS.into_iter().flat_map(|begin| self.text[range.clone()].match_indices(begin));
        self.addresses.extend(begins.map(|(at, _)| (range.start + at, limit)));
    }
}

/// The places of one text.
#[derive(Debug, Default)]
pub(super) struct MarkdownPlaces {
    /// Where brackets are no text; in order, without overlaps.
    opaque: Vec<Range<usize>>,
    /// Where bare addresses begin, and where what they stand in ends, and they with it.
    addresses: BTreeMap<usize, usize>,
    /// The colons of what would be a definition, and hide the number of a source in it or in its label.
    hiding_colons: BTreeSet<usize>,
}

impl MarkdownPlaces {
    /// The places of a text in which the numbers of sources stand at `cited`, in order.
    pub(super) fn of(text: &str, cited: &[CitedPlace]) -> Self {
        let numbers: Vec<usize> = cited.iter().map(|place| place.range.start).collect();
        let places = Self::read(text, &numbers);
        if places.hiding_colons.is_empty() {
            return places;
        }
        // Read the text again with its definitions broken: their lines are text then, and may hold links.
        let breaks = Breaks::at(&places.hiding_colons);
        let broken = breaks.insert(text);
        let numbers: Vec<usize> = numbers.into_iter().map(|at| breaks.ahead(at)).collect();
        let Self { opaque, addresses, hiding_colons } = Self::read(&broken, &numbers);
        Self {
            opaque: opaque.into_iter().map(|range| breaks.back(range.start)..breaks.back(range.end)).collect(),
            addresses: addresses.into_iter().map(|(begin, limit)| (breaks.back(begin), breaks.back(limit))).collect(),
            hiding_colons: hiding_colons
                .into_iter()
                .map(|at| breaks.back(at))
                .chain(places.hiding_colons.iter().copied())
                .collect(),
        }
    }

    /// The places, where nothing is written before the colons.
    fn read(text: &str, numbers: &[usize]) -> Self {
        let parser = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
        let definitions = parser.reference_definitions().iter().map(|(_, definition)| definition.span.clone());
        let (mut opaque, mut labels) = (Vec::new(), Vec::new());
        for span in definitions {
            let Some(colon) = text[span.clone()].find("]:").map(|end| span.start + end + 1) else { continue };
            let next = numbers.partition_point(|at| *at < span.start);
            // The core finds no marker in a definition. Where a number stands in one, the number has made the line a definition.
            match numbers.get(next) {
                Some(number) if *number == span.start => labels.push(colon),
                Some(number) if *number < span.end => {}
                // A label is not touched alone: it changes with the places that refer to it.
                _ => opaque.push(colon + 1..span.end),
            }
        }
        let hidden = numbers.iter().copied().collect();
        let mut reader = Reader { text, opaque, hidden, ..Reader::default() };
        for (event, range) in parser.into_offset_iter() {
            reader.take(&event, range);
        }
        let mut hiding_colons = reader.hiding_colons();
        hiding_colons.extend(labels);
        let Reader { mut opaque, addresses, .. } = reader;
        opaque.extend(math(text));
        opaque.sort_by_key(|range| (range.start, range.end));
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(opaque.len());
        for range in opaque {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Self { opaque: merged, addresses, hiding_colons }
    }

    /// The places in a part of a text, which is read as if it stood alone; `cited` are those of the whole text.
    pub(super) fn of_part(text: &str, part: Range<usize>, cited: &[CitedPlace]) -> Self {
        let from = part.start;
        let first = cited.partition_point(|place| place.range.start < from);
        let inside = cited[first..].iter().take_while(|place| place.range.end <= part.end);
        let inside: Vec<CitedPlace> = inside.map(|place| place.moved_back(from)).collect();
        let Self { mut opaque, addresses, hiding_colons } = Self::of(&text[part], &inside);
        for range in &mut opaque {
            *range = range.start + from..range.end + from;
        }
        Self {
            opaque,
            addresses: addresses.into_iter().map(|(begin, limit)| (begin + from, limit + from)).collect(),
            hiding_colons: hiding_colons.into_iter().map(|colon| colon + from).collect(),
        }
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
        self.addresses.range(word..at.max(word)).any(|(begin, limit)| at < *limit && !self.is_in_opaque(*begin))
    }

    fn is_in_opaque(&self, at: usize) -> bool {
        let count = self.opaque.partition_point(|range| range.start <= at);
        self.opaque[..count].last().is_some_and(|range| at < range.end)
    }
}

/// Where a character is written into a text, so that a definition is none.
struct Breaks<'c>(&'c BTreeSet<usize>);

impl<'c> Breaks<'c> {
    fn at(colons: &'c BTreeSet<usize>) -> Self {
        Self(colons)
    }

    fn insert(&self, text: &str) -> String {
        let (mut broken, mut from) = (String::with_capacity(text.len() + self.0.len() * BREAK.len_utf8()), 0);
        for colon in self.0 {
            broken.push_str(&text[from..*colon]);
            broken.push(BREAK);
            from = *colon;
        }
        broken + &text[from..]
    }

    /// Where a place of the text is in the broken one.
    fn ahead(&self, at: usize) -> usize {
        at + self.0.range(..=at).count() * BREAK.len_utf8()
    }

    /// Where a place of the broken text was.
    fn back(&self, at: usize) -> usize {
        let mut before = at;
        for (count, colon) in self.0.iter().enumerate() {
            let broken = colon + count * BREAK.len_utf8();
            if at <= broken {
                break;
            }
            before = (at - (count + 1) * BREAK.len_utf8()).max(*colon);
        }
        before
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
            ("**https://x/[0]**[0] *www.x* [0]", "**https://x/[0]**.0] *www.x* .0]"),
            ("[see https://x/[0]](/u)[0]", ".see https://x/[0]](/u).0]"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }
}
