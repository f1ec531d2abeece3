//! Writes the blocks of a text.

#![expect(clippy::wildcard_enum_match_arm, reason = "pulldown-cmark knows more than such a text holds")]

use std::collections::BTreeSet;

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};
use serde_json::{Value, json};

use super::super::drawn::{Piece, padded, pieces};
use super::inline::{Line, Style, text};
use super::rich_text::{rich_text, section};
use crate::graph::{Claim, Message};
use crate::report::{Entry, Kind};

/// The limits of a table (<https://docs.slack.dev/reference/block-kit/blocks/table-block>). A message has one table.
const MAX_COLUMNS: usize = 20;
const MAX_ROWS: usize = 100;

/// The deepest list that Slack indents.
const MAX_INDENT: usize = 8;

/// A list that is open.
struct List {
    /// The number of its next item; `None` for bullets.
    next: Option<u64>,
    /// The number of the first item that is not written yet.
    first: Option<u64>,
    items: Vec<Value>,
    /// The lines of the open item, as far as they are not written.
    item: Vec<Value>,
}

/// A table that is open.
struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Line>>,
}

pub(super) struct Writer<'m> {
    message: &'m Message,
    blocks: Vec<Value>,
    /// The elements of the rich text that is open.
    elements: Vec<Value>,
    /// The paragraphs that are open, in a text or in a quote.
    paragraphs: Vec<Value>,
    line: Line,
    style: Style,
    /// The address of the open link, and its text.
    link: Option<(String, String)>,
    lists: Vec<List>,
    quotes: usize,
    table: Option<Table>,
    code: Option<String>,
    has_table: bool,
    /// The numbers whose passages stand in the text already.
    cited: BTreeSet<String>,
    entries: Vec<Entry>,
}

impl<'m> Writer<'m> {
    pub(super) fn new(message: &'m Message) -> Self {
        Self {
            message,
            blocks: Vec::new(),
            elements: Vec::new(),
            paragraphs: Vec::new(),
            line: Line::default(),
            style: Style::default(),
            link: None,
            lists: Vec::new(),
            quotes: 0,
            table: None,
            code: None,
            has_table: false,
            cited: BTreeSet::new(),
            entries: Vec::new(),
        }
    }

    /// The blocks of a text, and what was written otherwise.
    pub(super) fn write(mut self, markdown: &str) -> (Vec<Value>, Vec<Entry>) {
        for piece in pieces(markdown) {
            match piece {
                Piece::Event(event) => self.event(event),
                Piece::Badge { number, url } => self.badge(&number, url.as_deref()),
            }
        }
        self.end_line();
        self.end_rich_text();
        (self.blocks, self.entries)
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Code(code) => self.text(&code, true),
            Event::SoftBreak => self.text(" ", false),
            Event::HardBreak => self.text(if self.table.is_some() { " " } else { "\n" }, false),
            Event::Rule => {
                self.end_rich_text();
                self.blocks.push(json!({"type": "divider"}));
            }
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(&text, false),
            Event::TaskListMarker(_) => {}
        }
    }

    fn text(&mut self, said: &str, is_code: bool) {
        if let Some(code) = &mut self.code {
            code.push_str(said);
        } else if let Some((_, label)) = &mut self.link {
            label.push_str(said);
        } else {
            self.line.text(said, self.style, is_code);
        }
    }

    fn badge(&mut self, number: &str, url: Option<&str>) {
        let shown = format!("[{number}]");
        let is_named = |claim: &&Claim| claim.position.position().to_string() == number;
        let claim = self.message.citation.iter().find(is_named);
        match (claim, url) {
            (Some(claim), Some(url)) if self.link.is_none() && self.code.is_none() => {
                let is_first = self.cited.insert(number.to_owned());
                self.line.citation(number, url, claim, is_first);
            }
            _ => self.text(&shown, false),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis => self.style.italic += 1,
            Tag::Strong => self.style.bold += 1,
            Tag::Strikethrough => self.style.strike += 1,
            Tag::Link { dest_url, .. } => self.link = Some((dest_url.into_string(), String::new())),
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => {}
            block => {
                self.end_line();
                self.start_block(block);
            }
        }
    }

    fn start_block(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.style.bold += 1,
            Tag::CodeBlock(_) => {
                self.end_element();
                self.code = Some(String::new());
            }
            Tag::Table(alignments) => {
                self.end_element();
                self.table = Some(Table { alignments, rows: Vec::new() });
            }
            Tag::BlockQuote(_) => {
                if self.quotes == 0 {
                    self.end_element();
                }
                self.quotes += 1;
            }
            Tag::List(first) => {
                self.end_element();
                self.lists.push(List { next: first, first, items: Vec::new(), item: Vec::new() });
            }
            Tag::Item if self.quotes > 0 => {
                let number = self.lists.last_mut().and_then(|list| list.next.as_mut()).map(|next| {
                    *next = next.saturating_add(1);
                    *next - 1
                });
                let sign = number.map_or_else(|| "• ".to_owned(), |number| format!("{number}. "));
                self.line.text(&sign, Style::default(), false);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.style.italic -= 1,
            TagEnd::Strong => self.style.bold -= 1,
            TagEnd::Strikethrough => self.style.strike -= 1,
            TagEnd::Link => {
                if let Some((url, label)) = self.link.take() {
                    self.line.link(&url, if label.is_empty() { &url } else { &label });
                }
            }
            TagEnd::TableCell => {
                let line = std::mem::take(&mut self.line);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(line);
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                self.preformatted(code.trim_end_matches('\n'));
            }
            TagEnd::Heading(_) => {
                self.style.bold -= 1;
                self.end_line();
            }
            TagEnd::BlockQuote(_) => {
                self.end_line();
                if self.quotes == 1 {
                    self.end_element();
                }
                self.quotes -= 1;
            }
            TagEnd::Item => {
                self.end_line();
                self.end_item();
            }
            TagEnd::List(_) => {
                self.end_line();
                self.end_items();
                self.lists.pop();
            }
            _ => self.end_line(),
        }
    }

    /// Puts the line behind the lines before it: of an item, of a quote, or of the text.
    fn end_line(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let line = std::mem::take(&mut self.line).elements;
        let (lines, end) = match self.lists.last_mut() {
            Some(list) if self.quotes == 0 => (&mut list.item, "\n"),
            _ if self.quotes > 0 => (&mut self.paragraphs, "\n"),
            _ => (&mut self.paragraphs, "\n\n"),
        };
        if !lines.is_empty() {
            lines.push(text(end));
        }
        lines.extend(line);
    }

    fn end_item(&mut self) {
        let Some(list) = self.lists.last_mut().filter(|_| self.quotes == 0) else { return };
        if list.item.is_empty() {
            return;
        }
        if let Some(next) = &mut list.next {
            *next = next.saturating_add(1);
        }
        list.items.push(section(&std::mem::take(&mut list.item)));
    }

    /// Writes the items of the innermost list so far.
    fn end_items(&mut self) {
        self.end_item();
        let indent = self.lists.len().saturating_sub(1).min(MAX_INDENT);
        let Some(list) = self.lists.last_mut().filter(|list| !list.items.is_empty()) else { return };
        let style = if list.next.is_some() { "ordered" } else { "bullet" };
        let items = std::mem::take(&mut list.items);
        let mut element = json!({"type": "rich_text_list", "style": style, "indent": indent, "elements": items});
        if let Some(first) = list.first.filter(|first| *first > 1) {
            element["offset"] = json!(first - 1);
        }
        list.first = list.next;
        self.elements.push(element);
    }

    /// Writes what is open, because another element follows it.
    fn end_element(&mut self) {
        self.end_line();
        self.end_items();
        let lines = std::mem::take(&mut self.paragraphs);
        if lines.is_empty() {
            return;
        }
        let kind = if self.quotes > 0 { "rich_text_quote" } else { "rich_text_section" };
        self.elements.push(json!({"type": kind, "elements": lines}));
    }

    fn end_rich_text(&mut self) {
        self.end_element();
        let elements = std::mem::take(&mut self.elements);
        if !elements.is_empty() {
            self.blocks.push(rich_text(&elements));
        }
    }

    fn preformatted(&mut self, code: &str) {
        if !code.is_empty() {
            self.end_element();
            self.elements.push(json!({"type": "rich_text_preformatted", "elements": [text(code)]}));
        }
    }

    /// Writes a table as one if Slack takes it, else as a block of code.
    fn end_table(&mut self) {
        let Some(Table { alignments, rows }) = self.table.take() else { return };
        let columns = alignments.len();
        if self.has_table || columns > MAX_COLUMNS || rows.len() > MAX_ROWS {
            let message = format!(
                "a table of {} rows and {columns} columns is written as code: Slack takes one table a message, of at most {MAX_ROWS} \
                 rows and {MAX_COLUMNS} columns",
                rows.len()
            );
            self.entries.push(Entry::in_input(Kind::Note, "table-as-code", "/text", message));
            let words = |row: Vec<Line>| row.into_iter().map(|cell| cell.words).collect();
            let rows: Vec<Vec<String>> = rows.into_iter().map(words).collect();
            return self.preformatted(&padded(&rows));
        }
        self.has_table = true;
        self.end_rich_text();
        let rows: Vec<Vec<Value>> = rows.into_iter().map(|row| row.iter().map(cell).collect()).collect();
        let settings: Vec<Value> = alignments.into_iter().map(setting).collect();
        self.blocks.push(json!({"type": "table", "rows": rows, "column_settings": settings}));
    }
}

/// A cell: bare text, or rich text where it has more.
fn cell(line: &Line) -> Value {
    match &line.elements[..] {
        // Slack takes no empty text.
        [] => json!({"type": "raw_text", "text": " "}),
        [only] if only["type"] == "text" && only["style"].is_null() => {
            json!({"type": "raw_text", "text": only["text"]})
        }
        _ => rich_text(&[section(&line.elements)]),
    }
}

fn setting(alignment: Alignment) -> Value {
    let align = match alignment {
        Alignment::None | Alignment::Left => "left",
        Alignment::Center => "center",
        Alignment::Right => "right",
    };
    json!({"align": align, "is_wrapped": true})
}
