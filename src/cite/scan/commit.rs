//! What has been decided, to the writer.

use std::ops::Range;

use smallvec::SmallVec;

use super::LOOK_AHEAD;
use super::html::{HTML, MAX_TAG_CHARS};
use super::node::{Node, NodeKind};
use super::place::{MAX_ENTITY, first_open, written_at};
use super::scanner::{Input, Scanner};
use crate::answer::SourceIndex;
use crate::cite::Position;
use crate::report::{Entry, Kind};
use crate::url::without_user;

/// How far a marker that vanishes looks at what follows it: a blank and a character.
const MAX_VANISHING: usize = 8;

/// How many delimiters of emphasis are looked past.
pub(in crate::cite) const MAX_EMPHASIS: usize = 32;

/// The end of what has arrived, so that blanks by the thousand are looked at once.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    /// Up to where it was looked at.
    pub(super) seen: usize,
    /// The first place where what has arrived may still be cited.
    pub(super) content: usize,
    /// How many blanks and tabs there are at the very end.
    pub(super) blanks: usize,
}

impl Arrived {
    /// Takes note of what is new; whether it only adds to blanks that are more than any decision waits for.
    pub(super) fn is_only_longer(&mut self, text: &str) -> bool {
        let new = &text[self.seen..];
        let content = new.trim_end();
        if !content.is_empty() {
            self.content = first_open(text, self.seen + content.len());
        }
        self.seen = text.len();
        let before = self.blanks;
        let blanks = new.len() - new.trim_end_matches([' ', '\t']).len();
        self.blanks = if blanks == new.len() { before + blanks } else { blanks };
        blanks == new.len() && !new.is_empty() && before > 4 * LOOK_AHEAD
    }
}

impl Scanner {
    /// Writes what stands before `to`.
    pub(super) fn commit(&mut self, input: &Input<'_>, mut to: usize) {
        if !input.finished {
            // A place may still be cited at the end of what has arrived.
            to = to.min(self.tail.content);
            let recent = self.anchors.partition_point(|anchor| anchor.at + MAX_ENTITY < input.text.len());
            if let Some(anchor) = self.anchors.get(recent) {
                to = to.min(anchor.at.max(self.written));
            }
            let may_be_written = self.nodes.first().is_some_and(|node| node.range.end <= to);
            if to <= self.written && !may_be_written {
                return;
            }
        }
        if self.nodes.is_empty() {
            self.write_to(input, to, input.finished && to == input.text.len());
            return;
        }
        let nodes = std::mem::take(&mut self.nodes);
        let mut done = 0;
        for (at, node) in nodes.iter().enumerate() {
            let is_decided = input.finished || node.range.start < to && !Self::waits(input, node);
            if node.range.end > to || !is_decided {
                break;
            }
            self.write_to(input, node.range.start, !self.is_prefix_behind_block(input, node));
            if self.becomes_label(input, &nodes[at..]) {
                self.writer.separate();
            }
            self.write(input, node);
            self.written = self.written.max(node.range.end);
            self.node_end = node.range.end;
            done += 1;
        }
        let to = nodes.get(done).map_or(to, |node| node.range.start.min(to));
        self.nodes = nodes;
        self.nodes.drain(..done);
        self.cuts = self.cuts.saturating_sub(done);
        for opener in &mut self.openers {
            opener.node = opener.node.saturating_sub(done);
        }
        self.write_to(input, to, input.finished && to == input.text.len());
    }

    /// Whether the node begins the line behind something that no text can stand behind: citations of places in that come behind
    /// the node, because before a prefix they would begin another block.
    fn is_prefix_behind_block(&self, input: &Input<'_>, node: &Node) -> bool {
        let start = node.range.start;
        matches!(node.kind, NodeKind::Prefix)
            && start > 0
            && start == self.shield
            && input.text[..start].ends_with(['\n', '\r'])
    }

    /// Whether what is written for a node depends on what has not arrived.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are written whatever follows")]
    pub(super) fn waits(input: &Input<'_>, node: &Node) -> bool {
        let raw = &input.text[node.range.clone()];
        let behind = match &node.kind {
            NodeKind::Cite(_) if raw.starts_with('\u{e200}') => MAX_EMPHASIS,
            // A citation past the most that may be shown vanishes.
            NodeKind::Cite(_) | NodeKind::CiteLink(_) | NodeKind::TextEnd(Some(_))
                if input.rules.max_claims.is_some() =>
            {
                MAX_VANISHING
            }
            NodeKind::Nameless { vanishes: true } => MAX_VANISHING,
            NodeKind::Cut | NodeKind::TextEnd(_) if raw.ends_with([')', ']']) => 1,
            // Whether a blank line follows.
            NodeKind::BehindBlock(..) => 1,
            _ => 0,
        };
        input.text.len() < node.range.end + behind
    }

    /// Keeps what stood on both sides of something that was taken out from meaning together what neither meant.
    fn keep_neighbours_apart(&mut self, input: &Input<'_>, end: usize) {
        let next = input.text.as_bytes().get(end);
        if input.rules.markdown && next.is_some_and(|next| self.writer.fuses_with(*next)) {
            self.writer.separate();
        }
    }

    /// Writes text up to a place, and citations of places in it.
    pub(super) fn write_to(&mut self, input: &Input<'_>, to: usize, inclusive: bool) {
        while let Some(anchor) = self.anchors.front() {
            let at = anchor.at.max(self.shield).min(input.text.len());
            // What is cited in code, or in definitions that go, comes behind it.
            if self.code.or(self.cut_from).is_some_and(|start| start < at) {
                break;
            }
            let at = written_at(input.text, at).max(self.written);
            if at > to || at == to && !inclusive {
                break;
            }
            let Some(anchor) = self.anchors.pop_front() else { break };
            self.text_to(input.text, at);
            let before = self.writer.written().len();
            self.cite(input, &anchor.sources, at..at);
            self.badges_of_places += self.writer.written().len() - before;
        }
        self.text_to(input.text, to);
    }

    pub(super) fn text_to(&mut self, text: &str, to: usize) {
        if to > self.written {
            self.writer.text(&text[self.written..to], self.written >= self.shield);
            self.written = to;
        }
    }

    /// What has arrived of a line that stays as it is.
    pub(super) fn verbatim_to(&mut self, text: &str, to: usize) {
        self.writer.opaque(&text[self.written..to]);
        (self.written, self.node_end) = (to, to);
        self.shield = self.shield.max(to);
    }

    /// Whether all that has arrived, up to `at`, is decided but for blanks, and its line goes on there.
    pub(super) fn is_settled(&self, at: usize) -> bool {
        self.at == at
            && !self.may_define
            && self.nodes.is_empty()
            && self.openers.is_empty()
            && self.anchors.is_empty()
            && self.replaced.is_empty()
    }

    /// How far nothing that follows can change what is written. Blanks and an exclamation mark wait for what follows.
    pub(super) fn decided(&self, input: &Input<'_>) -> usize {
        let at = if self.may_define { self.line_start } else { self.at };
        let open = self.openers.front().map_or(at, |opener| opener.at.min(at));
        let from = self.nodes.last().map_or(self.written, |node| node.range.end).min(open);
        let text = &input.text[from..open.min(self.tail.content).max(from)];
        let text = text.strip_suffix('!').unwrap_or(text);
        let decided = from + text.trim_end_matches([' ', '\t', '\r', '\n']).len();
        self.enumeration.undecided(&input.text[..open]).map_or(decided, |undecided| decided.min(undecided))
    }

    /// Whether anything is cited before a place, up to which was read.
    pub(in crate::cite) fn cites_before(&self, at: usize) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else cites")]
        let is_cited = |node: &Node| match &node.kind {
            NodeKind::Cite(_) | NodeKind::CiteLink(_) | NodeKind::TextEnd(Some(_)) => true,
            NodeKind::BehindBlock(sources, _) => !sources.is_empty(),
            _ => false,
        };
        self.numberer.any()
            || self.nodes.iter().any(is_cited)
            || self.anchors.front().is_some_and(|anchor| anchor.at <= at)
            || self.replaced.front().is_some_and(|(range, _)| range.start < at)
    }

    pub(super) fn write(&mut self, input: &Input<'_>, node: &Node) {
        let text = input.text;
        let raw = &text[node.range.clone()];
        let Range { start, end } = node.range.clone();
        if input.rules.only_markers && !node.kind.is_marker() {
            self.shield = self.shield.max(node.kind.reaches().unwrap_or(end));
            if let NodeKind::TextEnd(Some(sources)) = &node.kind {
                self.positions(input, sources);
            }
            self.writer.opaque(raw);
            return;
        }
        match &node.kind {
            NodeKind::Bracket => self.writer.text(raw, false),
            NodeKind::Code { headless, like_fence } => {
                self.shield = self.shield.max(end);
                if *like_fence {
                    // In code, the end of a line is a blank.
                    let content = raw.trim_end_matches('`');
                    let (before, _) = content.rsplit_once(['\n', '\r']).unwrap_or_default();
                    let before = before.strip_suffix('\r').unwrap_or(before);
                    self.writer.code(&format!("{before} {}", &raw[content.len()..]), *headless);
                } else {
                    self.writer.code(raw, *headless);
                }
            }
            NodeKind::Autolink => {
                self.shield = self.shield.max(end);
                match without_user(&raw[1..raw.len() - 1]) {
                    Some(without) => {
                        let message = format!("the link leads to {without:?}: its address named a user");
                        self.report("link-user", start, message);
                        self.writer.opaque(&format!("<{without}>"));
                    }
                    None => self.writer.opaque(raw),
                }
            }
            NodeKind::Opaque | NodeKind::Prefix => {
                self.shield = self.shield.max(end);
                // A bare address takes the backslash in, and what it kept from being a tag would be one.
                let loses_backslash = raw == "\\<" && input.rules.markdown && self.writer.is_in_address();
                self.writer.opaque(if loses_backslash { "&lt;" } else { raw });
            }
            NodeKind::InBlock => {
                self.shield = self.shield.max(end);
                self.writer.in_block(raw);
            }
            NodeKind::Rule => {
                self.shield = self.shield.max(end);
                self.writer.rule(raw);
            }
            NodeKind::MathStart { end } | NodeKind::TagStart { end } => {
                self.shield = self.shield.max(*end);
                self.writer.opaque(raw);
            }
            NodeKind::LinkStart { end } => {
                self.shield = self.shield.max(*end);
                self.writer.begin_link(raw);
            }
            NodeKind::LinkEnd => self.writer.end_link(raw),
            NodeKind::ImageStart { end, nameless, .. } => {
                self.shield = self.shield.max(*end);
                self.writer.link_of_image(input.rules.markdown);
                if *nameless {
                    self.writer.opaque("image");
                }
            }
            NodeKind::Number => self.number(input, start, raw),
            NodeKind::EscapedNumber => {
                self.shield = self.shield.max(end);
                self.escaped_number(input, start, raw);
            }
            NodeKind::Cite(sources) => self.cite(input, sources, node.range.clone()),
            NodeKind::CiteLink(link) => {
                if let Some(lost) = &link.lost {
                    let shown = &text[link.shown.clone()];
                    self.report("marker-link", start, format!("[{shown}] leads to its source, and not to {lost:?}"));
                }
                self.cite(input, &link.sources, node.range.clone());
            }
            NodeKind::TextStart { end: text_end } => {
                let shown = &text[end..*text_end];
                let message =
                    format!("[{shown}] cites a source: its text stays, with the badge of the source behind it");
                self.entries.push(Entry::in_text(Kind::Note, "link", start, message));
                self.writer.drop_bracket(shown);
            }
            NodeKind::TextEnd(sources) => {
                // A badge at the beginning of a line might be taken for an entry of a list of references.
                self.writer.keep_from_line_start();
                match sources {
                    Some(sources) => self.cite(input, sources, node.range.clone()),
                    None => self.keep_neighbours_apart(input, end),
                }
            }
            NodeKind::Separator => {}
            NodeKind::Nameless { vanishes } => {
                let vanishes = *vanishes && !(input.rules.only_markers && raw.starts_with('['));
                let fate = if vanishes { "it was taken out" } else { "it stays as text" };
                let message = format!("{raw} names no source; {fate}");
                self.entries.push(Entry::in_text(Kind::Unresolved, "marker", start, message));
                self.unresolved.push(raw.to_owned());
                if vanishes {
                    self.vanish(input, node.range.clone());
                } else {
                    self.writer.text(raw, false);
                }
            }
            NodeKind::Replace(with) => {
                self.shield = self.shield.max(end);
                self.writer.opaque(with);
            }
            NodeKind::CutLine => {
                self.shield = self.shield.max(end);
                // In the middle of the line, what follows goes as well.
                if raw.ends_with(['\n', '\r']) {
                    self.keep_neighbours_apart(input, end);
                }
            }
            NodeKind::Cut => {
                self.shield = self.shield.max(end);
                self.keep_neighbours_apart(input, end);
            }
            NodeKind::Unlinked => {
                self.shield = self.shield.max(end);
                self.writer.keep_from_line_start();
                self.keep_neighbours_apart(input, end);
            }
            NodeKind::Exclamation => {
                self.writer.opaque("!");
                self.written = start + 1;
                // In the bracket, a badge would make another label of it.
                self.write_to(input, start + 1, true);
                self.writer.separate();
                self.writer.opaque("[");
            }
            NodeKind::Separate => self.writer.separate(),
            NodeKind::Escaped => {
                let (before, bracket) = raw.split_at(raw.len() - 1);
                self.writer.opaque(before);
                if input.rules.markdown {
                    self.writer.opaque("\\");
                }
                self.writer.opaque(bracket);
            }
            NodeKind::SoftBreak => {
                if input.rules.hard_breaks && input.rules.markdown {
                    self.writer.hard_break();
                }
                self.writer.text(raw, false);
            }
            NodeKind::BehindBlock(sources, prefix) => {
                let positions = self.positions(input, sources);
                if !positions.is_empty() {
                    let before = self.writer.written().len();
                    if !self.is_in_block() {
                        self.writer.keep_from_table();
                    }
                    self.writer.paragraph_of_badges(&text[end..], prefix, &positions);
                    self.badges_of_places += self.writer.written().len() - before;
                }
            }
        }
    }

    pub(super) fn positions(&mut self, input: &Input<'_>, sources: &[SourceIndex]) -> SmallVec<[Position; 4]> {
        let mut positions = SmallVec::new();
        for source in sources {
            match self.numberer.number(input.sources, *source) {
                Ok(position) => positions.push(position),
                Err(rank) => self.left_out.push((rank, *source)),
            }
        }
        positions
    }

    pub(super) fn cite(&mut self, input: &Input<'_>, sources: &[SourceIndex], range: Range<usize>) {
        let positions = self.positions(input, sources);
        let behind = &input.text[range.end..];
        if input.text[range.clone()].contains('\n') {
            // A badge at the start of a line might be taken for an entry of a list of references.
            self.writer.keep_from_line_start();
        }
        if positions.is_empty() {
            if !range.is_empty() {
                self.vanish(input, range);
            }
        } else if !input.rules.markdown {
            self.writer.badges(&positions);
        } else if input.text[range.clone()].starts_with('\u{e200}') {
            self.writer.badges_for_letters(behind, &positions);
        } else if range.is_empty() {
            self.writer.badges_in_between(behind, &positions);
        } else {
            self.writer.badges(&positions);
        }
    }

    pub(super) fn vanish(&mut self, input: &Input<'_>, range: Range<usize>) {
        self.written = range.end;
        if input.rules.only_markers {
            self.writer.take_blank();
            return;
        }
        let is_private_use = input.text[range.clone()].starts_with('\u{e200}');
        self.written = range.end + self.writer.vanish(&input.text[range.end..], is_private_use);
    }

    /// Closes what the text leaves open, and says what became of the sources.
    pub(in crate::cite) fn close(&mut self, input: &Input<'_>) {
        self.name_tags(input.text);
        if input.rules.close_fence && self.numberer.any() {
            self.close_fence();
        }
        if self.left_out.is_empty() {
            return;
        }
        let max = input.rules.max_claims.unwrap_or_default();
        self.left_out.sort_unstable();
        self.left_out.dedup_by_key(|(rank, _)| *rank);
        for (_, source) in &self.left_out {
            let message =
                format!("cited, but only the first {max} cited documents can be shown; its markers were taken out");
            let pointer = input.sources[source.0].pointer.clone();
            self.entries.push(Entry::in_input(Kind::Dropped, "claims-limit", pointer, message));
        }
        let message = format!("{} cited documents were left out beyond the first {max}", self.left_out.len());
        self.entries.push(Entry::in_input(Kind::Note, "claims-left-out", "/sources", message));
    }

    /// Says which tags were made text: only now have they arrived as a whole.
    pub(super) fn name_tags(&mut self, text: &str) {
        for entry in &mut self.entries {
            if let (HTML, Some(at)) = (entry.code, entry.at.offset()) {
                let mut is_inside = true;
                let part = text[at..].chars().take(MAX_TAG_CHARS).take_while(|c| {
                    is_inside && !matches!(c, '\r' | '\n') && {
                        is_inside = *c != '>';
                        true
                    }
                });
                let shown: String = part.collect();
                entry.message = format!("{shown} is shown as text");
            }
        }
    }
}
