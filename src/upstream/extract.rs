//! Which sentences answer a question, and how they are put together.

use super::LocalOptions;
use crate::answer::Source;
use crate::document::{DocumentId, Found, Sentence, plain_text};

/// A sentence is quoted when it has at least this part of what the best one has.
const LEAST: f64 = 0.5;

/// What only the title or the headings of a passage have counts this much for its sentences.
const ABOVE: f64 = 0.5;

/// So many passages are pointed to where none has a sentence to quote.
const POINTED_TO: usize = 2;

/// An answer made of what was found.
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
pub(super) fn extract(found: &[Found], options: &LocalOptions) -> Extract {
    if found.is_empty() {
        return Extract { text: options.nothing.clone(), sources: Vec::new() };
    }
    let quotes = choose(found, options);
    let mut answer = Draft { found, text: String::new(), sources: Vec::new() };
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

/// The sentences that fit best, the best first.
fn choose(found: &[Found], options: &LocalOptions) -> Vec<Quote> {
    let mut quotes: Vec<Quote> = Vec::new();
    for (at, one) in found.iter().enumerate() {
        let above = format!("{}\n{}", one.document.title, one.passage.headings.join("\n"));
        for (place, sentence) in one.passage.sentences().into_iter().enumerate() {
            // What leads to a list or a table says nothing without it.
            let is_new = quotes.iter().all(|quote| quote.sentence.plain != sentence.plain);
            if !is_new || sentence.plain.ends_with([':', '：']) {
                continue;
            }
            let own = one.weight_of(&sentence.plain);
            let with_headings = one.weight_of(&format!("{above}\n{}", sentence.plain));
            let value = (own + ABOVE * (with_headings - own)) * (0.5 + 0.5 * one.score);
            if value > 0.0 {
                quotes.push(Quote { found: at, place, sentence, value });
            }
        }
    }
    // Stable: of sentences that fit equally well, those of the better passage come first.
    quotes.sort_by(|one, other| other.value.total_cmp(&one.value));
    let least = quotes.first().map_or(0.0, |best| best.value * LEAST);
    quotes.retain(|quote| quote.value >= least);
    let documents: Vec<_> = documents(found, &quotes).into_iter().take(options.max_documents).collect();
    quotes.retain(|quote| documents.contains(&&found[quote.found].document.id));
    quotes.truncate(options.max_sentences);
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
    text: String,
    /// The places of the passages that are quoted.
    sources: Vec<usize>,
}

impl Draft<'_> {
    /// Adds the sentences of one document. One that would mean something else behind those before it is left out.
    fn add_paragraph(&mut self, quotes: &[&Quote]) {
        let (mut paragraph, mut plain) = (String::new(), String::new());
        for quote in quotes {
            let number = self.number(quote.found);
            let blank = if paragraph.is_empty() { "" } else { " " };
            let longer = format!("{paragraph}{blank}{} [{number}]", quote.sentence.markdown);
            let seen = format!("{plain}{blank}{} [{number}]", quote.sentence.plain);
            if plain_text(&longer) == seen {
                (paragraph, plain) = (longer, seen);
                self.take(quote.found);
            }
        }
        if !paragraph.is_empty() {
            self.text.push_str("\n\n");
            self.text.push_str(&paragraph);
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

    /// The marker of a passage, behind a blank if need be.
    fn marker(&mut self, found: usize) -> String {
        self.take(found);
        let blank = if self.text.is_empty() { "" } else { " " };
        format!("{blank}[{}]", self.number(found))
    }
}
