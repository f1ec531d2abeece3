//! Writes a text with the marks of a chat.

#![expect(clippy::wildcard_enum_match_arm, reason = "pulldown-cmark knows more than such a text holds")]

use pulldown_cmark::{Event, Tag, TagEnd};

use super::super::reference_list::{Lead, references};
use super::markdown::{Piece, address, pieces};
use super::marks::{Marks, Pair, Quote, Tables};
use super::table;
use crate::graph::Message;

/// Lists deeper than this are not indented any more: a line of `- - - -` must not become as many long lines.
const MAX_DEPTH: usize = 8;

/// A text in Markdown with the marks of a channel, and a list of its references behind it.
pub(crate) fn draw(text: &str, message: &Message, marks: &Marks) -> String {
    let mut blocks = blocks(text, marks);
    let lines = references(message).map(|reference| {
        let url = if let Lead::Url(url) = reference.lead { address(url) } else { None };
        marks.reference(&reference, url.as_deref())
    });
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        blocks.push(lines.join("\n"));
    }
    blocks.join("\n\n")
}

/// The blocks of a text in Markdown with the marks of a channel.
pub(crate) fn blocks(text: &str, marks: &Marks) -> Vec<String> {
    let mut writer = Writer::new(marks);
    for piece in pieces(text) {
        writer.take(piece);
    }
    writer.finish()
}

/// A container that is open, with the blocks in it that are written.
struct Frame {
    kind: Kind,
    blocks: Vec<String>,
}

enum Kind {
    Text,
    Quote,
    /// The number of the next item, in a list that has some.
    List(Option<u64>),
    Item,
}

/// Marks that may stand in each other; a mark in itself is not written again.
#[derive(Clone, Copy)]
enum Style {
    Strong,
    Emphasis,
    Strikethrough,
}

struct Writer<'m> {
    marks: &'m Marks,
    frames: Vec<Frame>,
    /// The written part of the block that is open.
    line: String,
    /// How often each style is open.
    styles: [usize; 3],
    /// Where the text of the link begins that is open, and where it leads.
    link: Option<(usize, String)>,
    /// The rows of the table that is open.
    rows: Option<Vec<Vec<String>>>,
    in_code: bool,
}

impl<'m> Writer<'m> {
    fn new(marks: &'m Marks) -> Self {
        let frames = vec![Frame { kind: Kind::Text, blocks: Vec::new() }];
        Self { marks, frames, line: String::new(), styles: [0; 3], link: None, rows: None, in_code: false }
    }

    fn finish(mut self) -> Vec<String> {
        self.end_block();
        self.frames.into_iter().flat_map(|frame| frame.blocks).collect()
    }

    fn take(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Event(Event::Start(tag)) => self.start(tag),
            Piece::Event(Event::End(tag)) => self.end(tag),
            Piece::Event(Event::Code(code)) if self.is_bare() || self.link.is_some() => self.text(&code),
            Piece::Event(Event::Code(code)) => self.line.push_str(&self.marks.around(self.marks.code, &code)),
            Piece::Event(Event::SoftBreak) => self.line.push(' '),
            Piece::Event(Event::HardBreak) => {
                self.line.push_str(if self.link.is_some() || self.rows.is_some() { " " } else { self.marks.line_end });
            }
            Piece::Event(Event::Rule) => self.push_block("———".to_owned()),
            Piece::Event(Event::Text(text) | Event::Html(text) | Event::InlineHtml(text)) => self.text(&text),
            Piece::Badge { number, .. } if self.is_bare() => self.text(&format!("[{number}]")),
            Piece::Badge { number, url } => {
                let url = url.filter(|_| self.link.is_none());
                self.line.push_str(&(self.marks.badge)(url.as_deref(), &number));
            }
            // Not asked for: math, footnotes, boxes of tasks.
            Piece::Event(Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text)) => {
                self.text(&text);
            }
            Piece::Event(Event::TaskListMarker(_)) => {}
        }
    }

    /// Whether marks would be read as text: in a block of code, and in a table, which may be one.
    fn is_bare(&self) -> bool {
        self.in_code || self.rows.is_some()
    }

    fn text(&mut self, text: &str) {
        if self.is_bare() {
            self.line.push_str(text);
        } else {
            self.line.push_str(&(self.marks.escape)(text));
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis => self.open(Style::Emphasis),
            Tag::Strong => self.open(Style::Strong),
            Tag::Strikethrough => self.open(Style::Strikethrough),
            Tag::Link { dest_url, .. } => self.link = Some((self.line.len(), dest_url.into_string())),
            Tag::TableHead | Tag::TableRow => self.rows.get_or_insert_default().push(Vec::new()),
            Tag::TableCell => {}
            block => {
                self.end_block();
                self.start_block(&block);
            }
        }
    }

    fn start_block(&mut self, tag: &Tag<'_>) {
        let kind = match tag {
            Tag::Heading { .. } => return self.open(Style::Strong),
            Tag::CodeBlock(_) => {
                self.in_code = true;
                return;
            }
            Tag::Table(_) => {
                self.rows = Some(Vec::new());
                return;
            }
            Tag::BlockQuote(_) => Kind::Quote,
            Tag::List(first) => Kind::List(*first),
            Tag::Item => Kind::Item,
            _ => return,
        };
        self.frames.push(Frame { kind, blocks: Vec::new() });
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.close(Style::Emphasis),
            TagEnd::Strong => self.close(Style::Strong),
            TagEnd::Strikethrough => self.close(Style::Strikethrough),
            TagEnd::Link => self.end_link(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(row) = self.rows.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(cell.split_whitespace().collect::<Vec<_>>().join(" "));
                }
            }
            TagEnd::Table => {
                let rows = self.rows.take().unwrap_or_default();
                let block = match self.marks.tables {
                    Tables::Padded => self.marks.around(self.marks.block, &table::padded(&rows)),
                    Tables::Lines => (self.marks.escape)(&table::lines(&rows)).into_owned(),
                };
                self.push_block(block);
            }
            TagEnd::CodeBlock => {
                self.in_code = false;
                let code = std::mem::take(&mut self.line);
                self.push_block(self.marks.around(self.marks.block, code.trim_end_matches('\n')));
            }
            TagEnd::Heading(_) => {
                self.close(Style::Strong);
                self.end_block();
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.end_block();
                self.end_frame();
            }
            _ => self.end_block(),
        }
    }

    fn end_link(&mut self) {
        let Some((at, url)) = self.link.take() else { return };
        let label = self.line.split_off(at);
        if !self.is_bare() {
            self.line.push_str(&(self.marks.link)(&url, &label));
        } else {
            self.line.push_str(&(super::PLAIN.link)(&url, &label));
        }
    }

    fn open(&mut self, style: Style) {
        self.styles[style as usize] += 1;
        if self.styles[style as usize] == 1 {
            self.mark(style, |pair| pair.0);
        }
    }

    fn close(&mut self, style: Style) {
        self.styles[style as usize] -= 1;
        if self.styles[style as usize] == 0 {
            self.mark(style, |pair| pair.1);
        }
    }

    /// Writes a mark. The text of a link has none: Slack shows it as it stands.
    fn mark(&mut self, style: Style, half: fn(Pair) -> &'static str) {
        let pair = match style {
            Style::Strong => self.marks.strong,
            Style::Emphasis => self.marks.emphasis,
            Style::Strikethrough => self.marks.strikethrough,
        };
        if self.link.is_none() && !self.is_bare() {
            self.line.push_str(half(pair));
        }
    }

    fn end_block(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.push_block(line.trim_matches([' ', '\n']).to_owned());
    }

    fn push_block(&mut self, block: String) {
        if let Some(frame) = self.frames.last_mut().filter(|_| !block.is_empty()) {
            frame.blocks.push(block);
        }
    }

    fn end_frame(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let block = match frame.kind {
            Kind::Text => joined(frame.blocks, "\n\n"),
            Kind::Quote => self.quoted(joined(frame.blocks, "\n\n")),
            Kind::List(_) => joined(frame.blocks, "\n"),
            Kind::Item => self.item(joined(frame.blocks, "\n")),
        };
        self.push_block(block);
    }

    fn quoted(&self, text: String) -> String {
        let is_inner = self.frames.iter().any(|frame| matches!(frame.kind, Kind::Quote));
        match self.marks.quote {
            _ if is_inner || text.is_empty() => text,
            Quote::Around((before, behind)) => [before, &text, behind].concat(),
            Quote::Lines(before) => indented(&text, before, before),
        }
    }

    fn item(&mut self, text: String) -> String {
        let depth = self.frames.iter().filter(|frame| matches!(frame.kind, Kind::List(_))).count();
        let Some(Frame { kind: Kind::List(next), .. }) = self.frames.last_mut() else { return text };
        let marker = match next {
            Some(number) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            None => "• ".to_owned(),
        };
        if depth > MAX_DEPTH { text } else { indented(&text, &marker, &" ".repeat(marker.chars().count())) }
    }
}

fn joined(mut blocks: Vec<String>, between: &str) -> String {
    if blocks.len() == 1 { blocks.pop().unwrap_or_default() } else { blocks.join(between) }
}

/// The lines with something before the first and before each other.
fn indented(text: &str, first: &str, others: &str) -> String {
    let lines = text.split('\n').enumerate().map(|(at, line)| {
        let before = if at == 0 { first } else { others };
        // Blanks at the end of a line with words may be the mark of its end.
        if line.trim().is_empty() { before.trim_end().to_owned() } else { [before, line].concat() }
    });
    lines.collect::<Vec<_>>().join("\n")
}
