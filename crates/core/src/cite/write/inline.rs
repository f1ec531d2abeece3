//! Writes the pieces of a leaf: text, code, tags, badges, links.

use std::ops::Range;

use super::address::{EMPTY_COMMENT, push_title, written};
use super::writer::{OpenLink, Tail, Writer, ZERO_WIDTH_SPACE};
use crate::cite::LiteralNumbers;
use crate::cite::decide::{Context, Piece, Positions};
use crate::cite::html::is_comment;
use crate::cite::read::Inline;
use crate::text::{begins_with_blank, ends_sentence};
use crate::url::without_user;

/// A zero-width space in a form that Markdown takes for punctuation, so that emphasis beside it keeps its meaning.
const ZERO_WIDTH_SPACE_BESIDE_EMPHASIS: &str = "&#8203;";

const EMPHASIS: [char; 3] = ['*', '_', '~'];

/// The most blanks that a vanishing marker takes along; more stay.
const MAX_BLANKS: usize = 64;

const FEEDS: [char; 2] = ['\u{b}', '\u{c}'];

/// The blanks of Markdown at the end of a line.
const BLANKS: [char; 4] = [' ', '\t', '\u{b}', '\u{c}'];

impl Writer {
    /// Writes the pieces of a leaf.
    pub(super) fn inline(&mut self, cx: &Context<'_>, inline: &Inline<'_>, pieces: &[Piece]) {
        for (at, piece) in pieces.iter().enumerate() {
            self.piece(cx, inline, piece, pieces.get(at + 1));
        }
        self.link = None;
    }

    pub(super) fn piece(&mut self, cx: &Context<'_>, inline: &Inline<'_>, piece: &Piece, next: Option<&Piece>) {
        let source = |range: &Range<usize>| &cx.text[range.clone()];
        match piece {
            Piece::Text(range) => self.plain(source(range)),
            Piece::Verbatim(range) => self.verbatim(source(range)),
            Piece::Literal(range) => self.literal(source(range)),
            Piece::Nameless => self.verbatim("image"),
            Piece::Unbracketed(_) => self.unbracketed(next.and_then(|next| first_of(cx, next))),
            Piece::Dropped(_) => {}
            Piece::Apart => self.out.push(ZERO_WIDTH_SPACE),
            Piece::Escape(range) => self.escape(source(range)),
            Piece::Entity(range) => self.entity(source(range)),
            Piece::SoftBreak(range) => self.soft_break(cx, source(range)),
            Piece::HardBreak(range) => self.hard_break(source(range)),
            Piece::Break(_) => self.line_break(next),
            Piece::Code(range) => self.code_span(source(range), inline.code_at(range.start)),
            Piece::Tag { range, name } => self.tag(cx, range, *name),
            Piece::Autolink(range) => self.autolink(source(range)),
            Piece::Script(_, written) => self.plain(written),
            Piece::Number(range) => self.number(cx, source(range)),
            Piece::Badges { range, first, positions } => {
                self.badges(cx, range, *first, positions, next.and_then(|next| first_of(cx, next)));
            }
            Piece::Gone(range) => {
                let is_end = matches!(next, None | Some(Piece::SoftBreak(_) | Piece::HardBreak(_)));
                // At the beginning of a line, the blank behind the marker goes with it.
                let begins_line = self.out.len() == self.line.start;
                if !(begins_line && is_blank_before_word(&cx.text[range.end..])) {
                    self.vanish(source(range), next.and_then(|next| first_of(cx, next)), is_end);
                }
            }
            Piece::Open { is_image, .. } => self.open_link(*is_image),
            Piece::Close { link, url } => {
                let link = &inline.links[*link];
                self.close_link(url.as_deref().unwrap_or(&link.url), &link.title);
            }
        }
    }

    fn soft_break(&mut self, cx: &Context<'_>, source: &str) {
        self.glue('\n', false);
        self.end_line();
        let breaks = std::mem::take(&mut self.line.breaks) || cx.rules.hard_breaks;
        if breaks && self.out.len() > self.line.start {
            self.drop_feeds();
            self.out.push_str("  ");
            self.next_line(source.trim_start_matches(BLANKS));
        } else {
            self.next_line(source.trim_start_matches([' ', '\t']));
        }
    }

    fn hard_break(&mut self, source: &str) {
        self.end_line();
        let has_backslash = source.trim_start_matches(BLANKS).starts_with('\\');
        let form = source.trim_start_matches(|c| c == '\\' || BLANKS.contains(&c));
        if !has_backslash {
            self.drop_feeds();
        }
        self.out.push_str(if has_backslash || self.out.ends_with('\\') { "\\" } else { "  " });
        self.next_line(form);
    }

    /// Writes a line break in place of a tag; a blank where a line cannot end, or nothing may follow.
    fn line_break(&mut self, next: Option<&Piece>) {
        let may_break = self.line.may_break && self.link.is_none() && self.out.len() > self.line.start;
        match next {
            Some(Piece::HardBreak(_)) => {}
            // The line end of the source serves both.
            Some(Piece::SoftBreak(_)) if may_break => self.line.breaks = true,
            Some(_) if may_break => {
                self.glue('\n', false);
                self.end_line();
                self.drop_feeds();
                self.out.push('\\');
                self.next_line("\n");
            }
            Some(_) | None if self.out.ends_with(' ') => {}
            Some(_) | None => {
                self.glue(' ', false);
                self.out.push(' ');
            }
        }
    }

    /// Drops form feeds and vertical tabs at the end of a line: behind them, the blanks of a line break are read as other text.
    fn drop_feeds(&mut self) {
        if self.out.trim_end_matches([' ', '\t']).ends_with(FEEDS) {
            let end = self.out.trim_end_matches(BLANKS).len();
            self.out.truncate(end.max(self.line.start));
        }
    }

    // ---- code and tags

    /// Writes a code span: unchanged when it stands on one line, else its `content` on one line.
    fn code_span(&mut self, source: &str, content: Option<&str>) {
        self.glue('`', false);
        // An engine that reads on in the address sees no code, and would read links in it.
        if source.contains(['[', '<']) {
            self.end_address();
        }
        let in_address = self.is_in_address();
        self.one_line_of_code(source, content);
        if !in_address {
            self.line.text = self.out.len();
        }
    }

    fn one_line_of_code(&mut self, source: &str, content: Option<&str>) {
        let run = source.bytes().take_while(|byte| *byte == b'`').count();
        if self.out.len() == self.line.start && run > 2 {
            // Some engines would take it for a fence, should nothing close it in its line.
            self.out.push(ZERO_WIDTH_SPACE);
        }
        let Some(content) = content else {
            self.seen(source);
            return;
        };
        let content = content.replace(['\n', '\r'], " ").replace('\0', "\u{fffd}");
        let is_padded = content.starts_with('`')
            || content.ends_with('`')
            || content.starts_with(' ') && content.ends_with(' ') && !content.trim().is_empty();
        let padding = if is_padded { " " } else { "" };
        self.out.push_str(&source[..run]);
        self.out.push_str(padding);
        self.seen(&content);
        self.out.push_str(padding);
        self.out.push_str(&source[..run]);
    }

    fn tag(&mut self, cx: &Context<'_>, range: &Range<usize>, name: Option<usize>) {
        let source = &cx.text[range.clone()];
        let is_on_one_line = !source.contains(['\n', '\r', '\t']);
        match name {
            Some(name) => {
                self.glue('<', false);
                self.out.push_str(&cx.text[range.start..name]);
                self.out.push_str(if source.ends_with("/>") { "/>" } else { ">" });
            }
            None if is_on_one_line && !(is_comment(source) && (self.link.is_some() || source.contains('|'))) => {
                self.glue('<', false);
                self.seen(source);
            }
            None => self.literal(source),
        }
    }

    fn autolink(&mut self, source: &str) {
        self.glue('<', false);
        match without_user(&source[1..source.len() - 1]) {
            Some(without) => self.out.push_str(&format!("<{without}>")),
            None => self.out.push_str(source),
        }
        self.line.text = self.out.len();
    }

    // ---- numbers

    fn badges(
        &mut self,
        cx: &Context<'_>,
        range: &Range<usize>,
        first: usize,
        positions: &Positions,
        next: Option<char>,
    ) {
        let source = &cx.text[range.clone()];
        if source.is_empty() && self.out.ends_with("]:") {
            // Behind `[a]:`, the badge would be the address of a definition.
            if self.without_html {
                self.out.pop();
                self.out.push_str("&#58;");
            } else {
                self.out.push_str(EMPTY_COMMENT);
            }
        }
        if cx.text[range.start..first].contains(['\n', '\r']) && self.out.len() == self.line.start {
            // At the beginning of a line, the badge could be taken for an entry of a list of references.
            self.out.push(ZERO_WIDTH_SPACE);
        }
        let parts_word = source.is_empty() && parts_word(&self.out, &cx.text[range.end..]);
        // For emphasis beside it, a marker in U+E200 is a letter, but a badge is punctuation.
        if source.starts_with('\u{e200}') && self.out.ends_with(EMPHASIS) {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        for position in positions {
            self.end_address();
            if !self.defines && !matches!(self.line.tail, Tail::Backslash | Tail::EscapedBackslash) {
                // Without definitions, `[1][2]`, `[a][1]` and `![1]` are text.
                self.line.tail = Tail::Other;
            }
            self.glue('[', true);
            self.out.push('[');
            position.write_to(&mut self.out);
            self.out.push(']');
            self.mark(Tail::Badge);
        }
        if parts_word {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        // Two sentences without a blank between them: behind a badge, the second would look like a part of it.
        if source.is_empty() && ends_sentence(cx.text, range.end) && begins_with_blank(cx.text, range.end) {
            self.out.push(' ');
        }
        if source.ends_with('\u{e201}') && next.is_some_and(|next| EMPHASIS.contains(&next)) {
            self.out.push(ZERO_WIDTH_SPACE);
        }
    }

    /// Writes `[n]` that is text, so that no engine or program takes it for a badge.
    fn number(&mut self, cx: &Context<'_>, source: &str) {
        let inner = source[1..source.len() - 1].replace("\r\n", " ").replace(['\r', '\n'], " ");
        match cx.rules.literal_numbers {
            LiteralNumbers::Escape => {
                self.glue('&', false);
                self.out.push_str(&format!("&#91;{inner}&#93;"));
            }
            LiteralNumbers::Break => {
                self.special(b'[', "");
                self.out.push_str(&format!("{ZERO_WIDTH_SPACE}{inner}"));
                self.special(b']', "");
            }
            LiteralNumbers::Keep => {
                self.glue('[', false);
                self.out.push_str(&format!("[{inner}]"));
                self.mark(Tail::Bracket);
            }
        }
    }

    /// Removes a marker without a trace, or leaves a separator where its neighbors would join.
    fn vanish(&mut self, source: &str, next: Option<char>, is_end: bool) {
        let is_after_backslash = self.line.tail == Tail::Backslash && self.line.tail_at == self.out.len();
        let is_letter = source.starts_with('\u{e200}') || is_after_backslash;
        let is_edge = |c: char| c.is_whitespace() || ".,;:?!".contains(c);
        let line = &self.out[self.line.start..];
        let behind = line.chars().next_back();
        let is_number = |c: char| c.is_ascii_digit() && next == Some('.');
        // Behind a word, emphasis delimiters close before a bracket, as they do before a point or a blank.
        let closes_word = !is_letter
            && behind.is_some_and(|c| EMPHASIS.contains(&c))
            && line.trim_end_matches(behind.unwrap_or(' ')).ends_with(char::is_alphanumeric);
        let closes =
            closes_word || behind.is_some_and(|c| (c.is_alphanumeric() && !is_number(c)) || " .)]`".contains(c));
        if closes && (is_end || next.is_none_or(is_edge)) {
            // Look back over a limited number of blanks, since each marker behind them does it again.
            let near = &line[line.floor_char_boundary(line.len().saturating_sub(MAX_BLANKS))..];
            if behind == Some(' ')
                && near.trim_end().ends_with(|c: char| c.is_alphanumeric() || ".,;:)]*_~\"'`".contains(c))
            {
                self.out.truncate(self.out.trim_end_matches(' ').len());
                if self.out.ends_with(']') {
                    self.mark(Tail::Badge);
                }
            }
            return;
        }
        let is_emphasis = |c: Option<char>| c.is_some_and(|c| EMPHASIS.contains(&c));
        if !is_letter && (is_emphasis(behind) || is_emphasis(next)) {
            self.out.push_str(ZERO_WIDTH_SPACE_BESIDE_EMPHASIS);
        } else {
            self.out.push(ZERO_WIDTH_SPACE);
        }
    }

    /// Drops the bracket of a former link. Both neighbors decide what emphasis delimiters mean, and the bracket was
    /// punctuation, so beside emphasis a separator takes its place.
    fn unbracketed(&mut self, next: Option<char>) {
        let next = next.unwrap_or(' ');
        let line = &self.out[self.line.start..];
        let before = line.trim_end_matches(EMPHASIS);
        let last = before.chars().next_back();
        let is_behind_blank = last.is_none_or(char::is_whitespace);
        let is_beside_emphasis = if before.len() < line.len() {
            !next.is_alphanumeric() || !is_behind_blank
        } else {
            EMPHASIS.contains(&next) && !is_behind_blank && !last.is_some_and(|last| last.is_ascii_punctuation())
        };
        if is_beside_emphasis {
            self.out.push_str(ZERO_WIDTH_SPACE_BESIDE_EMPHASIS);
        }
    }

    // ---- links

    fn open_link(&mut self, is_image: bool) {
        // Some engines read no link within a bare address, and read the address on through the link.
        let in_address = self.is_in_address();
        if is_image {
            self.glue('!', false);
            self.out.push('!');
        } else {
            self.glue('[', true);
        }
        self.out.push('[');
        self.line.tail = Tail::Other;
        self.link = Some(OpenLink { text: self.out.len(), in_address });
    }

    fn close_link(&mut self, url: &str, title: &str) {
        let Some(link) = self.link.take() else { return };
        if self.out[link.text..].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1 {
            self.out.push('\\');
        }
        self.out.push_str("](");
        self.out.push_str(&written(url).unwrap_or_default());
        if !title.is_empty() {
            self.out.push(' ');
            push_title(&mut self.out, title);
        }
        self.out.push(')');
        self.line.tail = Tail::Other;
        if !link.in_address {
            self.line.text = self.out.len();
        }
    }
}

/// The first character of a piece, as written in the source.
fn first_of(cx: &Context<'_>, piece: &Piece) -> Option<char> {
    match piece {
        Piece::Text(range)
        | Piece::Verbatim(range)
        | Piece::Literal(range)
        | Piece::Escape(range)
        | Piece::Entity(range)
        | Piece::SoftBreak(range)
        | Piece::HardBreak(range)
        | Piece::Break(range)
        | Piece::Code(range)
        | Piece::Tag { range, .. }
        | Piece::Autolink(range)
        | Piece::Number(range)
        | Piece::Badges { range, .. }
        | Piece::Gone(range) => cx.text[range.clone()].chars().next(),
        Piece::Script(_, written) => written.chars().next(),
        Piece::Nameless => Some('i'),
        Piece::Apart => Some(ZERO_WIDTH_SPACE),
        Piece::Unbracketed(_) | Piece::Dropped(_) => None,
        Piece::Open { .. } => Some('['),
        Piece::Close { .. } => Some(']'),
    }
}

/// Whether a badge would stand between a word and emphasis delimiters before another word. The delimiters must stay within a
/// word.
fn parts_word(before: &str, behind: &str) -> bool {
    let word = behind.trim_start_matches(EMPHASIS);
    let signs = behind.len() - word.len();
    (1..4).contains(&signs) && before.ends_with(char::is_alphanumeric) && word.starts_with(char::is_alphanumeric)
}

/// Whether the text begins with a blank and a word.
fn is_blank_before_word(behind: &str) -> bool {
    behind.strip_prefix(' ').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}
