//! Holds the amounts, dates and times of a sentence against a passage.

use std::ops::Range;

use crate::decade::is_decade;
use crate::fact::{Amount, Fact, FactKind};
use crate::fold::hash_of;
use crate::frequency::{Frequency, frequency, time_beside};
use crate::passage::Passage;
use crate::rounding::{may_be_rounded, within};
use crate::sentence::Standing;
use crate::slot::Slot;
use crate::token::Token;
use crate::value::{Origin, Value};
use crate::verdict::ReasonCode;
use crate::words::{Languages, Unit, WORDS};

/// What is wrong with a fact of a sentence; `None` if the passage holds it.
pub(crate) fn fault(
    fact: &Fact,
    sentence: &[Token],
    standings: &[Standing],
    passage: &Passage<'_>,
) -> Option<ReasonCode> {
    match fact.kind {
        // "Half of them" may be said of 120 out of 240.
        FactKind::Fraction(_) => None,
        FactKind::Date(date) => {
            let mut known = passage.facts().iter().filter_map(|fact| match fact.kind {
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
            let holds = passage.facts().iter().any(|fact| match fact.kind {
                FactKind::Time(known) => known.iter().any(|known| times.contains(known)),
                FactKind::Amount(_) | FactKind::Fraction(_) | FactKind::Date(_) => false,
            });
            let is_hour = times.iter().any(|time| time % 60 == 0 && holds_number(passage, f64::from(time / 60)));
            // `18 h` was read as an amount.
            let is_as_long = || times.iter().any(|time| holds_seconds(passage, f64::from(*time) * 60.0));
            // "At noon" may be a name for the time of the meal.
            let is_any = passage.facts().iter().any(|known| matches!(known.kind, FactKind::Time(_)));
            let is_in_words = sentence[fact.first].numeral().is_none() && !is_any;
            (!holds && !is_hour && !is_in_words && !is_as_long()).then_some(ReasonCode::TimeMissing)
        }
        FactKind::Amount(amount) => amount_fault(&amount, fact, sentence, standings, passage),
    }
}

/// Whether the passage has two amounts of a sentence as one.
fn holds_whole(amount: &Amount, whole: f64, passage: &Passage<'_>) -> bool {
    let is_it = |known: &Value| match (known.origin, amount.unit) {
        (Origin::Converted(other), Some(unit)) => other.dimension == unit.dimension,
        _ => false,
    };
    passage.values_near(whole, whole.abs() * 1e-6).any(is_it)
}

fn holds_seconds(passage: &Passage<'_>, seconds: f64) -> bool {
    let is_time = |known: &Value| matches!(known.origin, Origin::Converted(unit) if WORDS.is(unit, "time"));
    passage.values_near(seconds, 0.0).any(is_time)
}

fn holds_number(passage: &Passage<'_>, value: f64) -> bool {
    passage.values_near(value, 0.0).next().is_some()
}

/// Words before the number of a version.
const VERSIONS: [u64; 6] = [
    hash_of("version"),
    hash_of("release"),
    hash_of("firmware"),
    hash_of("versione"),
    hash_of("versao"),
    hash_of("wersja"),
];

/// How the passage holds an amount.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    No,
    /// The number stands there with another unit.
    OtherUnit,
    Yes,
}

fn amount_fault(
    amount: &Amount,
    fact: &Fact,
    sentence: &[Token],
    standings: &[Standing],
    passage: &Passage<'_>,
) -> Option<ReasonCode> {
    let held = amount.values.iter().map(|value| held(amount, *value, passage)).max().unwrap_or(Held::No);
    let held = if held == Held::No && is_rounded(amount, passage) { Held::Yes } else { held };
    match held {
        Held::Yes if is_other_version(amount, fact, sentence, standings) => Some(ReasonCode::NumberDiffers),
        Held::Yes if has_other_word_behind(amount, fact, sentence, standings, passage) => Some(ReasonCode::UnitDiffers),
        Held::Yes => None,
        Held::OtherUnit => Some(ReasonCode::UnitDiffers),
        Held::No if is_day_and_month(amount, passage) => None,
        Held::No if is_hour_of_day(amount, fact, sentence, passage) => None,
        Held::No if amount.whole.is_some_and(|whole| holds_whole(amount, whole, passage)) => None,
        // Another group of the number makes it whole.
        Held::No if amount.joined.is_some_and(|joined| holds_number(passage, joined)) => None,
        Held::No if is_interval(fact, sentence, passage) => None,
        Held::No if is_decade(fact, sentence, passage) => None,
        // A word for a number stands there, where it was not read as one.
        Held::No if amount.significant.is_none() && standings[fact.first].times > 0 => None,
        Held::No => Some(ReasonCode::NumberMissing),
    }
}

/// Whether an amount says how often, and the passage how much time is between: `twice a year` and `every six months`.
fn is_interval(fact: &Fact, sentence: &[Token], passage: &Passage<'_>) -> bool {
    let FactKind::Amount(amount) = fact.kind else { return false };
    let many = || {
        let unit = time_beside(sentence, fact.first).filter(|_| amount.unit.is_none() && amount.values[0] > 1.0)?;
        Some(Frequency { times: amount.values[0], unit })
    };
    // A sentence is read in its own language, in which its number was one.
    frequency(sentence, fact.first, Languages::ANY).or_else(many).is_some_and(|often| {
        let interval = often.interval();
        let is_time =
            |known: &Value| matches!(known.origin, Origin::Converted(unit) if unit.dimension == often.unit.dimension);
        passage.values_near(interval, interval * 1e-6).any(is_time)
    })
}

/// Whether a number of a version stands nowhere as it is written: 3.1 is not 3.10.
fn is_other_version(amount: &Amount, fact: &Fact, sentence: &[Token], standings: &[Standing]) -> bool {
    let before = fact.first.checked_sub(1).and_then(|before| sentence.get(before));
    let is_version = before.is_some_and(|word| VERSIONS.contains(&word.full));
    is_version && amount.is_decimal && standings[fact.first].times == 0
}

/// Whether an amount is a day and a month of the passage: `5.8.` of the fifth of August.
fn is_day_and_month(amount: &Amount, passage: &Passage<'_>) -> bool {
    let value = amount.values[1];
    let is_it = |known: &Fact| match known.kind {
        FactKind::Date(date) => date.day.zip(date.month).is_some_and(|(day, month)| {
            let (day, month) = (f64::from(day), f64::from(month));
            [10.0, 100.0].iter().any(|places| (day + month / places - value).abs() < 1e-9)
        }),
        FactKind::Amount(_) | FactKind::Fraction(_) | FactKind::Time(_) => false,
    };
    amount.is_decimal && amount.unit.is_none() && passage.facts().iter().any(is_it)
}

/// Whether an amount may be the time of day that the passage says: `14 h` for `14:00`, `at six` for `6 pm`.
fn is_hour_of_day(amount: &Amount, fact: &Fact, sentence: &[Token], passage: &Passage<'_>) -> bool {
    let is_hours = amount.unit.is_some_and(|unit| WORDS.is(unit, "time") && unit.factor == 3600.0);
    let is_light = |at: usize| sentence.get(at).is_none_or(|token| token.weight() == 0.0);
    // A number that counts something stands before its name.
    // Words such as `e mezza` make a part of an hour.
    let is_in_words = amount.significant.is_none();
    let may_be_hour = amount.unit.is_none() && (!amount.is_decimal || is_in_words) && amount.values[0] < 13.0;
    let is_bare = may_be_hour && is_light(fact.end);
    let is_behind_preposition = fact.first.checked_sub(1).is_some_and(|at| !sentence[at].is_mark() && is_light(at));
    let minutes = amount.values[0] * 60.0;
    let is_it = |time: &u16| f64::from(*time) == minutes || is_bare && f64::from(*time) == minutes + 720.0;
    (is_hours || is_bare && (is_behind_preposition || amount.is_decimal))
        && passage.facts().iter().any(|known| matches!(known.kind, FactKind::Time(times) if times.iter().any(is_it)))
}

/// How the passage holds one reading of an amount.
fn held(amount: &Amount, value: f64, passage: &Passage<'_>) -> Held {
    let is_degrees = amount.unit.is_some_and(|unit| ["celsius", "fahrenheit"].iter().any(|it| WORDS.is(unit, it)));
    // A length of 10 may be that of -10, a temperature is another one.
    let sign_fits = |known: &&Value| known.is_negative == amount.is_negative || known.is_negative && !is_degrees;
    for unit in [amount.unit, amount.other_unit].into_iter().flatten() {
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
        (Origin::Written(_), _) | (Origin::Fraction | Origin::DatePart | Origin::Loose, None) => Held::Yes,
        // "31 days" and "31 March" are two things.
        (Origin::Converted(_), _) | (Origin::Fraction | Origin::DatePart | Origin::Loose, Some(_)) => Held::No,
    });
    held.max().unwrap_or(Held::No)
}

/// Whether the passage has the number with more digits, and the sentence says that its own is rounded.
fn is_rounded(amount: &Amount, passage: &Passage<'_>) -> bool {
    may_be_rounded(amount)
        && amount.values.iter().any(|value| {
            let within = within(amount, *value);
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
fn has_other_word_behind(
    amount: &Amount,
    fact: &Fact,
    sentence: &[Token],
    standings: &[Standing],
    passage: &Passage<'_>,
) -> bool {
    let number = &sentence[fact.first];
    let is_content = |token: &&Token| token.is_word() && token.weight() > 0.0;
    let own_at = if amount.unit.is_some() { fact.end - 1 } else { fact.end };
    let Some(own) = sentence.get(own_at).filter(is_content).filter(|own| own.start <= number.end + 16) else {
        return false;
    };
    if standings[own_at].has_stem || standings[fact.first].times != 1 {
        return false;
    }
    let is_it = |known: &&Fact| passage.tokens[known.first].full == number.full;
    let other = passage.facts().iter().find(is_it).and_then(|known| match known.kind {
        FactKind::Amount(Amount { unit: None, .. }) => passage.tokens.get(known.end).filter(is_content),
        FactKind::Amount(_) | FactKind::Fraction(_) | FactKind::Date(_) | FactKind::Time(_) => None,
    });
    let Some(other) = other else { return false };
    let is_unit = |token: &Token| token.meaning.is_some_and(|meaning| meaning.unit.is_some());
    // A unit of one side beside a word that is none: both being none are two words for one thing.
    let one_is_unit = is_unit(own) != is_unit(other);
    one_is_unit && !sentence.iter().any(|token| token.stem == other.stem)
}

/// Whether these facts lack one of a part of a passage that is of the kind of a fact, and stands between the same words.
pub(crate) fn lacks_one_of(
    fact: &Fact,
    facts: &[Fact],
    sentence: &[Token],
    passage: &Passage<'_>,
    tokens: &Range<usize>,
    is_near: bool,
) -> bool {
    let slot = Slot::of(sentence, fact.first..fact.end);
    let best = &passage.tokens[tokens.clone()];
    let is_in_place = |known: &Fact| {
        let place = known.first - tokens.start..known.end.min(tokens.end) - tokens.start;
        slot.fits(best, place.clone()) || is_near && slot.touches(best, place)
    };
    let from = passage.facts().partition_point(|known| known.first < tokens.start);
    let to = passage.facts().partition_point(|known| known.first < tokens.end);
    let is_of_kind = |known: &Fact| match (fact.kind, known.kind) {
        (FactKind::Amount(one), FactKind::Amount(other)) => match (one.unit, other.unit) {
            (Some(one), Some(other)) => one.dimension == other.dimension,
            (one, other) => one.is_none() && other.is_none(),
        },
        (FactKind::Date(_), FactKind::Date(_)) | (FactKind::Time(_), FactKind::Time(_)) => true,
        _ => false,
    };
    let is_same = |own: &Fact, known: &Fact| match (own.kind, known.kind) {
        (FactKind::Amount(amount), FactKind::Amount(_)) => is_same_number(&amount, known),
        (FactKind::Date(own), FactKind::Date(known)) => own.agrees(known),
        (FactKind::Time(own), FactKind::Time(known)) => own.iter().any(|time| known.contains(time)),
        _ => false,
    };
    let known = passage.facts().get(from..to).unwrap_or_default().iter().take(MOST_IN_PLACE);
    let own = || facts.iter().take(MOST_IN_PLACE);
    known.filter(|known| is_of_kind(known) && is_in_place(known)).any(|known| !own().any(|own| is_same(own, known)))
}

/// How many of these facts stand in a part of a passage, given in tokens.
pub(crate) fn in_common(facts: &[Fact], passage: &Passage<'_>, tokens: &Range<usize>) -> usize {
    let from = passage.facts().partition_point(|known| known.first < tokens.start);
    let to = passage.facts().partition_point(|known| known.first < tokens.end);
    let known = passage.facts().get(from..to).unwrap_or_default();
    let is_known = |fact: &&Fact| match fact.kind {
        FactKind::Amount(amount) => known.iter().take(MOST_IN_PLACE).any(|known| is_same_number(&amount, known)),
        FactKind::Fraction(_) | FactKind::Date(_) | FactKind::Time(_) => false,
    };
    facts.iter().take(MOST_IN_PLACE).filter(is_known).count()
}

/// The facts of a sentence among which another one is looked for in the place of a number. A list of more says nothing about places.
const MOST_IN_PLACE: usize = 48;

/// The difference to another amount, if the best sentence of the passage has one between the very words around this amount.
pub(crate) fn replaced(
    fact: &Fact,
    sentence: &[Token],
    passage: &Passage<'_>,
    best: Range<usize>,
    is_near: bool,
) -> Option<ReasonCode> {
    let FactKind::Amount(amount) = fact.kind else { return None };
    let slot = Slot::of(sentence, fact.first..fact.end);
    let tokens = &passage.tokens[best.clone()];
    if !(is_near || slot.is_telling()) {
        return None;
    }
    let from = passage.facts().partition_point(|known| known.first < best.start);
    let to = passage.facts().partition_point(|known| known.first < best.end);
    if to.saturating_sub(from) > MOST_IN_PLACE {
        return None;
    }
    // "Every 12 months" is "annually".
    let is_period = |unit: &Unit| {
        let in_base = amount.in_base();
        amount.unit.is_some_and(|own| own.dimension == unit.dimension) && in_base.contains(&unit.factor)
    };
    if tokens.iter().any(|token| token.meaning.and_then(|meaning| meaning.period).is_some_and(|unit| is_period(&unit)))
    {
        return None;
    }
    // "80 minutes" is "1 hour 20 minutes".
    let is_whole = |known: &Fact| {
        let same = |whole: f64, unit: Unit| {
            amount.in_base().contains(&whole) && amount.unit.is_some_and(|own| own.dimension == unit.dimension)
        };
        matches!(known.kind, FactKind::Amount(Amount { whole: Some(whole), unit: Some(unit), .. }) if same(whole, unit))
    };
    if passage.facts()[from..to.max(from)].iter().any(is_whole) {
        return None;
    }
    let mut differs = None;
    let facts = &passage.facts()[from..to.max(from)];
    // A number that stands elsewhere in the sentence may have been said in another order.
    if !is_near && facts.iter().any(|known| is_same_number(&amount, known)) {
        return None;
    }
    for known in facts.iter().filter(|known| known.end <= best.end) {
        if !slot.fits(tokens, known.first - best.start..known.end - best.start) {
            continue;
        }
        let FactKind::Amount(other) = known.kind else { return None };
        differs = Some(difference(&amount, &other)?);
    }
    differs
}

/// The numbers of a passage that are the same as one of a sentence, with the same unit.
pub(crate) fn same_numbers(fact: &Fact, passage: &Passage<'_>) -> impl Iterator<Item = Fact> {
    let kind = fact.kind;
    let is_same = move |known: &&Fact| matches!(kind, FactKind::Amount(amount) if is_same_number(&amount, known));
    passage.facts().iter().filter(is_same).copied()
}

fn is_same_number(amount: &Amount, known: &Fact) -> bool {
    let is_unit = |other: &Amount| match (amount.unit, other.unit) {
        (Some(own), Some(other)) => own.dimension == other.dimension && own.factor == other.factor,
        (None, _) | (_, None) => amount.unit.is_none() && other.unit.is_none(),
    };
    matches!(known.kind, FactKind::Amount(other) if is_unit(&other) && amount.values.iter().any(|value| other.values.contains(value)))
}

/// How two amounts differ; `None` if they may be one.
fn difference(one: &Amount, other: &Amount) -> Option<ReasonCode> {
    let is_same = |one: [f64; 2], other: [f64; 2]| {
        one.iter().any(|one| other.iter().any(|other| (one - other).abs() <= one.abs() * 1e-6))
    };
    let is_vague = one.is_about || other.is_about || one.joined.is_some() || other.joined.is_some();
    let is_rounded = one.is_decimal != other.is_decimal;
    let has_value = is_same(one.values, other.values);
    match (one.unit, other.unit) {
        (Some(unit), Some(known)) if unit.dimension == known.dimension => {
            let differs = !is_same(one.in_base(), other.in_base());
            let code = if has_value { ReasonCode::UnitDiffers } else { ReasonCode::NumberDiffers };
            (differs && !is_vague && !is_rounded).then_some(code)
        }
        (Some(_), Some(_)) if one.other_unit.is_some() || other.other_unit.is_some() => None,
        (Some(_), Some(_)) => has_value.then_some(ReasonCode::UnitDiffers),
        (None, _) | (_, None) => (!has_value && !is_vague && !is_rounded).then_some(ReasonCode::NumberDiffers),
    }
}
