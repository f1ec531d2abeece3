//! Turns the events of pulldown-cmark into tokens, leaves and containers.
//!
//! The output depends on the offsets of the parser: text of a leaf that no token covers is lost. [`Inline::fill`] therefore
//! looks at every gap between two tokens, and makes a text token of its content, except blanks and container prefixes.
//! Peculiarities of the parser (0.13.6):
//!
//! - It reports an escape only by the offset of the escaped character; the backslash stands in the gap before it.
//! - A collapsed link, `[a][]`, ends before its `[]`.
//! - The closing signs of emphasis at the end of a heading include the blanks behind them.
//! - A list may begin with the line end, or the `>`, before its first item.
//! - Text in a tight item has no paragraph around it.
//! - A cell's text may end with the backslash of an escaped border.

use std::cell::RefCell;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::definitions::{Definitions, is_behind_blank_line, same_label};
use super::open::Open;
use super::token::{Container, Definition, Form, Inline, Leaf, LeafKind, Link, Token, TokenKind};
use super::{Reader, Slice};

/// The tokens of most leaves.
const TOKENS: usize = 16;

/// Turns the events of one parse into calls of a [`Reader`].
pub(super) struct Events<'e, 's, R> {
    slice: &'e Slice<'e>,
    /// The definitions in the parsed slice, in text order: all of them, and those that were not passed on yet.
    all_definitions: &'e [Definition],
    definitions: &'e [Definition],
    /// The end of the last definition that was passed on; 0 before the first.
    defined: usize,
    /// The definitions before the slice, and those of the slice that were passed on.
    known: &'e RefCell<Definitions>,
    is_marker: &'e dyn Fn(&str) -> bool,
    reader: &'e mut R,
    inline: Inline<'s>,
    /// The open links, by their index in the links of the leaf.
    open_links: Vec<usize>,
    leaf: Option<(LeafKind, usize)>,
    /// The content of code or HTML.
    content: String,
    depth: usize,
    /// Whether the reader has a list open whose earlier items stand before the slice.
    goes_on: bool,
    columns: usize,
    row_is_head: bool,
}

impl<'e, 's, R: Reader> Events<'e, 's, R> {
    pub(super) fn new(
        slice: &'e Slice<'e>,
        all_definitions: &'e [Definition],
        known: &'e RefCell<Definitions>,
        is_marker: &'e dyn Fn(&str) -> bool,
        reader: &'e mut R,
    ) -> Self {
        Self {
            slice,
            all_definitions,
            definitions: all_definitions,
            defined: 0,
            known,
            is_marker,
            reader,
            inline: Inline { tokens: Vec::with_capacity(TOKENS), ..Inline::default() },
            open_links: Vec::new(),
            leaf: None,
            content: String::new(),
            depth: 0,
            goes_on: slice.is_in_list,
            columns: 0,
            row_is_head: false,
        }
    }

    /// Handles all events; `base` is the offset of the parsed slice in the text.
    pub(super) fn run(mut self, events: impl Iterator<Item = (Event<'s>, Range<usize>)>, base: usize) {
        for (event, range) in events {
            self.event(event, base + range.start..base + range.end);
        }
        self.end_implied();
        self.define_before(usize::MAX);
    }

    fn event(&mut self, event: Event<'s>, range: Range<usize>) {
        let in_verbatim = matches!(self.leaf, Some((LeafKind::Fence | LeafKind::Indented | LeafKind::Html, _)));
        match event {
            Event::Text(text) | Event::Html(text) if in_verbatim => self.add_content(&text, range),
            Event::Text(text) => {
                let slice = &self.slice.text[range.clone()];
                let is_entity = slice.starts_with('&') && slice.ends_with(';') && *text != *slice;
                let kind = if is_entity { TokenKind::Entity } else { TokenKind::Text };
                self.push(kind, range);
            }
            Event::Code(content) => {
                let start = range.start;
                let is_as_written = !self.slice.text[range.clone()].contains(['\n', '\r', '\0']);
                self.push(TokenKind::Code, range);
                if !is_as_written {
                    self.inline.code.push((start, content));
                }
            }
            Event::InlineHtml(_) => self.push(TokenKind::Html, range),
            Event::SoftBreak => self.push(TokenKind::SoftBreak, range),
            Event::HardBreak => self.push(TokenKind::HardBreak, range),
            Event::Start(Tag::Emphasis) => self.open_emphasis(range, 1),
            Event::Start(Tag::Strong) => self.open_emphasis(range, 2),
            Event::End(TagEnd::Emphasis) => self.close_emphasis(range, 1),
            Event::End(TagEnd::Strong) => self.close_emphasis(range, 2),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                use pulldown_cmark::LinkType::{Autolink, Email};
                if matches!(link_type, Autolink | Email) {
                    self.push(TokenKind::Autolink, range);
                } else {
                    self.open_link(range, Link { form: Form::of(link_type), ..link(false, dest_url, title, id) });
                }
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                self.open_link(range, Link { form: Form::of(link_type), ..link(true, dest_url, title, id) });
            }
            Event::End(TagEnd::Link | TagEnd::Image) => self.close_link(range),
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Rule => {
                self.begin_block(range.start);
                let range = self.content_of(range);
                self.reader.verbatim(&Leaf { kind: LeafKind::Rule, range, held: None }, "");
            }
            // A footnote reference is a bracket like any other. The other events do not come with these options.
            Event::FootnoteReference(_)
            | Event::Html(_)
            | Event::TaskListMarker(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_) => self.push(TokenKind::Text, range),
        }
    }

    /// Adds content of code or HTML, as it stands in the source: the parsed copy may have other characters.
    fn add_content(&mut self, parsed: &str, range: Range<usize>) {
        let source = &self.slice.text[range];
        if parsed.len() != source.len() {
            self.content.push_str(parsed);
        } else if source.contains('\r') {
            self.content.push_str(&source.replace("\r\n", "\n").replace('\r', "\n"));
        } else {
            self.content.push_str(source);
        }
    }

    // ---- blocks

    /// Runs before a block is handled: ends an implied paragraph, passes on the definitions before the block, and announces
    /// a top-level block.
    fn begin_block(&mut self, at: usize) {
        self.end_implied();
        self.define_before(at);
        if self.depth == 0 && !self.goes_on {
            let definitions = self.known.borrow().len();
            let text = self.slice.text;
            let line = memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..at]).map_or(0, |end| end + 1);
            // The line right behind a definition belongs to its paragraph: read alone, an indented one would be code.
            let line = line.max(self.slice.range.start);
            // The label of a footnote, which ends before its block, stands in the line. What was written of it would stay.
            let begins_line = text[line..at].trim().is_empty();
            let is_behind_definition = text.get(self.defined..line).is_some_and(|gap| gap.trim().is_empty());
            if begins_line && (!is_behind_definition || self.defined == 0 || is_behind_blank_line(text, line)) {
                self.reader.begin(line, definitions, false);
            }
        }
    }

    /// Announces an item at the beginning of a line in a top-level list. A stream reads on from there, so that a long list
    /// is not read again with each piece. With definitions, the list is read as a whole: they apply to all of it.
    fn begin_item(&mut self, at: usize) {
        let text = self.slice.text;
        let blanks = text[at..].bytes().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        let (at, defines) = (at + blanks, !self.all_definitions.is_empty() || self.known.borrow().len() > 0);
        if at > self.slice.range.start
            && !defines
            && text[..at].ends_with(['\n', '\r'])
            && !text[at..].starts_with([' ', '\t', '>'])
        {
            self.reader.begin(at, 0, true);
        }
    }

    /// Passes on the definitions before `at`.
    fn define_before(&mut self, at: usize) {
        let ready = self.definitions.iter().take_while(|definition| definition.range.start < at).count();
        let (ready, rest) = self.definitions.split_at(ready);
        self.definitions = rest;
        for definition in ready {
            if !(self.is_marker)(&definition.label) {
                self.known.borrow_mut().add(definition);
            }
            self.reader.definition(definition);
            self.defined = definition.range.end;
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are containers, or not asked of the parser")]
    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        self.begin_block(range.start);
        if self.depth == 1 && matches!(tag, Tag::Item) {
            self.begin_item(range.start);
        }
        self.depth += 1;
        let leaf = match tag {
            Tag::Paragraph => Some(LeafKind::Paragraph),
            Tag::Heading { .. } => Some(LeafKind::of_heading(&self.slice.text[range.clone()])),
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => Some(LeafKind::Fence),
            Tag::CodeBlock(CodeBlockKind::Indented) => Some(LeafKind::Indented),
            Tag::HtmlBlock => Some(LeafKind::Html),
            Tag::TableCell => Some(LeafKind::Cell),
            _ => None,
        };
        if let Some(kind) = leaf {
            self.leaf = Some((kind, range.start));
            self.inline.clear();
            self.content.clear();
            return;
        }
        if let Tag::Table(alignments) = tag {
            self.columns = alignments.len();
        }
        self.row_is_head = matches!(tag, Tag::TableHead);
        let goes_on = std::mem::take(&mut self.goes_on);
        if let Some(container) =
            self.container(tag.to_end()).filter(|container| !goes_on || *container != Container::List)
        {
            self.reader.open(container, range);
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        if let Some((kind, start)) = self.leaf
            && ends_leaf(tag)
        {
            self.leaf = None;
            self.depth -= 1;
            self.end_leaf(kind, start..range.end);
            return;
        }
        self.end_implied();
        self.define_before(range.end);
        self.depth -= 1;
        self.row_is_head = tag == TagEnd::TableHead;
        if let Some(container) = self.container(tag) {
            self.reader.close(container, range);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are leaves, or not asked of the parser")]
    fn container(&self, tag: TagEnd) -> Option<Container> {
        Some(match tag {
            TagEnd::BlockQuote(_) => Container::Quote,
            TagEnd::List(_) => Container::List,
            TagEnd::Item => Container::Item,
            TagEnd::FootnoteDefinition => Container::Note,
            TagEnd::Table => Container::Table(self.columns),
            TagEnd::TableHead | TagEnd::TableRow => Container::Row { is_head: self.row_is_head },
            _ => return None,
        })
    }

    fn end_leaf(&mut self, kind: LeafKind, range: Range<usize>) {
        if matches!(kind, LeafKind::Fence | LeafKind::Indented | LeafKind::Html) {
            let end = self.slice.text[..range.end].trim_end_matches(['\n', '\r']).len().max(range.start);
            let range = range.start..end;
            let held = self.held(kind, &range);
            self.reader.verbatim(&Leaf { kind, range, held }, &self.content);
            return;
        }
        let content = self.content_of(range);
        match kind {
            LeafKind::Paragraph | LeafKind::Cell => self.hand_on(kind, content),
            LeafKind::Heading(_) => {
                // The closing hashes are no text.
                let source = &self.slice.text[content.clone()];
                let end = content.start + source.trim_end_matches('#').len();
                if let Some(text) = self.inline.range() {
                    self.inline.fill(self.slice.text, end.max(text.end));
                }
                let held = self.held(kind, &content);
                self.reader.text(&Leaf { kind, range: content, held }, &self.inline);
            }
            LeafKind::Underlined | LeafKind::Rule | LeafKind::Fence | LeafKind::Indented | LeafKind::Html => {
                self.reader.text(&Leaf { kind, range: content, held: None }, &self.inline);
            }
        }
    }

    fn hand_on(&mut self, kind: LeafKind, range: Range<usize>) {
        // The backslash before an empty cell belongs to the cell before it.
        if !range.is_empty() {
            self.inline.fill(self.slice.text, range.end);
        }
        let held = self.held(kind, &range);
        self.reader.text(&Leaf { kind, range, held }, &self.inline);
    }

    /// The offset from which a leaf may still change; `None` when it is complete.
    fn held(&self, kind: LeafKind, range: &Range<usize>) -> Option<usize> {
        if self.slice.finished {
            return None;
        }
        let to = self.slice.range.end;
        let behind = &self.slice.text[range.end.min(to)..to];
        if !behind.trim_matches([' ', '\t', '\r', '\n', '>']).is_empty() {
            return None;
        }
        let line_ends = behind.matches('\n').count().max(behind.matches('\r').count());
        let open = Open { text: self.slice.text, inline: &self.inline, leaf: range.clone(), to };
        match kind {
            LeafKind::Paragraph if line_ends < 2 => Some(open.held(kind)),
            LeafKind::Heading(_) if line_ends == 0 => Some(open.held(kind)),
            LeafKind::Fence | LeafKind::Indented | LeafKind::Html => Some(to),
            LeafKind::Paragraph | LeafKind::Heading(_) | LeafKind::Underlined | LeafKind::Cell | LeafKind::Rule => None,
        }
    }

    /// Ends the paragraph of a tight item, for which there is no end event.
    fn end_implied(&mut self) {
        if let (Some((LeafKind::Paragraph, start)), Some(text)) = (self.leaf, self.inline.range()) {
            self.leaf = None;
            self.hand_on(LeafKind::Paragraph, start.min(text.start)..text.end);
        }
    }

    fn content_of(&self, range: Range<usize>) -> Range<usize> {
        let content = self.slice.text[range.clone()].trim_end_matches(['\n', '\r', ' ', '\t']).len();
        range.start..range.start + content
    }

    // ---- text

    fn push(&mut self, kind: TokenKind, range: Range<usize>) {
        let is_in_autolink = |last: &Token| last.kind == TokenKind::Autolink && last.range.end >= range.end;
        if self.leaf.is_some() && self.inline.tokens.last().is_some_and(is_in_autolink) {
            return;
        }
        self.begin_implied(range.start);
        self.inline.push(self.slice.text, kind, range);
    }

    /// Begins the paragraph of a tight item, for which there is no start event.
    fn begin_implied(&mut self, at: usize) {
        if self.leaf.is_none() {
            self.define_before(at);
            self.leaf = Some((LeafKind::Paragraph, at));
            self.inline.clear();
        }
    }

    fn open_emphasis(&mut self, range: Range<usize>, signs: usize) {
        self.push(TokenKind::Text, range.start..range.start + signs);
        let end = self.slice.text[..range.end].trim_end().len();
        self.inline.emphasis.push(range.start..end - signs);
    }

    fn close_emphasis(&mut self, range: Range<usize>, signs: usize) {
        let end = self.slice.text[..range.end].trim_end().len();
        self.push(TokenKind::Text, end - signs..end);
    }

    fn open_link(&mut self, range: Range<usize>, mut link: Link<'s>) {
        self.begin_implied(range.start);
        let bracket = range.start + usize::from(link.is_image);
        self.push(TokenKind::Open(self.inline.links.len()), range.start..bracket + 1);
        link.open = self.inline.tokens.len() - 1;
        self.open_links.push(self.inline.links.len());
        self.inline.links.push(link);
    }

    fn close_link(&mut self, range: Range<usize>) {
        let text = self.slice.text;
        let inner = self.inline.tokens.last().map_or(range.start, |token| token.range.end);
        // An autolink is one token, and opens no link.
        let Some(number) = self.open_links.pop_if(|number| {
            let link = &self.inline.links[*number];
            self.inline.tokens[link.open].range.start == range.start
        }) else {
            return;
        };
        let is_collapsed = self.inline.links[number].form == Form::Short
            && !text[inner..range.end].ends_with("[]")
            && text[range.end..self.slice.range.end].starts_with("[]");
        let end = range.end + if is_collapsed { 2 } else { 0 };
        let bracket = text[inner..end].find(']').map_or(inner, |found| inner + found);
        if self.is_text(number, end) {
            // The tokens in between stay as they are.
            let open = self.inline.links[number].open;
            self.inline.tokens[open].kind = TokenKind::Text;
            self.inline.push(text, TokenKind::Text, bracket..end);
            self.inline.join_text(open);
            return;
        }
        self.inline.links[number].close = self.inline.tokens.len();
        self.inline.push(text, TokenKind::Close(number), bracket..end);
    }

    /// Whether a link must become text: other engines read none here, or its definition stands behind it in the same block.
    fn is_text(&self, number: usize, end: usize) -> bool {
        let link = &self.inline.links[number];
        // A bracket with a label behind it is no link by itself, but this parser does not count the label of a footnote.
        let text = &self.slice.text[..self.slice.range.end];
        let is_labelled = text[end..].starts_with("[^") && !text[..end].ends_with("[]");
        if link.form == Form::Short && is_labelled {
            return true;
        }
        if link.form == Form::Inline || self.all_definitions.is_empty() {
            return false;
        }
        let (label, at) = (same_label(&link.label), self.inline.tokens[link.open].range.start);
        self.all_definitions
            .iter()
            .any(|definition| definition.range.start > at && same_label(&definition.label) == label)
    }
}

fn link<'s>(
    is_image: bool,
    url: pulldown_cmark::CowStr<'s>,
    title: pulldown_cmark::CowStr<'s>,
    label: pulldown_cmark::CowStr<'s>,
) -> Link<'s> {
    Link { is_image, form: Form::Inline, url, title, label, open: 0, close: 0 }
}

fn ends_leaf(tag: TagEnd) -> bool {
    matches!(tag, TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::TableCell)
}
