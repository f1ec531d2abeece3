//! Judges, without a model, whether a passage holds what a sentence says.
//!
//! [`Passage::read`] reads the text of a source once, [`Sentence::judge`] holds a sentence of an answer against it: its quotations, numbers,
//! units, dates, names and negations, and the share of its words that stand there. A [`Verdict`] of
//! [`SupportedWords`](Verdict::SupportedWords) says that nothing speaks against the sentence, not that it is true. The words are about
//! *this* passage: the document may hold the sentence elsewhere.
//!
//! Nothing is looked up outside of the two texts. The tables of words in `tables/` can be read and extended by hand.

mod amounts;
mod arithmetic;
mod bound;
mod calendar;
mod cjk;
mod clock;
mod contrast;
mod date;
mod decade;
mod draft;
mod fact;
mod facts;
mod fold;
mod french_number;
mod frequency;
mod full_stop;
mod half_of_day;
mod judge;
mod language;
mod loose;
mod name;
mod negation;
mod neighbours;
mod number;
mod order;
mod passage;
mod phrases;
mod place_words;
mod quotation;
mod reckon;
mod rounding;
mod rows;
mod sentence;
mod slot;
mod spellings;
mod table;
mod token;
mod value;
mod verdict;
mod week;
mod word;
mod word_sequence;
mod words;

pub use full_stop::ends_sentence;
pub use judge::{Cited, Headings, judge};
pub use passage::{MAX_PASSAGE_BYTES, Passage};
pub use sentence::{ContentWords, MAX_SENTENCE_BYTES, Sentence};
pub use verdict::{Judgement, Reason, ReasonCode, Verdict};
