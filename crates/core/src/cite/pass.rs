//! One pass over a text: receives leaves from `read`, decides about each, and writes it at once.

use std::ops::Range;

use super::decide::{self, Context, Decisions, Piece, Positions, decide, is_allowed, is_marker_label};
use super::read::{Container, Definition, Inline, LOOK_AHEAD, Leaf, LeafKind, Reader, Slice, same_label};
use super::write::{self, FENCED_BY, Output, is_harmless};
use crate::cite::Rules;
use crate::cite::place::first_open;
use crate::report::{Entry, Kind};
use crate::text::loses_text;
use crate::url::without_user;

/// The decisions about a text so far, and its output.
#[derive(Debug)]
pub(super) struct Progress {
    pub(super) decisions: Decisions,
    pub(super) output: Output,
    /// The pieces of the last leaf. The next leaf reuses the memory.
    pieces: Vec<Piece>,
    pub(super) settled: Settled,
}

/// The pieces of most leaves.
const PIECES: usize = 16;

impl Progress {
    pub(super) fn new(rules: &Rules) -> Self {
        Self {
            decisions: Decisions::new(rules),
            output: Output::new(rules),
            pieces: Vec::with_capacity(PIECES),
            settled: Settled::default(),
        }
    }
}

/// A snapshot at the start of the last top-level block, or of the last item of a list there. Later text changes nothing
/// before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Settled {
    pub(super) at: usize,
    pub(super) is_in_list: bool,
    pub(super) definitions: usize,
    pub(super) decisions: decide::Mark,
    pub(super) output: write::Mark,
}

/// Passes leaves from `read` to `decide` and on to `write`.
pub(super) struct Pass<'p> {
    context: Context<'p>,
    slice: Range<usize>,
    finished: bool,
    so_far: &'p mut Progress,
    /// Nesting depth inside a container that is not written; 0 outside of one.
    skipped: usize,
    /// Offset from which later text may change the reading; text behind it is not written. The length of the text when that
    /// is finished.
    held: usize,
    /// Text before this offset was shown already, so `held` never goes below it.
    shown: usize,
}

impl<'p> Pass<'p> {
    pub(super) fn new(context: Context<'p>, slice: &Slice<'_>, shown: Option<usize>, so_far: &'p mut Progress) -> Self {
        let Slice { text, ref range, finished, .. } = *slice;
        let shown = shown.unwrap_or_default();
        // The provider may still cite the last word: `cite_here` puts its badge there.
        let held = if finished { text.len() } else { first_open(text, text.len()).max(shown) };
        Self { context, slice: range.clone(), finished, so_far, skipped: 0, held, shown }
    }

    /// Ends the pass. Returns the offset from which text is held back.
    pub(super) fn end(mut self) -> usize {
        if self.finished {
            self.cite_behind(self.context.text.len());
        } else {
            self.so_far.output.pause(&self.context, self.held);
        }
        self.held
    }

    /// Whether a block that ends at `end` may still go on: the text is unfinished, and only blanks follow.
    fn is_open(&self, end: usize) -> bool {
        !self.finished && self.context.text[end..].trim().is_empty()
    }

    /// Writes the span citations up to `to` that have no badge yet, in a paragraph behind the block. For blocks that hold no
    /// badges, such as code (policy P-15).
    fn cite_behind(&mut self, to: usize) {
        // Citations in held-back text are written together with that text.
        if self.is_open(to) || !self.finished && to >= self.held {
            return;
        }
        let Progress { decisions, output, .. } = &mut *self.so_far;
        let sources = decisions.places.take(self.context.text, to);
        let positions: Positions = decisions.positions(self.context.arrivals.all, &sources);
        if !positions.is_empty() {
            output.badges_behind(&self.context, to, positions);
        }
    }

    /// The label of the footnote at `at`, and whether a source replaces the footnote.
    fn note(&self, at: usize) -> Option<(String, bool)> {
        let label = self.context.text[at..].strip_prefix("[^")?.split(']').next()?;
        let resolves =
            self.context.grammar.footnotes && self.context.known_at(at).named_by(&format!("^{label}")).is_some();
        Some((label.to_owned(), resolves))
    }

    fn open_note(&mut self, range: Range<usize>) {
        let Some((label, gives_way)) = self.note(range.start) else { return };
        if gives_way {
            self.skipped = 1;
            let message = format!("the footnote [^{label}] gives way to the source of that number");
            self.so_far.decisions.neutralised("footnote", range.start, message);
            if self.is_open(range.end) {
                self.hold(range.start);
            }
        } else if let Output::Markdown(writer) = &mut self.so_far.output {
            writer.open_note(&label);
        }
    }

    fn leave_out(&mut self, range: Range<usize>) {
        match &mut self.so_far.output {
            Output::Markdown(writer) => writer.leave_out(range.end),
            Output::Source(copy) if !self.context.rules.only_markers => copy.leave_out_lines(&self.context, range),
            Output::Source(_) => {}
        }
    }

    /// Whether the model may still be writing this row, or the provider may still cite it.
    fn is_open_row(&self, range: &Range<usize>) -> bool {
        let text = self.context.text;
        let end = range.end.min(text.len());
        if !self.finished && self.held <= text[..end].trim_end().len() {
            return true;
        }
        self.is_open(end) && !text[end..].contains(['\n', '\r']) && !text[..end].ends_with(['\n', '\r'])
    }
}

impl Reader for Pass<'_> {
    fn begin(&mut self, at: usize, definitions: usize, is_in_list: bool) {
        // Nothing goes on behind a finished text.
        if self.finished || at > self.held {
            return;
        }
        let Progress { decisions, output, settled, .. } = &mut *self.so_far;
        *settled = Settled { at, is_in_list, definitions, decisions: decisions.mark(), output: output.mark() };
    }

    fn hold(&mut self, at: usize) {
        self.held = self.held.min(at.max(self.shown));
    }

    fn open(&mut self, container: Container, range: Range<usize>) {
        if self.skipped > 0 {
            self.skipped += 1;
            return;
        }
        if container == Container::Note {
            self.open_note(range);
            return;
        }
        if matches!(container, Container::Row { .. }) && self.is_open_row(&range) {
            self.hold(range.start);
            self.skipped = 1;
            return;
        }
        if self.held < range.start {
            return;
        }
        let Output::Markdown(writer) = &mut self.so_far.output else { return };
        match container {
            Container::Quote => writer.open_quote(self.context.text, range.start),
            Container::List => writer.open_list(&self.context, range.start),
            Container::Item => writer.open_item(self.context.text, range.start),
            Container::Table(columns) => writer.open_table(&self.context, &range, columns),
            Container::Row { .. } => writer.open_row(&self.context, &range),
            Container::Note => {}
        }
    }

    fn close(&mut self, container: Container, range: Range<usize>) {
        if self.skipped > 0 {
            self.skipped -= 1;
            if self.skipped == 0 && !self.is_open(range.end) {
                self.leave_out(range);
            }
            return;
        }
        if self.held < range.start || self.is_open(range.end) && !matches!(container, Container::Row { .. }) {
            return;
        }
        // The end of the content, for badges of an item without text or of a table.
        let end = self.context.text[..range.end].trim_end().len();
        if matches!(container, Container::Quote | Container::Item) {
            self.cite_behind(end);
        }
        let Output::Markdown(writer) = &mut self.so_far.output else { return };
        match container {
            Container::Quote | Container::Item => writer.close_container(&self.context, range.end),
            Container::List => writer.close_list(),
            Container::Note => writer.close_note(&self.context, &range),
            Container::Table(_) => {
                writer.close_table(&self.context, range.end);
                self.cite_behind(end);
            }
            Container::Row { is_head } => writer.close_row(&self.context, &range, is_head),
        }
    }

    fn text(&mut self, leaf: &Leaf, inline: &Inline<'_>) {
        if self.held < leaf.range.start {
            return;
        }
        if self.skipped > 0 {
            if let Output::Source(copy) = &mut self.so_far.output {
                copy.undecided_text(&self.context, inline);
            }
            return;
        }
        if let Some(held) = leaf.held {
            // The next character decides whether emphasis delimiters open or close; before a blank they close.
            let (content, behind) = self.context.text.split_at(held.min(self.held));
            let near = content.len().saturating_sub(LOOK_AHEAD);
            let before = content.trim_end_matches(['*', '_', '~']);
            let ends = behind.starts_with([' ', '\t']) && before.ends_with(|c: char| !c.is_whitespace());
            self.hold(if ends { content.len() } else { before.len().max(near) });
        }
        // The provider may still cite the end of the leaf, or an offset in it.
        let goes_on = leaf.held.is_some() || !self.finished && self.held <= leaf.range.end;
        if goes_on && leaf.kind == LeafKind::Underlined {
            // A `|` above the underline is escaped once the underline is written, so hold it back.
            let text = &self.context.text[..leaf.range.end];
            let border = memchr::memchr(b'|', &text.as_bytes()[leaf.range.start..]);
            self.hold(border.map_or(usize::MAX, |at| leaf.range.start + at));
        }
        let held = goes_on.then_some(self.held);
        let Progress { decisions, output, pieces, .. } = &mut *self.so_far;
        // An underline makes a heading of a paragraph whose tags were shown already.
        let is_paragraph = matches!(leaf.kind, LeafKind::Paragraph | LeafKind::Underlined);
        let loses_blocks = is_paragraph && output.loses_blocks(&self.context);
        let decided = decide(&self.context, decisions, inline, held, loses_blocks, pieces);
        self.held = self.held.min(decided);
        // A marker may wait for text behind its leaf.
        let goes_on = goes_on || decided < usize::MAX;
        match output {
            Output::Markdown(_) if goes_on && pieces.is_empty() => {}
            Output::Markdown(writer) => writer.text(&self.context, leaf, goes_on, inline, pieces),
            Output::Source(copy) => copy.text(&self.context, inline, pieces),
        }
        if leaf.kind != LeafKind::Cell && !goes_on {
            self.cite_behind(leaf.range.end);
        }
    }

    fn verbatim(&mut self, leaf: &Leaf, content: &str) {
        if self.held < leaf.range.start {
            return;
        }
        if let Output::Source(copy) = &mut self.so_far.output {
            copy.verbatim(&self.context, leaf);
        }
        if self.skipped > 0 {
            return;
        }
        let is_known = match leaf.kind {
            LeafKind::Html => content.len() > LOOK_AHEAD,
            LeafKind::Indented => content.len() > FENCED_BY,
            LeafKind::Paragraph
            | LeafKind::Heading(_)
            | LeafKind::Underlined
            | LeafKind::Cell
            | LeafKind::Fence
            | LeafKind::Rule => true,
        };
        if leaf.held.is_some() && !is_known {
            self.hold(leaf.range.start);
            return;
        }
        let loses_text = leaf.kind == LeafKind::Html
            && self.so_far.output.loses_blocks(&self.context)
            && content.len() <= LOOK_AHEAD
            && loses_text(content);
        let Progress { decisions, output, .. } = &mut *self.so_far;
        match output {
            Output::Source(_) => {}
            Output::Markdown(writer) => match leaf.kind {
                LeafKind::Html => {
                    let Context { text, rules, .. } = self.context;
                    if rules.extended && is_harmless(content) {
                        decisions.report_html_left_out(text, leaf.range.start, content);
                    } else {
                        decisions.report_html(text, leaf.range.start, content, loses_text);
                    }
                    writer.html_block(&self.context, leaf, content, loses_text);
                }
                LeafKind::Rule => writer.rule(&self.context, leaf.range.clone()),
                LeafKind::Fence
                | LeafKind::Indented
                | LeafKind::Paragraph
                | LeafKind::Heading(_)
                | LeafKind::Underlined
                | LeafKind::Cell => writer.code(&self.context, leaf, content, &self.slice),
            },
        }
        self.cite_behind(leaf.range.end);
    }

    fn definition(&mut self, definition: &Definition) {
        let Definition { range, label, url, .. } = definition;
        if self.held < range.start {
            return;
        }
        let Progress { decisions, output, .. } = &mut *self.so_far;
        if let Output::Source(copy) = output {
            copy.definition(&self.context, range);
        }
        let is_needed = decisions.uses(&same_label(label))
            && !is_marker_label(label)
            && !self.context.known_at(range.start).is_drawn_as_badge(label)
            && is_allowed(url);
        if !is_needed {
            // Take the label from the text: the parser saw a placeholder for the label of a marker.
            let source = &self.context.text[range.start..];
            let label = source.split(']').next().unwrap_or_default().trim_start_matches([' ', '[']).trim();
            let message = format!("the answer's own definition of [{label}] was taken out; only sources define links");
            decisions.neutralised("definition", range.start, message);
            self.leave_out(range.clone());
        } else {
            let message = format!("the answer's own definition of [{label}] stays, because a link before it needs it");
            decisions.entries.push(Entry::in_text(Kind::Note, "definition", range.start, message));
            if let Output::Markdown(writer) = output {
                let without = without_user(url);
                if let Some(without) = &without {
                    let message = format!("[{label}] leads to {without:?}: its address named a user");
                    decisions.neutralised("link-user", range.start, message);
                }
                let url = without.as_deref().unwrap_or(url);
                if self.context.rules.definitions {
                    writer.definition(&self.context, definition, url);
                } else {
                    writer.definition_as_text(&self.context, definition, url);
                }
            }
        }
        self.cite_behind(self.context.text[..range.end].trim_end().len());
    }
}
