//! How often something happens: `twice a year`, `six fois dans l'année`, `年に2回`.

use std::sync::LazyLock;

use crate::cjk;
use crate::phrases::Phrases;
use crate::token::Token;
use crate::words::{Languages, Meaning, Unit, WORDS};

/// So many times in a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frequency {
    pub(crate) times: f64,
    pub(crate) unit: Unit,
}

impl Frequency {
    /// The time from one to the next, in the base unit.
    pub(crate) fn interval(self) -> f64 {
        self.unit.factor / self.times
    }
}

/// The tokens between the number of times and the time.
const MOST_BETWEEN: usize = 3;

/// Words that say of which weeks, months or days one speaks: each of them.
static EACH: LazyLock<Phrases<()>> = LazyLock::new(|| Phrases::named(include_str!("tables/each.txt"), &[("each", ())]));

/// Words for a whole time: `day and night`.
static WHOLE: LazyLock<Phrases<f64>> =
    LazyLock::new(|| Phrases::read(include_str!("tables/whole_times.txt"), |seconds| seconds.parse().ok()));

/// Whether a unit is one of time.
pub(crate) fn is_time(unit: Unit) -> bool {
    WORDS.is(unit, "time") || WORDS.is(unit, "month")
}

/// The frequency that a token begins to say.
pub(crate) fn frequency(tokens: &[Token], at: usize, languages: Languages) -> Option<Frequency> {
    let token = tokens.get(at)?;
    let may_count =
        |meaning: &Meaning| meaning.times.is_some() || meaning.is_one || meaning.numbers[0].0 != Languages::default();
    if token.numeral().is_none() && !token.meaning.is_some_and(may_count) && !cjk::may_be_number(token) {
        return None;
    }
    let times_of = |at: usize| tokens.get(at).and_then(|token| token.meaning).and_then(|meaning| meaning.times);
    let (times, behind) = match times_of(at) {
        Some(times) if times > 0 => (f64::from(times), at + 1),
        _ if times_of(at + 1) == Some(0) => (token.number(languages).or_else(|| one(token))?, at + 2),
        _ => return in_characters(tokens, at),
    };
    let unit_at = |at: usize| {
        let meaning = tokens.get(at)?.meaning.filter(|meaning| !meaning.is_one)?;
        meaning.period.or(meaning.unit).filter(|unit| is_time(*unit))
    };
    let says_nothing = |at: &usize| tokens.get(*at).is_some_and(|token| token.weight() == 0.0 && !token.is('.'));
    let last = (behind..behind + MOST_BETWEEN).find(|at| !says_nothing(at)).unwrap_or(behind + MOST_BETWEEN);
    let unit = (behind..=last).find_map(unit_at)?;
    (times > 0.0).then_some(Frequency { times, unit })
}

/// The time in which a sentence says that there is a number of things: `seis reuniones al año`.
pub(crate) fn time_beside(tokens: &[Token], number: usize) -> Option<Unit> {
    (number + 2..tokens.len()).find_map(|at| rate(tokens, at))
}

fn one(token: &Token) -> Option<f64> {
    token.meaning.is_some_and(|meaning| meaning.is_one).then_some(1.0)
}

/// `年に2回`, `1日3回`, `每天两次`: the time stands before the number.
fn in_characters(tokens: &[Token], at: usize) -> Option<Frequency> {
    let (times, end) = cjk::value(tokens, at).filter(|(times, _)| *times > 0.0)?;
    if !tokens.get(end).is_some_and(|token| matches!(token.first, '回' | '次' | '度' | '本' | '便' | '班' | '趟'))
    {
        return None;
    }
    // The longest one: half a year is a unit as well.
    let unit_before = |back: usize| {
        let from = at.checked_sub(back)?;
        let is_month =
            tokens[from].first == '月' && !from.checked_sub(1).is_some_and(|before| cjk::is_digit(&tokens[before]));
        let month = || WORDS.unit_named("month").filter(|_| is_month).map(|unit| (unit, from + 1));
        let (unit, behind) = cjk::unit(tokens, from).or_else(month)?;
        (behind <= at && at - behind <= 1 && is_time(unit)).then_some(unit)
    };
    let unit = (1..=4).rev().find_map(unit_before)?;
    Some(Frequency { times, unit })
}

/// Words between an amount and the time in which it is.
static PER: LazyLock<Phrases<()>> = LazyLock::new(|| Phrases::named(include_str!("tables/each.txt"), &[("per", ())]));

/// The time of a rate that begins behind an amount: `40 litres per minute`, `25 km/h`, `10 € im Monat`.
pub(crate) fn rate(tokens: &[Token], at: usize) -> Option<Unit> {
    let is_slash = tokens.get(at).is_some_and(|token| token.is('/'));
    let end = if is_slash { at + 1 } else { PER.at(tokens, at, Languages::ANY)?.1 };
    let unit = |at: usize| {
        tokens.get(at)?.meaning.and_then(|meaning| meaning.period.or(meaning.unit)).filter(|unit| is_time(*unit))
    };
    unit(end)
}

/// Whether words for each of something end before a token.
pub(crate) fn is_behind_each(tokens: &[Token], at: usize, languages: Languages) -> bool {
    (1..=2)
        .filter_map(|back| at.checked_sub(back))
        .any(|from| EACH.at(tokens, from, languages).is_some_and(|(_, end)| end == at))
}

/// The time between two of which each second, third and so on is meant: two weeks of `every second Tuesday`, but none of `every second
/// Tuesday of the month`.
pub(crate) fn each_ordinal(tokens: &[Token], at: usize, languages: Languages) -> Option<(f64, Unit)> {
    let meaning = |at: usize| tokens.get(at).and_then(|token| token.meaning);
    let place = meaning(at).map(|meaning| meaning.ordinal).filter(|place| *place > 1)?;
    if !is_behind_each(tokens, at, languages) {
        return None;
    }
    let next = meaning(at + 1)?;
    let is_of_month = (at + 2..at + 6)
        .filter_map(|at| tokens.get(at))
        .take_while(|token| !token.is_mark())
        .any(|token| token.meaning.and_then(|meaning| meaning.unit).is_some_and(|unit| WORDS.is(unit, "month")));
    let unit = if next.weekday > 0 { WORDS.unit_named("week").filter(|_| !is_of_month) } else { next.unit }?;
    is_time(unit).then(|| (f64::from(place) * unit.factor, unit))
}

/// The seconds of a time that a phrase says as a whole.
pub(crate) fn whole_time(tokens: &[Token], at: usize, languages: Languages) -> Option<(f64, Unit)> {
    tokens.get(at)?.meaning.filter(|meaning| meaning.begins_time)?;
    let (seconds, _) = WHOLE.at(tokens, at, languages)?;
    WORDS.unit_named("second").map(|unit| (seconds, unit))
}
