//! One text on its way through the rooms, whole or as far as it has arrived.

use super::decide::{Arrivals, Context, Decisions, Places, is_marker_label};
use super::pass::{Pass, Progress};
use super::read::{Definitions, Slice, read};
use crate::answer::Answer;
use crate::cite::bibliography::Bibliography;
use crate::cite::resolve::Resolver;
use crate::cite::{CitedPlace, CitedSource, CitedText, Position, Rules, definition};
use crate::report::{Entry, Kind};
use crate::text::{UNSEEN, first_unseen};

/// What is rewritten, and by what.
#[derive(Clone, Copy)]
pub(super) struct Given<'g> {
    pub(super) answer: &'g Answer,
    pub(super) rules: &'g Rules,
    pub(super) resolver: &'g Resolver,
    /// Places before each of which only the first so many sources were known.
    pub(super) arrivals: &'g [(usize, usize)],
}

impl<'g> Given<'g> {
    /// What is decided by, about the text up to a place.
    fn context(&self, to: usize) -> Context<'g> {
        let Self { answer, rules, resolver, arrivals } = *self;
        let Answer { text, sources, grammar, .. } = answer;
        let arrivals = Arrivals { all: sources, before: arrivals };
        Context { text: &text[..to], rules, grammar, sources, resolver, arrivals }
    }
}

/// A text as far as it was read.
#[derive(Debug)]
pub(super) struct Rewrite {
    pub(super) so_far: Progress,
    definitions: Definitions,
}

impl Rewrite {
    pub(super) fn new(rules: &Rules) -> Self {
        Self { so_far: Progress::new(rules), definitions: Definitions::default() }
    }

    /// For a whole answer, with the citations that came beside its text.
    pub(super) fn of(answer: &Answer, rules: &Rules) -> Self {
        let mut rewrite = Self::new(rules);
        rewrite.so_far.output.reserve(answer.text.len() + 96 * answer.sources.len().min(64));
        rewrite.so_far.decisions.places = Places::of(answer);
        rewrite
    }

    /// Where what is not settled begins in the text.
    pub(super) fn settled(&self) -> usize {
        self.so_far.settled.at
    }

    /// Reads the text up to a place, from the last block on that was begun. Of a text that goes on, only what can change no more is
    /// decided and written: the place is returned where the rest begins, which is not before the one that is given.
    pub(super) fn read(&mut self, given: &Given<'_>, to: usize, goes_on_behind: Option<usize>) -> usize {
        self.so_far.decisions.back_to(&self.so_far.settled.decisions);
        self.so_far.output.back_to(&self.so_far.settled.output);
        self.definitions.back_to(self.so_far.settled.definitions);
        let context = given.context(to);
        let text = context.text;
        let mut from = self.so_far.settled.at.min(to);
        if from == 0 && given.rules.markdown {
            from = text.len() - text.trim_start_matches('\u{feff}').len();
        }
        self.so_far.output.begin(&text[from..]);
        let mut definitions = std::mem::take(&mut self.definitions);
        let slice = Slice { text, range: from..to, finished: goes_on_behind.is_none() };
        let mut pass = Pass::new(context, &slice, goes_on_behind, &mut self.so_far);
        read(&slice, &mut definitions, &is_marker_label, &mut pass);
        let held = pass.end();
        self.definitions = definitions;
        held
    }

    /// All that can be known, once the text is whole. `visible` is where the list of references begins that ends it, if one does.
    pub(super) fn finish(mut self, given: &Given<'_>, bibliography: &Bibliography, visible: usize) -> CitedText {
        let Given { answer, rules, .. } = *given;
        let mut without_list = false;
        if rules.without_bibliography && bibliography.is_list(&answer.text) {
            self.read(given, visible, None);
            // A list that holds the only citations repeats nothing.
            without_list = rules.only_markers || self.so_far.decisions.numberer.any();
        }
        let end = if without_list { visible } else { answer.text.len() };
        if without_list {
            let message = "the list of references at the end repeats the sources";
            self.so_far.decisions.entries.push(Entry::in_text(Kind::Dropped, "bibliography", visible, message));
        } else {
            self.read(given, end, None);
        }
        let lists_attested = !self.so_far.decisions.numberer.any() && !rules.only_markers;
        let attested = if lists_attested { self.number_attested(answer) } else { Vec::new() };
        self.say_what_was_left_out(answer);
        let is_cited = self.so_far.decisions.numberer.any();
        let Progress { decisions, output, .. } = self.so_far;
        let Decisions { numberer, mut entries, unresolved, .. } = decisions;
        let (mut text, places, unseen) = output.finish(&given.context(end), is_cited);
        entries.extend(unseen_entry(unseen, &answer.text[..end]));
        // In the order of the text, whatever was decided first.
        entries.sort_by_key(|entry| entry.at.offset().unwrap_or(usize::MAX));
        if without_list {
            text.truncate(definition::content(&text));
        }
        // Web Chat lists what is defined, and a plain text has its list of references; elsewhere the text has to name them.
        if rules.markdown && !rules.definitions && !attested.is_empty() {
            text.truncate(definition::content(&text));
            text.push_str("\n\n");
            text.extend(attested.iter().map(|position| format!("[{position}]")));
        }
        let sources = numberer.finish(&answer.sources, &mut entries);
        entries.retain(|entry| is_told(entry, rules, &sources));
        if rules.definitions {
            append_definitions(&mut text, &sources, bibliography);
        }
        let places = if rules.only_markers { places } else { Vec::new() };
        CitedText { text, sources, places, unresolved, entries }
    }

    /// The cited sources so far.
    pub(super) fn sources(&self, answer: &Answer) -> Vec<CitedSource> {
        self.so_far.decisions.numberer.so_far(&answer.sources)
    }

    pub(super) fn places(&self) -> &[CitedPlace] {
        self.so_far.output.places()
    }

    /// The numbers of what the provider attests as used, where nothing is cited (policy P-03).
    fn number_attested(&mut self, answer: &Answer) -> Vec<Position> {
        let known = answer.attested.iter().copied().filter(|index| index.0 < answer.sources.len());
        let known: Vec<_> = known.collect();
        self.so_far.decisions.positions(&answer.sources, &known).into_vec()
    }

    fn say_what_was_left_out(&mut self, answer: &Answer) {
        let Decisions { left_out, entries, numberer, .. } = &mut self.so_far.decisions;
        if left_out.is_empty() {
            return;
        }
        let max = numberer.max();
        left_out.sort_unstable();
        left_out.dedup_by_key(|(rank, _)| *rank);
        for (_, source) in &*left_out {
            let message =
                format!("cited, but only the first {max} cited documents can be shown; its markers were taken out");
            let pointer = answer.sources[source.0].pointer.clone();
            entries.push(Entry::in_input(Kind::Dropped, "claims-limit", pointer, message));
        }
        let message = format!("{} cited documents were left out beyond the first {max}", left_out.len());
        entries.push(Entry::in_input(Kind::Note, "claims-left-out", "/sources", message));
    }
}

/// What the report says of letters that nobody sees.
fn unseen_entry(unseen: usize, text: &str) -> Option<Entry> {
    let message =
        || format!("letters that cannot be seen, or that turn the direction of the text, were taken out: {unseen}");
    let at = first_unseen(text).unwrap_or_default();
    (unseen > 0).then(|| Entry::in_text(Kind::Neutralised, UNSEEN, at, message()))
}

/// Whether the report says it.
fn is_told(entry: &Entry, rules: &Rules, cited: &[CitedSource]) -> bool {
    if rules.only_markers {
        // What was made harmless, merged or taken out elsewhere stands here as it was.
        return matches!(entry.kind, Kind::Cited | Kind::Unresolved) || matches!(entry.code, "bibliography" | UNSEEN);
    }
    !(entry.code == "ambiguous" && cited.is_empty())
}

fn append_definitions(text: &mut String, sources: &[CitedSource], bibliography: &Bibliography) {
    if bibliography.ends_with_heading() && !sources.is_empty() {
        // The definitions behind it would be its list the next time.
        let words = text.trim_end_matches([' ', '\t', '\r', '\n', '#']).len();
        text.insert(words, '\u{200b}');
    }
    definition::append(text, sources);
}
