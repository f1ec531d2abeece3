//! Finds the part of an unfinished text whose reading may still change. That part is held back.

use std::ops::Range;

use super::LOOK_AHEAD;
use super::math::{MathEnd, end_of_math};
use super::token::{Form, Inline, LeafKind, Link, TokenKind};
use crate::answer::MarkerForm;
use crate::cite::loose::ends_in_hashes;
use crate::text::ByteSet;

/// The longest formulas between escaped brackets, in bytes: in parentheses, and in square brackets.
const SHORT_FORMULA: usize = 256;
const FORMULA: usize = 1024;

/// No entity is this long, in bytes.
const ENTITY: usize = 34;

/// How far an unfinished text can be read: to its end, or to the start of its last line when the beginning of that line does
/// not tell its kind yet.
pub(crate) fn decided(text: &str) -> usize {
    // The carriage return may be half of a line end.
    let end = text.strip_suffix('\r').unwrap_or(text).len();
    let near = text.floor_char_boundary(end.saturating_sub(LOOK_AHEAD + 1));
    let Some(start) = memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[near..end]).map(|at| near + at + 1) else {
        // The byte order mark before the first line is no part of it.
        return if near == 0 && is_untold(text[..end].trim_start_matches('\u{feff}')) { 0 } else { end };
    };
    if is_untold(&text[start..end]) { start } else { end }
}

/// Bytes with which a line may begin whose kind is not known yet.
static BEGINS_BLOCKS: ByteSet = ByteSet::of(b"-=*_#+>|:.)0123456789`~ \t");

/// Whether a line with this beginning may still become a rule, a fence, the underline of a heading, the delimiter row of a
/// table, HTML, or the beginning of an item.
pub(super) fn is_untold(line: &str) -> bool {
    let Some(content) = behind_labels(line.trim_start_matches([' ', '\t', '>'])) else { return true };
    if content.bytes().all(|byte| BEGINS_BLOCKS.holds(byte)) {
        return true;
    }
    let inner = content.trim_start_matches(|c: char| c.is_ascii_digit() || "-+*.) \t>".contains(c));
    inner.starts_with("```") || inner.starts_with("~~~") || inner.starts_with('<')
}

/// The longest label of a footnote that is waited for, in bytes.
const NOTE_LABEL: usize = 256;

/// The line behind the labels of footnotes with which it begins, where a block of any kind may stand; `None` where it may still
/// become a label.
fn behind_labels(mut line: &str) -> Option<&str> {
    while let Some(label) = line.strip_prefix("[^") {
        match label.find(']') {
            None if label.len() <= NOTE_LABEL => return None,
            Some(end) if label.len() == end + 1 => return None,
            Some(end) if label[end + 1..].starts_with(':') => {
                line = label[end + 2..].trim_start_matches([' ', '\t', '>']);
            }
            None | Some(_) => return Some(line),
        }
    }
    (line != "[").then_some(line)
}

/// Whether the text behind a definition at the end of the text may still become its title.
pub(super) fn may_be_title(behind: &str) -> bool {
    let is_prefix = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n' | '>');
    let title = behind.trim_start_matches(is_prefix);
    let line_ends = |text: &str| text.matches('\n').count().max(text.matches('\r').count());
    title.is_empty()
        || title.starts_with(['"', '\'', '('])
            && line_ends(&behind[..behind.len() - title.len()]) < 2
            && title.len() <= LOOK_AHEAD
            && !title.lines().skip(1).any(|line| line.trim_matches(is_prefix).is_empty())
}

/// Bytes of text that may open or close something: signs of Markdown, and the first bytes of other brackets of markers.
static SIGNS: ByteSet = ByteSet::of(b"`\\<&$[]\xe3\xee\xef");

/// Those of brackets alone, which count however far they are from the end of the text.
static BRACKETS: ByteSet = ByteSet::of(b"[]\xe3\xee\xef");

/// Finds the first offset in the last leaf of the text whose meaning later text may change.
pub(super) struct Open<'o, 's> {
    pub(super) text: &'o str,
    pub(super) inline: &'o Inline<'s>,
    pub(super) leaf: Range<usize>,
    /// The end of the text that is read.
    pub(super) to: usize,
}

/// An open bracket: the offset of the first text that depends on it, its own offset, and its form.
type Bracket = (usize, usize, MarkerForm);

impl Open<'_, '_> {
    /// The offset from which the leaf may still change.
    pub(super) fn held(&self, kind: LeafKind) -> usize {
        let leaf = &self.leaf;
        if self.is_near(leaf.start) && self.may_define() {
            return leaf.start;
        }
        let mut held = self.tokens().unwrap_or(leaf.end).min(leaf.end);
        if kind == LeafKind::Paragraph {
            held = held.min(self.border().unwrap_or(held));
        }
        held.max(leaf.start)
    }

    fn is_near(&self, at: usize) -> bool {
        self.to - at <= LOOK_AHEAD
    }

    /// Whether the leaf may still become a definition.
    fn may_define(&self) -> bool {
        let text = &self.text[self.leaf.start..self.to];
        let Some(label) = text.strip_prefix('[') else { return false };
        let mut bytes = label.bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' => drop(bytes.next()),
                b'[' => return false,
                b']' => return bytes.next().is_none_or(|next| next == b':'),
                _ => {}
            }
        }
        true
    }

    /// The first `|` in the last line, which may become the header of a table; or the beginning of the token or link around
    /// it.
    fn border(&self) -> Option<usize> {
        let Self { text, leaf, .. } = self;
        let ends = memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[leaf.clone()]);
        let line = ends.map_or(leaf.start, |end| leaf.start + end + 1);
        let border = line + memchr::memchr(b'|', &text.as_bytes()[line..leaf.end])?;
        if !self.is_near(line) {
            return None;
        }
        let within = |range: &Range<usize>| range.start < border && border < range.end;
        let inside = self.inline.tokens.iter().find(|token| token.kind != TokenKind::Text && within(&token.range));
        let linked = self.inline.links.iter().map(|link| self.link(link.open, link.close)).find(within);
        let at = inside.map_or(border, |token| token.range.start);
        Some(linked.map_or(at, |link| link.start.min(at)))
    }

    fn link(&self, open: usize, close: usize) -> Range<usize> {
        let tokens = &self.inline.tokens;
        tokens[open].range.start..tokens.get(close).map_or(self.to, |token| token.range.end)
    }

    /// The offset of the first token that later text may change.
    fn tokens(&self) -> Option<usize> {
        let (mut open, mut chain): (Vec<Bracket>, Option<Range<usize>>) = (Vec::new(), None);
        let mut at = 0;
        let mut held = None;
        while let Some(token) = self.inline.tokens.get(at) {
            let range = token.range.clone();
            let may_go_on = match token.kind {
                TokenKind::Text => self.in_text(range, &mut open, &mut chain),
                TokenKind::Escape => self.formula(at),
                // A run of backticks may become longer.
                TokenKind::Code => (range.end == self.to && self.is_near(range.start)).then_some(range.start),
                TokenKind::Open(link) => {
                    let link = &self.inline.links[link];
                    at = link.close;
                    let range = self.link(link.open, link.close);
                    let may_go_on =
                        link.form == Form::Short && self.is_near(range.start) && self.goes_on_behind_bracket(range.end)
                            || self.may_reach_out(link);
                    chain = (link.form != Form::Inline).then_some(range.clone());
                    may_go_on.then_some(range.start)
                }
                TokenKind::Entity
                | TokenKind::SoftBreak
                | TokenKind::HardBreak
                | TokenKind::Html
                | TokenKind::Autolink
                | TokenKind::Close(_) => None,
            };
            if may_go_on.is_some() {
                held = may_go_on;
                break;
            }
            at += 1;
        }
        let open = open.into_iter().find(|(_, at, _)| self.is_near(*at)).map(|(from, ..)| from);
        match (held, open) {
            (Some(held), Some(open)) => Some(held.min(open)),
            (held, open) => held.or(open),
        }
    }

    /// The next byte of a sign on which later text may depend.
    fn next_sign(&self, range: Range<usize>) -> Option<usize> {
        let bytes = self.text.as_bytes();
        // Of signs further from the end than any math is long, only brackets depend on what comes.
        let near = self.to.saturating_sub(LOOK_AHEAD + 2).clamp(range.start, range.end);
        let bracket = BRACKETS.position(&bytes[range.start..near]).map(|at| range.start + at);
        bracket.or_else(|| SIGNS.position(&bytes[near..range.end]).map(|at| near + at))
    }

    fn in_text(&self, range: Range<usize>, open: &mut Vec<Bracket>, chain: &mut Option<Range<usize>>) -> Option<usize> {
        let bytes = &self.text.as_bytes()[..self.to];
        let mut from = range.start;
        while from < range.end {
            let at = self.next_sign(from..range.end)?;
            let c = self.text[at..].chars().next()?;
            let end = at + c.len_utf8();
            from = end;
            let next = bytes.get(end).copied();
            let is_held = match c {
                '`' => self.is_near(at),
                // A backslash at the end of the text may escape the next character.
                '\\' => next.is_none(),
                '<' => next.is_none_or(|next| next.is_ascii_alphabetic() || b"/!?".contains(&next)) && self.is_near(at),
                '&' => self.may_be_entity(end),
                '$' => {
                    let math = self.math(at);
                    from = math.unwrap_or(end);
                    math.is_none()
                }
                c if let Some(form) = MarkerForm::opened_by(c) => {
                    let from = chain.as_ref().filter(|chain| chain.end == at).map_or(at, |chain| chain.start);
                    let image = |at: usize| at - usize::from(at > self.leaf.start && bytes[at - 1] == b'!');
                    open.push((image(from), image(at), form));
                    false
                }
                c if let Some(form) = MarkerForm::closed_by(c) => {
                    let Some(place) = open.iter().rposition(|(.., bracket)| *bracket == form) else { continue };
                    let (from, at, _) = open[place];
                    // Brackets of other forms in it stay open: a machine-made marker may go on behind the end of this one.
                    open.remove(place);
                    *chain = (c == ']').then_some(from..end);
                    if self.is_near(at) && (next.is_none() || c == ']' && self.goes_on_behind_bracket(end)) {
                        return Some(from);
                    }
                    false
                }
                _ => false,
            };
            if is_held {
                return Some(at);
            }
        }
        None
    }

    /// Whether the text of a link holds a backtick or a `<` that may open code or a tag which ends behind the link. Code and
    /// tags take precedence over links, so there would be no link.
    fn may_reach_out(&self, link: &Link<'_>) -> bool {
        let inner = self.inline.tokens.get(link.open..link.close).unwrap_or_default();
        inner.iter().filter(|token| token.kind == TokenKind::Text).any(|token| {
            let text = &self.text[token.range.clone()];
            memchr::memchr2_iter(b'`', b'<', text.as_bytes()).any(|at| {
                let next = text.as_bytes().get(at + 1);
                let may_open = text.as_bytes()[at] == b'`'
                    || next.is_none_or(|next| next.is_ascii_alphabetic() || b"/!?".contains(next));
                may_open && self.is_near(token.range.start + at)
            })
        })
    }

    /// Whether an address `(…)` or a label `[…]` may follow the bracket that ends at `end`. pulldown-cmark takes `\[` for the
    /// beginning of a label too: in `[foo]\[bar]`, it looks for the definition of `bar`.
    fn goes_on_behind_bracket(&self, end: usize) -> bool {
        let behind = &self.text[end..self.to];
        let is_label = |label: &str| label.is_empty() || label.starts_with('[') && !label.contains(']');
        behind.is_empty()
            || behind.starts_with('(') && may_be_address(&behind[1..])
            || behind.strip_prefix('\\').is_some_and(is_label)
    }

    fn may_be_entity(&self, at: usize) -> bool {
        let name = &self.text[at..self.to];
        name.len() < ENTITY && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'#')
    }

    /// The offset behind the dollars at `at`, which may or may not begin math; `None` as long as later text decides.
    fn math(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..self.to];
        let run = rest.bytes().take(2).take_while(|byte| *byte == b'$').count();
        // No math is longer, so later text decides nothing about these dollars.
        if rest.len() > run + LOOK_AHEAD || run == 2 && ends_in_hashes(&self.text[..at]) {
            return Some(at + run);
        }
        match end_of_math(rest, run) {
            // A digit behind the closing dollar would make it an amount.
            MathEnd::At(end) if end == rest.len() && run == 1 => None,
            MathEnd::At(_) | MathEnd::Nowhere => Some(at + run),
            MathEnd::Untold => None,
        }
    }

    /// The start of the formula that the escape at `token` opens, when it may still be closed by later text.
    fn formula(&self, token: usize) -> Option<usize> {
        let text = self.text.as_bytes();
        let start = self.inline.tokens[token].range.clone();
        let (close, longest) = match text[start.end - 1] {
            b'(' => (b')', SHORT_FORMULA),
            b'[' => (b']', FORMULA),
            _ => return None,
        };
        if self.to - start.end > longest + 2 {
            return None;
        }
        let rest = &self.inline.tokens[token + 1..];
        let closes =
            |kind: &TokenKind, range: &Range<usize>| *kind == TokenKind::Escape && text[range.end - 1] == close;
        let ends_line = |kind: &TokenKind| matches!(kind, TokenKind::SoftBreak | TokenKind::HardBreak);
        let is_told =
            rest.iter().any(|token| closes(&token.kind, &token.range) || close == b')' && ends_line(&token.kind));
        (!is_told).then_some(start.start)
    }
}

/// The blanks that end an address in Markdown. Other blanks, such as U+200A, are part of the address.
const BLANKS: [char; 6] = [' ', '\t', '\n', '\r', '\u{b}', '\u{c}'];

/// Whether the text behind `](` may still become an address, with or without a title.
fn may_be_address(behind: &str) -> bool {
    let behind = behind.trim_start_matches(BLANKS);
    if behind.starts_with('<') {
        return !behind.contains(['\n', '\r']);
    }
    let Some(blank) = behind.find(BLANKS) else { return true };
    let title = behind[blank..].trim_start_matches(BLANKS);
    title.is_empty() || title.starts_with(['"', '\'', '(', ')'])
}
