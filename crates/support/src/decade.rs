//! Decades: `the 1980s`, `die 1980er`, `les années 1980`, `1980年代`.

use crate::fact::{Fact, FactKind};
use crate::fold::hash_of;
use crate::frequency::is_time;
use crate::passage::Passage;
use crate::token::Token;

/// The digits of a year: with an ending it is a decade.
const DIGITS: u8 = 4;

/// The endings behind the first year of a decade that a hyphen parts from it: `1980-talet`.
const BEHIND: [u64; 5] = [hash_of("er"), hash_of("ern"), hash_of("talet"), hash_of("tallet"), hash_of("erne")];

/// The words for years before the first year of a decade: `les années 1980`.
const BEFORE: [u64; 6] =
    [hash_of("annees"), hash_of("anni"), hash_of("anos"), hash_of("jaren"), hash_of("lat"), hash_of("latach")];

/// Whether a number is the first year of a decade of which the passage has a year.
pub(crate) fn is_decade(fact: &Fact, sentence: &[Token], passage: &Passage<'_>) -> bool {
    let FactKind::Amount(amount) = fact.kind else { return false };
    let year = amount.values[0];
    // `1980er Jahre` are no count of years.
    if amount.unit.is_some_and(|unit| !is_time(unit)) || !(1000.0..3000.0).contains(&year) || year % 10.0 != 0.0 {
        return false;
    }
    let behind = sentence.get(fact.first + 1..).unwrap_or_default();
    let has_ending = sentence[fact.first].letters > DIGITS;
    let is_joined = behind.first().is_some_and(|mark| mark.is('-') && mark.start == sentence[fact.first].end);
    let is_ending = has_ending || is_joined && behind.get(1).is_some_and(|token| BEHIND.contains(&token.full));
    let is_character =
        behind.first().is_some_and(|token| token.is('年')) && behind.get(1).is_some_and(|token| token.is('代'));
    let is_named = fact.first.checked_sub(1).is_some_and(|before| BEFORE.contains(&sentence[before].full));
    let is_within = |known: f64| (year..year + 10.0).contains(&known);
    let has_year = |known: &Fact| match known.kind {
        FactKind::Date(date) => date.year.is_some_and(|known| is_within(f64::from(known))),
        FactKind::Amount(amount) => amount.unit.is_none() && amount.is_year() && is_within(amount.values[0]),
        FactKind::Fraction(_) | FactKind::Time(_) => false,
    };
    (is_ending || is_character || is_named) && passage.facts().iter().any(has_year)
}
