//! The core to come: read once, decide, write.
//!
//! Three rooms, each of which knows nothing of the next. [`read`] makes tokens of the text, [`decide`] says what each of them means,
//! [`write`] writes Markdown that every engine reads in one way.

mod decide;
mod read;
mod write;

use std::ops::Range;

use super::bibliography::Bibliography;
use super::resolve::Resolver;
use super::{CitedText, Rules, definition};
use crate::answer::Answer;
use crate::report::{Entry, Kind};
use crate::text::{UNSEEN, first_unseen};
use crate::url::without_user;
use decide::{Context, Decisions, Piece, decide, is_allowed, is_marker_label};
use read::{Container, Definition, Definitions, Inline, Leaf, LeafKind, Reader, Slice, read, same_label};
use write::Writer;

/// Whether the tests ask for this core: `CITEWIRE_CORE=rooms`.
pub(super) fn are_chosen() -> bool {
    static CHOSEN: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *CHOSEN.get_or_init(|| std::env::var_os("CITEWIRE_CORE").is_some_and(|core| core == "rooms"))
}

/// Finds the markers of an answer, numbers its sources by first appearance, and writes the text for a dialect.
#[must_use]
pub fn cite(answer: &Answer, rules: &Rules) -> CitedText {
    let resolver = Resolver::default();
    let mut bibliography = Bibliography::default();
    let visible = bibliography.read(&answer.text, true, &answer.sources, &resolver);
    let is_list = rules.without_bibliography && bibliography.is_list(&answer.text);
    let text = if is_list { &answer.text[..visible] } else { &answer.text };
    let context = Context { text, rules, grammar: &answer.grammar, sources: &answer.sources, resolver: &resolver };
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let slice = Slice { text, range: start..text.len(), finished: true };
    let capacity = text.len() + 96 * answer.sources.len().min(64);
    let mut rooms = Rooms {
        context,
        slice: slice.range.clone(),
        decisions: Decisions::new(rules),
        writer: Writer::with_capacity(capacity),
        pieces: Vec::new(),
        in_note: 0,
    };
    read(&slice, &mut Definitions::default(), &is_marker_label, &mut rooms);
    let Rooms { decisions, writer, .. } = rooms;
    let Decisions { numberer, mut entries, unresolved, .. } = decisions;
    if is_list {
        let message = "the list of references at the end repeats the sources";
        entries.push(Entry::in_text(Kind::Dropped, "bibliography", visible, message));
    }
    let cited = numberer.finish(&answer.sources, &mut entries);
    let (open_fence, end) = (writer.open_fence().map(str::to_owned), writer.end_of_source());
    let (mut written, unseen) = writer.finish();
    if unseen > 0 {
        let message =
            format!("letters that cannot be seen, or that turn the direction of the text, were taken out: {unseen}");
        entries.push(Entry::in_text(Kind::Neutralised, UNSEEN, first_unseen(text).unwrap_or_default(), message));
    }
    let is_closed = rules.close_fence && !cited.is_empty();
    let behind = match &open_fence {
        Some(fence) if is_closed => {
            written.push_str(fence);
            ""
        }
        // All other blank lines are lines of the code.
        Some(_) => {
            text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r'])).map_or("", |rest| &text[rest.len()..])
        }
        None => &text[end.max(text.trim_end_matches(['\n', '\r', ' ', '\t']).len())..],
    };
    if rules.definitions && !cited.is_empty() {
        definition::append(&mut written, &cited);
    } else {
        written.push_str(behind);
    }
    CitedText { text: written, sources: cited, places: Vec::new(), unresolved, entries }
}

/// Takes what is read from room to room.
struct Rooms<'r> {
    context: Context<'r>,
    slice: Range<usize>,
    decisions: Decisions,
    writer: Writer,
    /// What was decided of the last leaf; kept for its room.
    pieces: Vec<Piece>,
    /// How deep in a footnote that gives way to a source.
    in_note: usize,
}

impl Rooms<'_> {
    /// The label of the footnote that begins there, and whether a source takes its place.
    fn note(&self, at: usize) -> Option<(String, bool)> {
        let label = self.context.text[at..].strip_prefix("[^")?.split(']').next()?;
        let resolves = self.context.grammar.footnotes && self.context.named_by(&format!("^{label}")).is_some();
        Some((label.to_owned(), resolves))
    }
}

impl Reader for Rooms<'_> {
    fn begin(&mut self, _at: usize) {}

    fn open(&mut self, container: Container, range: Range<usize>) {
        if self.in_note > 0 {
            self.in_note += 1;
            return;
        }
        match container {
            Container::Quote => self.writer.open_quote(self.context.text, range.start),
            Container::List => self.writer.open_list(&self.context, range.start),
            Container::Item => self.writer.open_item(self.context.text, range.start),
            Container::Note => match self.note(range.start) {
                Some((label, true)) => {
                    self.in_note = 1;
                    let message = format!("the footnote [^{label}] gives way to the source of that number");
                    self.decisions.entries.push(Entry::in_text(Kind::Neutralised, "footnote", range.start, message));
                }
                Some((label, false)) => self.writer.open_note(&label),
                None => {}
            },
            Container::Table(columns) => self.writer.open_table(&self.context, &range, columns),
            Container::Row { .. } => self.writer.open_row(&self.context, &range),
        }
    }

    fn close(&mut self, container: Container, range: Range<usize>) {
        if self.in_note > 0 {
            self.in_note -= 1;
            self.writer.leave_out(range.end);
            return;
        }
        match container {
            Container::Quote | Container::Item => self.writer.close_container(&self.context, range.end),
            Container::List => self.writer.close_list(),
            Container::Note => self.writer.close_note(),
            Container::Table(_) => self.writer.close_table(&self.context, range.end),
            Container::Row { is_head } => self.writer.close_row(&self.context, &range, is_head),
        }
    }

    fn text(&mut self, leaf: &Leaf, inline: &Inline<'_>) {
        if self.in_note > 0 {
            return;
        }
        decide(&self.context, &mut self.decisions, inline, &mut self.pieces);
        self.writer.text(&self.context, leaf, inline, &self.pieces);
    }

    fn verbatim(&mut self, leaf: &Leaf, content: &str) {
        if self.in_note > 0 {
            return;
        }
        match leaf.kind {
            LeafKind::Html => self.writer.html_block(&self.context, leaf, content),
            LeafKind::Rule => self.writer.rule(&self.context, leaf.range.clone()),
            LeafKind::Fence
            | LeafKind::Indented
            | LeafKind::Paragraph
            | LeafKind::Heading(_)
            | LeafKind::Underlined
            | LeafKind::Cell => self.writer.code(&self.context, leaf, content, &self.slice),
        }
    }

    fn definition(&mut self, definition: &Definition) {
        let Definition { at, label, url, title } = definition;
        let is_needed = self.decisions.used.contains(&same_label(label)) && !is_marker_label(label) && is_allowed(url);
        if is_needed && self.context.rules.definitions {
            let without = without_user(url);
            self.writer.definition(&self.context, *at, label, without.as_deref().unwrap_or(url), title);
        } else {
            let message = format!("the answer's own definition of [{label}] was taken out; only sources define links");
            self.decisions.entries.push(Entry::in_text(Kind::Neutralised, "definition", *at, message));
            self.writer.leave_out(*at);
        }
    }
}
