//! Arithmetic of one step: whether a number of a sentence follows from two facts of its passage. Such a number is noted, and raises no
//! alarm: readers reckon for themselves.

use std::sync::LazyLock;

use crate::date::Date;
use crate::fact::{Amount, Fact, FactKind};
use crate::facts::is_year;
use crate::passage::Passage;
use crate::phrases::Phrases;
use crate::rounding::slack;
use crate::token::Token;
use crate::words::{Languages, Unit, WORDS};

/// The facts of a passage with which others are reckoned. Of more, those near the sentence that agrees most are taken: many facts give
/// any number.
const MOST: usize = 24;

/// The amounts of one dimension of which two give another one.
const MOST_OF_A_KIND: usize = 8;

/// The tokens between a duration and the word that tells from where it counts.
const NEAR: usize = 3;

#[derive(Clone, Copy, PartialEq)]
enum Relative {
    Beside,
    Year,
}

static RELATIVE: LazyLock<Phrases<Relative>> = LazyLock::new(|| {
    Phrases::read(include_str!("tables/relative_times.txt"), |name| match name {
        "beside" => Some(Relative::Beside),
        "year" => Some(Relative::Year),
        _ => None,
    })
});

#[derive(Clone, Copy, PartialEq)]
enum Says {
    Sum,
    Each,
}

static SAYS: LazyLock<Phrases<Says>> = LazyLock::new(|| {
    Phrases::read(include_str!("tables/reckoning.txt"), |name| match name {
        "sum" => Some(Says::Sum),
        "each" => Some(Says::Each),
        _ => None,
    })
});

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
    amounts: Vec<(Amount, u32)>,
    has_share: bool,
    has_half: bool,
    /// Ranges in the base unit.
    ranges: Vec<(f64, f64, Unit)>,
    says_sum: bool,
    says_each: bool,
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
        let says = |what: Says| {
            (0..sentence.len()).any(|at| SAYS.at(sentence, at, languages).is_some_and(|(says, _)| says == what))
        };
        let mut known = Self {
            years: Vec::new(),
            dates: Vec::new(),
            times: Vec::new(),
            spans: Vec::new(),
            amounts: Vec::new(),
            has_share: false,
            has_half: passage.values_near(0.5, 0.0).next().is_some(),
            ranges: ranges(facts, tokens),
            says_sum: says(Says::Sum),
            says_each: says(Says::Each),
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
            FactKind::Amount(amount) if is_year(&amount) && amount.unit.is_none() => {}
            FactKind::Amount(amount) => {
                self.amounts.push((amount, sentence));
                self.has_share |= amount.unit.is_some_and(|unit| WORDS.is(unit, "share"));
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
                is_bare && is_year(&amount) && self.gives_year(amount.values[0])
                    || amount.unit.is_some_and(|unit| self.gives_duration(&amount, unit))
                    || self.is_in_range(&amount)
                    || self.gives_share(&amount)
                    || self.gives_amount(&amount)
            }
        }
    }

    fn spans_near(&self, sentence: u32) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(move |span| span.sentence.abs_diff(sentence) <= 1 || sentence == u32::MAX)
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

    /// The time between two years, dates or times of day.
    fn gives_duration(&self, amount: &Amount, unit: Unit) -> bool {
        let is_it = |length: f64| amount.in_base().iter().any(|wanted| length > 0.0 && (length - wanted).abs() < 1e-6);
        if WORDS.is(unit, "month") {
            let years = self.pairs(&self.years).any(|(one, other)| is_it((one - other).abs() * 12.0));
            let dates = || {
                let mut pairs = self.pairs(&self.dates);
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
        self.pairs(&self.dates).any(|(one, other)| one.days_to(other).is_some_and(days))
            || self.pairs(&self.times).any(|(one, other)| minutes(one, other))
    }

    /// Pairs of facts, if there are few.
    fn pairs<T: Copy>(&self, facts: &[(T, u32)]) -> impl Iterator<Item = (T, T)> {
        let facts: Vec<T> = facts.iter().take(MOST_OF_A_KIND).map(|(fact, _)| *fact).collect();
        let count = facts.len();
        (0..count)
            .flat_map(move |at| (at + 1..count).map(move |next| (at, next)))
            .map(move |(at, next)| (facts[at], facts[next]))
    }

    /// Whether a range of the passage has an amount: a parcel of 3 kg costs what one of 2 to 5 kg does.
    fn is_in_range(&self, amount: &Amount) -> bool {
        let Some(unit) = amount.unit.filter(|unit| !WORDS.is(*unit, "share")) else { return false };
        let holds = |least: f64, most: f64| amount.in_base().iter().any(|value| (least..=most).contains(value));
        self.ranges.iter().any(|(least, most, of)| of.dimension == unit.dimension && holds(*least, *most))
    }

    /// The share that one count is of another one. Where the passage speaks of shares itself, they are those.
    fn gives_share(&self, amount: &Amount) -> bool {
        let is_share = amount.unit.is_some_and(|unit| WORDS.is(unit, "share"));
        is_share && self.has_part(amount.in_base()[1], slack(amount, amount.values[1]) * amount.factor())
    }

    /// Whether two counts of the passage give a part of one.
    pub(crate) fn gives_part(&self, part: f64) -> bool {
        self.has_part(part, part * 0.005)
    }

    fn has_part(&self, wanted: f64, within: f64) -> bool {
        if self.has_share {
            return false;
        }
        let counts: Vec<(Amount, u32)> = self
            .amounts
            .iter()
            .filter(|(count, _)| count.unit.is_none_or(|unit| !is_time(unit)) && count.values[0] >= 1.0)
            .copied()
            .collect();
        self.pairs(&counts).any(|(one, other)| {
            let (less, more) = (one.values[0].min(other.values[0]), one.values[0].max(other.values[0]));
            more > less && (less / more - wanted).abs() <= within
        })
    }

    /// The sum, the difference, the product or the quotient of two amounts.
    fn gives_amount(&self, amount: &Amount) -> bool {
        let same = |other: &Amount| match (amount.unit, other.unit) {
            (Some(one), Some(other)) => one.dimension == other.dimension,
            (None, None) => true,
            (None, Some(unit)) => self.says_sum && !is_fraction_of_money(unit),
            (Some(_), None) => self.says_sum,
        };
        let is_plain = |known: &Amount| known.unit.map(|unit| unit.dimension) == amount.unit.map(|unit| unit.dimension);
        let of_kind: Vec<(Amount, u32)> = self.amounts.iter().filter(|(known, _)| same(known)).copied().collect();
        let wanted = |one: &Amount, other: &Amount, value: &dyn Fn(f64, f64) -> f64| {
            // Amounts with and without a unit are reckoned as they are written.
            let is_of_one_unit = is_plain(one) && is_plain(other);
            let read = |known: &Amount| if is_of_one_unit { known.in_base() } else { known.values };
            let (ones, others) = (read(one), read(other));
            let own = if is_of_one_unit { amount.in_base() } else { amount.values };
            let factor = if is_of_one_unit { amount.factor() } else { 1.0 };
            let is_it = |value: f64| {
                own.iter()
                    .any(|wanted| value > 0.0 && (value - wanted).abs() <= slack(amount, *wanted / factor) * factor)
            };
            (0..2).any(|at| is_it(value(ones[at], others[at])))
        };
        let may_add = amount.unit.is_some() || self.says_sum;
        if may_add
            && self.pairs(&of_kind).any(|(one, other)| {
                wanted(&one, &other, &|one, other| one + other)
                    || wanted(&one, &other, &|one, other| (one - other).abs())
            })
        {
            return true;
        }
        let is_it = |value: f64| {
            let factor = amount.factor();
            amount.in_base().iter().any(|wanted| (value - wanted).abs() <= slack(amount, *wanted / factor) * factor)
        };
        let bases = || self.amounts.iter().filter(|(known, _)| is_plain(known)).take(MOST_OF_A_KIND);
        let is_count = |known: &Amount| {
            !known.is_decimal && known.unit.is_none_or(|unit| !is_money(unit)) && known.values[1] > 1.0
        };
        let counts =
            |of: usize| self.amounts.iter().enumerate().filter(move |(at, (known, _))| *at != of && is_count(known));
        if amount.unit.is_some() {
            return bases().any(|(base, _)| {
                let base_value = base.in_base()[1];
                let halves = self.has_half && is_it(base_value / 2.0);
                let mut counts =
                    self.amounts.iter().filter(|(known, _)| !is_plain(known) && is_count(known)).take(MOST_OF_A_KIND);
                halves
                    || counts.any(|(count, _)| {
                        is_it(base_value * count.values[1]) || self.says_each && is_it(base_value / count.values[1])
                    })
            });
        }
        // "Two tablets three times a day" are six; small counts give many numbers, so that they must stand side by side.
        let says = self.says_sum || self.says_each;
        says && self.amounts.iter().enumerate().take(MOST).any(|(at, (one, sentence))| {
            let near = |other: usize, of: u32| other.abs_diff(at) <= 2 && of == *sentence;
            is_count(one)
                && counts(at).any(|(other_at, (other, of))| {
                    near(other_at, *of)
                        && (is_it(one.values[1] * other.values[1])
                            || self.says_each && is_it(one.values[1] / other.values[1]))
                })
        })
    }
}

/// The seconds of a day.
const DAY: f64 = 86_400.0;

pub(crate) fn is_time(unit: Unit) -> bool {
    WORDS.is(unit, "time") || WORDS.is(unit, "month")
}

fn is_money(unit: Unit) -> bool {
    WORDS.is_money(unit)
}

fn is_fraction_of_money(unit: Unit) -> bool {
    WORDS.is_money(unit) && unit.factor < 1.0
}

fn year_of(fact: &Fact) -> Option<f64> {
    match fact.kind {
        FactKind::Date(date) => date.year.map(f64::from),
        FactKind::Amount(amount) => (amount.unit.is_none() && is_year(&amount)).then_some(amount.values[0]),
        FactKind::Fraction(_) | FactKind::Time(_) => None,
    }
}

/// `2-5 kg`, `from 100 to 200 g`: two amounts that stand side by side, of which the second one has the unit of both.
fn ranges(facts: &[Fact], tokens: &[Token]) -> Vec<(f64, f64, Unit)> {
    let range = |pair: &[Fact]| {
        let (FactKind::Amount(least), FactKind::Amount(most)) = (pair[0].kind, pair[1].kind) else { return None };
        let between = tokens.get(pair[0].end..pair[1].first)?;
        let is_joint = |token: &Token| {
            matches!(token.first, '-' | '\u{2013}' | '\u{2014}' | '~' | '〜' | '～')
                || token.is_word() && token.letters <= 4
        };
        let unit = most.unit?;
        let fits = least.unit.is_none_or(|own| own.dimension == unit.dimension);
        let first = least.values[0] * least.unit.unwrap_or(unit).factor;
        let last = most.in_base()[0];
        (between.len() == 1 && is_joint(&between[0]) && fits && first < last).then_some((first, last, unit))
    };
    facts.windows(2).filter_map(range).collect()
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
        let is_near = (at.saturating_sub(NEAR)..at).chain(at + 1..=at + NEAR).any(is_beside);
        // "Half an hour before"
        let part = (1..=2).filter_map(|back| tokens.get(at.checked_sub(back)?)?.meaning?.fraction).next();
        if is_time(unit) && !is_counted && is_near {
            spans.push(Span { length: unit.factor * part.unwrap_or(1.0), unit, sentence });
        }
    }
    spans
}
