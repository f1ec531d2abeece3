//! Decides about brackets in text: markers, literal numbers, and link texts before a marker.

use std::borrow::Cow;
use std::ops::Range;

use smallvec::SmallVec;

use super::leaf::{Leaf, Within};
use super::shown::drawn;
use super::{Context, Piece};
use crate::answer::{MarkerForm, MarkerGrammar};
use crate::cite::LiteralNumbers;
use crate::cite::marker::{self, MAX_INNER_BYTES, Marker};
use crate::cite::read::{Token, TokenKind, same_label};
use crate::cite::resolve::{Indices, Named};
use crate::report::{Entry, Kind};

/// The meaning of a bracket.
enum Meaning {
    Cites(Cited),
    /// A machine-made marker that names no source. It is removed.
    Vanishes,
    /// A marker that a person may have written and that names no source. It stays.
    Nameless,
    /// A number that a claim may have, and that names no source here.
    Number {
        /// Whether it is a marker of this format.
        is_marker: bool,
    },
    /// No marker, but it looks like one.
    Alike,
    /// Text that has not arrived tells.
    Untold,
    Nothing,
}

/// The sources that a marker cites.
struct Cited {
    sources: Indices,
    /// The numbers in it that name no source.
    unknown: SmallVec<[usize; 2]>,
    /// The length of the words at its end that name a place in the source, `, p. 3`. They stay.
    locator: usize,
}

impl Context<'_> {
    /// The meaning of the bracket at this range.
    fn meaning(&self, form: MarkerForm, inner: &str, range: Range<usize>) -> Meaning {
        let raw = &self.text[range.clone()];
        let marker = marker::read(form, inner, self.grammar);
        let is_number = form == MarkerForm::Square && number(inner).is_some_and(|n| self.may_be_claim(n));
        let nothing = || if is_number { Meaning::Number { is_marker: false } } else { self.alike(form, inner) };
        let Some(marker) = marker else { return self.located(form, inner, raw).unwrap_or_else(nothing) };
        match self.resolve(raw, &marker) {
            Named::Sources { unknown, .. } if !unknown.is_empty() && self.is_no_list(range, &marker) => {
                Meaning::Nameless
            }
            Named::Sources { found, unknown } => Meaning::Cites(Cited { sources: found, unknown, locator: 0 }),
            Named::Untold => Meaning::Untold,
            Named::Nothing if marker.is_machine_made() => Meaning::Vanishes,
            Named::Nothing if marker.is_name() => self.located(form, inner, raw).unwrap_or_else(nothing),
            Named::Nothing if is_number => Meaning::Number { is_marker: true },
            Named::Nothing => Meaning::Nameless,
        }
    }

    /// The meaning of a bracket that ends with a place in its source: `[1, p. 3]`.
    fn located(&self, form: MarkerForm, inner: &str, raw: &str) -> Option<Meaning> {
        // A bracket over several lines is not as long as its inner text.
        if raw.len() != form.open().len_utf8() + inner.len() + form.close().len_utf8() {
            return None;
        }
        let (before, locator) = marker::before_locator(inner)?;
        let marker = marker::read(form, before, self.grammar)
            .filter(|marker| !matches!(marker, Marker::Name(_) | Marker::NameEnd(_)))?;
        match self.resolve(raw, &marker) {
            Named::Sources { found, unknown } if unknown.is_empty() => {
                Some(Meaning::Cites(Cited { sources: found, unknown, locator }))
            }
            Named::Untold => Some(Meaning::Untold),
            Named::Sources { .. } | Named::Nothing => None,
        }
    }

    /// Whether a list of which some numbers name sources is none: a range, or a value behind a sign of programs and formulas.
    fn is_no_list(&self, range: Range<usize>, marker: &Marker<'_>) -> bool {
        let before = self.text[..range.start].trim_end_matches(' ');
        let is_people_made = !marker.is_machine_made();
        is_people_made
            && (self.text[range].contains(marker::DASHES)
                || before.ends_with(['=', '∈', '{', '+', '*'])
                || is_call(before))
    }

    /// The meaning of a bracket that is no marker of this answer.
    fn alike(&self, form: MarkerForm, inner: &str) -> Meaning {
        if self.sources.is_empty() {
            return Meaning::Nothing;
        }
        let marker = marker::read(form, inner, &MarkerGrammar::ALL);
        let near = |n: &usize| *n <= self.sources.len();
        let is_alike = marker.is_some_and(|marker| match &marker {
            Marker::Numbers(numbers) => numbers.iter().all(near),
            Marker::Footnote(n) => near(n),
            Marker::Documents(_) | Marker::Machine(_) | Marker::Word(_) | Marker::Name(_) | Marker::NameEnd(_) => {
                marker.looks_like_one()
            }
        });
        if is_alike { Meaning::Alike } else { Meaning::Nothing }
    }

    /// The sources that a text names when it is a marker of any format, with or without brackets. Names of sources do not
    /// count.
    pub(crate) fn named_by(&self, shown: &str) -> Option<Indices> {
        let bare = unbracketed(shown);
        let any = MarkerGrammar { meaning: self.grammar.meaning, ..MarkerGrammar::ALL };
        let marker = marker::in_square_brackets(bare, &any)?;
        if matches!(marker, Marker::Name(_) | Marker::NameEnd(_)) {
            return None;
        }
        self.resolve(&format!("[{bare}]"), &marker).found()
    }

    /// Whether a text as written would be drawn like the badge of a claim.
    pub(crate) fn is_drawn_as_badge(&self, written: &str) -> bool {
        self.looks_like_badge(drawn(written).as_deref().unwrap_or(written))
    }

    /// Whether a drawn text looks like the badge of a claim.
    pub(super) fn looks_like_badge(&self, shown: &str) -> bool {
        number(unbracketed(shown)).is_some_and(|n| self.may_be_claim(n))
    }
}

/// Whether a label is a marker, or the number of a source. Definitions of such labels take no effect.
pub(crate) fn is_marker_label(label: &str) -> bool {
    let marker = marker::in_square_brackets(unbracketed(label), &MarkerGrammar::ALL);
    marker.is_some_and(|marker| !marker.is_name())
}

/// Parses a number; blanks are allowed around and in it, as labels may have them.
pub(super) fn number(inner: &str) -> Option<usize> {
    let mut number: Option<usize> = None;
    for byte in inner.bytes() {
        match byte {
            b'0'..=b'9' => {
                number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(usize::from(byte - b'0')));
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => return None,
        }
    }
    number
}

/// The text without the blanks and the brackets around it.
pub(super) fn unbracketed(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text)
}

impl<'l> Leaf<'l, '_> {
    /// Handles an opening bracket behind the text in `before`. Returns where the bracket ends when it becomes a piece of its
    /// own.
    pub(super) fn open_bracket(&mut self, token: usize, before: Range<usize>, form: MarkerForm) -> Option<usize> {
        let at = before.end;
        if self.within == Within::Link {
            return (form == MarkerForm::Square).then(|| self.number_in_link(token, before)).flatten();
        }
        let (meaning, end) = match self.inner(token, at, form) {
            Some((inner, end)) => {
                let meaning = self.context.meaning(form, &inner, at..end);
                let may_be_link = matches!(meaning, Meaning::Nothing | Meaning::Alike | Meaning::Nameless)
                    && form == MarkerForm::Square;
                // A bracket with a label behind it is no link by itself.
                let (before, behind) = (&self.source()[..at], &self.source()[end..]);
                let is_label = before.ends_with(']') || !behind.starts_with('[') || behind.starts_with("[]");
                if may_be_link && is_label && !inner.trim().is_empty() {
                    self.state.use_label(same_label(&inner));
                }
                (meaning, end)
            }
            None => (Meaning::Nothing, at),
        };
        let range = at..end;
        let only_markers = self.context.rules.only_markers;
        match meaning {
            Meaning::Cites(cited) => {
                self.push_text(before);
                self.cite_marker(range, form, &cited);
            }
            Meaning::Untold => {
                self.push_text(before);
                self.held = at;
                return Some(self.inline.range()?.end);
            }
            Meaning::Vanishes => {
                let vanishes = !(only_markers && form == MarkerForm::Square);
                self.unresolved(range.clone(), vanishes);
                self.push_text(before);
                if vanishes { self.vanish(range) } else { self.push_text(range) }
            }
            Meaning::Number { is_marker } => {
                if is_marker {
                    self.unresolved(range.clone(), false);
                }
                self.push_text(before);
                self.state.literal_number(self.context.rules, at, &self.source()[range.clone()]);
                self.pieces.push(Piece::Number(range));
            }
            Meaning::Nameless => {
                self.unresolved(range.clone(), false);
                self.push_text(before.start..range.end);
            }
            Meaning::Alike | Meaning::Nothing => {
                if matches!(meaning, Meaning::Alike) {
                    self.looks_like_marker(range);
                }
                if form == MarkerForm::Square {
                    self.brackets.push((at, self.pieces.len().saturating_sub(1)));
                }
                return None;
            }
        }
        Some(end)
    }

    /// Puts badges in place of a marker in brackets. What it says beside its sources stays or is reported.
    fn cite_marker(&mut self, range: Range<usize>, form: MarkerForm, cited: &Cited) {
        for n in &cited.unknown {
            let raw = &self.source()[range.clone()];
            let message = format!("{n} in {raw} names no source; it was taken out");
            self.state.entries.push(Entry::in_text(Kind::Unresolved, "marker", range.start, message));
            self.state.unresolved.push(n.to_string());
        }
        if cited.locator == 0 {
            self.cite_sources(range, &cited.sources);
            return;
        }
        let positions = self.state.positions(self.context.sources, &cited.sources);
        let close = range.end - form.close().len_utf8();
        let badges = close - cited.locator;
        self.cite(range.start..badges, positions);
        self.push_text(badges..close);
        self.pieces.push(Piece::Dropped(close..range.end));
    }

    /// No bracket in the text of a link is a marker, but programs that read the drawn text would take a number there for a
    /// badge.
    fn number_in_link(&mut self, token: usize, before: Range<usize>) -> Option<usize> {
        let rules = self.context.rules;
        let (inner, end) = self
            .inner(token, before.end, MarkerForm::Square)
            .filter(|_| rules.literal_numbers != LiteralNumbers::Escape)?;
        if !number(&inner).is_some_and(|n| self.context.may_be_claim(n)) {
            return None;
        }
        let range = before.end..end;
        self.push_text(before);
        self.state.literal_number(rules, range.start, &self.source()[range.clone()]);
        self.pieces.push(Piece::Number(range));
        Some(end)
    }

    /// The text between a bracket and its closing bracket, and the offset behind that. `None` when another bracket, or a
    /// token other than text, comes before. The text may span lines.
    fn inner(&self, token: usize, at: usize, form: MarkerForm) -> Option<(Cow<'l, str>, usize)> {
        let (text, open, close) = (self.source(), form.open(), form.close());
        let mut from = at + open.len_utf8();
        let mut joined = String::new();
        for token in &self.inline.tokens[token..] {
            match token.kind {
                TokenKind::SoftBreak => {
                    joined.push(' ');
                    continue;
                }
                TokenKind::Text => {}
                TokenKind::Escape
                | TokenKind::Entity
                | TokenKind::HardBreak
                | TokenKind::Code
                | TokenKind::Html
                | TokenKind::Autolink
                | TokenKind::Open(_)
                | TokenKind::Close(_) => return None,
            }
            // The bracket may be the first character of the next token.
            if token.range.end < from {
                continue;
            }
            from = from.max(token.range.start);
            let room = text.floor_char_boundary(token.range.end.min(from + MAX_INNER_BYTES + 4));
            let rest = &text[from..room];
            // A machine-made marker holds no bracket: a badge written inside would change the marker.
            if let Some(found) = rest.find([open, close, '[']) {
                if !rest[found..].starts_with(close) || joined.len() + found > MAX_INNER_BYTES {
                    return None;
                }
                let end = from + found + close.len_utf8();
                if joined.is_empty() {
                    return Some((Cow::Borrowed(&rest[..found]), end));
                }
                joined.push_str(&rest[..found]);
                return Some((Cow::Owned(joined), end));
            }
            if room < token.range.end || joined.len() + rest.len() > MAX_INNER_BYTES {
                return None;
            }
            joined.push_str(rest);
        }
        None
    }

    /// Handles a closing bracket behind the text in `before`. When the bracket is the text of a link to the marker behind
    /// it, `[Leave policy][1]`, its brackets are dropped. Returns where the bracket ends when it becomes a piece.
    pub(super) fn close_bracket(&mut self, token: usize, before: Range<usize>) -> Option<usize> {
        let at = before.end;
        let (open, first) = self.brackets.pop()?;
        if self.within == Within::Link || !self.source()[at + 1..].starts_with('[') {
            return None;
        }
        if !self.is_text_of_marker(token, open..at, first) {
            // `[**1**][foo]` would look like a badge once `foo` is defined.
            let looks_like_badge = self.will_look_like_badge(open + 1..at, first);
            if looks_like_badge {
                self.push_text(before.start..at + 1);
                self.pieces.push(Piece::Apart);
            }
            return looks_like_badge.then_some(at + 1);
        }
        self.push_text(before);
        let place =
            self.pieces.iter().rposition(|piece| matches!(piece, Piece::Text(range) if range.contains(&open)))?;
        let Piece::Text(range) = self.pieces[place].clone() else { return None };
        let shown = &self.source()[open + 1..at];
        let message = format!("[{shown}] cites a source: its text stays, with the badge of the source behind it");
        self.state.entries.push(Entry::in_text(Kind::Note, "link", open, message));
        let bracket = Piece::Unbracketed(open..open + 1);
        let parts = [Piece::Text(range.start..open), bracket, Piece::Text(open + 1..range.end)];
        let is_something = |part: &Piece| !matches!(part, Piece::Text(range) if range.is_empty());
        self.pieces.splice(place..=place, parts.into_iter().filter(is_something));
        self.pieces.push(Piece::Dropped(at..at + 1));
        Some(at + 1)
    }

    /// Whether the text of a bracket looks like the badge of a claim, as written or after its markers became badges:
    /// `[[^1^]]`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others stay, or hold what can be no badge")]
    fn will_look_like_badge(&self, stretch: Range<usize>, first: usize) -> bool {
        if stretch.len() > MAX_INNER_BYTES || self.context.looks_like_badge(&self.shown(stretch.clone())) {
            return stretch.len() <= MAX_INNER_BYTES;
        }
        let (mut written, mut from) = (String::new(), stretch.start);
        for piece in self.pieces.get(first..).unwrap_or_default() {
            let (range, number) = match piece {
                Piece::Badges { range, positions, .. } if positions.len() == 1 => (range, "[1]"),
                Piece::Gone(range) => (range, ""),
                _ => continue,
            };
            if range.start >= from {
                written.push_str(&self.source()[from..range.start]);
                written.push_str(number);
                from = range.end;
            }
        }
        written.push_str(&self.source()[from..stretch.end.max(from)]);
        from > stretch.start && self.context.is_drawn_as_badge(&written)
    }

    /// Whether a bracket is the text of a link to a marker. Behind a word or another bracket it is an index, `m[row][1]`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only these three link")]
    fn is_text_of_marker(&self, token: usize, bracket: Range<usize>, first: usize) -> bool {
        let Range { start: open, end: at } = bracket;
        let text = self.source();
        let inner = &text[open + 1..at];
        // An underscore is part of an identifier only behind a letter or digit: `m_[i][1]`, but not `_[text][1]_`.
        let before = &text[..open];
        let name = before.strip_suffix('_').unwrap_or(before);
        let is_index = before.ends_with([']', '!']) || name.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let holds_link = || {
            self.pieces.get(first..).unwrap_or_default().iter().any(|piece| match piece {
                Piece::Autolink(range) | Piece::Badges { range, .. } | Piece::Gone(range) => range.start > open,
                Piece::Open { link, .. } => self.range(*link).start > open,
                _ => false,
            })
        };
        if self.context.rules.only_markers
            || is_index
            || inner.contains(['[', ']'])
            || !may_be_text(inner)
            || self.context.looks_like_badge(inner)
            || is_marker_of_any_format(inner)
            || holds_link()
        {
            return false;
        }
        let behind = self.inline.tokens[token..].iter().find(|token| token.range.end > at + 1);
        if let Some(Token { kind: TokenKind::Open(link), .. }) = behind {
            return self.context.grammar.linked && self.context.named_by(&self.shown(self.stretch(*link))).is_some();
        }
        let Some((label, end)) = self.inner(token, at + 1, MarkerForm::Square) else { return false };
        matches!(
            self.context.meaning(MarkerForm::Square, &label, at + 1..end),
            Meaning::Cites(_) | Meaning::Vanishes | Meaning::Untold
        )
    }
}

/// Whether a text ends with the name and the parenthesis of a function.
fn is_call(text: &str) -> bool {
    text.strip_suffix('(').is_some_and(|name| name.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Whether a text can name a document. One character is a task box or an index, and names have a letter.
fn may_be_text(inner: &str) -> bool {
    inner.trim().chars().nth(1).is_some() && inner.contains(char::is_alphabetic)
}

/// `[doc1][2]` is a list of markers, also where `[doc1]` is no marker of this format.
fn is_marker_of_any_format(inner: &str) -> bool {
    let marker = marker::in_square_brackets(inner, &MarkerGrammar::ALL);
    marker.is_some_and(|marker| !matches!(marker, Marker::Name(_) | Marker::NameEnd(_)))
}
