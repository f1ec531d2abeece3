//! The drive: from line to line, and what is decided to the writer.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use super::LOOK_AHEAD;
use super::construct::{Searched, Target};
use super::cursor::{Continuation, continuation};
use super::line::{Blocks, Fence, Kind, Leaf, Line, line_end, next_line};
use super::node::{Node, NodeKind};
use crate::answer::{MarkerGrammar, Source, SourceIndex};
use crate::cite::html::{Harm, comment_end, is_comment, judge_tag};
use crate::cite::marker::{self, Marker};
use crate::cite::number::Numberer;
use crate::cite::resolve::Resolver;
use crate::cite::writer::Writer;
use crate::cite::{Position, Rules};
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
    /// In a line of HTML.
    Html,
    /// In a line that goes.
    Cut,
}

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

/// Citations of a place.
#[derive(Clone, Debug)]
struct Anchor {
    at: usize,
    sources: Vec<SourceIndex>,
}

/// The report's code for HTML that became text.
const HTML: &str = "html";

/// How much of such a tag the report shows.
const MAX_TAG_CHARS: usize = 60;

/// The end of what has arrived, so that blanks by the thousand are looked at once.
#[derive(Debug, Default)]
struct Tail {
    /// Up to where it was looked at.
    seen: usize,
    /// Where white space begins that reaches to the end.
    content: usize,
    /// How many blanks and tabs there are at the very end.
    blanks: usize,
}

impl Tail {
    /// Takes note of what is new; whether it only adds to blanks that are more than any decision waits for.
    fn is_only_longer(&mut self, text: &str) -> bool {
        let new = &text[self.seen..];
        let content = new.trim_end();
        if !content.is_empty() {
            self.content = self.seen + content.len();
        }
        self.seen = text.len();
        let before = self.blanks;
        let blanks = new.len() - new.trim_end_matches([' ', '\t']).len();
        self.blanks = if blanks == new.len() { before + blanks } else { blanks };
        blanks == new.len() && !new.is_empty() && before > 4 * LOOK_AHEAD
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
    pub(super) nodes: Vec<Node>,
    pub(super) openers: VecDeque<Opener>,
    /// The model's own definitions so far, by label.
    pub(super) definitions: HashMap<String, Target>,
    /// Labels in brackets that no definition had been given for.
    pub(super) used: HashSet<String>,
    /// Whether the block before the present one was a list or indented code, and the one before that.
    pub(super) indents: bool,
    pub(super) indented_before: bool,
    /// Whether a definition that stood between a list and what follows was taken out.
    pub(super) parted: bool,
    /// Whether something was taken out at the very beginning.
    pub(super) cut_at_start: bool,
    /// Where the present code block began.
    code: Option<usize>,
    fence: Option<Fence>,
    /// The last code block that has ended, and what the lines of the blocks around it begin with.
    ended: Option<(Range<usize>, String)>,
    anchors: VecDeque<Anchor>,
    replaced: VecDeque<(Range<usize>, Vec<SourceIndex>)>,
    /// Up to where the text is written.
    written: usize,
    /// How much of the text was looked at for its last blanks, where they begin, and how many blanks are the very last.
    tail: Tail,
    /// Which ends of tags were looked for.
    pub(super) searched: Searched,
    /// How many nodes at the beginning are cuts.
    cuts: usize,
    /// Where the last node ended that is written.
    pub(super) node_end: usize,
    /// Citations of places before this one wait for it.
    shield: usize,
    pub(in crate::cite) writer: Writer,
    pub(in crate::cite) numberer: Numberer,
    pub(in crate::cite) entries: Vec<Entry>,
    left_out: Vec<(usize, SourceIndex)>,
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
            nodes: Vec::new(),
            openers: VecDeque::new(),
            definitions: HashMap::new(),
            used: HashSet::new(),
            indents: false,
            indented_before: false,
            parted: false,
            cut_at_start: false,
            code: None,
            fence: None,
            ended: None,
            anchors: VecDeque::new(),
            replaced: VecDeque::new(),
            written: 0,
            tail: Tail::default(),
            searched: Searched::default(),
            cuts: 0,
            node_end: 0,
            shield: 0,
            writer: Writer::new(rules),
            numberer: Numberer::new(rules),
            entries: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Cites a place of the text. Places come in order.
    pub(in crate::cite) fn cite_at(&mut self, at: usize, mut sources: Vec<SourceIndex>) {
        if let Some((code, prefix)) = self.ended.take_if(|(code, _)| code.start < at && at <= code.end) {
            // Only blank lines have followed the code, so that nothing behind the place is written.
            self.cite_behind_code(code.end, sources, &prefix);
            self.ended = Some((code, prefix));
            return;
        }
        match self.anchors.back_mut() {
            Some(last) if last.at == at => {
                last.sources.append(&mut sources);
                last.sources.sort_unstable();
                last.sources.dedup();
            }
            _ => {
                sources.sort_unstable();
                sources.dedup();
                self.anchors.push_back(Anchor { at, sources });
            }
        }
    }

    /// Cites in the place of what stands there. Ranges come in order.
    pub(in crate::cite) fn replace(&mut self, range: Range<usize>, sources: Vec<SourceIndex>) {
        self.replaced.push_back((range, sources));
    }

    /// Reads on as far as what has arrived leaves no doubt.
    pub(in crate::cite) fn run(&mut self, input: &Input<'_>) {
        if !input.finished && self.tail.is_only_longer(input.text) {
            return;
        }
        while match self.phase {
            Phase::Line => self.start_line(input),
            Phase::Text => self.text(input),
            Phase::Verbatim => self.verbatim(input),
            Phase::Html => self.html(input),
            Phase::Cut => self.cut(input),
        } {}
        if input.finished {
            self.openers.clear();
            self.end_code(input);
            self.commit(input, input.text.len());
        } else {
            self.commit(input, self.decided(input));
        }
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
            self.entries.push(Entry::in_input(EntryKind::Dropped, "claims-limit", pointer, message));
        }
        let message = format!("{} cited documents were left out beyond the first {max}", self.left_out.len());
        self.entries.push(Entry::in_input(EntryKind::Note, "claims-left-out", "/sources", message));
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

    /// Says which tags were made text: only now have they arrived as a whole.
    fn name_tags(&mut self, text: &str) {
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

    /// How far nothing that follows can change what is written. Blanks and an exclamation mark wait for what follows.
    fn decided(&self, input: &Input<'_>) -> usize {
        let at = if self.may_define { self.line_start } else { self.at };
        let open = self.openers.front().map_or(at, |opener| opener.at.min(at));
        let from = self.nodes.last().map_or(self.written, |node| node.range.end).min(open);
        let text = &input.text[from..open.min(self.tail.content).max(from)];
        let text = text.strip_suffix('!').unwrap_or(text);
        from + text.trim_end_matches([' ', '\t', '\r', '\n']).len()
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
        let Line { matched, begins, kind, content } = line;
        let start = self.at;
        if self.nodes.len() > MAX_WAITING {
            self.commit(input, start);
        }
        let is_same = self.fence.is_none() && begins.is_empty() && matched == self.blocks.containers.len();
        let goes_on = matches!(kind, Kind::Fenced | Kind::FencedApart | Kind::FenceCloses)
            || kind == Kind::Html && self.blocks.leaf == Leaf::Html
            || matches!(kind, Kind::Indented | Kind::Blank) && is_same;
        if self.code.is_some() && !goes_on {
            self.end_code(input);
        }
        self.blocks.containers.truncate(matched);
        if kind != Kind::Blank {
            for container in &mut self.blocks.containers {
                if let super::line::Container::Item { empty, .. } = container {
                    *empty = false;
                }
            }
        }
        // An item without text: behind indented code, some engines take it for text.
        let is_empty_item = kind == Kind::Blank && !begins.is_empty();
        self.blocks.containers.extend(begins);
        if kind != Kind::Blank || is_empty_item {
            let may_belong_to_it = is_empty_item || input.text[start..].starts_with([' ', '\t']);
            if std::mem::take(&mut self.parted) && input.rules.markdown && may_belong_to_it {
                self.push(start..start, NodeKind::Replace("<!---->\n".into()));
            }
            self.indented_before = self.indents;
            self.indents = kind == Kind::Indented
                || matches!(self.blocks.containers.first(), Some(super::line::Container::Item { .. }));
        }
        (self.phase, self.blocks.leaf) = match kind {
            Kind::Paragraph | Kind::Continuation => (Phase::Text, Leaf::Paragraph),
            Kind::Escaped => (Phase::Text, Leaf::Paragraph),
            Kind::Heading => (Phase::Text, Leaf::Heading),
            Kind::Row => (Phase::Text, Leaf::Table),
            Kind::Delimiters => (Phase::Verbatim, Leaf::Table),
            Kind::FenceOpens(fence) => (Phase::Verbatim, Leaf::Fence(fence)),
            Kind::Fenced | Kind::FencedApart => (Phase::Verbatim, self.blocks.leaf),
            Kind::Indented => (Phase::Verbatim, Leaf::Indented),
            Kind::Blank | Kind::Underline | Kind::Rule | Kind::FenceCloses => (Phase::Verbatim, Leaf::None),
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
        if let Kind::FenceOpens(fence) = kind {
            self.code = Some(content);
            self.fence = Some(fence);
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
            self.opaque(start..content);
            self.at = content;
            self.line = content;
            self.line_start = start;
            self.may_define = kind == Kind::Paragraph;
            if kind == Kind::Escaped {
                self.escape_block(input, content);
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
            byte => self.push(at..at + 1, NodeKind::Replace(format!("\\{}", char::from(byte)))),
        }
        self.at = at + 1;
    }

    /// Makes text of a tag.
    pub(super) fn tag_is_text(&mut self, at: usize) {
        self.report(HTML, at, String::new());
        self.push(at..at + 1, NodeKind::Replace("&lt;".into()));
    }

    fn verbatim(&mut self, input: &Input<'_>) -> bool {
        let (end, complete) = line_end(input.text, self.at, input.finished);
        let to = if complete { next_line(input.text, end) } else { end };
        self.opaque(self.at..to);
        self.at = to;
        if complete {
            self.phase = Phase::Line;
        }
        complete
    }

    fn cut(&mut self, input: &Input<'_>) -> bool {
        let (end, complete) = line_end(input.text, self.at, input.finished);
        let to = if complete { next_line(input.text, end) } else { end };
        self.push(self.at..to, NodeKind::Cut);
        self.at = to;
        if complete {
            self.phase = Phase::Line;
        }
        complete
    }

    /// A line of a block of HTML: its tags are judged one by one.
    fn html(&mut self, input: &Input<'_>) -> bool {
        let (end, complete) = line_end(input.text, self.at, input.finished);
        while input.rules.markdown
            && let Some(found) = input.text[self.at..end].find('<')
        {
            let at = self.at + found;
            self.opaque(self.at..at);
            self.at = at;
            let tag = &input.text[at..input.text.floor_char_boundary(end.min(at + LOOK_AHEAD))];
            let (harm, length) = if tag.starts_with("<!--") {
                let comment = comment_end(tag).filter(|length| is_comment(&tag[..*length]));
                comment.map_or((Harm::Tag, 4), |length| (Harm::None, length))
            } else {
                judge_tag(tag)
            };
            let is_open = harm == Harm::Tag && !tag[..length.min(tag.len())].ends_with('>') || tag.len() <= 4;
            if is_open && !complete && end - at < LOOK_AHEAD {
                return false;
            }
            match harm {
                Harm::Tag => {
                    self.tag_is_text(at);
                    self.at = at + 1;
                }
                Harm::None => {
                    self.opaque(at..at + length);
                    self.at = at + length;
                }
                Harm::Attributes(name) => self.cut_attributes(input, at, name, at + length),
            }
        }
        let to = if complete { next_line(input.text, end) } else { end };
        self.opaque(self.at..to);
        self.at = to;
        if complete {
            self.phase = Phase::Line;
        }
        complete
    }

    /// Takes the attributes out of the tag between `at` and `end`, which begin behind `name` bytes.
    pub(super) fn cut_attributes(&mut self, input: &Input<'_>, at: usize, name: usize, end: usize) {
        let tag = &input.text[at..end];
        self.report("html-attributes", at, format!("the attributes of {tag} were taken out"));
        let close = if tag.ends_with("/>") { end - 2 } else { end - 1 };
        self.opaque(at..at + name);
        self.push(at + name..close, NodeKind::Cut);
        self.opaque(close..end);
        self.at = end;
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
            self.opaque(at..next);
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
                    self.go_on(input, at, next, content);
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
        if line.kind.continues(self.blocks.leaf) {
            self.cut_footnote(input, next);
        } else {
            self.begin_line(input, line);
        }
        true
    }

    /// Goes on in the next line of the paragraph.
    fn go_on(&mut self, input: &Input<'_>, at: usize, next: usize, content: usize) {
        let line = self.blocks.read(input.text, next, input.finished, self.line);
        self.push(at..next, NodeKind::SoftBreak);
        self.opaque(next..content);
        self.at = content;
        self.line = content;
        self.line_start = next;
        if line.is_some_and(|line| line.kind == Kind::Escaped) {
            self.escape_block(input, content);
        }
    }

    /// Whether a footnote begins at the content of a line that gives way to a source; `None` while more must arrive.
    pub(super) fn begins_footnote(&self, input: &Input<'_>, content: usize) -> Option<bool> {
        const MAX_LABEL: usize = 24;
        let rest = &input.text[content..];
        let is_open = rest.len() < MAX_LABEL && !input.finished;
        if !self.blocks.containers.is_empty() || !rest.starts_with('[') {
            return Some(false);
        }
        let Some(label) = rest.strip_prefix("[^") else {
            return if rest.len() == 1 && is_open { None } else { Some(false) };
        };
        let Some(close) = label.find(|c: char| !(c.is_ascii_digit() || c == '^')) else {
            return if is_open { None } else { Some(false) };
        };
        if !label[close..].starts_with("]:") {
            return if label[close..].len() < 2 && is_open && label[close..].starts_with(']') {
                None
            } else {
                Some(false)
            };
        }
        let marker = marker::in_square_brackets(&rest[1..close + 2], &MarkerGrammar::ALL);
        Some(marker.is_some_and(|marker| {
            matches!(marker, Marker::Footnote(_)) && input.resolver.resolve(input.sources, "", &marker).is_some()
        }))
    }

    /// Takes out the footnote in the line that begins at `start`.
    pub(super) fn cut_footnote(&mut self, input: &Input<'_>, start: usize) {
        let at = start + input.text[start..].find('[').unwrap_or_default();
        let label = input.text[at + 1..].split(']').next().unwrap_or_default();
        let message = format!("the footnote [{label}] gives way to the source of that number");
        self.report("footnote", at, message);
        self.at = start;
        self.phase = Phase::Cut;
        self.blocks.leaf = Leaf::Footnote;
        self.leave_gap(start);
    }

    /// Remembers that something was taken out that stood between blocks.
    pub(super) fn leave_gap(&mut self, at: usize) {
        self.parted = self.indented_before;
        self.indents = self.indented_before;
        self.cut_at_start |= self.is_nothing_written() && at == self.written;
    }

    /// Whether all that was read so far was taken out.
    fn is_nothing_written(&mut self) -> bool {
        let nodes = self.nodes.get(self.cuts..).unwrap_or_default();
        self.cuts += nodes.iter().take_while(|node| matches!(node.kind, NodeKind::Cut)).count();
        self.writer.is_empty() && self.cuts >= self.nodes.len()
    }

    /// Citations of places inside a code block come in a paragraph behind it.
    fn end_code(&mut self, input: &Input<'_>) {
        let Some(start) = self.code.take() else { return };
        let end = self.at;
        let from = self.anchors.partition_point(|anchor| anchor.at <= start);
        let to = self.anchors.partition_point(|anchor| anchor.at <= end).max(from);
        let sources: Vec<SourceIndex> = self.anchors.drain(from..to).flat_map(|anchor| anchor.sources).collect();
        let prefix: String = self.blocks.containers.iter().map(|container| container.prefix()).collect();
        if sources.is_empty() {
            self.ended = Some((start..end, prefix));
            return;
        }
        if let Some(fence) = self
            .fence
            .filter(|_| matches!(self.blocks.leaf, Leaf::Fence(_)) && input.finished && end == input.text.len())
        {
            let mut closing = String::from("\n");
            closing.push_str(&prefix);
            closing.extend(std::iter::repeat_n(char::from(fence.byte), fence.length));
            self.push(end..end, NodeKind::Replace(closing));
            self.blocks.leaf = Leaf::None;
        }
        self.cite_behind_code(end, sources, &prefix);
        self.ended = Some((start..end, prefix));
    }

    /// Cites in a paragraph behind a code block, which holds all citations of places in it.
    fn cite_behind_code(&mut self, end: usize, mut sources: Vec<SourceIndex>, prefix: &str) {
        let place = self.nodes.partition_point(|node| node.range.end <= end);
        let last = self.nodes[..place].last_mut().filter(|node| node.range.start == end);
        if let Some(Node { kind: NodeKind::BehindBlock(earlier, _), .. }) = last {
            earlier.append(&mut sources);
            earlier.sort_unstable();
            earlier.dedup();
            return;
        }
        sources.sort_unstable();
        sources.dedup();
        self.nodes.insert(place, Node::new(end..end, NodeKind::BehindBlock(sources, prefix.to_owned())));
    }

    /// Writes what stands before `to`.
    pub(super) fn commit(&mut self, input: &Input<'_>, mut to: usize) {
        if !input.finished {
            // A place may still be cited at the end of what has arrived.
            to = to.min(self.tail.content);
            if let Some(anchor) = self.anchors.front().filter(|anchor| anchor.at + MAX_EMPHASIS > input.text.len()) {
                to = to.min(anchor.at.max(self.written));
            }
        }
        if self.nodes.is_empty() {
            self.write_to(input, to, input.finished && to == input.text.len());
            return;
        }
        let nodes = std::mem::take(&mut self.nodes);
        let mut done = 0;
        for node in &nodes {
            let waits = node.range.end > to
                || node.range.start == to && to < input.text.len()
                || !input.finished && Self::waits(input, node);
            if waits && !(node.range.end <= to && input.finished) {
                break;
            }
            self.write_to(input, node.range.start, true);
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

    /// Whether what is written for a node depends on what has not arrived.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are written whatever follows")]
    fn waits(input: &Input<'_>, node: &Node) -> bool {
        let raw = &input.text[node.range.clone()];
        let behind = match &node.kind {
            NodeKind::Cite(_) if raw.starts_with('\u{e200}') => MAX_EMPHASIS,
            // A citation past the most that may be shown vanishes.
            NodeKind::Cite(_) if input.rules.max_claims.is_some() => MAX_VANISHING,
            NodeKind::Nameless { vanishes: true } => MAX_VANISHING,
            _ => 0,
        };
        input.text.len() < node.range.end + behind
    }

    /// Writes text up to a place, and citations of places in it.
    fn write_to(&mut self, input: &Input<'_>, to: usize, inclusive: bool) {
        while let Some(anchor) = self.anchors.front() {
            let mut at = anchor.at.max(self.shield).min(input.text.len());
            if self.code.is_some_and(|code| code < at) {
                break;
            }
            at = behind_emphasis(input.text, at).max(self.written);
            if at > to || at == to && !inclusive {
                break;
            }
            let Some(anchor) = self.anchors.pop_front() else { break };
            self.text_to(input.text, at);
            self.cite(input, &anchor.sources, at..at);
        }
        self.text_to(input.text, to);
    }

    pub(super) fn text_to(&mut self, text: &str, to: usize) {
        if to > self.written {
            self.writer.text(&text[self.written..to], self.written >= self.shield);
            self.written = to;
        }
    }

    /// Whether all that has arrived, up to `at`, is decided but for blanks, and text goes on there.
    pub(super) fn is_settled(&self, at: usize) -> bool {
        self.phase == Phase::Text
            && self.at == at
            && !self.may_define
            && self.nodes.is_empty()
            && self.openers.is_empty()
            && self.anchors.is_empty()
            && self.replaced.is_empty()
    }

    fn write(&mut self, input: &Input<'_>, node: &Node) {
        let text = input.text;
        let raw = &text[node.range.clone()];
        let Range { start, end } = node.range.clone();
        match &node.kind {
            NodeKind::Bracket => self.writer.text(raw, false),
            NodeKind::Opaque => {
                self.shield = self.shield.max(end);
                // A bare address takes the backslash in, and what it kept from being a tag would be one.
                let loses_backslash = raw == "\\<" && input.rules.markdown && self.writer.is_in_address();
                self.writer.opaque(raw);
                if loses_backslash {
                    self.writer.separate();
                }
            }
            NodeKind::LinkStart { end } => {
                self.shield = self.shield.max(*end);
                self.writer.opaque(raw);
            }
            NodeKind::LinkEnd => self.writer.opaque(raw),
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
            NodeKind::Cite(sources) => self.cite(input, &sources.clone(), node.range.clone()),
            NodeKind::Nameless { vanishes } => {
                let fate = if *vanishes { "it was taken out" } else { "it stays as text" };
                let message = format!("{raw} names no source; {fate}");
                self.entries.push(Entry::in_text(EntryKind::Unresolved, "marker", start, message));
                if *vanishes {
                    self.vanish(input, node.range.clone());
                } else {
                    self.writer.text(raw, false);
                }
            }
            NodeKind::Replace(with) => {
                self.shield = self.shield.max(end);
                self.writer.opaque(with);
            }
            NodeKind::Cut => self.shield = self.shield.max(end),
            NodeKind::Unlinked => {
                self.shield = self.shield.max(end);
                self.writer.keep_from_line_start();
            }
            NodeKind::Exclamation => self.writer.opaque("!\u{200b}["),
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
                    self.writer.paragraph_of_badges(&text[end..], prefix, &positions);
                }
            }
        }
    }

    fn positions(&mut self, input: &Input<'_>, sources: &[SourceIndex]) -> Vec<Position> {
        let mut positions = Vec::with_capacity(sources.len());
        for source in sources {
            match self.numberer.number(input.sources, *source) {
                Ok(position) => positions.push(position),
                Err(rank) => self.left_out.push((rank, *source)),
            }
        }
        positions
    }

    fn cite(&mut self, input: &Input<'_>, sources: &[SourceIndex], range: Range<usize>) {
        let positions = self.positions(input, sources);
        let behind = &input.text[range.end..];
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

    fn vanish(&mut self, input: &Input<'_>, range: Range<usize>) {
        let is_private_use = input.text[range.clone()].starts_with('\u{e200}');
        self.written = range.end + self.writer.vanish(&input.text[range.end..], is_private_use);
    }
}

/// So many nodes may wait to be written together, so that looking through them stays cheap.
const MAX_WAITING: usize = 64;

/// How far a marker that vanishes looks at what follows it: a blank and a character.
const MAX_VANISHING: usize = 8;

/// How many delimiters of emphasis are looked past.
pub(in crate::cite) const MAX_EMPHASIS: usize = 32;

/// A place between two delimiters of emphasis is one behind them.
fn behind_emphasis(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let is_delimiter = |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b'*' | b'_' | b'~'));
    let mut behind = at;
    while behind > 0
        && is_delimiter(bytes.get(behind - 1))
        && is_delimiter(bytes.get(behind))
        && behind - at < MAX_EMPHASIS
    {
        behind += 1;
    }
    behind
}

impl Scanner {
    /// Where the next text stands that a citation replaces, or the end of what has arrived. What was passed over is cited
    /// where it ends.
    pub(super) fn next_replaced(&mut self, input: &Input<'_>) -> usize {
        while let Some((range, _)) = self.replaced.front() {
            if range.start >= self.at {
                return range.start;
            }
            if let Some((range, sources)) = self.replaced.pop_front() {
                let at = self.anchors.partition_point(|anchor| anchor.at < range.end);
                self.anchors.insert(at, Anchor { at: range.end, sources });
            }
        }
        input.text.len()
    }

    /// Cites in the place of the text that begins here.
    pub(super) fn take_replaced(&mut self) {
        if let Some((range, sources)) = self.replaced.pop_front() {
            self.at = range.end;
            self.push(range, NodeKind::Cite(sources));
        }
    }
}
