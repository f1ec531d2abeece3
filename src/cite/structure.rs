//! What a Markdown parser makes of a text: which bytes are plain text, and where links, images, HTML, definitions and
//! code stand. pulldown-cmark decides; nothing here guesses at Markdown.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

/// What a byte of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// Markup: delimiters, escapes, entities, block prefixes, definitions.
    Markup,
    /// Text that readers see, outside links and images.
    Text,
    /// Text inside a link or the description of an image.
    LinkText,
    /// The brackets, address and title of a link or image.
    LinkMarkup,
    /// Code, HTML, math, autolinks: nothing in there is a marker (policy P-02).
    Opaque,
}

/// A link or an image.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) range: Range<usize>,
    /// What stands between its first brackets.
    pub(super) inner: Range<usize>,
    pub(super) kind: LinkKind,
    pub(super) image: bool,
    /// Whether it stands inside another one.
    pub(super) nested: bool,
    /// The address, decoded.
    pub(super) url: String,
    /// The title, decoded.
    pub(super) title: String,
}

/// How a link is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LinkKind {
    /// `[text](url)`.
    Inline,
    /// `[text][label]`, `[label][]` or `[label]`, by the label.
    Reference(String),
    /// `<https://…>`.
    Autolink,
}

/// A code fence that the text leaves open at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpenFence {
    /// Where the fenced block begins.
    pub(super) start: usize,
    /// The line that closes it.
    pub(super) closing: String,
}

/// What the parser made of one text.
#[derive(Debug)]
pub(super) struct Structure {
    ink: Vec<Ink>,
    /// In order; a link inside an image comes after it.
    pub(super) links: Vec<Link>,
    /// Raw HTML, inline and in blocks.
    pub(super) html: Vec<Range<usize>>,
    /// Lists that stand in no other list or quote.
    pub(super) lists: Vec<Range<usize>>,
    /// Code blocks.
    pub(super) code_blocks: Vec<Range<usize>>,
    /// Math, which not every channel draws.
    pub(super) math: Vec<Range<usize>>,
    /// Line ends inside paragraphs, which readers see as blanks.
    pub(super) soft_breaks: Vec<usize>,
    /// Reference definitions that take effect, in order. Duplicates are not among them.
    pub(super) definitions: Vec<Definition>,
    pub(super) open_fence: Option<OpenFence>,
}

/// A reference definition.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) label: String,
    pub(super) range: Range<usize>,
}

impl Structure {
    pub(super) fn of(text: &str) -> Self {
        // CommonMark with what Web Chat's engines agree on. Footnotes stay off: in Web Chat 4.18.1 `[^1]` is a label like
        // any other.
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH;
        let events = Parser::new_ext(text, options).into_offset_iter();
        let mut definitions: Vec<Definition> = events
            .reference_definitions()
            .iter()
            .map(|(label, definition)| Definition { label: label.to_owned(), range: definition.span.clone() })
            .collect();
        definitions.sort_by_key(|definition| definition.range.start);
        let mut structure = Self {
            ink: vec![Ink::Markup; text.len()],
            links: Vec::new(),
            html: Vec::new(),
            lists: Vec::new(),
            code_blocks: Vec::new(),
            math: Vec::new(),
            soft_breaks: Vec::new(),
            definitions,
            open_fence: None,
        };
        let mut reader = Reader { open_links: Vec::new(), autolink: false, in_code_block: false, containers: 0 };
        for (event, range) in events {
            reader.take(text, event, range, &mut structure);
        }
        structure
    }

    /// What the byte at this place is; past the end, markup.
    pub(super) fn ink(&self, at: usize) -> Ink {
        self.ink.get(at).copied().unwrap_or(Ink::Markup)
    }

    /// Whether the bracket at this place is escaped: a backslash stands before it that readers do not see.
    pub(super) fn is_escaped(&self, text: &str, at: usize) -> bool {
        at > 0 && text.as_bytes()[at - 1] == b'\\' && self.ink(at - 1) == Ink::Markup
    }

    fn fill(&mut self, range: Range<usize>, ink: Ink) {
        self.ink[range].fill(ink);
    }
}

struct Reader {
    open_links: Vec<usize>,
    autolink: bool,
    in_code_block: bool,
    containers: usize,
}

impl Reader {
    fn take(&mut self, text: &str, event: Event<'_>, range: Range<usize>, found: &mut Structure) {
        self.stretch_open_links(&event, &range, found);
        match event {
            Event::Text(decoded) => {
                // An entity stands for another text than its own; it can neither hold nor be a marker.
                let source = &text[range.clone()];
                if !self.in_code_block && !self.autolink && (*decoded == *source || source.contains('\0')) {
                    let ink = if self.open_links.is_empty() { Ink::Text } else { Ink::LinkText };
                    found.fill(range, ink);
                }
            }
            Event::Code(_) | Event::Rule => found.fill(range, Ink::Opaque),
            Event::InlineMath(_) | Event::DisplayMath(_) => {
                found.fill(range.clone(), Ink::Opaque);
                found.math.push(range);
            }
            Event::Html(_) | Event::InlineHtml(_) => {
                found.fill(range.clone(), Ink::Opaque);
                found.html.push(range);
            }
            Event::Start(tag) => self.start(text, tag, range, found),
            Event::End(tag) => self.end(tag),
            Event::SoftBreak => found.soft_breaks.push(range.start),
            Event::HardBreak | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all other blocks and spans only hold text")]
    fn start(&mut self, text: &str, tag: Tag<'_>, range: Range<usize>, found: &mut Structure) {
        match tag {
            Tag::Link { link_type, dest_url, title, id } => {
                let range = with_empty_label(text, link_type, range);
                self.start_link(link_type, (&dest_url, &title, &id), false, range, found);
            }
            Tag::Image { link_type, dest_url, title, id } => {
                let range = with_empty_label(text, link_type, range);
                self.start_link(link_type, (&dest_url, &title, &id), true, range, found);
            }
            Tag::CodeBlock(kind) => {
                self.in_code_block = true;
                found.fill(range.clone(), Ink::Opaque);
                if matches!(kind, CodeBlockKind::Fenced(_)) && self.containers == 0 {
                    found.open_fence = open_fence(text, &range);
                }
                found.code_blocks.push(range);
            }
            Tag::BlockQuote(_) | Tag::List(_) | Tag::Item => {
                if self.containers == 0 && matches!(tag, Tag::List(_)) {
                    found.lists.push(range);
                }
                self.containers += 1;
            }
            _ => {}
        }
    }

    fn start_link(
        &mut self,
        link_type: LinkType,
        (url, title, label): (&str, &str, &str),
        image: bool,
        range: Range<usize>,
        found: &mut Structure,
    ) {
        let kind = match link_type {
            LinkType::Autolink | LinkType::Email => LinkKind::Autolink,
            LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut => LinkKind::Reference(label.to_owned()),
            LinkType::Inline
            | LinkType::ReferenceUnknown
            | LinkType::CollapsedUnknown
            | LinkType::ShortcutUnknown
            | LinkType::WikiLink { .. } => LinkKind::Inline,
        };
        self.autolink = kind == LinkKind::Autolink;
        found.fill(range.clone(), if self.autolink { Ink::Opaque } else { Ink::LinkMarkup });
        let inner = range.start + 1 + usize::from(image);
        let nested = !self.open_links.is_empty();
        self.open_links.push(found.links.len());
        let (url, title) = (url.to_owned(), title.to_owned());
        found.links.push(Link { inner: inner..inner, range, kind, image, nested, url, title });
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all other blocks and spans only hold text")]
    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link | TagEnd::Image => {
                self.open_links.pop();
                self.autolink = false;
            }
            TagEnd::CodeBlock => self.in_code_block = false,
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => self.containers -= 1,
            _ => {}
        }
    }

    /// What stands inside an open link reaches as far as the last thing in it.
    fn stretch_open_links(&self, event: &Event<'_>, range: &Range<usize>, found: &mut Structure) {
        let closes_the_innermost = matches!(event, Event::End(TagEnd::Link | TagEnd::Image));
        let open = self.open_links.len() - usize::from(closes_the_innermost && !self.open_links.is_empty());
        // Only the innermost needs care: the next one out is stretched by the end of this one.
        if let Some(index) = self.open_links[..open].last() {
            let inner = &mut found.links[*index].inner;
            inner.end = inner.end.max(range.end);
        }
    }
}

/// The parser reports `[label][]` without its last two brackets.
fn with_empty_label(text: &str, link_type: LinkType, range: Range<usize>) -> Range<usize> {
    let forgotten = link_type == LinkType::Collapsed && text[range.end..].starts_with("[]");
    range.start..range.end + if forgotten { 2 } else { 0 }
}

/// The fence of a block that reaches the end of the text without its closing line.
fn open_fence(text: &str, block: &Range<usize>) -> Option<OpenFence> {
    if block.end < text.trim_end().len() {
        return None;
    }
    let source = &text[block.clone()];
    let first = source.trim_start();
    let fence = first.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = first.chars().take_while(|c| *c == fence).count();
    // A line that is indented by four blanks or a tab closes nothing.
    let last = source.trim_end().lines().skip(1).last().map(|line| {
        let content = line.trim_start_matches(' ');
        if line.len() - content.len() <= 3 { content } else { "" }
    });
    let closed = last.is_some_and(|line| line.len() >= length && line.chars().all(|c| c == fence));
    (!closed).then(|| OpenFence { start: block.start, closing: fence.to_string().repeat(length) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inks(text: &str) -> String {
        let structure = Structure::of(text);
        let letter = |at| match structure.ink(at) {
            Ink::Markup => '.',
            Ink::Text => 't',
            Ink::LinkText => 'l',
            Ink::LinkMarkup => 'm',
            Ink::Opaque => 'o',
        };
        (0..text.len()).map(letter).collect()
    }

    #[test]
    fn every_byte_is_told_apart() {
        for (text, expected) in [
            ("a [b](c) `d`", "ttmlmmmmtooo"),
            ("\\[1\\] x", ".tt.ttt"),
            ("&#91;1]", ".....tt"),
            ("<b>x</b>", "oootoooo"),
            ("<https://x/[1]> a", "ooooooooooooooott"),
            ("**a** $b[1]$", "..t..toooooo"),
            ("[1]: /u", "......."),
            ("a\n\n    [1]", "t......ooo"),
            ("```\n[1]\n```", "ooooooooooo"),
            ("- a\n- b", "..t...t"),
        ] {
            assert_eq!(inks(text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_open_fence_is_seen_and_a_closed_one_is_not() {
        let closing = |text: &str| Structure::of(text).open_fence.map(|fence| fence.closing);
        assert_eq!(closing("a\n\n```rs\nx [1]\n").as_deref(), Some("```"));
        assert_eq!(closing("~~~~\nx\n~~~").as_deref(), Some("~~~~"));
        assert_eq!(closing("```").as_deref(), Some("```"));
        assert_eq!(closing("```\nx\n````\n\n"), None);
        assert_eq!(closing("```\nx\n```\ny"), None);
        assert_eq!(closing("```\n\n    ```").as_deref(), Some("```"));
        assert_eq!(closing("```\n\t```").as_deref(), Some("```"));
        assert_eq!(closing("```\na\n   ```"), None);
        // A fence in a quote or a list ends with it.
        assert_eq!(closing("> ```\n> x"), None);
        assert_eq!(closing("- ```\n  x"), None);
    }

    #[test]
    fn the_inside_of_a_link_is_found_whatever_is_in_it() {
        let inner = |text: &str| {
            let structure = Structure::of(text);
            structure.links.iter().map(|link| text[link.inner.clone()].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(inner("[**a** `b`](c)"), ["**a** `b`"]);
        assert_eq!(inner("[](c) ![](d)"), ["", ""]);
        assert_eq!(inner("[![x](y)](z)"), ["![x](y)", "x"]);
        assert_eq!(inner("[[1]](u)"), ["[1]"]);
    }
}
