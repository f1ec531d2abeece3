//! The drive: from line to line, and what is decided to the writer.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use super::anchor::Anchor;
use super::commit::Arrived;
use super::construct::{Searched, Target};
use super::cursor::{Continuation, continuation, is_header_line};
use super::enumeration::Enumeration;
use super::inline::EMPTY_LINE;
use super::line::{Blocks, Container, Fence, Head, Kind, Leaf, Line, line_before, line_end, next_line};
use super::linked::Annotated;
use super::node::{Node, NodeKind};
use crate::answer::{MarkerGrammar, Source, SourceIndex};
use crate::cite::Rules;
use crate::cite::number::Numberer;
use crate::cite::resolve::{Indices, Resolver};
use crate::cite::writer::Writer;
use crate::report::{Entry, Kind as EntryKind};

/// What there is to read, and by which rules.
#[derive(Clone, Copy)]
pub(in crate::cite) struct Input<'i> {
    /// The text from its beginning, as far as it has arrived.
    pub(in crate::cite) text: &'i str,
    /// Whether nothing more comes.
    pub(in crate::cite) finished: bool,
    pub(in crate::cite) rules: &'i Rules,
    pub(in crate::cite) grammar: &'i MarkerGrammar,
    pub(in crate::cite) sources: &'i [Source],
    pub(in crate::cite) resolver: &'i Resolver,
}

/// Where the reading stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// At the beginning of a line.
    Line,
    /// In text that may hold markers.
    Text,
    /// In a line that stays as it is.
    Verbatim,
    /// In a line between blocks, which stays as it is: a rule, the underline of a heading.
    Rule(Head),
    /// In a line of HTML.
    Html,
    /// In a line that goes.
    Cut,
}

/// A block, by what it makes of indented lines behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing.
    #[default]
    Other,
    /// A part of it.
    List,
    /// The same code.
    Code,
}

/// What some programs write before a text, and nobody sees.
pub(in crate::cite) const BYTE_ORDER_MARK: char = '\u{feff}';

/// A bracket that may open a link, an image or a marker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opener {
    pub(super) at: usize,
    /// Its place among the nodes.
    pub(super) node: usize,
    pub(super) image: bool,
    /// Whether it can open a link: a link holds no other.
    pub(super) active: bool,
    /// Whether the link that made it inactive is none any more.
    pub(super) gone: bool,
}

impl Opener {
    /// Where what it holds begins.
    pub(super) fn inner(&self) -> usize {
        self.at + 1 + usize::from(self.image)
    }
}

/// Reads a text once from its beginning, whole or while it arrives, and writes what has been decided.
#[derive(Debug)]
pub(in crate::cite) struct Scanner {
    pub(super) at: usize,
    pub(super) phase: Phase,
    pub(super) blocks: Blocks,
    /// Where the content of the present line begins.
    pub(super) line: usize,
    /// Where the present line begins, or what is left of it.
    pub(super) line_start: usize,
    /// Whether a definition may begin here.
    pub(super) may_define: bool,
    /// The bracket that must be kept from the colon behind it.
    pub(super) colon: Option<usize>,
    /// The bracket of the definition that is shown as text.
    pub(super) shown_definition: Option<usize>,
    /// Where the address of the last link ends that is text behind a badge: in it, blanks before a line end made no line break.
    pub(super) tail_end: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) openers: VecDeque<Opener>,
    /// The model's own definitions so far, by label.
    pub(super) definitions: HashMap<String, Target>,
    /// Labels in brackets that no definition had been given for.
    pub(super) used: HashSet<String>,
    /// What the block before the present one was, and the one before that.
    pub(super) before: Before,
    pub(super) before_that: Before,
    /// Where the definitions began that were taken out right before the present line.
    pub(super) cut_from: Option<usize>,
    /// What a definition stood behind that was taken out.
    pub(super) parted: Before,
    /// Whether nothing but blank lines stands between the present line and indented code in the same containers.
    pub(super) is_behind_code: bool,
    /// Whether the present paragraph, or the one before, is a footnote for engines that know footnotes: they take what is
    /// indented behind it for its text, and all others for code.
    pub(super) behind_footnote: bool,
    /// Whether the present block begins behind one.
    pub(super) was_behind_footnote: bool,
    /// Whether something was taken out at the very beginning.
    pub(super) cut_at_start: bool,
    /// Where the lines began right before the present one that hold no text which a badge could stand behind: items without
    /// text, the delimiters of a table.
    pub(super) textless: Option<usize>,
    /// Where the present block began in which no text can be cited: code, HTML, a footnote that goes.
    pub(super) code: Option<usize>,
    pub(super) fence: Option<Fence>,
    /// How many lines of it have begun behind the one that opened it; one more where that holds no border, and so is the header of
    /// no table to anyone.
    pub(super) fence_lines: usize,
    /// Where backticks at the beginning of a line are written as text, or in the line before, so that they make no fence of it.
    pub(super) no_fence: Option<usize>,
    /// The last block that has ended in which no text can be cited, and the lines without text behind it; each with what the lines
    /// of the blocks around it begin with.
    pub(super) ended: Vec<(Range<usize>, String)>,
    pub(super) anchors: VecDeque<Anchor>,
    pub(super) replaced: VecDeque<(Range<usize>, Indices)>,
    /// What the provider cites of the text.
    pub(super) annotated: Annotated,
    /// The markers in a row that were read last.
    pub(super) enumeration: Enumeration,
    /// Up to where the text is written.
    pub(super) written: usize,
    /// How much of the text was looked at for its last blanks, where they begin, and how many blanks are the very last.
    pub(super) tail: Arrived,
    /// Which ends of tags were looked for.
    pub(super) searched: Searched,
    /// How many nodes at the beginning are cuts, or what is cited in them.
    pub(super) cuts: usize,
    /// How many bytes of what is written are badges of places. Whether they are written yet hangs on what has arrived.
    pub(super) badges_of_places: usize,
    /// Where the last node ended that is written.
    pub(super) node_end: usize,
    /// Citations of places before this one wait for it.
    pub(super) shield: usize,
    pub(in crate::cite) writer: Writer,
    pub(in crate::cite) numberer: Numberer,
    pub(in crate::cite) entries: Vec<Entry>,
    /// Markers without a source, as they stand in the text.
    pub(in crate::cite) unresolved: Vec<String>,
    pub(super) left_out: Vec<(usize, SourceIndex)>,
}

impl Scanner {
    pub(in crate::cite) fn new(rules: &Rules) -> Self {
        Self {
            at: 0,
            phase: Phase::Line,
            blocks: Blocks::new(),
            line: 0,
            line_start: 0,
            may_define: false,
            colon: None,
            shown_definition: None,
            tail_end: 0,
            nodes: Vec::new(),
            openers: VecDeque::new(),
            definitions: HashMap::new(),
            used: HashSet::new(),
            before: Before::Other,
            before_that: Before::Other,
            cut_from: None,
            parted: Before::Other,
            is_behind_code: false,
            behind_footnote: false,
            was_behind_footnote: false,
            cut_at_start: false,
            textless: None,
            code: None,
            fence: None,
            fence_lines: 0,
            no_fence: None,
            ended: Vec::new(),
            anchors: VecDeque::new(),
            replaced: VecDeque::new(),
            annotated: Annotated::default(),
            enumeration: Enumeration::default(),
            written: 0,
            tail: Arrived::default(),
            searched: Searched::default(),
            cuts: 0,
            badges_of_places: 0,
            node_end: 0,
            shield: 0,
            writer: Writer::new(rules),
            numberer: Numberer::new(rules),
            unresolved: Vec::new(),
            entries: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Reads on as far as what has arrived leaves no doubt.
    pub(in crate::cite) fn run(&mut self, input: &Input<'_>) {
        if !input.finished && self.tail.is_only_longer(input.text) {
            return;
        }
        self.writer.look_at(input.text);
        while match self.phase {
            Phase::Line => self.start_line(input),
            Phase::Text => self.text(input),
            Phase::Verbatim if self.is_in_block() => self.take_line(input, NodeKind::InBlock),
            Phase::Verbatim if self.textless.is_some() => self.take_line(input, NodeKind::Prefix),
            Phase::Rule(Head::None) => self.take_line(input, NodeKind::InBlock),
            Phase::Rule(Head::Line) => self.take_line(input, NodeKind::Rule),
            Phase::Verbatim | Phase::Rule(Head::Any) => self.take_line(input, NodeKind::Opaque),
            Phase::Html => self.html(input),
            Phase::Cut => self.take_line(input, NodeKind::CutLine),
        } {}
        if input.finished {
            self.openers.clear();
            self.end_code(input);
            // Where the whole answer is a number with a dot, nobody meant a list.
            let content = input.text.trim_end().len();
            let is_text = self.anchors.back().is_some_and(|anchor| anchor.at >= content);
            self.end_textless(input.text.len(), is_text && self.blocks.leaf != Leaf::Table);
            self.commit(input, input.text.len());
            if !self.is_in_block() {
                self.writer.keep_from_table();
            }
        } else {
            self.commit(input, self.decided(input));
        }
    }

    /// Whether the present line goes on with code or a table: for markdown-it the line that opens a fence may be the header of one.
    pub(super) fn is_in_block(&self) -> bool {
        matches!(self.blocks.leaf, Leaf::Table | Leaf::Indented)
            || matches!(self.blocks.leaf, Leaf::Fence(_)) && self.fence_lines > 1
    }

    /// Closes the fence that the text leaves open; one in a list or a quote ends with it.
    pub(in crate::cite) fn close_fence(&mut self) -> bool {
        let open =
            self.fence.filter(|_| matches!(self.blocks.leaf, Leaf::Fence(_)) && self.blocks.containers.is_empty());
        if let Some(fence) = open {
            self.writer.close_fence("", fence.byte, fence.length);
        }
        open.is_some()
    }

    pub(super) fn push(&mut self, range: Range<usize>, kind: NodeKind) {
        self.nodes.push(Node::new(range, kind));
    }

    pub(super) fn opaque(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.push(range, NodeKind::Opaque);
        }
    }

    pub(super) fn report(&mut self, code: &'static str, at: usize, message: impl Into<String>) {
        self.entries.push(Entry::in_text(EntryKind::Neutralised, code, at, message));
    }

    fn start_line(&mut self, input: &Input<'_>) -> bool {
        if self.at == 0 || input.text[..self.at].ends_with(BYTE_ORDER_MARK) {
            // Some engines take it for no part of the text, and begin a block behind it.
            let rest = &input.text[self.at..];
            let marks = rest.len() - rest.trim_start_matches(BYTE_ORDER_MARK).len();
            if marks > 0 {
                self.push(self.at..self.at + marks, NodeKind::Cut);
                self.at += marks;
            }
        }
        if self.at == input.text.len() {
            return false;
        }
        match self.blocks.read(input.text, self.at, input.finished, self.line) {
            Some(line) => {
                self.begin_line(input, line);
                true
            }
            None => false,
        }
    }

    fn begin_line(&mut self, input: &Input<'_>, line: Line) {
        let Line { matched, kind, begins_weakly, mut content, .. } = line;
        let start = self.at;
        if kind == Kind::Heading && input.text[content..].starts_with([' ', '\t']) {
            // What is cited before its text stands behind the blank, without which it is no heading.
            content += 1;
        }
        if self.nodes.len() > MAX_WAITING {
            self.commit(input, start);
        }
        let is_within = matched == self.blocks.containers.len();
        let is_same = self.fence.is_none() && line.begins.is_empty() && is_within;
        let goes_on = matches!(kind, Kind::Fenced | Kind::FencedApart | Kind::FenceCloses | Kind::Footnote)
            || kind == Kind::Html && self.blocks.leaf == Leaf::Html
            || matches!(kind, Kind::Indented | Kind::Blank) && is_same;
        if self.code.is_some() && !goes_on {
            self.end_code(input);
        }
        let is_ended = matches!(self.blocks.leaf, Leaf::Paragraph | Leaf::Table) && line.begins.is_empty();
        self.blocks.enter(input.text, start, &line);
        let begins = line.begins;
        // An item without text.
        let is_empty_item = kind == Kind::Blank && !begins.is_empty();
        if is_empty_item {
            self.textless.get_or_insert(start);
        } else {
            self.end_textless(start, matches!(kind, Kind::Paragraph | Kind::Row));
            self.textless = (kind == Kind::Delimiters).then_some(start);
        }
        if kind == Kind::Escaped && is_ended && input.rules.markdown {
            // What was to be another block does not go on with this one.
            let prefix = self.blocks.prefix();
            // Behind a carriage return, a line feed would be the second half of one line end.
            let end = if input.text[..start].ends_with('\r') { '\r' } else { '\n' };
            self.push(start..start, NodeKind::Replace(format!("{}{end}", prefix.trim_end())));
        }
        // Right behind a paragraph, and anywhere behind indented code, micromark takes the marker of such an item for text even
        // where a quote or list begins before it, and what is code in the item for more of that text.
        let may_be_text = begins_weakly
            && is_within
            && (self.blocks.leaf == Leaf::Paragraph || self.is_behind_code || self.parted == Before::Code);
        if may_be_text && input.rules.markdown {
            let prefix = self.blocks.prefix();
            self.push(start..start, NodeKind::Replace(format!("{prefix}{EMPTY_LINE}\n")));
            self.parted = Before::Other;
        }
        self.is_behind_code =
            kind == Kind::Indented || self.is_behind_code && is_within && kind == Kind::Blank && begins.is_empty();
        if kind != Kind::Blank {
            for container in &mut self.blocks.containers {
                if let Container::Item { empty, .. } = container {
                    *empty = false;
                }
            }
        }
        // Behind indented code, some engines take an item without text for text.
        let begins_item = matches!(begins.first(), Some(Container::Item { .. }));
        self.blocks.containers.extend(begins);
        if kind != Kind::Blank || is_empty_item {
            let may_belong_to_it = is_empty_item || input.text[start..].starts_with([' ', '\t']);
            let mut is_parted = match std::mem::take(&mut self.parted) {
                Before::Other => false,
                Before::List => may_belong_to_it,
                // Nor do all engines begin a list behind it that does not begin with 1.
                Before::Code => may_belong_to_it || begins_item,
            };
            if kind != Kind::Continuation {
                self.was_behind_footnote = std::mem::take(&mut self.behind_footnote);
                is_parted |= self.was_behind_footnote && kind == Kind::Indented;
            }
            if is_parted && input.rules.markdown {
                self.push(start..start, NodeKind::Replace(format!("{EMPTY_LINE}\n")));
            }
            self.before_that = self.before;
            self.before = match self.blocks.containers.first() {
                Some(Container::Item { .. }) => Before::List,
                _ if kind == Kind::Indented => Before::Code,
                _ => Before::Other,
            };
        }
        (self.phase, self.blocks.leaf) = match kind {
            Kind::Paragraph | Kind::Continuation | Kind::Escaped => (Phase::Text, Leaf::Paragraph),
            Kind::Heading => (Phase::Text, Leaf::Heading),
            Kind::Row => (Phase::Text, Leaf::Table),
            Kind::Delimiters => (Phase::Verbatim, Leaf::Table),
            Kind::FenceOpens(fence) => (Phase::Verbatim, Leaf::Fence(fence)),
            Kind::Fenced | Kind::FencedApart => (Phase::Verbatim, self.blocks.leaf),
            Kind::Indented => (Phase::Verbatim, Leaf::Indented),
            Kind::Blank | Kind::FenceCloses => (Phase::Verbatim, Leaf::None),
            Kind::Rule(head) => (Phase::Rule(head), Leaf::None),
            Kind::Html => (Phase::Html, Leaf::Html),
            Kind::Comment(end) => {
                // The rest of its line belongs to the block.
                self.opaque(start..end);
                self.at = end;
                self.phase = Phase::Html;
                self.blocks.leaf = Leaf::None;
                self.code.get_or_insert(start);
                self.fence = None;
                return;
            }
            Kind::Footnote => (Phase::Cut, Leaf::Footnote),
        };
        if kind == Kind::FencedApart && input.rules.markdown {
            self.opaque(start..content);
            self.push(content..content, NodeKind::Separate);
            self.at = content;
        }
        if matches!(kind, Kind::Fenced | Kind::FencedApart) {
            let has_border = || input.text[line_before(input.text, start)].contains('|');
            self.fence_lines += if self.fence_lines == 0 && !has_border() { 2 } else { 1 };
        }
        if let Kind::FenceOpens(fence) = kind {
            self.code = Some(start);
            self.fence = Some(fence);
            self.fence_lines = 0;
        } else if matches!(kind, Kind::Indented | Kind::Html) && self.code.is_none() {
            self.code = Some(start);
            self.fence = None;
        } else if kind == Kind::Blank
            && self.blocks.containers.is_empty()
            && self.cut_at_start
            && self.is_nothing_written()
        {
            // No blank lines at the top, where nobody wrote any; but a list item without text is no blank line.
            self.phase = Phase::Cut;
        }
        if matches!(self.phase, Phase::Text | Phase::Html) {
            if self.phase == Phase::Text && start < content {
                self.push(start..content, NodeKind::Prefix);
            } else {
                self.opaque(start..content);
            }
            self.at = content;
            self.line = content;
            self.line_start = start;
            self.blocks.paragraph = content;
            self.may_define = kind == Kind::Paragraph;
            if kind == Kind::Escaped {
                self.escape_block(input, content);
            }
            if kind == Kind::Row && input.rules.markdown && input.text[content..].starts_with('<') {
                // Alone in its line, also when the rest has gone, a tag ends the table for micromark.
                self.push(content..content, NodeKind::Separate);
            }
        }
    }

    /// A byte that would begin another block: as text.
    fn escape_block(&mut self, input: &Input<'_>, at: usize) {
        self.may_define = false;
        if !input.rules.markdown {
            return;
        }
        match input.text.as_bytes()[at] {
            b'<' => self.tag_is_text(at),
            b'0'..=b'9' => {
                // A backslash before a digit would be seen.
                self.push(at..at, NodeKind::Separate);
                return;
            }
            byte => self.push(at..at + 1, NodeKind::Replace(format!("\\{}", char::from(byte)))),
        }
        self.at = at + 1;
    }

    /// Takes what is left of the line, with its line end; `false` while that has not arrived.
    pub(super) fn take_line(&mut self, input: &Input<'_>, kind: NodeKind) -> bool {
        let (end, complete) = line_end(input.text, self.at, input.finished);
        let to = if complete { next_line(input.text, end) } else { end };
        if self.at < to {
            // A line that holds no text: what is cited in it would begin the next one.
            self.push(self.at..to, kind);
            if complete && matches!(self.phase, Phase::Rule(_)) {
                self.cite_behind(self.at..to);
            }
        }
        self.at = to;
        if complete {
            self.phase = Phase::Line;
        }
        complete
    }

    /// At the end of a line of text, whose line end stands at `at`.
    pub(super) fn end_line(&mut self, input: &Input<'_>, at: usize) -> bool {
        self.at = at;
        let text = input.text;
        let next = next_line(text, at);
        if next == text.len() && !input.finished {
            return false;
        }
        if self.blocks.leaf != Leaf::Paragraph {
            self.openers.clear();
            let is_row = self.blocks.leaf == Leaf::Table;
            self.push(at..next, if is_row { NodeKind::InBlock } else { NodeKind::Opaque });
            self.at = next;
            self.phase = Phase::Line;
            if self.blocks.leaf == Leaf::Heading {
                self.blocks.leaf = Leaf::None;
            }
            self.commit(input, next);
            return true;
        }
        match continuation(text, input.finished, &self.blocks, self.line, at) {
            Continuation::Unknown => return false,
            Continuation::At(content) => match self.begins_footnote(input, content) {
                None => return false,
                Some(false) => {
                    if !self.openers.is_empty() {
                        match is_header_line(text, input.finished, &self.blocks, content) {
                            None => return false,
                            // No bracket reaches into a table.
                            Some(true) => self.openers.clear(),
                            Some(false) => {}
                        }
                    }
                    if at < self.tail_end {
                        self.cut_blanks_before(input, at);
                    }
                    self.go_on(at, next, content);
                    return true;
                }
                Some(true) => {}
            },
            Continuation::Ends => {}
        }
        self.openers.clear();
        self.opaque(at..next);
        self.commit(input, at);
        self.at = next;
        self.phase = Phase::Line;
        if next == text.len() {
            return true;
        }
        let Some(line) = self.blocks.read(text, next, input.finished, self.line) else { return true };
        if line.kind.continues() {
            self.cut_footnote(input, next);
        } else {
            self.begin_line(input, line);
        }
        true
    }

    /// Takes out what would make a line break of the end of a line.
    fn cut_blanks_before(&mut self, input: &Input<'_>, at: usize) {
        let blanks = input.text[..at].trim_end_matches(' ').len();
        if blanks < at {
            self.push(blanks..at, NodeKind::Cut);
        }
    }

    /// Goes on in the next line of the paragraph.
    fn go_on(&mut self, at: usize, next: usize, content: usize) {
        self.push(at..next, NodeKind::SoftBreak);
        self.opaque(next..content);
        self.at = content;
        self.line = content;
        self.line_start = next;
    }

    /// Remembers that something was taken out that stood between blocks.
    pub(super) fn leave_gap(&mut self, input: &Input<'_>, at: usize) {
        self.parted = self.before_that;
        self.behind_footnote |= self.was_behind_footnote;
        self.before = self.before_that;
        self.blocks.is_cut = true;
        let is_at_start = || input.text[self.written..at].trim_start_matches(BYTE_ORDER_MARK).is_empty();
        self.cut_at_start |= at >= self.written && is_at_start() && self.is_nothing_written();
    }

    /// Whether all that was read so far was taken out, whatever is cited in it.
    fn is_nothing_written(&mut self) -> bool {
        let nodes = self.nodes.get(self.cuts..).unwrap_or_default();
        let is_cut = |node: &&Node| matches!(node.kind, NodeKind::Cut | NodeKind::CutLine | NodeKind::BehindBlock(..));
        self.cuts += nodes.iter().take_while(is_cut).count();
        self.writer.written().len() == self.badges_of_places && self.cuts >= self.nodes.len()
    }
}

/// So many nodes may wait to be written together, so that looking through them stays cheap.
const MAX_WAITING: usize = 64;
