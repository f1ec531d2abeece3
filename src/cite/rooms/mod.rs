//! The core to come: read once, decide, write.
//!
//! Three rooms, each of which knows nothing of the next. `read` makes tokens of the text, `decide` says what each of them means,
//! `write` writes Markdown that every engine reads in one way.

mod decide;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::cell::Cell;
use std::ops::Range;

use super::bibliography::Bibliography;
use super::resolve::Resolver;
use super::{CitedText, Position, Rules, definition};
use crate::answer::Answer;
use crate::report::{Entry, Kind};
use crate::text::{UNSEEN, first_unseen};
use crate::url::without_user;
use decide::{Context, Decisions, Piece, Places, Positions, decide, is_allowed, is_marker_label};
use read::{Container, Definition, Definitions, Inline, Leaf, LeafKind, Reader, Slice, read, same_label};
use write::{Copy, Writer};

thread_local! {
    static IS_CHOSEN: Cell<bool> = const { Cell::new(false) };
}

/// Lets this core answer for the other one, or not any more, in this thread: for tests that hold the two against each other.
pub fn choose(is_chosen: bool) {
    IS_CHOSEN.set(is_chosen);
}

pub(super) fn is_chosen() -> bool {
    IS_CHOSEN.get()
}

/// Reads a text, and panics where what was read does not hold a character of it: for fuzzing. How many leaves it has.
#[cfg(any(test, feature = "cover"))]
#[doc(hidden)]
pub fn cover(text: &str) -> usize {
    read::cover(text, &is_marker_label)
}

/// Finds the markers of an answer, numbers its sources by first appearance, and writes the text for a dialect.
#[must_use]
pub fn cite(answer: &Answer, rules: &Rules) -> CitedText {
    let resolver = Resolver::default();
    let mut bibliography = Bibliography::default();
    let visible = bibliography.read(&answer.text, true, &answer.sources, &resolver);
    let mut rooms = Rooms::new(answer, rules, &resolver);
    if rules.without_bibliography && bibliography.is_list(&answer.text) {
        let mut without = Rooms::new(answer, rules, &resolver);
        without.read(visible);
        // A list that holds the only citations repeats nothing.
        if rules.only_markers || without.decisions.numberer.any() {
            without.finish_list(visible);
            return without.finish(answer, &bibliography, true);
        }
    }
    rooms.read(answer.text.len());
    rooms.finish(answer, &bibliography, false)
}

/// Takes what is read from room to room.
struct Rooms<'r> {
    context: Context<'r>,
    slice: Range<usize>,
    decisions: Decisions,
    output: Output,
    /// What was decided of the last leaf; kept for its room.
    pieces: Vec<Piece>,
    /// How deep in a footnote that gives way to a source.
    in_note: usize,
}

/// How the text is written.
enum Output {
    /// As Markdown that every engine reads in one way.
    Markdown(Writer),
    /// As it stands.
    Source(Copy),
}

impl<'r> Rooms<'r> {
    fn new(answer: &'r Answer, rules: &'r Rules, resolver: &'r Resolver) -> Self {
        let Answer { text, sources, grammar, .. } = answer;
        let capacity = text.len() + 96 * sources.len().min(64);
        let output = match rules.markdown {
            true => Output::Markdown(Writer::new(rules, text, capacity)),
            false => Output::Source(Copy::with_capacity(capacity)),
        };
        let mut decisions = Decisions::new(rules);
        decisions.places = Places::of(answer);
        Self {
            context: Context { text, rules, grammar, sources, resolver },
            slice: 0..0,
            decisions,
            output,
            pieces: Vec::new(),
            in_note: 0,
        }
    }

    /// Reads the text up to a place, as if it ended there.
    fn read(&mut self, to: usize) {
        self.context.text = &self.context.text[..to];
        let text = self.context.text;
        let start = match self.output {
            Output::Markdown(_) => text.len() - text.trim_start_matches('\u{feff}').len(),
            Output::Source(_) => 0,
        };
        let slice = Slice { text, range: start..text.len(), finished: true };
        self.slice = slice.range.clone();
        read(&slice, &mut Definitions::default(), &is_marker_label, self);
        self.cite_behind(text.len());
    }

    fn finish_list(&mut self, visible: usize) {
        let message = "the list of references at the end repeats the sources";
        self.decisions.entries.push(Entry::in_text(Kind::Dropped, "bibliography", visible, message));
    }

    fn finish(mut self, answer: &Answer, bibliography: &Bibliography, without_list: bool) -> CitedText {
        let Context { text, rules, sources, .. } = self.context;
        let attested =
            if self.decisions.numberer.any() || rules.only_markers { Vec::new() } else { self.number_attested(answer) };
        self.say_what_was_left_out();
        let Self { decisions, output, context, .. } = self;
        let Decisions { numberer, mut entries, unresolved, .. } = decisions;
        let is_followed = rules.definitions && numberer.any();
        let (mut written, places, unseen) = match output {
            Output::Markdown(writer) => writer.finish(&context, is_followed),
            Output::Source(copy) => copy.finish(&context),
        };
        if unseen > 0 {
            let message = format!(
                "letters that cannot be seen, or that turn the direction of the text, were taken out: {unseen}"
            );
            entries.push(Entry::in_text(Kind::Neutralised, UNSEEN, first_unseen(text).unwrap_or_default(), message));
        }
        // In the order of the text, whatever was decided first.
        entries.sort_by_key(|entry| entry.at.offset().unwrap_or(usize::MAX));
        if without_list {
            written.truncate(definition::content(&written));
        }
        // Web Chat lists what is defined, and a plain text has its list of references; elsewhere the text has to name them.
        if rules.markdown && !rules.definitions && !attested.is_empty() {
            written.truncate(definition::content(&written));
            written.push_str("\n\n");
            written.extend(attested.iter().map(|position| format!("[{position}]")));
        }
        let cited = numberer.finish(sources, &mut entries);
        entries.retain(|entry| !(entry.code == "ambiguous" && cited.is_empty()));
        if rules.definitions {
            if bibliography.ends_with_heading() && !cited.is_empty() {
                // The definitions behind it would be its list the next time.
                let words = written.trim_end_matches([' ', '\t', '\r', '\n', '#']).len();
                written.insert(words, '\u{200b}');
            }
            definition::append(&mut written, &cited);
        }
        if rules.only_markers {
            // What was made harmless, merged or taken out elsewhere stands here as it was.
            entries.retain(|entry| {
                matches!(entry.kind, Kind::Cited | Kind::Unresolved) || matches!(entry.code, "bibliography" | UNSEEN)
            });
        }
        let places = if rules.only_markers { places } else { Vec::new() };
        CitedText { text: written, sources: cited, places, unresolved, entries }
    }

    /// The numbers of what the provider attests as used, where nothing is cited (policy P-03).
    fn number_attested(&mut self, answer: &Answer) -> Vec<Position> {
        let known = answer.attested.iter().copied().filter(|index| index.0 < answer.sources.len());
        let known: Vec<_> = known.collect();
        self.decisions.positions(&answer.sources, &known).into_vec()
    }

    fn say_what_was_left_out(&mut self) {
        let Decisions { left_out, entries, .. } = &mut self.decisions;
        if left_out.is_empty() {
            return;
        }
        let max = self.context.rules.max_claims.unwrap_or_default();
        left_out.sort_unstable();
        left_out.dedup_by_key(|(rank, _)| *rank);
        for (_, source) in &*left_out {
            let message =
                format!("cited, but only the first {max} cited documents can be shown; its markers were taken out");
            let pointer = self.context.sources[source.0].pointer.clone();
            entries.push(Entry::in_input(Kind::Dropped, "claims-limit", pointer, message));
        }
        let message = format!("{} cited documents were left out beyond the first {max}", left_out.len());
        entries.push(Entry::in_input(Kind::Note, "claims-left-out", "/sources", message));
    }

    /// Cites what the provider cites up to a place in which no number can stand, in a paragraph behind it.
    fn cite_behind(&mut self, to: usize) {
        let sources = self.decisions.places.take(self.context.text, to);
        if sources.is_empty() {
            return;
        }
        let positions: Positions = self.decisions.positions(self.context.sources, &sources);
        if positions.is_empty() {
            return;
        }
        match &mut self.output {
            Output::Markdown(writer) => writer.badges_behind(&self.context, positions),
            Output::Source(copy) => copy.badges_behind(&self.context, to, &positions),
        }
    }

    /// The label of the footnote that begins there, and whether a source takes its place.
    fn note(&self, at: usize) -> Option<(String, bool)> {
        let label = self.context.text[at..].strip_prefix("[^")?.split(']').next()?;
        let resolves = self.context.grammar.footnotes && self.context.named_by(&format!("^{label}")).is_some();
        Some((label.to_owned(), resolves))
    }

    fn open_note(&mut self, range: Range<usize>) {
        let Some((label, gives_way)) = self.note(range.start) else { return };
        if gives_way {
            self.in_note = 1;
            let message = format!("the footnote [^{label}] gives way to the source of that number");
            self.decisions.entries.push(Entry::in_text(Kind::Neutralised, "footnote", range.start, message));
        } else if let Output::Markdown(writer) = &mut self.output {
            writer.open_note(&label);
        }
    }

    fn leave_out(&mut self, range: Range<usize>) {
        match &mut self.output {
            Output::Markdown(writer) => writer.leave_out(range.end),
            Output::Source(copy) if !self.context.rules.only_markers => copy.leave_out_lines(&self.context, range),
            Output::Source(_) => {}
        }
    }
}

impl Reader for Rooms<'_> {
    fn begin(&mut self, _at: usize) {}

    fn open(&mut self, container: Container, range: Range<usize>) {
        if self.in_note > 0 {
            self.in_note += 1;
            return;
        }
        if container == Container::Note {
            self.open_note(range);
            return;
        }
        let Output::Markdown(writer) = &mut self.output else { return };
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
        if self.in_note > 0 {
            self.in_note -= 1;
            if self.in_note == 0 {
                self.leave_out(range);
            }
            return;
        }
        let Output::Markdown(writer) = &mut self.output else { return };
        match container {
            Container::Quote | Container::Item => writer.close_container(&self.context, range.end),
            Container::List => writer.close_list(),
            Container::Note => writer.close_note(),
            Container::Table(_) => writer.close_table(&self.context, range.end),
            Container::Row { is_head } => writer.close_row(&self.context, &range, is_head),
        }
    }

    fn text(&mut self, leaf: &Leaf, inline: &Inline<'_>) {
        if self.in_note > 0 {
            return;
        }
        decide(&self.context, &mut self.decisions, inline, &mut self.pieces);
        match &mut self.output {
            Output::Markdown(writer) => writer.text(&self.context, leaf, inline, &self.pieces),
            Output::Source(copy) => copy.text(&self.context, inline, &self.pieces),
        }
        if leaf.kind == LeafKind::Underlined {
            self.cite_behind(leaf.range.end);
        }
    }

    fn verbatim(&mut self, leaf: &Leaf, content: &str) {
        if self.in_note > 0 {
            return;
        }
        if let Output::Markdown(writer) = &mut self.output {
            match leaf.kind {
                LeafKind::Html => writer.html_block(&self.context, leaf, content),
                LeafKind::Rule => writer.rule(&self.context, leaf.range.clone()),
                LeafKind::Fence
                | LeafKind::Indented
                | LeafKind::Paragraph
                | LeafKind::Heading(_)
                | LeafKind::Underlined
                | LeafKind::Cell => writer.code(&self.context, leaf, content, &self.slice),
            }
        }
        self.cite_behind(leaf.range.end);
    }

    fn definition(&mut self, definition: &Definition) {
        let Definition { range, label, url, title } = definition;
        let is_needed = self.decisions.used.contains(&same_label(label)) && !is_marker_label(label) && is_allowed(url);
        let rules = self.context.rules;
        if is_needed {
            let message = format!("the answer's own definition of [{label}] stays, because a link before it needs it");
            self.decisions.entries.push(Entry::in_text(Kind::Note, "definition", range.start, message));
        }
        match &mut self.output {
            Output::Markdown(writer) if is_needed => {
                let without = without_user(url);
                if let Some(without) = &without {
                    let message = format!("[{label}] leads to {without:?}: its address named a user");
                    self.decisions.entries.push(Entry::in_text(Kind::Neutralised, "link-user", range.start, message));
                }
                let url = without.as_deref().unwrap_or(url);
                if rules.definitions {
                    writer.definition(&self.context, range.start, label, url, title);
                } else {
                    writer.definition_as_text(&self.context, range.start, label, url);
                }
            }
            Output::Source(_) if is_needed => {}
            Output::Markdown(_) | Output::Source(_) => {
                // As it stands: that of a marker was read without its label.
                let source = &self.context.text[range.start..];
                let label = source.split(']').next().unwrap_or_default().trim_start_matches([' ', '[']).trim();
                let message =
                    format!("the answer's own definition of [{label}] was taken out; only sources define links");
                self.decisions.entries.push(Entry::in_text(Kind::Neutralised, "definition", range.start, message));
                self.leave_out(range.clone());
            }
        }
    }
}
