//! Sums, differences, products, quotients and shares of amounts.

use crate::fact::{Amount, Fact, FactKind};
use crate::rounding::slack;
use crate::token::Token;
use crate::words::{Dimension, Unit, WORDS};

/// The amounts of one dimension of which two give another one.
const MOST_OF_A_KIND: usize = 8;

/// The facts between two counts that are multiplied.
const NEAR: usize = 2;

/// Amounts of a passage, each with the number of its sentence, and what a sentence says of its own.
pub(crate) struct Amounts {
    pub(crate) known: Vec<(Amount, u32)>,
    /// The passage says `half`.
    pub(crate) has_half: bool,
    /// Ranges in the base unit.
    pub(crate) ranges: Vec<(f64, f64, Unit)>,
    /// The sentence has a word for sums and differences.
    pub(crate) says_sum: bool,
    /// The sentence has a word for each of several.
    pub(crate) says_each: bool,
    /// One side speaks of a year, the other of a month.
    pub(crate) from_year_to_month: bool,
}

impl Amounts {
    /// Whether an amount follows from these.
    pub(crate) fn give(&self, amount: &Amount) -> bool {
        self.have_in_range(amount)
            || self.give_share(amount)
            || self.give_sum(amount)
            || self.give_product(amount)
            || self.give_count(amount)
    }

    /// Whether a range has an amount: a parcel of 3 kg costs what one of 2 to 5 kg does.
    fn have_in_range(&self, amount: &Amount) -> bool {
        let Some(unit) = amount.unit.filter(|unit| !WORDS.is(*unit, "share")) else { return false };
        let holds = |least: f64, most: f64| amount.in_base().iter().any(|value| (least..=most).contains(value));
        self.ranges.iter().any(|(least, most, of)| of.dimension == unit.dimension && holds(*least, *most))
    }

    /// The share that one amount is of another one, or by which it is more. Where the passage speaks of shares itself, they are those.
    fn give_share(&self, amount: &Amount) -> bool {
        let is_share = amount.unit.is_some_and(|unit| WORDS.is(unit, "share"));
        let within = slack(amount, amount.values[1]) * amount.factor();
        let wanted = amount.in_base()[1];
        is_share && (self.have_part(wanted, within) || self.says_sum && self.have_change(wanted, within))
    }

    /// Whether two counts give a part of one.
    pub(crate) fn give_part(&self, part: f64) -> bool {
        self.have_part(part, part * 0.005)
    }

    fn counts(&self) -> Vec<(Amount, u32)> {
        let is_share = |unit: Unit| WORDS.is(unit, "share");
        if self.known.iter().any(|(known, _)| known.unit.is_some_and(is_share)) {
            return Vec::new();
        }
        let is_time = |unit: Unit| WORDS.is(unit, "time") || WORDS.is(unit, "month");
        let is_count = |known: &Amount| known.unit.is_none_or(|unit| !is_time(unit)) && known.values[0] >= 1.0;
        self.known.iter().filter(|(known, _)| is_count(known)).copied().collect()
    }

    fn have_part(&self, wanted: f64, within: f64) -> bool {
        pairs(&self.counts()).any(|(one, other)| {
            let (less, more) = (one.values[0].min(other.values[0]), one.values[0].max(other.values[0]));
            more > less && (less / more - wanted).abs() <= within
        })
    }

    /// Whether an amount grew or fell to the next one by a share.
    fn have_change(&self, wanted: f64, within: f64) -> bool {
        pairs(&self.counts()).any(|(one, other)| {
            let change = (other.values[0] - one.values[0]).abs() / one.values[0];
            let is_of_kind = one.unit.is_none() || other.unit.is_none() || dimension(&one) == dimension(&other);
            is_of_kind && (change - wanted).abs() <= within
        })
    }

    /// The sum or the difference of two amounts, or the sum of all.
    fn give_sum(&self, amount: &Amount) -> bool {
        let is_fraction = |unit: Unit| WORDS.is_money(unit) && unit.factor < 1.0;
        let is_of_kind = |known: &Amount| match (amount.unit, known.unit) {
            (Some(one), Some(other)) => one.dimension == other.dimension,
            (None, None) => true,
            (None, Some(unit)) => self.says_sum && !is_fraction(unit),
            (Some(_), None) => self.says_sum,
        };
        if amount.unit.is_none() && !self.says_sum {
            return false;
        }
        let of_kind: Vec<(Amount, u32)> = self.known.iter().filter(|(known, _)| is_of_kind(known)).copied().collect();
        let has_one_unit = |known: &Amount| dimension(known) == dimension(amount);
        let two = pairs(&of_kind).any(|(one, other)| {
            // Amounts with and without a unit are reckoned as they are written.
            let in_base = has_one_unit(&one) && has_one_unit(&other);
            let read = |known: Amount| if in_base { known.in_base() } else { known.values };
            let (ones, others) = (read(one), read(other));
            (0..2).any(|at| {
                is_it(amount, ones[at] + others[at], in_base) || is_it(amount, (ones[at] - others[at]).abs(), in_base)
            })
        });
        let all = || {
            let few =
                (3..=MOST_OF_A_KIND).contains(&of_kind.len()) && of_kind.iter().all(|(known, _)| has_one_unit(known));
            few && self.says_sum && is_it(amount, of_kind.iter().map(|(known, _)| known.in_base()[0]).sum(), true)
        };
        two || all()
    }

    /// The product or the quotient of an amount with a unit and a count, or its half, its twelfth or a share of it.
    fn give_product(&self, amount: &Amount) -> bool {
        if amount.unit.is_none() {
            return self.says_each && self.give_part_of_money(amount);
        }
        let has_one_unit = |known: &Amount| dimension(known) == dimension(amount);
        let bases = self.known.iter().filter(|(known, _)| has_one_unit(known)).take(MOST_OF_A_KIND);
        let counts = || {
            let others = self.known.iter().filter(|(known, _)| !has_one_unit(known) && is_count(known));
            others.take(MOST_OF_A_KIND).map(|(count, _)| count.values[0])
        };
        bases.flat_map(|(base, _)| base.in_base()).any(|base| {
            let is_of_twelve = || is_it(amount, base / 12.0, true) || is_it(amount, base * 12.0, true);
            self.has_half && is_it(amount, base / 2.0, true)
                || self.from_year_to_month && is_of_twelve()
                || self.shares().any(|share| self.is_share_of(amount, base, share))
                || counts().any(|count| {
                    is_it(amount, base * count, true) || self.says_each && is_it(amount, base / count, true)
                })
        })
    }

    /// The price for one of several, in a currency of which the sentence has another name: `20 reais`.
    fn give_part_of_money(&self, amount: &Amount) -> bool {
        let is_money = |known: &Amount| known.unit.is_some_and(|unit| WORDS.is_money(unit));
        let known = || self.known.iter().map(|(known, _)| known);
        let mut prices = known().filter(|known| is_money(known)).take(MOST_OF_A_KIND);
        let counts = || known().filter(|known| is_count(known)).take(MOST_OF_A_KIND);
        prices.any(|price| counts().any(|count| is_it(amount, price.values[0] / count.values[0], false)))
    }

    /// The shares of a whole that the passage names, below one.
    fn shares(&self) -> impl Iterator<Item = f64> {
        let share = |known: &Amount| known.unit.filter(|unit| WORDS.is(*unit, "share")).map(|_| known.in_base()[0]);
        self.known.iter().filter_map(move |(known, _)| share(known)).filter(|share| (0.0..1.0).contains(share)).take(4)
    }

    /// Whether an amount of money is a share of another one, or what a share leaves of it: a price less a discount.
    fn is_share_of(&self, amount: &Amount, base: f64, share: f64) -> bool {
        amount.unit.is_some_and(|unit| WORDS.is_money(unit))
            && (is_it(amount, base * share, true) || is_it(amount, base * (1.0 - share), true))
    }

    /// "Two tablets three times a day" are six. Small counts give many numbers, so that they must stand side by side.
    fn give_count(&self, amount: &Amount) -> bool {
        if amount.unit.is_some() || !(self.says_sum || self.says_each) {
            return false;
        }
        let counts = || self.known.iter().enumerate().filter(|(_, (known, _))| is_count(known));
        counts().any(|(at, (one, sentence))| {
            let near = counts().skip_while(|(other, _)| other + NEAR < at).take_while(|(other, _)| *other <= at + NEAR);
            near.filter(|(other, (_, of))| *other != at && of == sentence).any(|(_, (other, _))| {
                let (one, other) = (one.values[0], other.values[0]);
                is_it(amount, one * other, false) || self.says_each && is_it(amount, one / other, false)
            })
        })
    }
}

fn dimension(amount: &Amount) -> Option<Dimension> {
    amount.unit.map(|unit| unit.dimension)
}

fn is_count(known: &Amount) -> bool {
    !known.is_decimal && known.unit.is_none_or(|unit| !WORDS.is_money(unit)) && known.values[0] > 1.0
}

/// Whether a value is that of an amount, in its base unit or as it is written.
fn is_it(amount: &Amount, value: f64, in_base: bool) -> bool {
    let factor = if in_base { amount.factor() } else { 1.0 };
    let is_near = |wanted: &f64| (value - wanted * factor).abs() <= slack(amount, *wanted) * factor;
    value > 0.0 && amount.values.iter().any(is_near)
}

/// Pairs of facts, of the first ones if there are many.
pub(crate) fn pairs<T: Copy>(facts: &[(T, u32)]) -> impl Iterator<Item = (T, T)> {
    let facts: Vec<T> = facts.iter().take(MOST_OF_A_KIND).map(|(fact, _)| *fact).collect();
    let count = facts.len();
    (0..count)
        .flat_map(move |at| (at + 1..count).map(move |next| (at, next)))
        .map(move |(at, next)| (facts[at], facts[next]))
}

/// `2-5 kg`, `from 100 to 200 g`: two amounts that stand side by side, of which the second one has the unit of both.
pub(crate) fn ranges(facts: &[Fact], tokens: &[Token]) -> Vec<(f64, f64, Unit)> {
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
