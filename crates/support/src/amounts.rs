//! Holds the amounts, dates and times of a sentence against a passage.

use crate::fact::{Amount, Fact, FactKind};
use crate::passage::{Origin, Passage, Value};
use crate::token::Token;
use crate::verdict::ReasonCode;
use crate::words::WORDS;

/// What is wrong with a fact of a sentence; `None` if the passage holds it.
pub(crate) fn fault(fact: &Fact, sentence: &[Token], passage: &Passage<'_>) -> Option<ReasonCode> {
    match fact.kind {
        // "Half of them" may be said of 120 out of 240.
        FactKind::Fraction(_) => None,
        FactKind::Date(date) => {
            let mut known = passage.facts.iter().filter_map(|fact| match fact.kind {
                FactKind::Date(date) => Some(date),
                FactKind::Amount(_) | FactKind::Fraction(_) | FactKind::Time(_) => None,
            });
            let has_year = date.year.is_none_or(|year| holds_number(passage, f64::from(year)));
            let mut is_any = false;
            if known.any(|other| {
                is_any = true;
                date.agrees(other) && (has_year || other.year == date.year)
            }) {
                return None;
            }
            let is_year_alone = date.day.is_none() && !is_any && has_year && date.year.is_some();
            let differs = if is_any { ReasonCode::DateDiffers } else { ReasonCode::DateMissing };
            (!is_year_alone).then_some(differs)
        }
        FactKind::Time(times) => {
            let holds = passage.facts.iter().any(|fact| match fact.kind {
                FactKind::Time(known) => known.iter().any(|known| times.contains(known)),
                FactKind::Amount(_) | FactKind::Fraction(_) | FactKind::Date(_) => false,
            });
            let is_hour = times.iter().any(|time| time % 60 == 0 && holds_number(passage, f64::from(time / 60)));
            (!holds && !is_hour).then_some(ReasonCode::TimeMissing)
        }
        FactKind::Amount(amount) => amount_fault(&amount, fact, sentence, passage),
    }
}

fn holds_number(passage: &Passage<'_>, value: f64) -> bool {
    passage.values_near(value, 0.0).next().is_some()
}

/// How the passage holds an amount.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    No,
    /// The number stands there with another unit.
    OtherUnit,
    Yes,
}

fn amount_fault(amount: &Amount, fact: &Fact, sentence: &[Token], passage: &Passage<'_>) -> Option<ReasonCode> {
    let held = amount.values.iter().map(|value| held(amount, *value, passage)).max().unwrap_or(Held::No);
    let held = if held == Held::No && is_rounded(amount, passage) { Held::Yes } else { held };
    match held {
        Held::Yes if has_other_word_behind(amount, fact, sentence, passage) => Some(ReasonCode::UnitDiffers),
        Held::Yes => None,
        Held::OtherUnit => Some(ReasonCode::UnitDiffers),
        // Another group of the number makes it whole.
        Held::No if amount.joined.is_some_and(|joined| holds_number(passage, joined)) => None,
        // A word for a number stands there, where it was not read as one.
        Held::No if amount.significant.is_none() && passage.words.contains_key(&sentence[fact.first].full) => None,
        Held::No => Some(ReasonCode::NumberMissing),
    }
}

/// How the passage holds one reading of an amount.
fn held(amount: &Amount, value: f64, passage: &Passage<'_>) -> Held {
    let sign_fits = |known: &&Value| !amount.is_negative || known.is_negative;
    if let Some(unit) = amount.unit {
        let in_base = value * unit.factor;
        let mut near = passage.values_near(in_base, in_base.abs() * 1e-6).filter(sign_fits);
        let is_converted =
            near.any(|known| matches!(known.origin, Origin::Converted(other) if other.dimension == unit.dimension));
        let is_part = WORDS.is(unit, "share")
            && passage.values_near(in_base, 0.005).any(|known| known.origin == Origin::Fraction);
        if is_converted || is_part {
            return Held::Yes;
        }
    }
    let held = passage.values_near(value, 0.0).filter(sign_fits).map(|known| match (known.origin, amount.unit) {
        (Origin::Written(Some(_)), Some(_)) => Held::OtherUnit,
        (Origin::Written(_), _) | (Origin::Fraction | Origin::DatePart, None) => Held::Yes,
        // "31 days" and "31 March" are two things.
        (Origin::Converted(_), _) | (Origin::Fraction | Origin::DatePart, Some(_)) => Held::No,
    });
    held.max().unwrap_or(Held::No)
}

/// Whether the passage has the number with more digits, and the sentence says that its own is rounded.
fn is_rounded(amount: &Amount, passage: &Passage<'_>) -> bool {
    let digits = amount.significant.unwrap_or(1).clamp(1, 6);
    let may_be = amount.is_about || amount.is_decimal && digits >= 2;
    may_be
        && amount.values.iter().any(|value| {
            let magnitude = value.abs().max(1e-9).log10().floor();
            let within = 10_f64.powf(magnitude - f64::from(digits) + 1.0) * 0.5001;
            let fits = |known: &Value| match (amount.unit, known.origin.unit()) {
                (Some(unit), Some(other)) => unit.dimension == other.dimension,
                (None, _) | (_, None) => true,
            };
            let factor = amount.factor();
            passage.values_near(*value, within).any(fits)
                || amount.unit.is_some()
                    && passage
                        .values_near(value * factor, within * factor)
                        .any(|known| known.origin.unit().is_some() && fits(known))
        })
}

/// Whether the same number stands once in the passage, and neither side knows the word behind the other's: `30 days` and
/// `30 desks`.
fn has_other_word_behind(amount: &Amount, fact: &Fact, sentence: &[Token], passage: &Passage<'_>) -> bool {
    let number = &sentence[fact.first];
    let is_content = |token: &&Token| token.is_word() && token.weight() > 0.0;
    let own_at = if amount.unit.is_some() { fact.end - 1 } else { fact.end };
    let Some(own) = sentence.get(own_at).filter(is_content).filter(|own| own.start <= number.end + 16) else {
        return false;
    };
    if passage.stems.contains(&own.stem) || passage.words.get(&number.full) != Some(&1) {
        return false;
    }
    let is_it = |known: &&Fact| passage.tokens[known.first].full == number.full;
    let other = passage.facts.iter().find(is_it).and_then(|known| match known.kind {
        FactKind::Amount(Amount { unit: None, .. }) => passage.tokens.get(known.end).filter(is_content),
        FactKind::Amount(_) | FactKind::Fraction(_) | FactKind::Date(_) | FactKind::Time(_) => None,
    });
    let Some(other) = other else { return false };
    let is_unit = |token: &Token| token.meaning.is_some_and(|meaning| meaning.unit.is_some());
    // A unit of one side beside a word that is none: both being none are two words for one thing.
    let one_is_unit = is_unit(own) != is_unit(other);
    one_is_unit && !sentence.iter().any(|token| token.stem == other.stem)
}
