//! Selects the sentences that answer a question, and builds the answer from them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::LocalOptions;
use crate::answer::Source;
use crate::document::{DocumentId, Found, Measure, Sentence, plain_text};

/// A sentence beside the best one of its passage is quoted when it has at least this part of what that one has.
const LEAST: f64 = 0.3;

/// Another passage is quoted, too, when it fits at least this part as well as the best passage.
const SECOND: f64 = 0.5;

/// The least share for a row of a table: a row beside it says nothing about what is asked.
const LEAST_OF_ROW: f64 = 0.6;

/// The number of quoted passages, and of sentences of the best one and of each other one.
const PASSAGES: usize = 3;
const EACH: (usize, usize) = (8, 5);

/// The part that the best sentence of a passage has in how well it fits, and the most that it counts as, in multiples of a sentence
/// with all words of the question.
const IN_ONE_SENTENCE: f64 = 0.4;
const BEST_SENTENCE: f64 = 2.0;

/// A passage whose sentences have no more bytes is quoted as a whole where there is room for all of them.
const SHORT_BYTES: usize = 800;

/// Steps are quoted as a whole where they have no more bytes each: longer ones are rules that stand for themselves.
const STEP_BYTES: usize = 200;

/// The weight of words for sentences that only the title or the headings of their passage have.
const ABOVE: f64 = 0.5;

/// The weight of words that only the sentence has that leads to a list.
const LEAD: f64 = 0.8;

/// The number of passages that are pointed to where none has a sentence to quote.
const POINTED_TO: usize = 2;

/// Whether sentences name their sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marking {
    /// By the numbers of the sources.
    Numbers,
    /// Not at all.
    Nothing,
}

/// An answer built from quoted sentences.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Extract {
    /// Markdown with markers that count the sources.
    pub(super) text: String,
    /// The passages that are quoted, in the order of their markers.
    pub(super) sources: Vec<Source>,
}

/// A sentence with the place of its passage among what was found, and its own place in the passage.
struct Quote {
    found: usize,
    place: usize,
    sentence: Sentence,
    value: f64,
}

/// Puts an answer together; `None` where nothing that was found is about the question.
pub(super) fn extract(found: &[Found], options: &LocalOptions, marking: Marking) -> Option<Extract> {
    if !found.iter().any(|found| found.is_about) {
        return None;
    }
    let quotes = choose(found, options);
    let mut answer = Draft { found, marking, text: String::new(), sources: Vec::new(), step: None };
    for passage in quotes.chunk_by(|one, other| one.found == other.found) {
        answer.add_passage(passage);
    }
    let introduction = if answer.sources.is_empty() {
        for found in 0..found.len().min(POINTED_TO) {
            let marker = answer.marker(found);
            answer.text.push_str(&marker);
        }
        &options.pointer
    } else {
        &options.introduction
    };
    let between = if answer.text.starts_with("\n\n") { "" } else { " " };
    Some(Extract {
        text: format!("{introduction}{between}{}", answer.text),
        sources: answer.sources.into_iter().map(|place| found[place].source()).collect(),
    })
}

/// A passage with the sentences that it has to quote.
struct Candidate<'f> {
    found: &'f Found,
    quotes: Vec<Quote>,
    /// How well it fits: as a whole, and by its best sentence.
    fit: f64,
}

/// The passages that may be quoted, the best first. One that has the words of the question in one sentence is better than one that has
/// them here and there.
fn candidates(found: &[Found]) -> Vec<Candidate<'_>> {
    let mut asked: BTreeMap<&str, f64> = BTreeMap::new();
    for word in found.iter().flat_map(|one| &one.matched) {
        asked.insert(&word.text, word.weight);
    }
    let asked: f64 = asked.values().sum();
    // A passage found by its vector alone is quoted only where it is known to be about the question.
    let may_be_quoted = |one: &Found| one.is_about || !one.matched.is_empty();
    let mut candidates = Vec::new();
    for (at, one) in found.iter().enumerate().filter(|(_, one)| may_be_quoted(one)) {
        let quotes = quotes(at, one);
        let share = if asked > 0.0 { (best(&quotes) / asked).min(BEST_SENTENCE) } else { 0.0 };
        let part = if one.measure == Measure::Words { IN_ONE_SENTENCE } else { 0.0 };
        let fit = one.score * (1.0 - part + part * share);
        candidates.push(Candidate { found: one, quotes, fit });
    }
    // Vectors and rerankers have ranked by what they mean.
    if found.iter().all(|one| one.measure == Measure::Words) {
        candidates.sort_by(|one, other| other.fit.total_cmp(&one.fit));
    }
    candidates
}

/// The sentences to quote: those of the passage that fits best, and of other passages that fit nearly as well.
fn choose(found: &[Found], options: &LocalOptions) -> Vec<Quote> {
    let candidates = candidates(found);
    let most = candidates.iter().map(|one| one.fit).fold(0.0, f64::max);
    let mut chosen: Vec<Quote> = Vec::new();
    let mut passages = 0;
    for Candidate { found: one, quotes, .. } in candidates.into_iter().filter(|one| one.fit >= most * SECOND) {
        let documents = documents(found, &chosen);
        let is_new_document = !documents.contains(&&one.document.id);
        if passages == PASSAGES || is_new_document && documents.len() >= options.max_documents {
            continue;
        }
        let room = options.max_sentences.saturating_sub(chosen.len());
        let most = if passages == 0 { EACH.0 } else { EACH.1 };
        let new = around_best(quotes, room, most);
        let is_new = |quote: &Quote| chosen.iter().all(|other| other.sentence.plain != quote.sentence.plain);
        let new: Vec<Quote> = new.into_iter().filter(is_new).collect();
        passages += usize::from(!new.is_empty());
        chosen.extend(new);
    }
    chosen
}

/// The sentences of a passage with what each has of the question, and of the sentence that leads to it.
fn quotes(at: usize, found: &Found) -> Vec<Quote> {
    let above = format!("{}\n{}", found.document.title, found.passage.headings.join("\n"));
    let mut lead = String::new();
    let mut quotes = Vec::new();
    for (place, sentence) in found.passage.sentences().into_iter().enumerate() {
        let own = found.weight_of(&sentence.plain);
        let with_lead = found.weight_of(&format!("{lead}\n{}", sentence.plain));
        let with_all = found.weight_of(&format!("{above}\n{lead}\n{}", sentence.plain));
        let order = found.weight_of_order(&sentence.plain);
        let value = own + LEAD * (with_lead - own) + ABOVE * (with_all - with_lead) + order;
        if is_lead(&sentence) {
            lead.clone_from(&sentence.plain);
        }
        quotes.push(Quote { found: at, place, sentence, value });
    }
    quotes
}

/// Whether a sentence leads to a list or a table, and says nothing without it.
fn is_lead(sentence: &Sentence) -> bool {
    sentence.code.is_none() && sentence.plain.ends_with([':', '：'])
}

/// Leaves out sentences that lead to what is not quoted.
fn without_idle_leads(quotes: &mut Vec<Quote>) {
    let next: Vec<Option<usize>> = quotes.iter().skip(1).map(|quote| Some(quote.place)).chain([None]).collect();
    let mut next = next.into_iter();
    quotes.retain(|quote| {
        let follows = next.next().flatten() == Some(quote.place + 1);
        follows || !is_lead(&quote.sentence)
    });
}

/// The score of the best sentence.
fn best(quotes: &[Quote]) -> f64 {
    quotes.iter().map(|quote| quote.value).fold(0.0, f64::max)
}

/// The sentences of the paragraph or of the steps in which the best one stands, and others of the passage that are nearly as good; in
/// the order of the text, no more than `most`, or than `room` of steps.
fn around_best(mut quotes: Vec<Quote>, room: usize, most: usize) -> Vec<Quote> {
    let least_of_row = best(&quotes) * LEAST_OF_ROW;
    quotes.retain(|quote| !quote.sentence.is_row || quote.value >= least_of_row);
    let length: usize = quotes.iter().map(|quote| quote.sentence.plain.len()).sum();
    if quotes.len() > room.min(most) || length > SHORT_BYTES {
        let least = best(&quotes) * LEAST;
        let top =
            quotes.iter().max_by(|one, other| one.value.total_cmp(&other.value).then(other.place.cmp(&one.place)));
        let Some((block, place)) = top.map(|top| (top.sentence.block, top.place)) else { return quotes };
        let steps = steps_around(&quotes, block, place);
        let room = if steps.is_empty() { room.min(most) } else { room };
        quotes.retain(|quote| quote.sentence.block == block || steps.contains(&quote.place) || quote.value >= least);
        // Those beside the best one come before those far from it.
        quotes.sort_by_key(|quote| {
            let is_far = quote.sentence.block != block && !steps.contains(&quote.place);
            (is_far, quote.place.abs_diff(place))
        });
        quotes.truncate(room);
        quotes.sort_by_key(|quote| quote.place);
    }
    without_idle_leads(&mut quotes);
    quotes
}

/// The places of the steps around the best sentence, and of the one that leads to them; none where it is in no step and leads to none.
fn steps_around(quotes: &[Quote], block: usize, place: usize) -> Range<usize> {
    let leads = quotes.iter().any(|quote| quote.place == place && is_lead(&quote.sentence));
    let steps: Vec<&Quote> = quotes.iter().filter(|quote| quote.sentence.step.is_some()).collect();
    let is_near = |step: &&Quote| step.sentence.block == block || leads && step.place == place + 1;
    let Some(at) = steps.iter().position(is_near) else { return 0..0 };
    let follow = |pair: &[&Quote]| match pair {
        [one, other] => one.sentence.step.and_then(|step| step.checked_add(1)) == other.sentence.step,
        _ => false,
    };
    let before = steps[..=at].windows(2).rev().take_while(|pair| follow(pair)).count();
    let behind = steps[at..].windows(2).take_while(|pair| follow(pair)).count();
    let run = &steps[at - before..=at + behind];
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return 0..0 };
    let end = quotes.iter().rfind(|quote| quote.sentence.block == last.sentence.block).unwrap_or(last).place + 1;
    let inside = quotes.iter().filter(|quote| (first.place..end).contains(&quote.place));
    if inside.map(|quote| quote.sentence.plain.len()).sum::<usize>() > STEP_BYTES * run.len() {
        return 0..0;
    }
    let lead = quotes.iter().find(|quote| quote.place + 1 == first.place && is_lead(&quote.sentence));
    lead.unwrap_or(first).place..end
}

/// The documents of the quotes, in the order in which they come first.
fn documents<'f>(found: &'f [Found], quotes: &[Quote]) -> Vec<&'f DocumentId> {
    let mut documents = Vec::new();
    for quote in quotes {
        let id = &found[quote.found].document.id;
        if !documents.contains(&id) {
            documents.push(id);
        }
    }
    documents
}

/// A paragraph, an item of a list or a block of code of an answer.
#[derive(Default)]
struct QuotedPart {
    markdown: String,
    /// The visible text; none of code.
    plain: String,
    /// The paragraph of the passage; none of a row.
    block: Option<usize>,
    /// The number of a step.
    step: Option<u32>,
}

impl QuotedPart {
    fn of(sentence: &Sentence) -> Self {
        let Sentence { markdown, plain, block, is_row, step, .. } = sentence;
        let markdown = if *is_row { format!("- {markdown}") } else { markdown.clone() };
        Self { markdown, plain: plain.clone(), block: (!is_row).then_some(*block), step: *step }
    }

    fn goes_on_with(&self, sentence: &Sentence) -> bool {
        !sentence.is_row && self.block == Some(sentence.block)
    }

    fn longer(&self, sentence: &Sentence) -> Self {
        let with = |before: &str, more: &str| format!("{before} {more}");
        let (markdown, plain) = (with(&self.markdown, &sentence.markdown), with(&self.plain, &sentence.plain));
        Self { markdown, plain, ..*self }
    }

    /// Whether readers see its text, with a marker or without.
    fn is_read_alike(&self, marker: &str) -> bool {
        let seen =
            |marker: &str| plain_text(&format!("{}{marker}", self.markdown)) == format!("{}{marker}", self.plain);
        seen(marker) && seen("")
    }
}

/// An answer while it is put together.
struct Draft<'f> {
    found: &'f [Found],
    marking: Marking,
    text: String,
    /// The places of the passages that are quoted.
    sources: Vec<usize>,
    /// The number of the last step, and the sign behind it.
    step: Option<(u32, char)>,
}

impl Draft<'_> {
    /// Adds the sentences of a passage: a paragraph for each of its paragraphs, an item for each row, and one marker behind the last of
    /// them. A sentence that would mean something else behind those before it is left out.
    fn add_passage(&mut self, quotes: &[Quote]) {
        let Some(marker) = quotes.first().map(|quote| self.mark(quote.found)) else { return };
        let mut parts: Vec<QuotedPart> = Vec::new();
        for quote in quotes {
            let sentence = &quote.sentence;
            let longer = match parts.last() {
                Some(part) if part.goes_on_with(sentence) => part.longer(sentence),
                _ => QuotedPart::of(sentence),
            };
            let goes_on = parts.last().is_some_and(|part| part.goes_on_with(sentence));
            if !longer.is_read_alike(&marker) {
                continue;
            }
            if goes_on {
                parts.pop();
            }
            parts.push(longer);
            self.take(quote.found);
            parts.extend(sentence.code.clone().map(|code| QuotedPart { markdown: code, ..QuotedPart::default() }));
        }
        let last = parts.iter().rposition(|part| !part.plain.is_empty());
        for (at, part) in parts.iter().enumerate() {
            self.text.push_str("\n\n");
            part.step.into_iter().for_each(|step| self.begin_step(step));
            self.text.push_str(&part.markdown);
            self.text.push_str(if Some(at) == last { &marker } else { "" });
        }
    }

    /// Writes the number of a step. Steps that do not follow those before have another sign: they would be counted on otherwise.
    fn begin_step(&mut self, step: u32) {
        let sign = match self.step {
            Some((before, sign)) if before.checked_add(1) == Some(step) => sign,
            Some((_, '.')) => ')',
            Some(_) | None => '.',
        };
        self.step = Some((step, sign));
        self.text.push_str(&format!("{step}{sign} "));
    }

    /// The number that a passage has, or would get.
    fn number(&self, found: usize) -> usize {
        self.sources.iter().position(|source| *source == found).unwrap_or(self.sources.len()) + 1
    }

    fn take(&mut self, found: usize) {
        if !self.sources.contains(&found) && found < self.found.len() {
            self.sources.push(found);
        }
    }

    /// The marker of a passage behind its sentence.
    fn mark(&self, found: usize) -> String {
        match self.marking {
            Marking::Numbers => format!(" [{}]", self.number(found)),
            Marking::Nothing => String::new(),
        }
    }

    /// The marker of a passage, behind a blank if need be.
    fn marker(&mut self, found: usize) -> String {
        self.take(found);
        let marker = self.mark(found);
        if self.text.is_empty() { marker.trim_start().to_owned() } else { marker }
    }
}
