//! Rewrites one text, whole or as far as it has arrived: runs the passes and assembles the result.

use super::decide::{Arrivals, Context, Decisions, LOOKS_LIKE_MARKER, Places, is_marker_label};
use super::pass::{Pass, Progress};
use super::read::{Definitions, Slice, read};
use crate::answer::Answer;
use crate::cite::bibliography::Bibliography;
use crate::cite::resolve::Resolver;
use crate::cite::told::Told;
use crate::cite::write::Finished;
use crate::cite::{CitedPlace, CitedSource, CitedText, Opaque, Position, Rules, definition, loose};
use crate::report::{Entry, Kind};
use crate::text::{UNSEEN, first_unseen};

/// The code of the report entry about a cited source for whose claim the channel has no room.
pub const CLAIMS_LIMIT: &str = "claims-limit";

/// The inputs of a rewrite.
#[derive(Clone, Copy)]
pub(super) struct Given<'g> {
    pub(super) answer: &'g Answer,
    pub(super) rules: &'g Rules,
    pub(super) resolver: &'g Resolver,
    /// Pairs `(offset, count)`, in order: before this offset of the text, only the first `count` sources were known.
    pub(super) arrivals: &'g [(usize, usize)],
}

impl<'g> Given<'g> {
    /// The context for decisions about the text before `to`. For a finished text, all of it tells what its markers mean.
    fn context(&self, to: usize, is_finished: bool) -> Context<'g> {
        let Self { answer, rules, resolver, arrivals } = *self;
        let Answer { text, sources, grammar, .. } = answer;
        let arrivals = Arrivals { all: sources, before: arrivals };
        let told = Told { text: if is_finished { text } else { &text[..to] }, is_whole: is_finished, grammar };
        Context { text: &text[..to], may_name_turns: true, told, rules, grammar, sources, resolver, arrivals }
    }
}

/// The state of a rewrite: the decisions, the output, and the definitions read so far.
#[derive(Debug)]
pub(super) struct Rewrite {
    pub(super) so_far: Progress,
    definitions: Definitions,
}

impl Rewrite {
    pub(super) fn new(rules: &Rules) -> Self {
        Self { so_far: Progress::new(rules), definitions: Definitions::default() }
    }

    /// Starts the rewrite of a whole answer, with its span citations.
    pub(super) fn of(answer: &Answer, rules: &Rules) -> Self {
        let mut rewrite = Self::new(rules);
        rewrite.so_far.output.reserve(answer.text.len() + 96 * answer.sources.len().min(64));
        rewrite.so_far.decisions.places = Places::of(answer);
        rewrite
    }

    /// The offset of the last top-level block, or of the last item of a list there. Nothing before it changes any more.
    pub(super) fn settled(&self) -> usize {
        self.so_far.settled.at
    }

    /// Reads the text up to `to`, starting again where it is settled. Returns the offset from which text is held
    /// back. For an unfinished text, `goes_on_behind` is the offset up to which text was shown already; the result is never
    /// below it. For a finished text it is `None`, and everything is written.
    pub(super) fn read(&mut self, given: &Given<'_>, to: usize, goes_on_behind: Option<usize>) -> usize {
        self.so_far.decisions.back_to(&self.so_far.settled.decisions);
        self.so_far.output.back_to(&self.so_far.settled.output);
        self.definitions.back_to(self.so_far.settled.definitions);
        let mut context = given.context(to, goes_on_behind.is_none());
        let text = context.text;
        let mut from = self.so_far.settled.at.min(to);
        if from == 0 && given.rules.markdown {
            from = text.len() - text.trim_start_matches('\u{feff}').len();
        }
        context.may_name_turns = loose::may_name_turns(&text[from..]);
        self.so_far.output.begin(&text[from..]);
        let mut definitions = std::mem::take(&mut self.definitions);
        let slice = Slice {
            text,
            range: from..to,
            is_in_list: self.so_far.settled.is_in_list,
            finished: goes_on_behind.is_none(),
        };
        let mut pass = Pass::new(context, &slice, goes_on_behind, &mut self.so_far);
        read(&slice, &mut definitions, &is_marker_label, &mut pass);
        let held = pass.end();
        self.definitions = definitions;
        held
    }

    /// Builds the result of a complete text. `visible` is the offset of the bibliography at the end, or the length of a text
    /// without one.
    pub(super) fn finish(mut self, given: &Given<'_>, bibliography: &Bibliography, visible: usize) -> CitedText {
        let Given { answer, rules, .. } = *given;
        let mut without_list = false;
        if rules.without_bibliography && bibliography.is_list(&answer.text) {
            self.read(given, visible, None);
            // Where the list holds the only citations, it stays.
            without_list = rules.only_markers || self.so_far.decisions.numberer.any();
        }
        let end = if without_list { visible } else { answer.text.len() };
        if without_list {
            let message = "the list of references at the end repeats the sources";
            self.so_far.decisions.entries.push(Entry::in_text(Kind::Dropped, "bibliography", visible, message));
        } else {
            self.read(given, end, None);
        }
        let is_uncited = !self.so_far.decisions.numberer.any() && !rules.only_markers;
        let listed = if is_uncited { self.list_used(answer) } else { Vec::new() };
        self.say_what_was_left_out(answer);
        let is_cited = self.so_far.decisions.numberer.any();
        let Progress { decisions, output, .. } = self.so_far;
        let Decisions { numberer, mut entries, unresolved, .. } = decisions;
        let Finished { mut text, places, mut opaque, unseen } = output.finish(&given.context(end, true), is_cited);
        entries.extend(unseen_entry(unseen, &answer.text[..end]));
        // Report in text order, which is not the order of the decisions.
        entries.sort_by_key(|entry| entry.at.offset().unwrap_or(usize::MAX));
        if without_list {
            text.truncate(definition::content(&text));
            opaque.retain(|part| part.range.start < text.len());
            if let Some(last) = opaque.last_mut() {
                last.range.end = last.range.end.min(text.len());
            }
        }
        // Listed sources need badges in the text where there are no definitions. Web Chat lists the definitions, and a
        // plain text has its own list of references.
        if rules.markdown && !rules.definitions && !listed.is_empty() {
            text.truncate(definition::content(&text));
            text.push_str("\n\n");
            text.extend(listed.iter().map(|position| format!("[{position}]")));
        }
        let sources = numberer.finish(&answer.sources, &mut entries);
        entries.retain(|entry| is_told(entry, rules, &sources));
        if rules.definitions {
            append_definitions(&mut text, &sources, bibliography);
        }
        let places = if rules.only_markers { places } else { Vec::new() };
        CitedText { text, sources, listed: !listed.is_empty(), places, opaque, unresolved, entries }
    }

    /// The cited sources so far.
    pub(super) fn sources(&self, answer: &Answer) -> Vec<CitedSource> {
        self.so_far.decisions.numberer.so_far(&answer.sources)
    }

    pub(super) fn places(&self) -> &[CitedPlace] {
        self.so_far.output.places()
    }

    pub(super) fn opaque(&self) -> &[Opaque] {
        self.so_far.output.opaque()
    }

    /// Numbers the sources that were used for an answer that cites nothing (policy P-03), and reports that its text has no
    /// markers. Markers without a source name other sources, so what the format gives as used is no list for them.
    fn list_used(&mut self, answer: &Answer) -> Vec<Position> {
        let Decisions { unresolved, entries, .. } = &mut self.so_far.decisions;
        let used = if unresolved.is_empty() {
            entries.extend(no_markers(answer));
            answer.used()
        } else {
            &answer.attested
        };
        let known: Vec<_> = used.iter().copied().filter(|index| index.0 < answer.sources.len()).collect();
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
            entries.push(Entry::in_input(Kind::Dropped, CLAIMS_LIMIT, pointer, message));
        }
        let message = format!("{} cited documents were left out beyond the first {max}", left_out.len());
        entries.push(Entry::in_input(Kind::Note, "claims-left-out", "/sources", message));
    }
}

/// The advice for an answer with sources whose text cites none. `None` where the provider attests sources without places, so
/// that markers would add nothing, and for an answer that broke off.
fn no_markers(answer: &Answer) -> Option<Entry> {
    let first = answer.sources.first().filter(|_| answer.attested.is_empty() && answer.complete)?;
    let list = first.pointer.rsplit_once('/').map_or("", |(list, _)| list);
    let shown = match answer.used() {
        [] => "and the format does not tell which were used, so none is shown",
        _ => "so those that were used for it are listed without a place",
    };
    let message = format!(
        "the text cites none of its {} sources, {shown}; `citewire prompt` tells a model to write markers",
        answer.sources.len()
    );
    Some(Entry::in_input(Kind::Note, "no-markers", list, message))
}

/// The report entry about removed invisible or direction-changing characters.
fn unseen_entry(unseen: usize, text: &str) -> Option<Entry> {
    let message =
        || format!("letters that cannot be seen, or that turn the direction of the text, were taken out: {unseen}");
    let at = first_unseen(text).unwrap_or_default();
    (unseen > 0).then(|| Entry::in_text(Kind::Neutralised, UNSEEN, at, message()))
}

/// Whether the report of these rules contains an entry.
fn is_told(entry: &Entry, rules: &Rules, cited: &[CitedSource]) -> bool {
    if rules.only_markers {
        // These rules keep the text that other dialects make harmless, merge or remove.
        return matches!(entry.kind, Kind::Cited | Kind::Unresolved)
            || matches!(entry.code, "bibliography" | LOOKS_LIKE_MARKER | UNSEEN);
    }
    !(entry.code == "ambiguous" && cited.is_empty())
}

fn append_definitions(text: &mut String, sources: &[CitedSource], bibliography: &Bibliography) {
    if bibliography.ends_with_heading() && !sources.is_empty() {
        // A second conversion would take the definitions behind the heading for its list.
        let words = text.trim_end_matches([' ', '\t', '\r', '\n', '#']).len();
        text.insert(words, '\u{200b}');
    }
    definition::append(text, sources);
}
