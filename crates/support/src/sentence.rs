//! A sentence of an answer, and how much of it stands in a passage.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use crate::fact::Fact;
use crate::facts::facts;
use crate::language::{Language, Script, Scripts};
use crate::passage::{Passage, cut};
use crate::token::{Token, tokens};
use crate::words::{ByWord, Languages};

/// The bytes of a sentence that are read.
pub const MAX_SENTENCE_BYTES: usize = 4 * 1024;

/// A sentence of an answer, read once for all passages that it is held against.
#[derive(Debug)]
pub struct Sentence<'t> {
    pub(crate) text: &'t str,
    pub(crate) is_cut: bool,
    pub(crate) tokens: Vec<Token>,
    pub(crate) language: Language,
    script: Script,
    /// The number of words with a weight.
    pub(crate) words: usize,
    /// The weight of all of them.
    pub(crate) weight: f32,
    /// Its words and their stems, each once.
    forms: ByWord<Form>,
    /// The facts of the languages in which they were first asked for.
    facts: OnceCell<(Languages, Vec<Fact>)>,
}

/// A word of a sentence, or the stem of one.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// Its place among all.
    place: usize,
    /// The weight of the words with this stem.
    weight: f32,
    /// The number of words with this stem.
    times: usize,
}

/// The words of a text that say something, no stop words and no marks, found once for all of its parts.
#[derive(Debug)]
pub struct ContentWords {
    /// Where each begins, in bytes.
    starts: Vec<u32>,
}

impl ContentWords {
    /// Finds the words of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let words = tokens(text).into_iter().filter(|token| token.weight() > 0.0);
        Self { starts: words.map(|token| token.start).collect() }
    }

    /// The number of words that begin in a part of the text, given in bytes.
    #[must_use]
    pub fn within(&self, part: &Range<usize>) -> usize {
        let before = |byte: usize| self.starts.partition_point(|start| (*start as usize) < byte);
        before(part.end).saturating_sub(before(part.start))
    }

    /// The number of words of the whole text.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.len()
    }
}

impl<'t> Sentence<'t> {
    /// Reads a sentence, at most its first [`MAX_SENTENCE_BYTES`].
    #[must_use]
    pub fn read(sentence: &'t str) -> Self {
        let text = cut(sentence, MAX_SENTENCE_BYTES);
        let tokens = tokens(text);
        let mut forms = ByWord::with_capacity_and_hasher(tokens.len() * 2, Default::default());
        for token in tokens.iter().filter(|token| !token.is_mark()) {
            let mut form = |hash: u64, weight: f32, times: usize| {
                let place = forms.len();
                let form: &mut Form = forms.entry(hash).or_insert(Form { place, weight: 0.0, times: 0 });
                (form.weight, form.times) = (form.weight + weight, form.times + times);
            };
            form(token.full, 0.0, 0);
            form(token.stem, token.weight(), 1);
        }
        Self {
            text,
            is_cut: text.len() < sentence.len(),
            language: Language::of(&tokens),
            script: Scripts::of(text).main(),
            words: tokens.iter().filter(|token| token.weight() > 0.0).count(),
            weight: tokens.iter().map(Token::weight).sum(),
            tokens,
            forms,
            facts: OnceCell::new(),
        }
    }

    /// Its facts, with the number words of these languages.
    pub(crate) fn facts(&self, languages: Languages) -> Cow<'_, [Fact]> {
        let (known, facts) = self.facts.get_or_init(|| (languages, facts(&self.tokens, languages)));
        if *known == languages { Cow::Borrowed(facts) } else { Cow::Owned(self::facts(&self.tokens, languages)) }
    }

    /// How often it has a stem.
    pub(crate) fn times_of(&self, stem: u64) -> usize {
        self.forms.get(&stem).map_or(0, |form| form.times)
    }

    /// The number of tokens that are no marks.
    pub(crate) fn length(&self) -> usize {
        self.tokens.iter().filter(|token| !token.is_mark()).count()
    }

    /// The bytes of these tokens.
    pub(crate) fn range(&self, tokens: Range<usize>) -> Range<usize> {
        let first = self.tokens.get(tokens.start).map_or(0, |token| token.start as usize);
        let last =
            tokens.end.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |token| token.end as usize);
        first..last.max(first)
    }

    /// The share of the weight of the words that stand in the passage, in this form or, as facts, in another one.
    pub(crate) fn share(&self, overlap: &Overlap, held: &[bool]) -> f32 {
        let known = self.tokens.iter().zip(&overlap.standings).zip(held);
        let stands = known.filter(|((_, standing), held)| **held || standing.has_stem);
        let found: f32 = stands.map(|((token, _), _)| token.weight()).sum();
        if self.weight > 0.0 { found / self.weight } else { 0.0 }
    }

    /// Whether the passage speaks another language; `overlap` is the share of the words that it has all the same.
    pub(crate) fn is_of_another_language(&self, passage: &Passage<'_>, overlap: f32) -> bool {
        let differs = match (self.language.known, passage.language.known) {
            (Some(own), Some(other)) => {
                own != other && self.language.margin >= 3 && passage.language.margin >= 3 && overlap < 0.4
            }
            (None, _) | (_, None) => false,
        };
        differs || self.script != passage.scripts.main() && passage.scripts.lacks(self.script)
    }

    pub(crate) fn has_the_language_of(&self, passage: &Passage<'_>) -> bool {
        // A script of one language tells it; Latin, Cyrillic and Arabic are of many.
        let is_told = !matches!(self.script, Script::Latin | Script::Cyrillic | Script::Arabic)
            && self.script == passage.scripts.main();
        let is_known = self.language.known.is_some() && self.language.known == passage.language.known;
        // A few words of one script in a passage of another do not make it a passage in their language.
        is_told || is_known && self.script == passage.scripts.main()
    }
}

/// How much of the weight of a sentence's words stands in a passage.
pub(crate) struct Overlap {
    /// The share in all of it.
    pub(crate) whole: f32,
    /// The share in the sentence that has most.
    pub(crate) best: f32,
    /// The tokens of that sentence.
    pub(crate) tokens: Range<usize>,
    /// The tokens of further sentences that have as much.
    equals: Vec<Range<usize>>,
    /// How each token of the sentence stands in the passage.
    pub(crate) standings: Vec<Standing>,
}

/// The sentences of a passage that are looked at where several have as much of a sentence.
const MOST_EQUALS: usize = 8;

/// How a word of a sentence stands in a passage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// How often the very word does.
    pub(crate) times: u32,
    /// Whether a form of it does.
    pub(crate) has_stem: bool,
    /// Whether a form does that has a capital, or stands where every word has one.
    pub(crate) has_capital: bool,
}

/// The places of a word of a sentence, or of a stem, in a passage.
#[derive(Clone, Copy, Default)]
struct Found {
    /// As a word and as a stem.
    standing: Standing,
    /// The sentence of the passage in which the stem stood last.
    last: Option<u32>,
}

impl Overlap {
    /// Looks up each word of the passage among the sentence's words and stems.
    pub(crate) fn of(sentence: &Sentence<'_>, passage: &Passage<'_>) -> Self {
        let Sentence { tokens, forms, weight: total, .. } = sentence;
        let mut found = vec![Found::default(); forms.len()];
        let (mut whole, mut best, mut best_sentences) = (0.0, 0.0, Vec::with_capacity(MOST_EQUALS));
        let (mut current, mut sum) = (u32::MAX, 0.0);
        for token in passage.tokens.iter().filter(|token| !token.is_mark()) {
            if token.sentence != current {
                (current, sum) = (token.sentence, 0.0);
            }
            if let Some(form) = forms.get(&token.full) {
                found[form.place].standing.times += 1;
            }
            let Some(Form { place, weight, .. }) = forms.get(&token.stem) else { continue };
            let stem = &mut found[*place];
            stem.standing.has_stem = true;
            stem.standing.has_capital |= token.is_capital || token.is_first;
            whole += if stem.last.is_none() { *weight } else { 0.0 };
            if stem.last != Some(current) {
                sum += weight;
                stem.last = Some(current);
            }
            if sum > best {
                best = sum;
                best_sentences.clear();
            }
            if sum == best && best_sentences.len() < MOST_EQUALS && best_sentences.last() != Some(&current) {
                best_sentences.push(current);
            }
        }
        let share = |weight: f32| if *total > 0.0 { weight / total } else { 0.0 };
        let standing = |token: &Token| {
            let of = |hash: u64| forms.get(&hash).map(|form| found[form.place].standing).unwrap_or_default();
            Standing { times: of(token.full).times, ..of(token.stem) }
        };
        Self {
            whole: share(whole),
            best: share(best),
            tokens: passage.sentence(best_sentences.first().copied().unwrap_or_default()),
            equals: best_sentences.into_iter().skip(1).map(|number| passage.sentence(number)).collect(),
            standings: tokens.iter().map(standing).collect(),
        }
    }

    /// The same, with the sentence that has most of something else as the best, among those that have as much.
    pub(crate) fn among_equals(mut self, measure: impl Fn(&Range<usize>) -> usize) -> Self {
        let equals = std::mem::take(&mut self.equals);
        if !equals.is_empty() {
            // Of several, the last one is the greatest.
            let others = equals.into_iter().rev();
            let best = others.chain([self.tokens.clone()]).max_by_key(|tokens| measure(tokens));
            self.tokens = best.unwrap_or(self.tokens);
        }
        self
    }
}
