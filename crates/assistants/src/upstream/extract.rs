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
    for document in documents(found, &quotes) {
        let of_document = |quote: &&Quote| found[quote.found].document.id == *document;
        let mut quotes: Vec<&Quote> = quotes.iter().filter(of_document).collect();
        quotes.sort_by_key(|quote| (found[quote.found].passage.place, quote.place));
        answer.add_paragraph(&quotes);
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
    let passages = near.map(|(at, one)| quotes(at, one)).filter(|quotes| !quotes.is_empty()).take(PASSAGES);
    let mut chosen: Vec<Quote> = Vec::new();
    for quotes in passages {
        let documents = documents(found, &chosen);
        let is_new = !documents.contains(&&found[quotes[0].found].document.id);
        if is_new && documents.len() >= options.max_documents {
            continue;
        }
        let room = options.max_sentences.saturating_sub(chosen.len());
        let new = around_best(quotes, room.min(if chosen.is_empty() { EACH.0 } else { EACH.1 }));
        let is_new = |quote: &Quote| chosen.iter().all(|other| other.sentence.plain != quote.sentence.plain);
        let new: Vec<Quote> = new.into_iter().filter(is_new).collect();
        chosen.extend(new);
    }
    chosen
}

/// The sentences of a passage with what each has of the question.
fn quotes(at: usize, found: &Found) -> Vec<Quote> {
    let above = format!("{}\n{}", found.document.title, found.passage.headings.join("\n"));
    let sentences = found.passage.sentences().into_iter().enumerate();
    let quotes = sentences.map(|(place, sentence)| {
        let own = found.weight_of(&sentence.plain);
        let with_headings = found.weight_of(&format!("{above}\n{}", sentence.plain));
        let value = (own + ABOVE * (with_headings - own)) * (0.5 + 0.5 * found.score);
        Quote { found: at, place, sentence, value }
    });
    // A sentence that leads to a list or a table says nothing without it.
    quotes.filter(|quote| quote.sentence.code.is_some() || !quote.sentence.plain.ends_with([':', '：'])).collect()
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
    if quotes.len() <= room && length <= SHORT_BYTES {
        return quotes;
    }
    let least = best(&quotes) * LEAST;
    let Some(top) =
        quotes.iter().max_by(|one, other| one.value.total_cmp(&other.value).then(other.place.cmp(&one.place)))
    else {
        return quotes;
    };
    let (block, place) = (top.sentence.block, top.place);
    quotes.retain(|quote| quote.sentence.block == block || quote.value >= least);
    // Those beside the best one come before those far from it.
    quotes.sort_by_key(|quote| (quote.sentence.block != block, quote.place.abs_diff(place)));
    quotes.truncate(room);
    quotes.sort_by_key(|quote| quote.place);
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

/// An answer while it is put together.
struct Draft<'f> {
    found: &'f [Found],
    marking: Marking,
    text: String,
    /// The places of the passages that are quoted.
    sources: Vec<usize>,
}

impl Draft<'_> {
    /// Adds the sentences of one document, a paragraph for each passage and an item for each row. One that would mean something else behind those before it is left out.
    fn add_paragraph(&mut self, quotes: &[&Quote]) {
        let (mut paragraph, mut plain) = (String::new(), String::new());
        let mut rows = String::new();
        let mut passage = None;
        for quote in quotes {
            if passage.replace(quote.found).is_some_and(|before| before != quote.found) {
                self.end_paragraph(&mut paragraph);
                plain.clear();
            }
            let marker = self.mark(quote.found);
            if quote.sentence.is_row {
                self.end_paragraph(&mut paragraph);
                plain.clear();
                let row = format!("{}{marker}", quote.sentence.markdown);
                if plain_text(&format!("- {row}")) == format!("{}{marker}", quote.sentence.plain) {
                    let line_end = if rows.is_empty() { "" } else { "\n" };
                    rows.push_str(&format!("{line_end}- {row}"));
                    self.take(quote.found);
                }
                continue;
            }
            self.end_paragraph(&mut rows);
            let blank = if paragraph.is_empty() { "" } else { " " };
            let longer = format!("{paragraph}{blank}{}{marker}", quote.sentence.markdown);
            let seen = format!("{plain}{blank}{}{marker}", quote.sentence.plain);
            if plain_text(&longer) == seen {
                (paragraph, plain) = (longer, seen);
                self.take(quote.found);
                if let Some(code) = &quote.sentence.code {
                    self.end_paragraph(&mut paragraph);
                    self.end_paragraph(&mut code.clone());
                    plain.clear();
                }
            }
        }
        self.end_paragraph(&mut paragraph);
        self.end_paragraph(&mut rows);
    }

    fn end_paragraph(&mut self, paragraph: &mut String) {
        if !paragraph.is_empty() {
            self.text.push_str("\n\n");
            self.text.push_str(&std::mem::take(paragraph));
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
