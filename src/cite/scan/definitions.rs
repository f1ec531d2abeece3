//! Reference definitions that the model wrote (policy P-06).
//!
//! Only sources define links, so they go, and links that use them later are written inline. A link that came before its
//! definition stands as it was written; for its sake the definition stays, where a channel knows definitions at all.

use super::construct::{Parsed, Target, destination, label, title};
use super::cursor::{Cursor, Peek};
use super::drawn::drawn;
use super::inline::holds_change;
use super::line::{Kind, Leaf, next_line};
use super::node::NodeKind;
use super::scanner::{Input, Phase, Scanner};
use crate::answer::MarkerGrammar;
use crate::cite::marker::{self, Marker};
use crate::report::{Entry, Kind as EntryKind};
use crate::url::without_user;

/// A label in the form in which labels are compared.
pub(super) fn normalised(label: &str) -> String {
    label
        .split_whitespace()
        .filter(|word| !word.bytes().all(|byte| byte == b'>'))
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

fn is_number_label(label: &str) -> bool {
    let marker = marker::in_square_brackets(label, &MarkerGrammar::ALL);
    marker.is_some_and(|marker| !matches!(marker, Marker::Name(_)))
}

/// Whether the label is that of a footnote which no source takes the place of.
fn is_own_footnote(label: &str, input: &Input<'_>) -> bool {
    let marker = marker::in_square_brackets(label, &MarkerGrammar::ALL);
    marker
        .filter(|marker| matches!(marker, Marker::Footnote(_)))
        .is_some_and(|marker| !input.grammar.footnotes || input.resolver.resolve(input.sources, "", &marker).is_none())
}

/// Without the brackets around all of it.
pub(super) fn unbracketed(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text)
}

struct Definition {
    label: String,
    target: Target,
}

impl Scanner {
    /// At the beginning of a paragraph: whether a definition or a footnote was read. `None` while more must arrive.
    pub(super) fn begins_definition(&mut self, input: &Input<'_>) -> Option<bool> {
        if !input.text[self.at..].starts_with('[') {
            return Some(false);
        }
        if self.begins_footnote(input, self.at)? {
            let start = self.take_prefix();
            self.cut_footnote(input, start);
            return Some(true);
        }
        let close = match label(self.cursor(input, self.at + 1)) {
            Parsed::Found(close) => close,
            Parsed::Unknown => return None,
            Parsed::Fails(_) | Parsed::TooLong => return Some(false),
        };
        match input.text.as_bytes().get(close + 1) {
            None if !input.finished => return None,
            Some(b':') if !input.text[self.at + 1..close].trim().is_empty() => {}
            _ => return Some(false),
        }
        match self.read_definition(input, close) {
            // A note of one word that is nobody's citation: as a definition nobody would see it.
            Parsed::Found(definition) if is_own_footnote(&definition.label, input) => {
                self.keep_colon_apart(input, close);
                Some(false)
            }
            Parsed::Found(definition) => {
                let holds = self.holds_paragraph(input, definition.target.end)?;
                self.definition(input, close, definition, holds);
                Some(true)
            }
            Parsed::Unknown => None,
            Parsed::TooLong => {
                self.keep_colon_apart(input, close);
                Some(false)
            }
            Parsed::Fails(to) => {
                if holds_change(input, close + 2, to)? {
                    self.keep_colon_apart(input, close);
                }
                self.behind_footnote = input.text[self.at + 1..].starts_with('^');
                Some(false)
            }
        }
    }

    /// What is no definition must not become one when a marker in it goes. The bracket itself is read as any other.
    fn keep_colon_apart(&mut self, input: &Input<'_>, close: usize) {
        if !input.rules.markdown {
            return;
        }
        self.colon = Some(close);
        if input.text[self.at..close].contains(['`', '<', '$', '\\']) {
            // The colon may stand in code, an address or math, in which nothing is put.
            self.push(self.at..self.at, NodeKind::Separate);
        }
    }

    fn read_definition(&self, input: &Input<'_>, close: usize) -> Parsed<Definition> {
        let text = input.text;
        let mut cursor = self.cursor(input, close + 2);
        cursor.skip_blanks();
        let (url, mut cursor) = match destination(cursor, text) {
            Parsed::Found(found) => found,
            Parsed::Fails(at) => return Parsed::Fails(at),
            Parsed::Unknown => return Parsed::Unknown,
            Parsed::TooLong => return Parsed::TooLong,
        };
        let label = normalised(&text[self.at + 1..close]);
        let behind_url = cursor.at();
        cursor.skip_spaces();
        let line_end = cursor.at();
        let without_title = match cursor.peek() {
            Peek::Unknown => return Parsed::Unknown,
            Peek::Limit => return Parsed::TooLong,
            Peek::End | Peek::Byte(b'\n') => true,
            Peek::Byte(_) => false,
        };
        let ends_here = Definition {
            label: label.clone(),
            target: Target { url: url.clone(), title: String::new(), end: line_end },
        };
        if cursor.peek() == Peek::End {
            return Parsed::Found(ends_here);
        }
        if !without_title && line_end == behind_url {
            return Parsed::Fails(line_end);
        }
        cursor.skip_blanks();
        match title(cursor, text) {
            Parsed::Unknown => Parsed::Unknown,
            Parsed::Found((title, mut behind)) => match Self::end_of_definition(&mut behind) {
                Parsed::Found(end) => Parsed::Found(Definition { label, target: Target { url, title, end } }),
                Parsed::Unknown => Parsed::Unknown,
                _ if without_title => Parsed::Found(ends_here),
                Parsed::Fails(at) => Parsed::Fails(at),
                Parsed::TooLong => Parsed::TooLong,
            },
            _ if without_title => Parsed::Found(ends_here),
            Parsed::Fails(at) => Parsed::Fails(at),
            Parsed::TooLong => Parsed::TooLong,
        }
    }

    fn end_of_definition(cursor: &mut Cursor<'_>) -> Parsed<usize> {
        cursor.skip_spaces();
        match cursor.peek() {
            Peek::End | Peek::Byte(b'\n') => Parsed::Found(cursor.at()),
            Peek::Byte(_) => Parsed::Fails(cursor.at()),
            Peek::Unknown => Parsed::Unknown,
            Peek::Limit => Parsed::TooLong,
        }
    }

    /// Decides on a definition that begins at the present place.
    fn definition(&mut self, input: &Input<'_>, close: usize, definition: Definition, holds_paragraph: bool) {
        let Definition { label, target } = definition;
        let (at, end) = (self.at, target.end);
        let is_first = !self.definitions.contains_key(&label);
        let is_marker = is_number_label(&label);
        let looks_like_one = || drawn(&label).is_some_and(|drawn| is_number_label(unbracketed(&drawn)));
        let written = target.written();
        let without_user = without_user(&target.url);
        let stays = is_first && !is_marker && self.used.contains(&label) && !looks_like_one();
        if is_first && !is_marker {
            self.definitions.insert(label.clone(), target);
        }
        let content = self.content_behind(input, end);
        let shown = input.text[at + 1..].split(']').next().unwrap_or_default().trim();
        if let Some(written) = written.filter(|_| stays) {
            let message = format!("the answer's own definition of [{label}] stays, because a link before it needs it");
            self.entries.push(Entry::in_text(EntryKind::Note, "definition", at, message));
            if let Some(without) = &without_user {
                self.report("link-user", at, format!("[{label}] leads to {without:?}: its address named a user"));
            }
            if !input.rules.markdown || input.rules.definitions && !self.blocks.containers.is_empty() {
                match without_user {
                    Some(_) => self.push(at..end, NodeKind::Replace(format!("[{shown}]: {written}"))),
                    None => self.opaque(at..end),
                }
            } else if input.rules.definitions {
                // In a quote it works as well, and is no entry of the list of sources that Web Chat draws.
                let apart = if content.is_some() { "\n" } else { "" };
                self.push(at..end, NodeKind::Replace(format!("> [{shown}]: {written}{apart}")));
            } else {
                // Where definitions mean nothing, readers see where the label leads: as text, in which anything may stand.
                self.keep_colon_apart(input, close);
                self.shown_definition = Some(close);
                self.may_define = false;
                return;
            }
            let from = self.cut_from.take().unwrap_or(at);
            self.cite_behind(from..end);
            self.at = end;
            self.may_define = content.is_some();
            self.next_definition(input, end, content);
            if holds_paragraph && input.rules.definitions && self.blocks.containers.is_empty() {
                self.push(self.at..self.at, NodeKind::Separate);
            }
            return;
        }
        let message = format!("the answer's own definition of [{shown}] was taken out; only sources define links");
        self.report("definition", at, message);
        if self.blocks.containers.is_empty() {
            self.cut_line(input, end, content);
            if holds_paragraph && input.rules.markdown {
                self.push(self.at..self.at, NodeKind::Separate);
            }
        } else {
            self.cut_in_container(input, end, content, holds_paragraph);
        }
    }

    /// Whether what goes on behind the definition that ends at `end` is text only because a paragraph was open: a tag alone
    /// in its line, a list that does not begin with 1.
    fn holds_paragraph(&self, input: &Input<'_>, end: usize) -> Option<bool> {
        let Some(content) = self.content_behind(input, end) else { return Some(false) };
        // The indentation of the line goes with the definition, where no container asks for it.
        let at = if self.blocks.containers.is_empty() { content } else { next_line(input.text, end) };
        let mut blocks = self.blocks.clone();
        blocks.leaf = Leaf::None;
        let line = blocks.read(input.text, at, input.finished, at)?;
        Some(line.kind != Kind::Paragraph || !line.begins.is_empty())
    }

    /// Where the paragraph goes on behind a definition.
    fn content_behind(&self, input: &Input<'_>, end: usize) -> Option<usize> {
        let mut cursor = self.cursor(input, end);
        matches!(cursor.peek(), Peek::Byte(b'\n')).then(|| {
            cursor.advance();
            cursor.at()
        })
    }

    /// Goes on behind a definition that stays.
    fn next_definition(&mut self, input: &Input<'_>, end: usize, content: Option<usize>) {
        if let Some(content) = content {
            self.push(end..next_line(input.text, end), NodeKind::SoftBreak);
            self.opaque(next_line(input.text, end)..content);
            self.at = content;
            self.line = content;
            self.line_start = next_line(input.text, end);
        }
    }

    /// The whole line goes, and with it the indentation of the text that follows it.
    fn cut_line(&mut self, input: &Input<'_>, end: usize, content: Option<usize>) {
        let start = self.take_prefix();
        let to = content.unwrap_or_else(|| next_line(input.text, end));
        self.push(start..to, NodeKind::Cut);
        self.leave_gap(input, start);
        self.at = to;
        self.line = to;
        self.line_start = to;
        let from = self.cut_from.take().unwrap_or(start);
        match content {
            Some(_) => (self.may_define, self.cut_from) = (true, Some(from)),
            None => {
                self.cite_behind(from..to);
                self.phase = Phase::Line;
                self.blocks.leaf = Leaf::None;
            }
        }
    }

    /// Containers keep their prefix; what would be empty, or would leave its container, is held by what nobody sees.
    fn cut_in_container(&mut self, input: &Input<'_>, end: usize, content: Option<usize>, holds_paragraph: bool) {
        let line_start = input.text[..self.at].rfind(['\n', '\r']).map_or(0, |found| found + 1);
        let is_item = input.text[line_start..self.at].trim_end().ends_with(['-', '+', '*', '.', ')']);
        let next = next_line(input.text, end);
        let is_lazy = content.is_some()
            && self
                .blocks
                .read(input.text, next, input.finished, self.line)
                .is_some_and(|line| line.matched < self.blocks.containers.len());
        self.push(self.at..end, NodeKind::Cut);
        self.blocks.is_cut = true;
        if (is_item || is_lazy || holds_paragraph) && input.rules.markdown {
            self.push(end..end, NodeKind::Separate);
        }
        self.at = end;
        self.may_define = content.is_some();
        self.next_definition(input, end, content);
    }

    /// Takes back the prefix of the present line; returns where it begins.
    pub(super) fn take_prefix(&mut self) -> usize {
        let is_prefix = |node: &super::node::Node| node.range == (self.line_start..self.at);
        if self.nodes.last().is_some_and(is_prefix) && self.line_start < self.at {
            self.nodes.pop();
        }
        self.line_start
    }
}
