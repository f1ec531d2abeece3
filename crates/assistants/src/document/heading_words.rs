//! The words of the headings of a document, with their stems.
//!
//! A search compares the headings of each candidate with its question, and to reduce their words to stems anew took it longer than
//! to compare them.

use std::collections::HashMap;

use super::language::Language;
use super::question::Term;
use super::word_form::{OTHER_FORM, WordForm, is_telling};
use super::words::{are_alike, words};
use super::{Document, Passage};

/// The title of a document and the headings of its passages by their words. Each heading is kept once.
#[derive(Debug, Default)]
pub(super) struct HeadingWords {
    /// The letters of all words.
    letters: Box<str>,
    words: Box<[HeadingWord]>,
    /// The end of each heading in `words`. The first one is the title.
    ends: Box<[u32]>,
    /// The numbers of the headings above passages, the outermost first.
    above: Box<[u32]>,
    paths: Box<[HeadingPath]>,
}

/// A word of a heading: its letters, then those of its stem that are not as the word begins.
#[derive(Clone, Copy, Debug)]
struct HeadingWord {
    /// The end of its letters among those of all words.
    end: u32,
    /// The bytes of the word.
    text: u16,
    /// The bytes with which both the word and its stem begin.
    shared: u8,
    is_telling: bool,
}

/// The headings above a passage, and above those behind it up to the next path.
#[derive(Clone, Copy, Debug)]
struct HeadingPath {
    /// The place of the passage in its document.
    passage: u32,
    /// The end of its headings in `above`.
    end: u32,
}

impl HeadingWords {
    pub(super) fn of<'p>(document: &Document, passages: impl IntoIterator<Item = &'p Passage>) -> Self {
        let mut builder = HeadingBuilder { language: document.language, ..HeadingBuilder::default() };
        builder.number(&document.title);
        let mut before: Option<&[String]> = None;
        for (place, passage) in (0..).zip(passages) {
            if before != Some(passage.headings.as_slice()) {
                let numbers: Vec<u32> = passage.headings.iter().map(|heading| builder.number(heading)).collect();
                builder.above.extend(numbers);
                builder.paths.push(HeadingPath { passage: place, end: count(builder.above.len()) });
                before = Some(&passage.headings);
            }
        }
        builder.end()
    }

    /// The numbers of the headings above a passage, the outermost first.
    fn above(&self, place: usize) -> &[u32] {
        let behind = self.paths.partition_point(|path| path.passage as usize <= place);
        let end = |behind: usize| Some(self.paths.get(behind.checked_sub(1)?)?.end as usize);
        let start = behind.checked_sub(1).and_then(end).unwrap_or_default();
        self.above.get(start..end(behind).unwrap_or_default()).unwrap_or_default()
    }

    /// The words of the heading of this number.
    fn words_of(&self, number: usize) -> impl Iterator<Item = KeptWord<'_>> {
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        let end = self.ends.get(number).map_or(0, |end| *end as usize);
        let words = self.words.get(start..end).unwrap_or_default();
        let before = start.checked_sub(1).and_then(|before| self.words.get(before)).map_or(0, |word| word.end);
        words.iter().scan(before, |before, word| {
            let letters = self.letters.get(*before as usize..word.end as usize)?;
            *before = word.end;
            let (text, rest) = letters.split_at_checked(word.text.into())?;
            Some(KeptWord { text, shared: word.shared.into(), rest, is_telling: word.is_telling })
        })
    }
}

/// A number of things that a document has. A document has never as many as fit in 32 bits.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The words of headings while they are put together.
#[derive(Default)]
struct HeadingBuilder<'p> {
    language: Language,
    numbers: HashMap<&'p str, u32>,
    letters: String,
    words: Vec<HeadingWord>,
    ends: Vec<u32>,
    above: Vec<u32>,
    paths: Vec<HeadingPath>,
}

impl<'p> HeadingBuilder<'p> {
    /// The number of a heading, whose words are kept when it comes first.
    fn number(&mut self, heading: &'p str) -> u32 {
        if let Some(number) = self.numbers.get(heading) {
            return *number;
        }
        let stems = self.language.stems();
        for word in words(heading) {
            let WordForm { text, stem } = WordForm::of(&word, self.language, &stems);
            let text = text.get(..text.floor_char_boundary(u16::MAX.into())).unwrap_or_default();
            let same = text.chars().zip(stem.chars()).take_while(|(one, other)| one == other);
            let same: usize = same.map(|(letter, _)| letter.len_utf8()).sum();
            let shared = text.floor_char_boundary(same.min(u8::MAX.into()));
            self.letters.push_str(text);
            self.letters.push_str(stem.get(shared..).unwrap_or_default());
            self.words.push(HeadingWord {
                end: count(self.letters.len()),
                text: u16::try_from(text.len()).unwrap_or(u16::MAX),
                shared: u8::try_from(shared).unwrap_or(u8::MAX),
                is_telling: is_telling(&word, self.language),
            });
        }
        let number = count(self.ends.len());
        self.ends.push(count(self.words.len()));
        self.numbers.insert(heading, number);
        number
    }

    fn end(self) -> HeadingWords {
        HeadingWords {
            letters: self.letters.into(),
            words: self.words.into(),
            ends: self.ends.into(),
            above: self.above.into(),
            paths: self.paths.into(),
        }
    }
}

/// A word of a heading as it is kept.
#[derive(Clone, Copy)]
struct KeptWord<'h> {
    text: &'h str,
    shared: usize,
    rest: &'h str,
    is_telling: bool,
}

impl KeptWord<'_> {
    fn has_stem(&self, stem: &str) -> bool {
        let parts = stem.split_at_checked(self.shared);
        parts.is_some_and(|(shared, rest)| rest == self.rest && self.text.starts_with(shared))
    }

    /// Whether it is another form of a word of a question, as far as stems or beginnings tell.
    fn is_like(&self, asked: &Term) -> bool {
        asked.stems.iter().any(|stem| self.has_stem(stem)) || are_alike(self.text, &asked.text)
    }
}

/// The words of a question that a text has: a bit for each.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    /// Those that it has as they are asked.
    same: u32,
    /// Those that it has in this or another form.
    like: u32,
}

/// The words of a question that a passage has, to which its headings may fit.
#[derive(Debug)]
pub(super) struct HeadingFit<'t> {
    /// The words and their weights.
    pub(super) asked: Vec<(&'t Term, f64)>,
    /// The weight of the whole question.
    pub(super) total: f64,
}

impl HeadingFit<'_> {
    /// The factor by which a passage fits better because of the headings above it: up to two and a half where the nearest one has all
    /// words of the question and no others.
    pub(super) fn of(&self, headings: &HeadingWords, place: usize) -> f64 {
        let Some((nearest, outer)) = headings.above(place).split_last() else { return 1.0 };
        let mut above = Asked::default();
        // The title is the heading above all.
        for number in [0].iter().chain(outer) {
            headings.words_of(*number as usize).for_each(|word| {
                self.find(word, &mut above);
            });
        }
        let (mut near, mut own, mut like) = (Asked::default(), 0_usize, 0_usize);
        for word in headings.words_of(*nearest as usize) {
            let is_like = self.find(word, &mut near);
            own += usize::from(word.is_telling);
            like += usize::from(word.is_telling && is_like);
        }
        above = Asked { same: above.same | near.same, like: above.like | near.like };
        let asked = if own == 0 { 0.0 } else { like as f64 / own as f64 };
        1.0 + 0.5 * (self.weight(above) / self.total) + self.weight(near) / self.total * asked
    }

    /// Notes the words of the question that this word is a form of; whether there are any.
    fn find(&self, word: KeptWord<'_>, found: &mut Asked) -> bool {
        let mut is_asked = false;
        for (at, (asked, _)) in self.asked.iter().enumerate() {
            if word.is_like(asked) {
                found.like |= 1 << at;
                found.same |= u32::from(word.text == asked.text) << at;
                is_asked = true;
            }
        }
        is_asked
    }

    fn weight(&self, found: Asked) -> f64 {
        let part = |at: usize| match (found.same >> at & 1, found.like >> at & 1) {
            (1, _) => 1.0,
            (_, 1) => OTHER_FORM,
            _ => 0.0,
        };
        self.asked.iter().enumerate().map(|(at, (_, weight))| weight * part(at)).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use citewire_documents::{Format, Markup};

    use super::*;
    use crate::document::question::SearchQuestion;
    use crate::document::{Found, MatchedWord, Measure};

    const HEADINGS: [&str; 10] = [
        "Parental leave policies",
        "Leave",
        "Who leads IT in the US?",
        "How it is paid",
        "Kündigungsfristen im Überblick",
        "KÜNDIGUNG",
        "年假规定 2024",
        "ビザが要る",
        "",
        "Days of leave, days of rest: a policy",
    ];

    const QUESTIONS: [&str; 8] = [
        "leave",
        "policy of parents",
        "Who leads IT?",
        "paying days",
        "Wie lang ist die Kündigungsfrist?",
        "年假",
        "ビザ",
        "rest policies and parental leave",
    ];

    fn passage(place: usize, headings: &[&str]) -> Passage {
        let headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
        Passage { headings, text: String::new(), page: None, place, markup: Markup::Plain }
    }

    /// The fit as it is when the headings are read at each question.
    fn read_anew(found: &Found, total: f64) -> f64 {
        let Some(nearest) = found.passage.headings.last() else { return 1.0 };
        let (title, language) = (&found.document.title, found.document.language);
        let above = found.weight_of(&format!("{title}\n{}", found.passage.headings.join("\n"))) / total;
        let own: Vec<WordForm> = words(nearest)
            .iter()
            .filter(|word| is_telling(word, language))
            .map(|word| WordForm::of(word, language, &language.stems()))
            .collect();
        let is_like = |word: &WordForm, asked: &MatchedWord| {
            asked.stems.contains(&word.stem) || are_alike(&word.text, &asked.text)
        };
        let asked = own.iter().filter(|word| found.matched.iter().any(|asked| is_like(word, asked))).count();
        let asked = if own.is_empty() { 0.0 } else { asked as f64 / own.len() as f64 };
        1.0 + 0.5 * above + found.weight_of(nearest) / total * asked
    }

    #[test]
    fn headings_fit_as_if_they_were_read_at_each_question() {
        let long = "ay".repeat(150);
        let headings: Vec<&str> = HEADINGS.into_iter().chain([long.as_str()]).collect();
        for language in [Language::default(), Language::GERMAN] {
            for title in ["leave.md", "Kündigungen", ""] {
                let mut document = Document::new("a.md".to_owned(), Format::Markdown, Some(title.to_owned()), None);
                document.language = language;
                // Each heading alone twice, then below others; none above the last passage.
                let one = headings.iter().flat_map(|heading| [vec![*heading], vec![*heading]]);
                let two = headings.windows(3).map(<[&str]>::to_vec);
                let paths: Vec<Vec<&str>> = one.chain(two).chain([Vec::new()]).collect();
                let passages: Vec<Passage> =
                    paths.iter().enumerate().map(|(place, headings)| passage(place, headings)).collect();
                let kept = HeadingWords::of(&document, &passages);
                let document = Arc::new(document);
                for question in QUESTIONS {
                    let terms = SearchQuestion::parse_for(&[language], question).terms(&[language]);
                    let weighed: Vec<(&Term, f64)> =
                        terms.iter().zip([2.5, 0.75, 1.5, 3.25, 0.5].into_iter().cycle()).collect();
                    let total = weighed.iter().map(|(_, weight)| weight).sum::<f64>() + 0.5;
                    let matched: Vec<MatchedWord> =
                        weighed.iter().map(|(term, weight)| MatchedWord::of(term, *weight)).collect();
                    let fit = HeadingFit { asked: weighed, total };
                    for passage in &passages {
                        let (passage, document) = (Arc::new(passage.clone()), Arc::clone(&document));
                        let place = passage.place;
                        let matched = matched.clone();
                        let found =
                            Found { document, passage, score: 0.0, measure: Measure::Words, is_about: false, matched };
                        let expected = read_anew(&found, total);
                        assert_eq!(fit.of(&kept, place).to_bits(), expected.to_bits(), "{question} {found:?}");
                    }
                }
            }
        }
    }
}
