//! Arithmetic of one step: whether a number of a sentence follows from two facts of its passage. Such a number is noted, and raises no
//! alarm: readers reckon for themselves. This file gathers what there is and reckons with time; `arithmetic` reckons with amounts.

use std::sync::LazyLock;

use crate::arithmetic::{Amounts, pairs, ranges};
use crate::date::Date;
use crate::fact::{Amount, Fact, FactKind};
use crate::frequency::is_time;
use crate::passage::Passage;
use crate::phrases::Phrases;
use crate::token::Token;
use crate::words::{Languages, Unit, WORDS};

/// The facts of a passage with which others are reckoned. Of more, those near the sentence that agrees most are taken: many facts give
/// any number.
const MOST: usize = 24;

/// The tokens between a duration and the word that tells from where it counts.
const NEAR: usize = 3;

#[derive(Clone, Copy, PartialEq)]
enum Relative {
    Beside,
    Year,
}

static RELATIVE: LazyLock<Phrases<Relative>> = LazyLock::new(|| {
    Phrases::named(include_str!("tables/relative_times.txt"), &[("beside", Relative::Beside), ("year", Relative::Year)])
});

#[derive(Clone, Copy, PartialEq)]
enum Says {
    Sum,
    Each,
}

static SAYS: LazyLock<Phrases<Says>> =
    LazyLock::new(|| Phrases::named(include_str!("tables/reckoning.txt"), &[("sum", Says::Sum), ("each", Says::Each)]));

/// A duration, in the base unit, and the number of its sentence.
#[derive(Clone, Copy, Debug)]
struct Span {
    length: f64,
    unit: Unit,
    sentence: u32,
}

/// What the passage has to reckon with.
pub(crate) struct Reckoning {
    years: Vec<(f64, u32)>,
    dates: Vec<(Date, u32)>,
    times: Vec<([u16; 2], u32)>,
    spans: Vec<Span>,
    amounts: Amounts,
}

impl Reckoning {
    /// Gathers what a passage has near its best sentence, and what a sentence says of its own numbers.
    pub(crate) fn new(
        sentence: &[Token],
        own: &[Fact],
        languages: Languages,
        passage: &Passage<'_>,
        best: std::ops::Range<usize>,
    ) -> Self {
        let tokens = &passage.tokens;
        let all = passage.facts();
        let number = |at: usize| tokens.get(at).map_or(0, |token| token.sentence);
        let facts = if all.len() <= MOST {
            all
        } else {
            let middle = number(best.start);
            let from = all.partition_point(|fact| number(fact.first) + 1 < middle);
            let to = all.partition_point(|fact| number(fact.first) <= middle + 1).min(from + MOST);
            &all[from..to.max(from)]
        };
        let (mut says_sum, mut says_each) = (false, false);
        for (says, _) in (0..sentence.len()).filter_map(|at| SAYS.at(sentence, at, languages)) {
            *(if says == Says::Sum { &mut says_sum } else { &mut says_each }) = true;
        }
        let mut known = Self {
            years: Vec::new(),
            dates: Vec::new(),
            times: Vec::new(),
            spans: Vec::new(),
            amounts: Amounts {
                known: Vec::new(),
                has_half: passage.values_near(0.5, 0.0).next().is_some()
                    || tokens.iter().any(|token| token.first == '半'),
                ranges: ranges(facts, tokens),
                says_sum,
                says_each,
                from_year_to_month: names_year_and_month(sentence, tokens),
            },
        };
        facts.iter().for_each(|fact| known.add(fact, number(fact.first)));
        known.spans.extend(spans_of_one(tokens, facts, passage.language.or_english(), &best));
        // The years of the sentence itself: "He came in 1935; five years later …"
        own.iter().filter_map(year_of).for_each(|year| known.years.push((year, u32::MAX)));
        known.years.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        known
    }

    fn add(&mut self, fact: &Fact, sentence: u32) {
        if let Some(year) = year_of(fact) {
            self.years.push((year, sentence));
        }
        match fact.kind {
            FactKind::Date(date) => self.dates.push((date, sentence)),
            FactKind::Time(times) => self.times.push((times, sentence)),
            FactKind::Fraction(_) => {}
            FactKind::Amount(amount) if amount.is_year() && amount.unit.is_none() => {}
            FactKind::Amount(amount) => {
                self.amounts.known.push((amount, sentence));
                if let Some(unit) = amount.unit.filter(|unit| is_time(*unit)) {
                    self.spans.push(Span { length: amount.in_base()[0], unit, sentence });
                }
            }
        }
    }

    /// Whether a fact that the passage lacks follows from two that it has.
    pub(crate) fn gives(&self, fact: &Fact) -> bool {
        match fact.kind {
            FactKind::Fraction(_) => false,
            FactKind::Date(date) => self.gives_date(date),
            FactKind::Time(times) => self.gives_time(times),
            FactKind::Amount(amount) => {
                let is_bare = amount.unit.is_none();
                is_bare && (amount.is_year() && self.gives_year(amount.values[0]) || self.gives_age(&amount))
                    || amount.unit.is_some_and(|unit| self.gives_duration(&amount, unit))
                    || self.gives_hour(&amount)
                    || self.amounts.give(&amount)
            }
        }
    }

    /// Whether two counts of the passage give a part of one.
    pub(crate) fn gives_part(&self, part: f64) -> bool {
        self.amounts.give_part(part)
    }

    fn spans_near(&self, sentence: u32) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(move |span| span.sentence.abs_diff(sentence) <= 1 || sentence == u32::MAX)
    }

    /// The years between two, or one less, where a birthday is in between: `aged 74`.
    fn gives_age(&self, amount: &Amount) -> bool {
        let age = amount.values[0];
        let is_it = |years: f64| years == age || years == age + 1.0;
        self.amounts.says_sum
            && (1.0..130.0).contains(&age)
            && pairs(&self.years).any(|(one, other)| is_it((one - other).abs()))
    }

    /// A year and a duration of whole years.
    fn gives_year(&self, year: f64) -> bool {
        self.years.iter().any(|(known, sentence)| {
            let months = (known - year).abs() * 12.0;
            months > 0.0
                && *sentence != u32::MAX
                && self.spans_near(*sentence).any(|span| WORDS.is(span.unit, "month") && span.length == months)
        })
    }

    /// A date and a duration of months or days.
    fn gives_date(&self, date: Date) -> bool {
        if date.month.is_none() {
            return date.year.is_some_and(|year| self.gives_year(f64::from(year)));
        }
        self.dates.iter().any(|(known, sentence)| {
            let months = known.months_to(date).map(i32::abs).map(f64::from);
            let days = known.days_to(date).map(i32::abs).map(f64::from);
            let fits = |span: &Span| {
                if WORDS.is(span.unit, "month") {
                    months == Some(span.length) && (known.day == date.day || date.day.is_none())
                } else {
                    days.is_some_and(|days| (days * DAY - span.length).abs() < 1.0)
                }
            };
            (months != Some(0.0) || days != Some(0.0)) && self.spans_near(*sentence).any(fits)
        })
    }

    /// A time of day and a duration.
    fn gives_time(&self, times: [u16; 2]) -> bool {
        self.times.iter().any(|(known, sentence)| {
            let fits = |span: &Span| {
                let minutes = span.length / 60.0;
                WORDS.is(span.unit, "time")
                    && minutes > 0.0
                    && minutes <= 12.0 * 60.0
                    && known.iter().any(|known| times.iter().any(|time| f64::from(known.abs_diff(*time)) == minutes))
            };
            self.spans_near(*sentence).any(fits)
        })
    }

    /// The same, of an hour that was read as an amount: `22 heures`.
    fn gives_hour(&self, amount: &Amount) -> bool {
        let is_hour = amount.unit.is_some_and(|unit| WORDS.is(unit, "time") && unit.factor == 3600.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 24 hours")]
        let minutes = (amount.values[0].clamp(0.0, 24.0) * 60.0) as u16;
        is_hour && amount.values[0] <= 24.0 && self.gives_time([minutes; 2])
    }

    /// The time between two years, dates or times of day.
    fn gives_duration(&self, amount: &Amount, unit: Unit) -> bool {
        // Of `three hours and ten minutes`, each is a part of the whole.
        let wanted = || amount.in_base().into_iter().chain(amount.whole);
        let is_it = |length: f64| length > 0.0 && wanted().any(|wanted| (length - wanted).abs() < 1e-6);
        if WORDS.is(unit, "month") {
            let years = pairs(&self.years).any(|(one, other)| is_it((one - other).abs() * 12.0));
            let dates = || {
                let mut pairs = pairs(&self.dates);
                pairs.any(|(one, other)| one.months_to(other).is_some_and(|months| is_it(f64::from(months.abs()))))
            };
            return years || dates();
        }
        if !WORDS.is(unit, "time") {
            return false;
        }
        // From Monday to Wednesday are two days, or three.
        let days = |days: i32| is_it(f64::from(days.abs()) * DAY) || is_it(f64::from(days.abs() + 1) * DAY);
        let minutes = |one: [u16; 2], other: [u16; 2]| {
            let minutes = |one: u16, other: u16| is_it(f64::from(one.abs_diff(other)) * 60.0);
            one.iter().any(|one| other.iter().any(|other| minutes(*one, *other)))
        };
        pairs(&self.dates).any(|(one, other)| one.days_to(other).is_some_and(days))
            || pairs(&self.times).any(|(one, other)| minutes(one, other))
    }
}

/// Whether the sentence speaks of a month and the passage of a year alone, or the other way round: `2,000 a month` are 24,000 a year. So
/// many years, and the year 2020, say nothing of that.
fn names_year_and_month(sentence: &[Token], passage: &[Token]) -> bool {
    let names = |tokens: &[Token], months: f64| {
        let is_it = |unit: Unit| WORDS.is(unit, "month") && unit.factor == months;
        let is_number = |at: Option<usize>| {
            let token = at.and_then(|at| tokens.get(at));
            token.is_some_and(|token| token.number(Languages::ANY).is_some())
        };
        tokens.iter().enumerate().any(|(at, token)| {
            let is_named = token.meaning.is_some_and(|word| word.unit.or(word.period).is_some_and(is_it));
            is_named && !is_number(at.checked_sub(1)) && !is_number(Some(at + 1))
        })
    };
    let parts = |one: f64, other: f64| names(sentence, one) && names(passage, other) && !names(passage, one);
    parts(1.0, 12.0) || parts(12.0, 1.0)
}

/// The seconds of a day.
const DAY: f64 = 86_400.0;

fn year_of(fact: &Fact) -> Option<f64> {
    match fact.kind {
        FactKind::Date(date) => date.year.map(f64::from),
        FactKind::Amount(amount) => (amount.unit.is_none() && amount.is_year()).then_some(amount.values[0]),
        FactKind::Fraction(_) | FactKind::Time(_) => None,
    }
}

/// The durations of one unit in words that tell them from another time: `a year later`, `次年`.
fn spans_of_one(tokens: &[Token], facts: &[Fact], languages: Languages, best: &std::ops::Range<usize>) -> Vec<Span> {
    let (Some(first), Some(last)) = (facts.first(), facts.last()) else { return Vec::new() };
    // What stands around the facts, and no more of a long passage.
    let from = first.first.saturating_sub(40).min(best.start);
    let to = (last.end + 40).max(best.end).min(tokens.len());
    let relative = |at: usize| RELATIVE.at(tokens, at, languages);
    let is_beside = |at: usize| relative(at).is_some_and(|(kind, _)| kind == Relative::Beside);
    let year = WORDS.unit_named("year");
    let mut spans = Vec::new();
    for at in from..to {
        let sentence = tokens[at].sentence;
        if relative(at).is_some_and(|(kind, _)| kind == Relative::Year) {
            spans.extend(year.map(|unit| Span { length: unit.factor, unit, sentence }));
        }
        let Some(unit) = tokens[at].meaning.filter(|meaning| !meaning.is_one).and_then(|meaning| meaning.unit) else {
            continue;
        };
        let is_counted = facts.iter().any(|fact| (fact.first..fact.end).contains(&at));
        let is_near = || (at.saturating_sub(NEAR)..at).chain(at + 1..=at + NEAR).any(is_beside);
        // "Half an hour before"
        let part = (1..=2).filter_map(|back| tokens.get(at.checked_sub(back)?)?.meaning?.fraction).next();
        if is_time(unit) && !is_counted && is_near() {
            spans.push(Span { length: unit.factor * part.unwrap_or(1.0), unit, sentence });
        }
    }
    spans
}
