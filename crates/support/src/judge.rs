//! Decides whether passages hold what a sentence says.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use crate::amounts;
use crate::contrast::Contrast;
use crate::draft::Draft;
use crate::fact::{Amount, Fact, FactKind};
use crate::language::Language;
use crate::loose;
use crate::name::{Pair, missing_names};
use crate::negation::{denies, negations, says_it_otherwise};
use crate::passage::{Passage, cut};
use crate::place_words::{PlaceKind, replaced};
use crate::quotation::{Quotation, quotations};
use crate::reckon::Reckoning;
use crate::sentence::{MAX_SENTENCE_BYTES, Overlap, Sentence};
use crate::table::NamedRows;
use crate::token::{Token, tokens};
use crate::value::{Origin, Value};
use crate::verdict::{Judgement, ReasonCode, Verdict};
use crate::week::Days;
use crate::word_sequence::WordSequence;
use crate::words::{Languages, WORDS};

/// The agreement of two sentences from which a negation counts.
const ALIKE: f32 = 0.65;

/// The agreement from which two sentences are nearly the same: their stop words tell a place, too.
const NEAR: f32 = 0.85;

/// The facts of a passage of which a number is hardly reckoned by chance.
const FEW: usize = 8;

/// The share of a sentence's words from which a passage speaks of what it negates.
const HALF: f32 = 0.5;

/// The numbers of a sentence whose places are looked at: a list of more is no sentence.
const MOST_PLACED: usize = 32;

/// A source that a sentence cites.
#[derive(Clone, Copy, Debug)]
pub struct Cited<'a> {
    /// Its text.
    pub passage: &'a Passage<'a>,
    /// Its title and the headings above the passage: names and numbers may stand there as well.
    pub headings: &'a Headings,
    /// The passage is a teaser of the source, in which much is missing.
    pub is_teaser: bool,
}

/// The title of a source and the headings above its passage, read once for all citations of an answer.
#[derive(Debug, Default)]
pub struct Headings {
    tokens: Vec<Token>,
}

impl Headings {
    /// None: the source has no title.
    pub const NONE: &'static Self = &Self { tokens: Vec::new() };

    /// Reads headings, at most their first [`MAX_SENTENCE_BYTES`].
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self { tokens: tokens(cut(text, MAX_SENTENCE_BYTES)) }
    }
}

/// Decides whether a passage holds what a sentence says.
///
/// The time is linear in the length of both.
#[must_use]
pub fn judge(sentence: &str, cited: Cited<'_>) -> Judgement {
    Sentence::read(sentence).judge(&[cited]).pop().unwrap_or_else(|| Draft::unknown(ReasonCode::NoPassage).judgement())
}

impl Sentence<'_> {
    /// Decides for each of the sources that it cites together. A fact that one of them holds is missing in none.
    #[must_use]
    pub fn judge(&self, group: &[Cited<'_>]) -> Vec<Judgement> {
        let mut drafts: Vec<Draft> = group.iter().map(|cited| draft(self, *cited)).collect();
        if drafts.len() > 1 {
            keep_common_faults(&mut drafts);
        }
        drafts.into_iter().map(Draft::judgement).collect()
    }
}

/// Removes from each draft what is missing there but not everywhere.
fn keep_common_faults(drafts: &mut [Draft]) {
    let faults: Vec<Option<Vec<_>>> = drafts.iter().map(Draft::faults).collect();
    for (at, draft) in drafts.iter_mut().enumerate() {
        let others: Vec<&Vec<_>> = faults
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .filter_map(|(_, faults)| faults.as_ref())
            .collect();
        draft.keep_faults(|range| others.iter().all(|faults| faults.contains(range)));
    }
}

fn draft(sentence: &Sentence<'_>, cited: Cited<'_>) -> Draft {
    if cited.passage.is_empty() {
        return Draft::unknown(ReasonCode::NoPassage);
    }
    let overlap = Overlap::of(sentence, cited.passage);
    let Cited { passage, headings, is_teaser } = cited;
    let languages = sentence.language.known.unwrap_or_else(|| passage.language.or_english());
    let numbers = sentence.facts(languages);
    let holds = |tokens: &Range<usize>| amounts::in_common(&numbers, passage, tokens);
    let overlap = if numbers.is_empty() { overlap } else { overlap.among_equals(holds) };
    let named_rows = NamedRows::new(&sentence.tokens, passage);
    let mut draft = Comparison {
        sentence,
        numbers,
        passage,
        overlap,
        named_rows,
        reckoning: OnceCell::new(),
        headings: &headings.tokens,
        is_teaser,
    }
    .draft();
    if cited.passage.is_cut || sentence.is_cut {
        draft.note(ReasonCode::Cut, 0..0);
    }
    draft
}

/// A sentence beside a passage.
struct Comparison<'a> {
    sentence: &'a Sentence<'a>,
    /// The facts of the sentence.
    numbers: Cow<'a, [Fact]>,
    passage: &'a Passage<'a>,
    overlap: Overlap,
    named_rows: NamedRows<'a>,
    reckoning: OnceCell<Reckoning>,
    headings: &'a [Token],
    is_teaser: bool,
}

impl Comparison<'_> {
    fn draft(&self) -> Draft {
        let (sentence, passage) = (self.sentence, self.passage);
        let quotations = quotations(&sentence.tokens, passage);
        let mut draft = Draft::default();
        draft.place = self.place(&quotations);
        for quotation in &quotations {
            if let Some(code) = quotation.fault {
                let range = sentence.range(quotation.tokens.clone());
                if self.is_translated(quotation) { draft.note(code, range) } else { draft.fault(code, range) }
            }
        }
        let numbers = &*self.numbers;
        let is_short = sentence.words < 2 && quotations.is_empty() || sentence.length() < 3;
        // A sign is no word.
        let has_sign = numbers.iter().any(|fact| matches!(fact.kind, FactKind::Amount(amount) if amount.is_negative));
        if is_short && numbers.is_empty() {
            draft.settle(Verdict::Unknown);
            draft.note(ReasonCode::Short, 0..0);
            return draft;
        }
        if !has_sign && let Some(found) = self.literally() {
            self.settle_literal(&mut draft, found, is_short);
            return draft;
        }
        let (in_facts, mut held) = self.note_numbers(numbers, &mut draft);
        draft.has_fact = self.hold_other_words(&mut held);
        self.note_place_words(&mut draft);
        self.note_contrasts(&mut draft);
        self.note_names(&in_facts, &mut draft);
        draft.is_quoted =
            quotations.iter().map(|quotation| quotation.tokens.len() + 1).sum::<usize>() * 2 > sentence.tokens.len();
        // A time in words is not held to a passage without any.
        let is_time = |fact: &Fact| matches!(fact.kind, FactKind::Time(_));
        let has_time = passage.facts().iter().any(is_time);
        draft.has_fact |=
            numbers.iter().any(|fact| held[fact.first] && fact.is_telling() && (has_time || !is_time(fact)));
        draft.share = sentence.share(&self.overlap, &held);
        draft.best = self.overlap.best;
        // Of fewer words, some may be names for what the passage calls otherwise.
        draft.has_words = sentence.words >= 5 || sentence.words == 4 && draft.share == 0.0;
        draft.is_of_one_language = sentence.has_the_language_of(passage);
        draft.is_of_another_language = sentence.is_of_another_language(passage, self.overlap.whole);
        if !draft.is_in_conflict() && !draft.is_quoted && self.contradicts() {
            draft.fault(ReasonCode::Negation, 0..0);
        }
        draft
    }

    /// Whether a quotation is of a language that the passage does not have: it cannot stand there word for word.
    fn is_translated(&self, quotation: &Quotation) -> bool {
        if !self.sentence.is_of_another_language(self.passage, self.overlap.whole) {
            return false;
        }
        let words = quotation.tokens.clone().filter(|at| !self.sentence.tokens[*at].is_mark());
        let (mut count, mut known) = (0, 0);
        for word in words {
            count += 1;
            known += usize::from(self.overlap.standings[word].times > 0);
        }
        known * 2 < count
    }

    /// The place of a quotation, else of the sentence that agrees most.
    fn place(&self, quotations: &[Quotation]) -> Option<Range<usize>> {
        let quoted = quotations.iter().find_map(|quotation| quotation.place.clone());
        let best = (self.overlap.best > 0.0).then(|| self.overlap.tokens.clone());
        quoted.or(best).and_then(|tokens| self.passage.place(tokens))
    }

    /// Where the whole sentence stands in the passage word for word, in tokens of it.
    fn literally(&self) -> Option<Range<usize>> {
        let words = || self.sentence.tokens.iter().zip(&self.overlap.standings).filter(|(token, _)| !token.is_mark());
        if words().any(|(_, standing)| standing.times == 0) {
            return None;
        }
        WordSequence::new(words().map(|(token, _)| token.full).collect()).find(&self.passage.tokens, 0)
    }

    /// Settles the verdict about a sentence that stands in the passage word for word.
    fn settle_literal(&self, draft: &mut Draft, found: Range<usize>, is_short: bool) {
        draft.place = self.passage.place(found.clone());
        let tokens = &self.passage.tokens;
        // "It is not true that …"
        let language = self.sentence.language.known.unwrap_or(Languages::ANY);
        let same_clause = |token: &&Token| {
            token.sentence == tokens[found.start].sentence && !token.is(',') && !token.is(';') && !token.is(':')
        };
        let last = found.start.checked_sub(1).map(|before| &tokens[before]).filter(same_clause);
        if last.is_some_and(|last| is_negated_whole(last, self.passage.language)) {
            draft.fault(ReasonCode::Negation, 0..0);
            draft.settle(Verdict::Conflict);
            return;
        }
        let before = tokens[..found.start].iter().rev().take_while(same_clause).take(3);
        if before.into_iter().any(|token| token.negates(language)) {
            draft.note(ReasonCode::NegationBefore, 0..0);
            draft.settle(Verdict::SupportedWords);
        } else {
            // A number and a word stand in many places.
            draft.settle(if is_short { Verdict::SupportedWords } else { Verdict::Verbatim });
        }
    }

    /// Notes the numbers that differ. Returns which tokens are part of facts, and of facts that the passage holds.
    fn note_numbers(&self, numbers: &[Fact], draft: &mut Draft) -> (Vec<bool>, Vec<bool>) {
        let tokens = &self.sentence.tokens;
        let (mut in_facts, mut held) = (vec![false; tokens.len()], vec![false; tokens.len()]);
        for (at, fact) in numbers.iter().enumerate() {
            in_facts[fact.first..fact.end].fill(true);
            let stands_above = self.headings.iter().any(|heading| heading.full == tokens[fact.first].full);
            let fault = amounts::fault(fact, tokens, &self.overlap.standings, self.passage).filter(|_| !stands_above);
            let is_sure = fault.is_some() && !fact.is_counted();
            let range = self.sentence.range(fact.first..fact.end);
            let has_place = at < MOST_PLACED && !stands_above && !is_sure;
            if has_place && let Some(code) = self.replaced(fact) {
                draft.fault(code, range);
                continue;
            }
            let Some(code) = fault else {
                held[fact.first..fact.end].fill(true);
                continue;
            };
            let is_missing =
                matches!(code, ReasonCode::NumberMissing | ReasonCode::DateMissing | ReasonCode::TimeMissing);
            let may_be_reckoned = is_missing || code == ReasonCode::DateDiffers;
            if may_be_reckoned && !self.may_be_replaced(fact) && self.reckoning().gives(fact) {
                held[fact.first..fact.end].fill(true);
                draft.is_reckoned = true;
                draft.note(code, range);
            } else if is_missing && (self.is_teaser || fact.is_counted()) {
                draft.note(code, range);
            } else {
                draft.fault(code, range);
            }
        }
        (in_facts, held)
    }

    /// Whether the best sentence of the passage has a fact of this kind that this sentence lacks: the number may stand in its place.
    fn may_be_replaced(&self, fact: &Fact) -> bool {
        let best = &self.overlap.tokens;
        // Of few amounts with a unit, a sum or a difference is hardly met by chance.
        let is_telling = matches!(fact.kind, FactKind::Amount(Amount { unit: Some(_), .. }));
        let least = if is_telling && self.passage.facts().len() <= FEW { NEAR } else { ALIKE };
        self.overlap.best >= least && {
            let tokens = &self.sentence.tokens;
            amounts::lacks_one_of(fact, &self.numbers, tokens, self.passage, best, self.overlap.best >= NEAR)
        }
    }

    /// Marks the words that say in another way what the passage has: `half a year`, where it has six months. Returns whether there are
    /// some.
    fn hold_other_words(&self, held: &mut [bool]) -> bool {
        let languages = self.sentence.language.known.unwrap_or_else(|| self.passage.language.or_english());
        let has = |value: &Value| {
            let is_it = |known: &Value| match (value.origin, known.origin) {
                (Origin::Converted(own), Origin::Converted(other)) => own.dimension == other.dimension,
                (Origin::Fraction, Origin::Fraction) => true,
                (Origin::Fraction, Origin::Converted(other)) => WORDS.is(other, "share"),
                _ => false,
            };
            let is_known = self.passage.values_near(value.value, value.value.abs() * 1e-6).any(is_it);
            is_known || value.origin == Origin::Fraction && self.reckoning().gives_part(value.value)
        };
        let places = loose::held(&self.sentence.tokens, self.sentence.text, languages, has);
        for tokens in &places {
            held[tokens.clone()].fill(true);
        }
        let weekday = |token: &Token| token.meaning.map_or(0, |meaning| meaning.weekday);
        if self.sentence.tokens.iter().any(|token| weekday(token) > 0) {
            let days = Days::of(&self.passage.tokens);
            for (token, held) in self.sentence.tokens.iter().zip(held) {
                *held |= days.has(weekday(token));
            }
        }
        !places.is_empty()
    }

    /// What the passage has to reckon with.
    fn reckoning(&self) -> &Reckoning {
        self.reckoning.get_or_init(|| {
            let languages = self.sentence.language.known.unwrap_or_else(|| self.passage.language.or_english());
            Reckoning::new(&self.sentence.tokens, &self.numbers, languages, self.passage, self.overlap.tokens.clone())
        })
    }

    fn contrast(&self) -> Contrast<'_> {
        let (own, other) = (self.sentence.language.known, self.passage.language.known);
        Contrast {
            sentence: &self.sentence.tokens,
            numbers: &self.numbers,
            passage: self.passage,
            overlap: &self.overlap,
            languages: [own.or(other), other.or(own)].map(|known| known.unwrap_or(Languages::ANY)),
        }
    }

    /// Notes what words contradict although its numbers stand in the passage.
    fn note_contrasts(&self, draft: &mut Draft) {
        let contrast = self.contrast();
        if draft.is_in_conflict() || self.passage.rows().touch(&self.overlap.tokens) {
            return;
        }
        let negates = self.overlap.whole >= HALF && denies(contrast.sentence, &self.passage.tokens, contrast.languages);
        if negates {
            draft.fault(ReasonCode::Negation, 0..0);
        }
        for (code, tokens) in contrast.faults() {
            draft.fault(code, self.sentence.range(tokens));
        }
    }

    /// Notes ordinals, days, periods and parts in whose place the best sentence of the passage has others.
    fn note_place_words(&self, draft: &mut Draft) {
        if self.overlap.best < ALIKE || self.passage.rows().touch(&self.overlap.tokens) {
            return;
        }
        let best = &self.passage.tokens[self.overlap.tokens.clone()];
        let other = self.passage.language.or_english();
        let languages = [self.sentence.language.known.unwrap_or(other), other];
        for word in replaced(&self.sentence.tokens, best, languages, self.overlap.best >= NEAR) {
            let code = match word.kind {
                PlaceKind::Weekday(day) if Days::of(best).has(day) => continue,
                PlaceKind::Weekday(_) => ReasonCode::DateDiffers,
                PlaceKind::Ordinal(_) | PlaceKind::Period(_) | PlaceKind::Part(_) | PlaceKind::Times(_) => {
                    ReasonCode::NumberDiffers
                }
            };
            draft.fault(code, self.sentence.range(word.tokens));
        }
    }

    /// The fault of a number that the passage has, but not in this place.
    fn replaced(&self, fact: &Fact) -> Option<ReasonCode> {
        let tokens = &self.sentence.tokens;
        let in_place =
            || amounts::replaced(fact, tokens, self.passage, self.overlap.tokens.clone(), self.overlap.best >= NEAR);
        let in_row = || self.named_rows.have_elsewhere(fact, &self.numbers).then_some(ReasonCode::NumberDiffers);
        if self.overlap.best >= ALIKE { in_place().or_else(in_row) } else { in_row() }
    }

    fn note_names(&self, in_facts: &[bool], draft: &mut Draft) {
        let pair = Pair {
            read: self.sentence,
            sentence: &self.sentence.tokens,
            standings: &self.overlap.standings,
            in_facts,
            passage: self.passage,
            best: self.overlap.tokens.clone(),
            agreement: self.overlap.best,
        };
        for name in missing_names(&pair, self.headings) {
            let range = self.sentence.range(name.token..name.token + 1);
            if name.code == ReasonCode::NameDiffers {
                draft.fault(name.code, range);
            } else {
                draft.note(name.code, range);
            }
        }
    }

    /// Whether only one of this and the best sentence of the passage negates what both say.
    fn contradicts(&self) -> bool {
        // A word that negates may name a row.
        if self.overlap.best < ALIKE || self.passage.rows().touch(&self.overlap.tokens) {
            return false;
        }
        let best = &self.passage.tokens[self.overlap.tokens.clone()];
        let (own, others) = negations(&self.sentence.tokens, best, self.sentence.language);
        let weight = |tokens: &[Token]| tokens.iter().map(Token::weight).sum::<f32>();
        let is_whole = self.overlap.best >= 0.99 && weight(best) < self.sentence.weight * 2.0;
        let is_near = self.overlap.best >= NEAR && weight(best) < self.sentence.weight * 1.25 || is_whole;
        let (fewer, more) = if own < others { (&*self.sentence.tokens, best) } else { (best, &*self.sentence.tokens) };
        let differs = (own == 0) != (others == 0) || is_near && own != others;
        let language = self.sentence.language.known.unwrap_or(Languages::ANY);
        let any = || self.passage.tokens.iter().any(|token| token.negates(language));
        if !differs || says_it_otherwise(fewer, more) || self.contrast().has_other_bound() {
            return false;
        }
        others > 0 || self.overlap.best >= 0.75 || is_near || !any()
    }
}

/// Whether a word before a whole sentence negates it: `No se admiten …`, `不允许…`. In other languages it stands within the sentence.
fn is_negated_whole(before: &Token, language: Language) -> bool {
    let goes_before = ["es", "pt", "it"].iter().any(|code| language.known == Some(WORDS.language(code)));
    let is_character = before.is_ideograph() && matches!(before.first, '不' | '未' | '非');
    is_character || goes_before && before.negates(language.known.unwrap_or_default())
}
