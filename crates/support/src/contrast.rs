//! Contradictions that words tell although the same number stands in the passage: the opposite bound, the other order in time, another
//! rate, and the negation of the very words.

use std::ops::Range;

use crate::amounts::same_numbers;
use crate::bound::Bound;
use crate::fact::{Fact, FactKind};
use crate::frequency::{frequency, is_behind_each, rate};
use crate::negation::tells_another_case;
use crate::order;
use crate::passage::Passage;
use crate::sentence::Overlap;
use crate::token::Token;
use crate::value::{Origin, Value};
use crate::verdict::ReasonCode;
use crate::words::{Hashes, Languages, Unit};

/// The share of the words of a sentence that a sentence of the passage has, from which an opposite bound contradicts it: of a number,
/// and of one with a unit.
const BOUND: [f32; 2] = [0.3, 0.15];

/// The share of common words from which an opposite order in time, or `over` against `under` a number, contradicts the sentence. It is
/// greater than [`BOUND`]: such words stand in sentences about something else more often.
const SAME: f32 = 0.5;

/// The numbers of a sentence that are looked at.
const MOST: usize = 32;

/// The letters by which two forms of one word may differ: `kostenlos` and `kostenpflichtig` are two words.
const MOST_APART: u8 = 3;

/// A sentence beside the passage, with the sentence of it that agrees most.
pub(crate) struct Contrast<'a> {
    pub(crate) sentence: &'a [Token],
    pub(crate) numbers: &'a [Fact],
    pub(crate) passage: &'a Passage<'a>,
    pub(crate) overlap: &'a Overlap,
    /// The languages of the sentence, and of the passage.
    pub(crate) languages: [Languages; 2],
}

/// A fault and its tokens.
pub(crate) type Found = (ReasonCode, Range<usize>);

impl Contrast<'_> {
    /// The faults that words tell.
    pub(crate) fn faults(&self) -> Vec<Found> {
        let mut found = Vec::new();
        for fact in self.numbers.iter().take(MOST) {
            let tokens = fact.first..fact.end;
            if self.has_opposite_bound(fact) {
                found.push((ReasonCode::NumberDiffers, tokens));
            } else if self.has_other_rate(fact) {
                found.push((ReasonCode::UnitDiffers, tokens));
            } else if self.has_other_frequency(fact) {
                found.push((ReasonCode::NumberDiffers, tokens));
            }
        }
        found.extend(self.other_orders());
        found
    }

    /// Whether one side says the opposite bound of a number that both have: with it, a negation says the same. So it does with the
    /// complement: not under 5 is at least 5.
    pub(crate) fn has_other_bound(&self) -> bool {
        self.numbers.iter().take(MOST).any(|fact| {
            let Some((own, at)) = Bound::written(self.sentence, fact, self.languages[0]) else { return false };
            let is_negated = negates_outside(self.sentence, &(at..fact.end), self.languages[0]);
            same_numbers(fact, self.passage).any(|known| {
                let tokens = &self.passage.tokens;
                let Some((other, at)) = Bound::written(tokens, &known, self.languages[1]) else { return false };
                let said = in_sentence(tokens, known.first);
                let is_other = || {
                    negates_outside(
                        &tokens[said.clone()],
                        &(at - said.start..known.end - said.start),
                        self.languages[1],
                    )
                };
                other.is_opposite(own) || other.is_complement(own) && is_negated != is_other()
            })
        })
    }

    fn best(&self) -> &[Token] {
        &self.passage.tokens[self.overlap.tokens.clone()]
    }

    /// Whether no side negates, so that the same words say the same.
    fn is_plain(&self) -> bool {
        let negates = |tokens: &[Token], languages: Languages| tokens.iter().any(|token| token.negates(languages));
        !negates(self.sentence, self.languages[0]) && !negates(self.best(), self.languages[1])
    }

    /// Whether the best sentence of the passage has all words of this one besides those that tell the order or the bound. With another word, the
    /// sentence may tell what is so otherwise: "sent before 15 May", "sent after 15 May are refused".
    fn speaks_of_best(&self, besides: &[Range<usize>]) -> bool {
        let stems: Vec<(u64, u8)> = self.best().iter().map(|token| (token.stem, token.letters)).collect();
        let known: Hashes = stems.iter().map(|(stem, _)| *stem).collect();
        // The first word may be another form of the verb: `Prenez`, `Prendre`.
        self.sentence.iter().zip(&self.overlap.standings).enumerate().skip(1).all(|(at, (token, standing))| {
            let is_form = || {
                !token.is_word()
                    || stems
                        .iter()
                        .any(|(stem, letters)| *stem == token.stem && letters.abs_diff(token.letters) <= MOST_APART)
            };
            let is_besides = || besides.iter().any(|range| range.contains(&at));
            token.weight() == 0.0 || is_besides() || standing.has_stem && known.contains(&token.stem) && is_form()
        })
    }

    /// Whether the passage has the number with the opposite bound, wherever it has it.
    fn has_opposite_bound(&self, fact: &Fact) -> bool {
        let FactKind::Amount(amount) = fact.kind else { return false };
        if self.overlap.best < BOUND[usize::from(amount.unit.is_some())] {
            return false;
        }
        let Some(bound) = Bound::of(self.sentence, fact, self.languages[0]) else { return false };
        let mut known = same_numbers(fact, self.passage).peekable();
        let is_opposite = |known: Fact| {
            Bound::of(&self.passage.tokens, &known, self.languages[1]).is_some_and(|other| other.is_opposite(bound))
        };
        // "Groups of up to 10 get no discount"
        let may_be = || {
            let at = Bound::written(self.sentence, fact, self.languages[0]).map_or(fact.first, |(_, at)| at);
            let words = at..fact.end;
            if bound.is_strict() {
                self.overlap.best >= SAME && self.is_plain() && self.speaks_of_best(&[words])
            } else {
                !negates_outside(self.sentence, &words, self.languages[0])
            }
        };
        known.peek().is_some() && known.all(is_opposite) && may_be()
    }

    /// Whether the passage has the amount in another time, wherever it has it: `40 litres per minute` and `per hour`.
    fn has_other_rate(&self, fact: &Fact) -> bool {
        if !matches!(fact.kind, FactKind::Amount(_)) {
            return false;
        }
        let Some(own) = rate(self.sentence, fact.end) else { return false };
        let mut known = same_numbers(fact, self.passage).peekable();
        let differs = |known: Fact| rate(&self.passage.tokens, known.end).is_some_and(|other| other != own);
        known.peek().is_some() && known.all(differs)
    }

    /// Whether the sentence says `twice a week` and the passage `every two weeks`, or the other way round, and neither what the other one does.
    fn has_other_frequency(&self, fact: &Fact) -> bool {
        let FactKind::Amount(amount) = fact.kind else { return false };
        let has = |time: f64, unit: Unit| {
            let is_it =
                |known: &Value| matches!(known.origin, Origin::Converted(other) if other.dimension == unit.dimension);
            self.passage.values_near(time, time * 1e-6).any(is_it)
        };
        let tokens = &self.passage.tokens;
        if let Some(often) = frequency(self.sentence, fact.first, self.languages[0]).filter(|often| often.times > 1.0) {
            let time = often.unit.factor * often.times;
            let is_each = |known: &Fact| {
                let is_it = matches!(known.kind, FactKind::Amount(amount) if amount.unit.is_some_and(|unit| unit.dimension == often.unit.dimension)
                    && amount.in_base().contains(&time));
                is_it && is_behind_each(tokens, known.first, self.languages[1])
            };
            return !has(often.interval(), often.unit) && self.passage.facts().iter().any(is_each);
        }
        let Some(unit) = amount.unit.filter(|_| is_behind_each(self.sentence, fact.first, self.languages[0])) else {
            return false;
        };
        let times = amount.values[0];
        let says = |at: usize| {
            frequency(tokens, at, self.languages[1]).is_some_and(|often| often.unit == unit && often.times == times)
        };
        times > 1.0 && has(unit.factor / times, unit) && !has(unit.factor * times, unit) && (0..tokens.len()).any(says)
    }

    /// Orders in time of which the passage tells the other one.
    fn other_orders(&self) -> Vec<Found> {
        if self.overlap.best < SAME {
            return Vec::new();
        }
        let own = order::orders(self.sentence, self.languages[0]);
        let words: Vec<Range<usize>> = own.iter().map(|own| own.tokens.clone()).collect();
        if own.is_empty()
            || !self.is_plain()
            || tells_another_case(self.best(), self.languages[1])
            || !self.speaks_of_best(&words)
        {
            return Vec::new();
        }
        let others = order::orders(&self.passage.tokens, self.languages[1]);
        let differs = |own: &order::Placed| order::contradicts(own, &others);
        own.into_iter().filter(differs).map(|own| (ReasonCode::DateDiffers, own.tokens)).collect()
    }
}

/// Whether a sentence negates something, but for these tokens: `not more than` is a bound.
fn negates_outside(tokens: &[Token], bound: &Range<usize>, languages: Languages) -> bool {
    tokens.iter().enumerate().any(|(at, token)| !bound.contains(&at) && token.negates(languages))
}

/// The tokens of the sentence in which a token stands.
fn in_sentence(tokens: &[Token], at: usize) -> Range<usize> {
    let number = tokens[at].sentence;
    let from = tokens.partition_point(|token| token.sentence < number);
    from..tokens.partition_point(|token| token.sentence <= number)
}
