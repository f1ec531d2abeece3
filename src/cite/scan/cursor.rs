//! A walk over the text of one block: line ends and what containers put before the next line count as one line end.

use super::LOOK_AHEAD;
use super::line::{Blocks, Kind, Leaf, next_line};

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peek {
    Byte(u8),
    /// The block, or the cell of a table, ends.
    End,
    /// More must arrive.
    Unknown,
    /// As far as anyone looks.
    Limit,
}

/// A place to which a cursor can come back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: usize,
    line: usize,
    escaped: bool,
}

/// A place in the text of a block.
#[derive(Clone)]
pub(super) struct Cursor<'c> {
    text: &'c str,
    finished: bool,
    blocks: &'c Blocks,
    /// Where the content of the present line begins.
    line: usize,
    start: usize,
    at: usize,
    /// Where the text goes on behind what stands at `at`.
    next: usize,
    /// Whether a backslash stands before this place that is not escaped itself.
    escaped: bool,
}

impl<'c> Cursor<'c> {
    pub(super) fn new(text: &'c str, finished: bool, blocks: &'c Blocks, line: usize, at: usize) -> Self {
        Self { text, finished, blocks, line, start: at, at, next: at, escaped: false }
    }

    /// Where it stands.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Where it stands and what it knows, to go on from there.
    pub(super) fn place(&self) -> Place {
        Place { at: self.at, line: self.line, escaped: self.escaped }
    }

    /// Goes to a place further on in the same block.
    pub(super) fn go_to(&mut self, place: Place) {
        (self.at, self.line, self.escaped) = (place.at, place.line, place.escaped);
    }

    /// What stands here.
    pub(super) fn peek(&mut self) -> Peek {
        if self.at - self.start >= LOOK_AHEAD {
            return Peek::Limit;
        }
        let Some(byte) = self.text.as_bytes().get(self.at).copied() else {
            return if self.finished { Peek::End } else { Peek::Unknown };
        };
        self.next = self.at + 1;
        match byte {
            b'\n' | b'\r' => self.line_end(),
            b'|' if !self.escaped => match self.blocks.leaf {
                Leaf::Table => Peek::End,
                Leaf::Paragraph => match is_header_line(self.text, self.finished, self.blocks, self.line) {
                    None => Peek::Unknown,
                    Some(true) => Peek::End,
                    Some(false) => Peek::Byte(byte),
                },
                Leaf::None | Leaf::Heading | Leaf::Fence(_) | Leaf::Indented | Leaf::Html | Leaf::Footnote => {
                    Peek::Byte(byte)
                }
            },
            byte => Peek::Byte(byte),
        }
    }

    fn line_end(&mut self) -> Peek {
        if self.blocks.leaf != Leaf::Paragraph {
            return Peek::End;
        }
        match continuation(self.text, self.finished, self.blocks, self.line, self.at) {
            Continuation::Unknown => Peek::Unknown,
            Continuation::Ends => Peek::End,
            // Engines that know footnotes end the paragraph there, and all others do not: nothing reaches over it.
            Continuation::At(content) => match begins_note(&self.text[content..]) {
                None if !self.finished => Peek::Unknown,
                Some(true) => Peek::Limit,
                None | Some(false) => match is_header_line(self.text, self.finished, self.blocks, content) {
                    None => Peek::Unknown,
                    Some(true) => Peek::End,
                    Some(false) => {
                        self.next = content;
                        Peek::Byte(b'\n')
                    }
                },
            },
        }
    }

    /// Goes past what [`peek`](Self::peek) showed.
    pub(super) fn advance(&mut self) {
        self.escaped = self.text.as_bytes()[self.at] == b'\\' && !self.escaped;
        if self.next > self.at + 1 || matches!(self.text.as_bytes()[self.at], b'\n' | b'\r') {
            self.line = self.next;
        }
        self.at = self.next;
    }

    /// Goes past blanks and line ends.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Peek::Byte(b' ' | b'\t' | b'\n')) {
            self.advance();
        }
    }

    /// Goes past blanks of the same line.
    pub(super) fn skip_spaces(&mut self) {
        while matches!(self.peek(), Peek::Byte(b' ' | b'\t')) {
            self.advance();
        }
    }
}

/// Whether a line begins as a footnote does, `[^a]:`; `None` while more must arrive.
fn begins_note(line: &str) -> Option<bool> {
    const MAX_LABEL: usize = 1000;
    let Some(label) = line.strip_prefix("[^") else { return if line == "[" { None } else { Some(false) } };
    // A label holds no bracket.
    let is_end = |at: usize, byte| matches!(byte, b']' | b'\n' | b'\r') || byte == b'[' && !label[..at].ends_with('\\');
    let end = label.bytes().take(MAX_LABEL).enumerate().position(|(at, byte)| is_end(at, byte));
    match (end, label.len() < MAX_LABEL) {
        (Some(end), _) if label[end..].starts_with(']') => label[end + 1..].bytes().next().map(|byte| byte == b':'),
        (Some(_), _) | (None, false) => Some(false),
        (None, true) => None,
    }
}

/// How a paragraph goes on behind the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Continuation {
    Unknown,
    Ends,
    /// With the content at this place.
    At(usize),
}

/// How the paragraph goes on behind the line end at `at`.
pub(super) fn continuation(text: &str, finished: bool, blocks: &Blocks, line: usize, at: usize) -> Continuation {
    let next = next_line(text, at);
    if next == text.len() {
        return if finished { Continuation::Ends } else { Continuation::Unknown };
    }
    match blocks.read(text, next, finished, line) {
        None => Continuation::Unknown,
        Some(line) if line.kind.continues() => Continuation::At(line.content),
        Some(_) => Continuation::Ends,
    }
}

/// Whether the line with the content at `line`, in a paragraph, is the header of a table: what began before it ends there.
pub(super) fn is_header_line(text: &str, finished: bool, blocks: &Blocks, line: usize) -> Option<bool> {
    let bytes = text.as_bytes();
    let looked_at = &bytes[line..bytes.len().min(line + LOOK_AHEAD)];
    let Some(length) = memchr::memchr2(b'\n', b'\r', looked_at) else {
        return (finished || looked_at.len() == LOOK_AHEAD).then_some(false);
    };
    let end = line + length;
    let next = next_line(text, end);
    if next == text.len() {
        return finished.then_some(false);
    }
    if !looked_at[..length].contains(&b'|') {
        return Some(false);
    }
    let read = blocks.read(text, next, finished, line)?;
    Some(read.kind == Kind::Delimiters)
}
