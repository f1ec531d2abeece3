//! Decides whether a passage holds what a sentence says.

use std::ops::Range;

use crate::amounts;
use crate::fact::{FactKind, facts};
use crate::language::{Language, Script, Scripts};
use crate::name::{Pair, missing_names};
use crate::negation::negations;
use crate::passage::{Passage, cut};
use crate::quotation::{Hay, Quotation, quotations};
use crate::token::{Token, tokens};
use crate::verdict::{Judgement, Reason, ReasonCode, Verdict};
use crate::words::{ByWord, Languages};

/// The bytes of a sentence that are read.
pub const MAX_SENTENCE_BYTES: usize = 4 * 1024;

/// The shares of the weight of a sentence's words below which a passage speaks of something else: in its best sentence, and in all.
const UNRELATED: (f32, f32) = (0.26, 0.36);

/// The agreement of two sentences from which a negation counts.
const ALIKE: f32 = 0.65;

/// Decides whether a passage holds what a sentence says. `headings` are the title of the source and the headings above the passage:
/// names and numbers may stand there as well.
///
/// The time is linear in the length of both.
#[must_use]
pub fn judge(sentence: &str, passage: &Passage<'_>, headings: &str) -> Judgement {
    let text = cut(sentence, MAX_SENTENCE_BYTES);
    let mut reasons = Vec::new();
    let note = |code| Reason { code, range: 0..0 };
    if passage.is_empty() {
        return Judgement { verdict: Verdict::Unknown, reasons: vec![note(ReasonCode::NoPassage)], place: None };
    }
    if passage.is_cut || text.len() < sentence.len() {
        reasons.push(note(ReasonCode::Cut));
    }
    let sentence = Sentence::read(text, passage);
    let (verdict, place) = sentence.decide(passage, &tokens(cut(headings, MAX_SENTENCE_BYTES)), &mut reasons);
    Judgement { verdict, reasons, place }
}

/// A sentence of an answer.
struct Sentence<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    language: Language,
    script: Script,
    /// The number of words with a weight.
    words: usize,
    overlap: Overlap,
}

/// What was found about a sentence.
struct Findings {
    is_misquoted: bool,
    has_conflict: bool,
    /// Quotations make up most of it.
    is_quoted: bool,
    /// The share of the weight of its words that stands in the passage.
    share: f32,
}

/// How much of the weight of a sentence's words stands in a passage.
struct Overlap {
    /// In all of it.
    whole: f32,
    /// In the sentence that has most.
    best: f32,
    /// The tokens of that sentence.
    tokens: Range<usize>,
}

impl<'t> Sentence<'t> {
    fn read(text: &'t str, passage: &Passage<'_>) -> Self {
        let tokens = tokens(text);
        let overlap = Overlap::of(&tokens, passage);
        let words = tokens.iter().filter(|token| token.weight() > 0.0).count();
        Self { text, language: Language::of(&tokens), script: Scripts::of(text).main(), words, overlap, tokens }
    }

    fn range(&self, tokens: Range<usize>) -> Range<usize> {
        let first = self.tokens.get(tokens.start).map_or(0, |token| token.start as usize);
        let last =
            tokens.end.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |token| token.end as usize);
        first..last.max(first)
    }

    fn decide(
        &self,
        passage: &Passage<'_>,
        headings: &[Token],
        reasons: &mut Vec<Reason>,
    ) -> (Verdict, Option<Range<usize>>) {
        let quotations = quotations(&self.tokens, passage);
        let best = (self.overlap.best > 0.0).then(|| passage.place(self.overlap.tokens.clone())).flatten();
        let place = quotations
            .iter()
            .find_map(|quotation| quotation.place.clone())
            .and_then(|place| passage.place(place))
            .or(best);
        let is_misquoted = self.note_quotations(&quotations, reasons);
        let numbers = facts(&self.tokens, self.language.known.unwrap_or_else(|| passage.language.or_english()));
        // A sign is no word.
        let has_sign = numbers.iter().any(|fact| matches!(fact.kind, FactKind::Amount(amount) if amount.is_negative));
        let length = self.tokens.iter().filter(|token| !token.is_mark()).count();
        let is_short = self.words < 2 && quotations.is_empty() || length < 3;
        if !is_short
            && !has_sign
            && let Some((verdict, place)) = self.verbatim(passage, reasons)
        {
            return (verdict, place);
        }
        if is_short && numbers.is_empty() {
            reasons.push(Reason { code: ReasonCode::Short, range: 0..0 });
            return (Verdict::Unknown, place);
        }
        let mut has_conflict = is_misquoted;
        let (mut in_facts, mut held) = (vec![false; self.tokens.len()], vec![false; self.tokens.len()]);
        for fact in &numbers {
            in_facts[fact.first..fact.end].fill(true);
            let is_in_headings = |token: &Token| headings.iter().any(|heading| heading.full == token.full);
            if let Some(code) =
                amounts::fault(fact, &self.tokens, passage).filter(|_| !is_in_headings(&self.tokens[fact.first]))
            {
                // "Two prizes" may have been counted.
                let is_counted = matches!(fact.kind, FactKind::Amount(amount) if amount.significant.is_none() && amount.unit.is_none() && amount.values[0] <= 4.0);
                has_conflict |= code != ReasonCode::NumberMissing || !is_counted;
                reasons.push(Reason { code, range: self.range(fact.first..fact.end) });
            } else {
                held[fact.first..fact.end].fill(true);
            }
        }
        let pair = Pair {
            text: self.text,
            sentence: &self.tokens,
            in_facts: &in_facts,
            language: self.language,
            passage,
            best: self.overlap.tokens.clone(),
            agreement: self.overlap.best,
        };
        for name in missing_names(&pair, headings) {
            has_conflict |= name.code == ReasonCode::NameDiffers;
            reasons.push(Reason { code: name.code, range: self.range(name.token..name.token + 1) });
        }
        let is_quoted = self.is_mostly_quoted(&quotations) && !is_misquoted;
        if !has_conflict && !is_quoted && self.contradicts(passage) {
            has_conflict = true;
            reasons.push(Reason { code: ReasonCode::Negation, range: 0..0 });
        }
        let findings = Findings { is_misquoted, has_conflict, is_quoted, share: self.share(passage, &held) };
        (self.verdict(passage, &findings, reasons), place)
    }

    /// The share of the weight of the words that stand in the passage, in this form or, as facts, in another one.
    fn share(&self, passage: &Passage<'_>, held: &[bool]) -> f32 {
        let total: f32 = self.tokens.iter().map(Token::weight).sum();
        let stands = self.tokens.iter().zip(held).filter(|(token, held)| **held || passage.stems.contains(&token.stem));
        let found: f32 = stands.map(|(token, _)| token.weight()).sum();
        if total > 0.0 { found / total } else { 0.0 }
    }

    fn verdict(&self, passage: &Passage<'_>, findings: &Findings, reasons: &mut Vec<Reason>) -> Verdict {
        let Findings { is_misquoted, has_conflict, is_quoted, share } = *findings;
        if self.is_of_another_language(passage) {
            reasons.insert(0, Reason { code: ReasonCode::Language, range: 0..0 });
            return if is_misquoted { Verdict::Conflict } else { Verdict::Unknown };
        }
        if is_misquoted {
            return Verdict::Conflict;
        }
        if is_quoted && !has_conflict {
            return Verdict::Verbatim;
        }
        if self.overlap.best < UNRELATED.0 && share < UNRELATED.1 && self.words >= 5 {
            if self.has_the_language_of(passage) {
                return Verdict::Unsupported;
            }
            reasons.push(Reason { code: ReasonCode::Weak, range: 0..0 });
            return Verdict::Unknown;
        }
        if has_conflict {
            return Verdict::Conflict;
        }
        if share >= 0.5 {
            return Verdict::SupportedWords;
        }
        reasons.push(Reason { code: ReasonCode::Weak, range: 0..0 });
        Verdict::Unknown
    }

    fn note_quotations(&self, quotations: &[Quotation], reasons: &mut Vec<Reason>) -> bool {
        let faults = quotations.iter().filter_map(|quotation| Some((quotation.fault?, quotation.tokens.clone())));
        let before = reasons.len();
        reasons.extend(faults.map(|(code, tokens)| Reason { code, range: self.range(tokens) }));
        reasons.len() > before
    }

    /// Whether quotations make up most of the sentence.
    fn is_mostly_quoted(&self, quotations: &[Quotation]) -> bool {
        quotations.iter().map(|quotation| quotation.tokens.len() + 1).sum::<usize>() * 2 > self.tokens.len()
    }

    /// The verdict if the whole sentence stands in the passage word for word.
    fn verbatim(&self, passage: &Passage<'_>, reasons: &mut Vec<Reason>) -> Option<(Verdict, Option<Range<usize>>)> {
        let words: Vec<u64> = self.tokens.iter().filter(|token| !token.is_mark()).map(|token| token.full).collect();
        let hay = Hay::of(&passage.tokens);
        let found = hay.tokens(hay.find(&words, 0)?);
        let place = passage.place(found.clone());
        // "It is not true that …"
        let known = self.language.known.unwrap_or(Languages::ANY);
        let first = passage.tokens.get(found.start)?;
        let mut before = passage.tokens[..found.start].iter().rev().take(3);
        let is_negated = before
            .by_ref()
            .take_while(|token| token.sentence == first.sentence && !token.is(',') && !token.is(';') && !token.is(':'))
            .any(|token| token.negates(known));
        if is_negated {
            reasons.push(Reason { code: ReasonCode::NegationBefore, range: 0..0 });
            return Some((Verdict::SupportedWords, place));
        }
        Some((Verdict::Verbatim, place))
    }

    /// Whether only one of this and the best sentence of the passage negates what both say.
    fn contradicts(&self, passage: &Passage<'_>) -> bool {
        if self.overlap.best < ALIKE {
            return false;
        }
        let best = &passage.tokens[self.overlap.tokens.clone()];
        let (own, others) = negations(&self.tokens, best, self.language);
        let weight = |tokens: &[Token]| tokens.iter().map(Token::weight).sum::<f32>();
        let is_near = self.overlap.best >= 0.85 && weight(best) < weight(&self.tokens) * 1.25;
        let differs = (own == 0) != (others == 0) || is_near && own != others;
        let known = self.language.known.unwrap_or(Languages::ANY);
        let any = || passage.tokens.iter().any(|token| token.negates(known));
        differs && (others > 0 || self.overlap.best >= 0.75 || is_near || !any())
    }

    fn is_of_another_language(&self, passage: &Passage<'_>) -> bool {
        let differs = match (self.language.known, passage.language.known) {
            (Some(own), Some(other)) => {
                own != other && self.language.margin >= 3 && passage.language.margin >= 3 && self.overlap.whole < 0.4
            }
            (None, _) | (_, None) => false,
        };
        differs || self.script != passage.scripts.main() && passage.scripts.lacks(self.script)
    }

    fn has_the_language_of(&self, passage: &Passage<'_>) -> bool {
        // A script of one language tells it; Latin, Cyrillic and Arabic are of many.
        let is_told = !matches!(self.script, Script::Latin | Script::Cyrillic | Script::Arabic)
            && self.script == passage.scripts.main();
        is_told || self.language.known.is_some() && self.language.known == passage.language.known
    }
}

impl Overlap {
    /// Looks up each word of the passage in a table of the sentence's stems.
    fn of(sentence: &[Token], passage: &Passage<'_>) -> Self {
        let mut stems: ByWord<Stem> = ByWord::default();
        let mut total = 0.0;
        for token in sentence.iter().filter(|token| token.weight() > 0.0) {
            total += token.weight();
            stems.entry(token.stem).or_default().weight += token.weight();
        }
        let (mut whole, mut best, mut best_sentence) = (0.0, 0.0, 0);
        let (mut current, mut sum) = (u32::MAX, 0.0);
        for token in passage.tokens.iter().filter(|token| !token.is_mark()) {
            if token.sentence != current {
                (current, sum) = (token.sentence, 0.0);
            }
            let Some(stem) = stems.get_mut(&token.stem) else { continue };
            whole += if stem.last.is_none() { stem.weight } else { 0.0 };
            if stem.last != Some(current) {
                sum += stem.weight;
                stem.last = Some(current);
            }
            if sum > best {
                (best, best_sentence) = (sum, current);
            }
        }
        let share = |weight: f32| if total > 0.0 { weight / total } else { 0.0 };
        Self { whole: share(whole), best: share(best), tokens: passage.sentence(best_sentence) }
    }
}

/// A stem of a sentence.
#[derive(Default)]
struct Stem {
    weight: f32,
    /// The sentence of the passage in which it stood last.
    last: Option<u32>,
}
