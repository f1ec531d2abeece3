//! Selects the sentences that answer a question, and builds the answer from them.

use super::LocalOptions;
use crate::answer::Source;
use crate::document::{DocumentId, Found, Sentence, plain_text};

/// A sentence beside the best one of its passage is quoted when it has at least this part of what that one has.
const LEAST: f64 = 0.3;

/// Another passage is quoted, too, when it fits at least this part as well as the best passage.
const SECOND: f64 = 0.5;

/// The least share for a row of a table: a row beside it says nothing about what is asked.
const LEAST_OF_ROW: f64 = 0.6;

/// The number of quoted passages, and of sentences of the best one and of each other one.
const PASSAGES: usize = 3;
const EACH: (usize, usize) = (8, 5);

/// A passage whose sentences have no more bytes is quoted as a whole where there is room for all of them.
const SHORT_BYTES: usize = 800;

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

/// Puts an answer together.
pub(super) fn extract(found: &[Found], options: &LocalOptions, marking: Marking) -> Extract {
    if !found.iter().any(|found| found.is_about) {
        return Extract { text: options.nothing.clone(), sources: Vec::new() };
    }
    let quotes = choose(found, options);
    let mut answer = Draft { found, marking, text: String::new(), sources: Vec::new() };
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
    Extract {
        text: format!("{introduction}{between}{}", answer.text),
        sources: answer.sources.into_iter().map(|place| found[place].source()).collect(),
    }
}

/// The sentences to quote: those of the passage that fits best, and of other passages that fit nearly as well.
fn choose(found: &[Found], options: &LocalOptions) -> Vec<Quote> {
    let most = found.iter().map(|one| one.score).fold(0.0, f64::max);
    // A passage found by its vector alone is quoted only where it is known to be about the question.
    let may_be_quoted = |one: &Found| one.is_about || !one.matched.is_empty();
    let near = found.iter().enumerate().filter(|(_, one)| one.score >= most * SECOND && may_be_quoted(one));
    let mut chosen: Vec<Quote> = Vec::new();
    let mut passages = 0;
    for (at, one) in near {
        let documents = documents(found, &chosen);
        let is_new_document = !documents.contains(&&one.document.id);
        if passages == PASSAGES || is_new_document && documents.len() >= options.max_documents {
            continue;
        }
        let room = options.max_sentences.saturating_sub(chosen.len());
        let new = around_best(quotes(at, one), room.min(if passages == 0 { EACH.0 } else { EACH.1 }));
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
        let value = own + LEAD * (with_lead - own) + ABOVE * (with_all - with_lead);
        if is_lead(&sentence) {
            lead.clone_from(&sentence.plain);
        }
        quotes.push(Quote { found: at, place, sentence, value: value * (0.5 + 0.5 * found.score) });
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

/// The sentences of the paragraph in which the best one stands, and others of the passage that are nearly as good; in the order of
/// the text, no more than `room`.
fn around_best(mut quotes: Vec<Quote>, room: usize) -> Vec<Quote> {
    let least_of_row = best(&quotes) * LEAST_OF_ROW;
    quotes.retain(|quote| !quote.sentence.is_row || quote.value >= least_of_row);
    let length: usize = quotes.iter().map(|quote| quote.sentence.plain.len()).sum();
    if quotes.len() > room || length > SHORT_BYTES {
        let least = best(&quotes) * LEAST;
        let top =
            quotes.iter().max_by(|one, other| one.value.total_cmp(&other.value).then(other.place.cmp(&one.place)));
        let Some((block, place)) = top.map(|top| (top.sentence.block, top.place)) else { return quotes };
        quotes.retain(|quote| quote.sentence.block == block || quote.value >= least);
        // Those beside the best one come before those far from it.
        quotes.sort_by_key(|quote| (quote.sentence.block != block, quote.place.abs_diff(place)));
        quotes.truncate(room);
        quotes.sort_by_key(|quote| quote.place);
    }
    without_idle_leads(&mut quotes);
    quotes
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
}

impl QuotedPart {
    fn of(sentence: &Sentence) -> Self {
        let Sentence { markdown, plain, block, is_row, .. } = sentence;
        let markdown = if *is_row { format!("- {markdown}") } else { markdown.clone() };
        Self { markdown, plain: plain.clone(), block: (!is_row).then_some(*block) }
    }

    fn goes_on_with(&self, sentence: &Sentence) -> bool {
        !sentence.is_row && self.block == Some(sentence.block)
    }

    fn longer(&self, sentence: &Sentence) -> Self {
        let with = |before: &str, more: &str| format!("{before} {more}");
        let (markdown, plain) = (with(&self.markdown, &sentence.markdown), with(&self.plain, &sentence.plain));
        Self { markdown, plain, block: self.block }
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
            self.text.push_str(&part.markdown);
            self.text.push_str(if Some(at) == last { &marker } else { "" });
        }
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
