//! The walk over the tokens of one leaf.

use std::ops::Range;

use super::{Context, Decisions, Piece, Positions};
use crate::answer::{MarkerForm, SourceIndex};
use crate::cite::html::{Harm, comment_end, is_comment, is_line_break, judge_tag};
use crate::cite::marker::DASHES;
use crate::cite::read::{Inline, Token, TokenKind};
use crate::cite::resolve::Indices;
use crate::report::{Entry, Kind};
use crate::text::{ByteSet, ends_paragraph};

/// Decides about the tokens of one leaf, and fills `pieces`. In a leaf that is not complete, nothing behind the offset
/// `held` is decided. With `loses_blocks`, block elements of HTML would cost text. Returns the offset from which text is
/// held back; `usize::MAX` for a complete leaf.
pub(crate) fn decide(
    context: &Context<'_>,
    state: &mut Decisions,
    inline: &Inline<'_>,
    held: Option<usize>,
    loses_blocks: bool,
    pieces: &mut Vec<Piece>,
) -> usize {
    pieces.clear();
    let mut leaf = Leaf {
        context: *context,
        state,
        inline,
        pieces,
        done: 0,
        held: held.unwrap_or(usize::MAX),
        brackets: Vec::new(),
        row: Row::default(),
        within: Within::Text,
        loses_blocks,
    };
    leaf.tokens(0..inline.tokens.len());
    let end = inline.range().map_or(0, |range| range.end);
    if leaf.held <= end {
        return leaf.hold_last();
    }
    leaf.cite_places(end);
    usize::MAX
}

impl Decisions {
    /// Reports the tags that are changed in the HTML block at `at`. A block that `loses_text` is shown as text.
    pub(crate) fn report_html(&mut self, text: &str, at: usize, html: &str, loses_text: bool) {
        let (mut at, mut rest) = (at, html);
        while let Some(found) = rest.find('<') {
            rest = &rest[found..];
            let comment = if rest.starts_with("<!--") { comment_end(rest) } else { None };
            let (harm, length) = comment.map_or_else(|| judge_tag(rest), |length| (Harm::None, length));
            let harm = if loses_text && length > 1 { Harm::Tag } else { harm };
            let tag = &rest[..length];
            // In the text, container prefixes may stand between the lines of the tag.
            let line = tag.lines().next().unwrap_or_default();
            at += text[at..].find(line).unwrap_or_default();
            self.report_tag(harm, at, tag);
            at += line.len();
            rest = &rest[length..];
        }
    }

    /// Reports a tag that is taken out because the channel has no HTML.
    fn report_left_out(&mut self, at: usize, tag: &str) {
        let message = format!("{} was taken out, because the channel has no HTML", beginning(tag));
        self.entries.push(Entry::in_text(Kind::Dropped, "html-left-out", at, message));
    }

    /// Reports the tags that are taken out of the HTML block at `at`.
    pub(crate) fn report_html_left_out(&mut self, text: &str, at: usize, html: &str) {
        let (mut at, mut rest) = (at, html);
        while let Some(found) = rest.find('<') {
            rest = &rest[found..];
            let comment = if rest.starts_with("<!--") { comment_end(rest) } else { None };
            let length = comment.unwrap_or_else(|| judge_tag(rest).1);
            let line = rest[..length].lines().next().unwrap_or_default();
            at += text[at..].find(line).unwrap_or_default();
            if length > 1 && !is_line_break(line) {
                self.report_left_out(at, line);
            }
            at += line.len();
            rest = &rest[length..];
        }
    }

    fn report_tag(&mut self, harm: Harm, at: usize, tag: &str) {
        match harm {
            Harm::None => {}
            Harm::Attributes(_) => {
                self.neutralised("html-attributes", at, format!("the attributes of {tag} were taken out"));
            }
            Harm::Tag => self.neutralised("html", at, format!("{} is shown as text", beginning(tag))),
        }
    }
}

/// The state of the walk over one leaf.
pub(super) struct Leaf<'l, 's> {
    pub(super) context: Context<'l>,
    pub(super) state: &'l mut Decisions,
    pub(super) inline: &'l Inline<'s>,
    pub(super) pieces: &'l mut Vec<Piece>,
    /// The source is decided up to this offset, which may be inside a token.
    pub(super) done: usize,
    /// Nothing behind this offset is decided yet.
    pub(super) held: usize,
    /// The open square brackets in text: the offset of each, and the index from which pieces may belong to it.
    pub(super) brackets: Vec<(usize, usize)>,
    pub(super) row: Row,
    pub(super) within: Within,
    /// Whether text behind a block element of HTML would be lost.
    loses_blocks: bool,
}

/// The surroundings of the current tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    Text,
    /// The text of a link that stays: brackets in it are text, and links in it keep only their texts.
    Link,
    /// The description of an image that is removed: links in it keep only their texts, because readers never saw them as
    /// links.
    Description,
}

/// Markers in a row with commas between them: `[2], [doc9], 【1】`. A removed marker takes one of its commas along.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    /// The end of its last marker; 0 before the first one.
    end: usize,
    /// The number of pieces behind that marker.
    behind: usize,
    /// Whether one of its markers stays.
    stays: bool,
    /// The one source of that marker, if it names one alone.
    source: Option<SourceIndex>,
}

/// The code of the note about text that looks like a marker.
pub(crate) const LOOKS_LIKE_MARKER: &str = "looks-like-marker";

/// The most sources that a range of markers names.
const MAX_RANGE: usize = 20;

/// Words between the ends of a range that compare nothing.
const RANGE_WORDS: [&str; 3] = ["bis", "through", "hasta"];

/// Bytes of text that need a decision: dollars, square brackets, and the first bytes of other markers.
static SPECIAL: ByteSet = ByteSet::of(b"[]$^#(\xc2\xe2\xe3\xee\xef");

impl<'l> Leaf<'l, '_> {
    pub(super) fn source(&self) -> &'l str {
        self.context.text
    }

    /// Decides about tokens, by their indices.
    pub(super) fn tokens(&mut self, tokens: Range<usize>) {
        let mut at = tokens.start;
        while at < tokens.end {
            let Token { kind, mut range } = self.inline.tokens[at].clone();
            if range.end <= self.done {
                at += 1;
                continue;
            }
            let start = range.start.max(self.done);
            if start >= self.held || kind != TokenKind::Text && range.end > self.held && self.held < usize::MAX {
                self.held = self.held.min(start);
                break;
            }
            range.end = range.end.min(self.held);
            self.context.arrive(start);
            self.cite_places(start);
            if let Some((replaced, sources)) =
                self.state.places.take_replaced(start).filter(|_| self.within != Within::Link)
            {
                self.replace(replaced, &sources);
                continue;
            }
            match kind {
                TokenKind::Text => self.text(at, range.start.max(self.done)..range.end),
                TokenKind::Escape => self.escape(at, range),
                TokenKind::Entity => self.pieces.push(Piece::Entity(range)),
                TokenKind::SoftBreak => self.pieces.push(Piece::SoftBreak(range)),
                TokenKind::HardBreak => self.pieces.push(Piece::HardBreak(range)),
                TokenKind::Code => self.pieces.push(Piece::Code(range)),
                TokenKind::Html => at = self.html_or_script(at, range),
                TokenKind::Autolink => self.autolink(range),
                TokenKind::Open(link) => at = self.link(link),
                TokenKind::Close(_) => {}
            }
            at += 1;
        }
    }

    /// Handles text, split at the offsets that the provider cites.
    fn text(&mut self, token: usize, range: Range<usize>) {
        let mut from = range.start;
        while from < range.end {
            let next = if self.within == Within::Link { range.end } else { self.state.places.next(self.source()) };
            let stop = next.clamp(from, range.end);
            self.plain_text(token, from..stop);
            from = stop.max(self.done);
            if stop == range.end || from > stop {
                continue;
            }
            match self.state.places.take_replaced(stop) {
                Some((replaced, sources)) => {
                    self.replace(replaced, &sources);
                    from = self.done;
                }
                None => self.cite_places(stop),
            }
        }
    }

    /// Puts badges in place of a marker that a citation replaces.
    fn replace(&mut self, stretch: Range<usize>, sources: &[SourceIndex]) {
        let positions = self.state.positions(self.context.sources, sources);
        self.done = stretch.end;
        self.cite(stretch, positions);
    }

    /// Writes the badges of the span citations up to `at`.
    fn cite_places(&mut self, at: usize) {
        if self.within == Within::Link || self.state.places.is_done() {
            return;
        }
        let sources = self.state.places.take(self.source(), at);
        if !sources.is_empty() {
            // A span citation may name any source. Only markers in the text are limited to the sources that came before
            // them.
            let positions = self.state.positions(self.context.arrivals.all, &sources);
            if !positions.is_empty() {
                self.cite(at..at, positions);
            }
        }
    }

    /// Handles text, split at the bytes of `SPECIAL`.
    pub(super) fn special_text(&mut self, token: usize, range: Range<usize>) {
        let text = self.source();
        let bytes = text.as_bytes();
        let (mut from, mut at) = (range.start, range.start);
        while at < range.end {
            let Some(found) = SPECIAL.position(&bytes[at..range.end]) else { break };
            at += found;
            self.context.arrive(at);
            let behind = match bytes[at] {
                b'[' => self.open_bracket(token, from..at, MarkerForm::Square),
                b']' => self.close_bracket(token, from..at),
                b'$' => self.math(token, from..at),
                b'^' | b'#' | b'(' | b'\xc2' | b'\xe2' => self.loose(token, from..at),
                _ => match text[at..].chars().next().and_then(MarkerForm::opened_by) {
                    Some(form) => self.open_bracket(token, from..at, form),
                    None => self.loose(token, from..at),
                },
            };
            match behind {
                // The text before is a piece already.
                Some(behind) => {
                    self.done = behind;
                    (from, at) = (behind, behind);
                }
                None => at = text.ceil_char_boundary(at + 1),
            }
        }
        self.push_text(from..range.end.max(from));
    }

    pub(super) fn push_text(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(Piece::Text(range)),
        }
    }

    pub(super) fn html(&mut self, range: Range<usize>) {
        let source = &self.source()[range.clone()];
        if !self.context.rules.markdown {
            self.pieces.push(Piece::Tag { range, name: None });
            return;
        }
        if self.context.rules.extended && self.without_tag(&range) {
            return;
        }
        let harm = if is_comment(source) {
            Harm::None
        } else if self.loses_blocks && ends_paragraph(source) {
            Harm::Tag
        } else {
            judge_tag(source).0
        };
        self.state.report_tag(harm, range.start, source);
        self.pieces.push(match harm {
            Harm::None => Piece::Tag { range, name: None },
            Harm::Attributes(name) => Piece::Tag { name: Some(range.start + name), range },
            Harm::Tag => Piece::Literal(range),
        });
    }

    /// Takes out a harmless tag or a comment, for a channel without HTML; a line break stays one. Any other tag is shown as text.
    fn without_tag(&mut self, range: &Range<usize>) -> bool {
        let source = &self.source()[range.clone()];
        if !is_comment(source) && judge_tag(source).0 == Harm::Tag {
            return false;
        }
        if is_line_break(source) {
            self.pieces.push(Piece::Break(range.clone()));
        } else {
            self.state.report_left_out(range.start, source);
            self.pieces.push(Piece::Gone(range.clone()));
        }
        true
    }

    /// Puts badges in place of a marker. Without positions, the marker is removed.
    pub(super) fn cite(&mut self, range: Range<usize>, positions: Positions) {
        if positions.is_empty() {
            self.vanish(range);
            return;
        }
        match self.pieces.last_mut() {
            // Adjacent markers show each number once.
            Some(Piece::Badges { range: last, positions: shown, .. }) if last.end == range.start => {
                last.end = range.end;
                self.row.end = range.end;
                for position in positions {
                    if !shown.contains(&position) {
                        shown.push(position);
                    }
                }
            }
            _ => {
                let badges = Piece::Badges { range: range.clone(), first: range.end, positions };
                self.marker(range, badges, true);
            }
        }
    }

    /// Removes a marker.
    pub(super) fn vanish(&mut self, range: Range<usize>) {
        self.marker(range.clone(), Piece::Gone(range), false);
    }

    /// Adds a marker to its row. Drops the comma between it and the marker before when one of the two is removed.
    fn marker(&mut self, range: Range<usize>, piece: Piece, stays: bool) {
        let Row { end, behind, stays: others_stay, .. } = self.row;
        let between = self.source().get(end..range.start).filter(|_| end > 0 && self.pieces.len() == behind + 1);
        let sign = between.and_then(separator).filter(|_| !self.context.rules.only_markers);
        if let Some(sign) = sign.filter(|_| !stays || !others_stay) {
            self.pieces.truncate(behind);
            self.pieces.push(Piece::Dropped(end..end + sign));
            self.push_text(end + sign..range.start);
        }
        self.pieces.push(piece);
        let stays = stays || sign.is_some() && others_stay;
        self.row = Row { end: range.end, behind: self.pieces.len(), stays, source: None };
    }

    /// Cites the sources of a marker in brackets. `[1]–[3]` cites what lies between as well, and stays a range where its
    /// numbers are one.
    pub(super) fn cite_sources(&mut self, range: Range<usize>, sources: &[SourceIndex]) {
        let (known, single) = (self.context.sources, if let [source] = sources { Some(*source) } else { None });
        let inside = single.and_then(|to| self.range_to(range.start, to));
        let Some((first, inside)) = inside else {
            let positions = self.state.positions(known, sources);
            self.cite(range, positions);
            self.row.source = single;
            return;
        };
        let between = self.state.positions(known, &inside);
        let last = self.state.positions(known, sources);
        let numbers = between.iter().chain(&last).map(|position| position.get());
        let is_range = numbers.clone().eq((first + 1..).take(inside.len() + 1));
        let Row { end, behind, .. } = self.row;
        // A stream has shown the word between the two already.
        let has_word = self.source()[end..range.start].contains(' ');
        if has_word || is_range && !self.context.rules.only_markers {
            self.cite(range, last);
            return;
        }
        self.pieces.truncate(behind);
        self.pieces.push(Piece::Dropped(end..range.start));
        self.cite(range, between.into_iter().chain(last).collect());
    }

    /// The number before the range that ends with a marker at `at`, and the sources between the two. `None` when no dash or
    /// word of a range stands between them.
    fn range_to(&self, at: usize, to: SourceIndex) -> Option<(u32, Indices)> {
        let Row { end, behind, source, .. } = self.row;
        let from =
            source.filter(|from| from.0 < to.0 && to.0 - from.0 < MAX_RANGE && self.pieces.len() == behind + 1)?;
        let Piece::Badges { positions, .. } = self.pieces.get(behind.checked_sub(1)?)? else { return None };
        let sign = self.source().get(end..at)?;
        // A dash between blanks may part two sentences.
        let is_dash = sign.chars().eq(sign.chars().next().filter(|c| DASHES.contains(c)));
        let is_range = is_dash || RANGE_WORDS.contains(&sign.trim());
        is_range.then_some((positions.last()?.get(), (from.0 + 1..to.0).map(SourceIndex).collect()))
    }

    /// Takes back the pieces at the end that depend on the next token: the comma or dash behind a marker, which a removed
    /// marker or a range takes along, and removed markers or brackets, which may need a separator.
    fn hold_last(&mut self) -> usize {
        let Row { end, behind, .. } = self.row;
        let is_sign = |c: char| matches!(c, ' ' | '\t' | ',' | ';') || DASHES.contains(&c);
        let is_behind_marker = end > 0 && self.pieces.len() == behind + 1;
        if is_behind_marker && self.source()[end..self.held.max(end)].trim_matches(is_sign).is_empty() {
            self.pieces.truncate(behind);
            self.held = end;
        }
        while let Some(Piece::Gone(range) | Piece::Unbracketed(range) | Piece::Break(range)) = self.pieces.last() {
            self.held = range.start;
            self.pieces.pop();
        }
        self.held
    }

    /// Reports a marker that names no source.
    pub(super) fn unresolved(&mut self, range: Range<usize>, vanishes: bool) {
        let raw = &self.source()[range.clone()];
        let fate = if vanishes { "it was taken out" } else { "it stays as text" };
        let message = format!("{raw} names no source; {fate}");
        self.state.entries.push(Entry::in_text(Kind::Unresolved, "marker", range.start, message));
        self.state.unresolved.push(raw.to_owned());
    }
}

/// How the text is read that looks like a marker.
impl Leaf<'_, '_> {
    /// Reports text that looks like a marker and stays, in an answer with sources.
    pub(super) fn looks_like_marker(&mut self, range: Range<usize>) {
        let raw = &self.source()[range.clone()];
        let known = self.context.sources.len();
        let message = format!(
            "{raw} looks like a marker and stays as text: its form is none of this format's, or not all of it names one of the \
             {known} sources by place, id, file name or title"
        );
        self.state.entries.push(Entry::in_text(Kind::Note, LOOKS_LIKE_MARKER, range.start, message));
    }
}

/// The length of a text up to and including its comma or semicolon; `None` unless the text holds only that sign and blanks.
fn separator(text: &str) -> Option<usize> {
    let blanks = [' ', '\t'];
    let sign = text.trim_start_matches(blanks);
    let behind = sign.strip_prefix([',', ';'])?;
    behind.trim_start_matches(blanks).is_empty().then_some(text.len() - behind.len())
}

/// The beginning of a tag, as the report quotes it.
fn beginning(tag: &str) -> &str {
    const MAX_TAG_CHARS: usize = 60;
    let line = tag.split(['\r', '\n']).next().unwrap_or_default();
    line.char_indices().nth(MAX_TAG_CHARS).map_or(line, |(end, _)| &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_opens_a_marker_is_looked_at() {
        for form in MarkerForm::ALL {
            assert_eq!(SPECIAL.position(form.open().to_string().as_bytes()), Some(0), "{form:?}");
        }
    }
}
