//! Decides about markers without square brackets, and about raised and lowered text.

use std::ops::Range;

use super::Piece;
use super::leaf::{Leaf, Within};
use crate::answer::First;
use crate::cite::loose::{self, Loose};
use crate::cite::marker::{self, Marker};
use crate::cite::read::{Token, TokenKind};
use crate::cite::resolve::Named;
use crate::cite::script::{MAX_SCRIPT, Script};

impl Leaf<'_, '_> {
    /// Handles text, split at names such as `turn0file0`.
    pub(super) fn plain_text(&mut self, token: usize, range: Range<usize>) {
        let mut from = range.start;
        while from < range.end && !self.context.sources.is_empty() && self.within == Within::Text {
            let goes_on = range.end == self.held;
            if !goes_on && !self.context.may_name_turns {
                break;
            }
            let Some((found, loose)) = loose::find_turn(&self.source()[from..range.end], goes_on) else { break };
            let found = from + found.start..from + found.end;
            self.special_text(token, from..found.start);
            from = self.done.max(found.start);
            if from == found.start {
                let behind = self.cite_loose(from..from, loose, found.clone());
                from = behind.unwrap_or(found.end);
                match behind {
                    Some(behind) => self.done = behind,
                    None => self.push_text(found),
                }
            }
        }
        self.special_text(token, from..range.end.max(from));
    }

    /// Handles a sign that may begin a marker without square brackets, behind the text in `before`. Returns where the marker
    /// ends.
    pub(super) fn loose(&mut self, token: usize, before: Range<usize>) -> Option<usize> {
        if self.context.sources.is_empty() || self.within != Within::Text {
            return None;
        }
        let at = before.end;
        let end = self.inline.tokens[token].range.end.min(self.held);
        let (source, goes_on) = (self.source(), end == self.held);
        match loose::read(&source[..at], &source[at..end], goes_on, self.context.grammar) {
            Loose::Nothing => None,
            loose @ Loose::Hashes(_, length) => {
                let range = at..at + length;
                let behind = self.cite_loose(before.clone(), loose, range.clone());
                // The dollars open no math in any case.
                behind.or_else(|| {
                    self.push_text(before.start..range.end);
                    Some(range.end)
                })
            }
            loose @ Loose::Marker(_, length) => self.cite_loose(before, loose, at..at + length),
            Loose::Open => self.wait(before),
        }
    }

    /// Decides nothing from here on, because text that has not arrived tells what stands here.
    fn wait(&mut self, before: Range<usize>) -> Option<usize> {
        self.held = before.end;
        self.push_text(before);
        Some(self.inline.range()?.end)
    }

    /// Puts badges in place of a marker at `range`, behind the text in `before`. `None` if it names no source.
    fn cite_loose(&mut self, before: Range<usize>, loose: Loose<'_>, range: Range<usize>) -> Option<usize> {
        let named = match loose {
            Loose::Open => return self.wait(before.start..range.start),
            Loose::Nothing => return None,
            Loose::Hashes(n, _) => self.context.resolve_each(&[n], First::Zero),
            Loose::Marker(Marker::Machine(names), _) => self.context.resolve_turns(&names),
            Loose::Marker(Marker::Numbers(_), _) if !self.context.grammar.numbers => Named::Nothing,
            Loose::Marker(Marker::Numbers(numbers), _) => self.context.resolve_each(&numbers, First::One),
            Loose::Marker(marker, _) => self.context.resolve(&self.source()[range.clone()], &marker),
        };
        match named {
            Named::Sources { found, .. } => {
                self.push_text(before);
                let positions = self.state.positions(self.context.sources, &found);
                self.cite(range.clone(), positions);
                Some(range.end)
            }
            Named::Untold => self.wait(before),
            Named::Nothing => {
                self.looks_like_marker(range);
                None
            }
        }
    }

    /// Handles HTML. A raised number that names sources is a marker; other raised or lowered text is written without tags.
    /// Returns the last token of what was handled.
    pub(super) fn html_or_script(&mut self, token: usize, range: Range<usize>) -> usize {
        if let Some(script) = Script::begun_by(&self.source()[range.clone()]) {
            match self.script(token, script) {
                Extent::Until(close) => return close,
                Extent::Open => {
                    self.held = range.start;
                    return token;
                }
                Extent::Tags => {}
            }
        }
        self.html(range);
        token
    }

    fn script(&mut self, token: usize, script: Script) -> Extent {
        let start = self.inline.tokens[token].range.start;
        let rest = &self.inline.tokens[token + 1..];
        let text = match rest.first() {
            Some(Token { kind: TokenKind::Text, range }) => range.clone(),
            Some(_) => return Extent::Tags,
            None => self.inline.tokens[token].range.end..self.inline.tokens[token].range.end,
        };
        let close = rest.get(1).filter(|close| close.range.end <= self.held);
        let Some(close) = close.filter(|close| close.kind == TokenKind::Html) else {
            let may_close = self.held < usize::MAX && text.end.min(self.held).saturating_sub(text.start) <= MAX_SCRIPT;
            let is_last = rest.len() < 2 || rest.get(1).is_some_and(|next| next.range.end > self.held);
            return if may_close && is_last { Extent::Open } else { Extent::Tags };
        };
        if !script.is_ended_by(&self.source()[close.range.clone()]) {
            return Extent::Tags;
        }
        let whole = start..close.range.end;
        if self.cites_raised(script, text.clone(), &whole) {
            self.done = whole.end;
            return Extent::Until(token + 2);
        }
        match script.written(&self.source()[text]) {
            Some(written) if !self.context.rules.only_markers => {
                self.pieces.push(Piece::Script(whole, written.into()));
                Extent::Until(token + 2)
            }
            _ => Extent::Tags,
        }
    }

    /// Puts badges in place of a raised number that names sources and is no exponent.
    fn cites_raised(&mut self, script: Script, text: Range<usize>, whole: &Range<usize>) -> bool {
        let source = self.source();
        let is_part = source[whole.end..].starts_with(|c: char| c.is_ascii_alphanumeric());
        if script != Script::Raised
            || self.within != Within::Text
            || self.context.sources.is_empty()
            || is_part
            || text.len() > MAX_SCRIPT
            || loose::is_exponent(&source[..whole.start])
        {
            return false;
        }
        let Some(numbers) = marker::numbers(source[text].trim(), self.context.grammar) else { return false };
        let length = whole.len();
        self.cite_loose(whole.start..whole.start, Loose::Marker(Marker::Numbers(numbers), length), whole.clone())
            .is_some()
    }
}

/// How far raised or lowered text reaches.
enum Extent {
    /// Up to the token with this index.
    Until(usize),
    /// Its end has not arrived.
    Open,
    /// It has no end, or is too long: its tags stay.
    Tags,
}
