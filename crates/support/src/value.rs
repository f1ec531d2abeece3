//! The numbers of a passage, by their values.

use crate::fact::{Fact, FactKind};
use crate::token::Token;
use crate::words::{Dimension, Unit};

/// A number of a passage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) value: f64,
    pub(crate) origin: Origin,
    pub(crate) is_negative: bool,
}

/// Where the value of a number comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    /// It is written so.
    Written(Option<Unit>),
    /// It is written in another unit, and is this in the base unit of its dimension.
    Converted(Unit),
    /// An article or a word says it, among much else.
    Loose,
    /// It is a part of one, in words.
    Fraction,
    /// It is a day, a month or a year.
    DatePart,
}

impl Origin {
    pub(crate) fn unit(self) -> Option<Unit> {
        match self {
            Self::Written(unit) => unit,
            Self::Converted(unit) => Some(unit),
            Self::Loose | Self::Fraction | Self::DatePart => None,
        }
    }

    /// Its place among values that are equal.
    fn rank(self) -> (u8, Option<Dimension>) {
        let kind = match self {
            Self::Written(_) => 0,
            Self::Converted(_) => 1,
            Self::Fraction => 2,
            Self::DatePart => 3,
            Self::Loose => 4,
        };
        (kind, self.unit().map(|unit| unit.dimension))
    }
}

/// The values of all numbers beside those in other words, sorted, each once, so that one is found without looking at each.
pub(crate) fn values(tokens: &[Token], facts: &[Fact], loose: Vec<Value>) -> Vec<Value> {
    let mut values = loose;
    let mut is_read = vec![false; tokens.len()];
    for fact in facts {
        is_read[fact.first..fact.end].fill(true);
        match fact.kind {
            FactKind::Amount(amount) => {
                let base = Value { value: 0.0, origin: Origin::Written(amount.unit), is_negative: amount.is_negative };
                // Most numbers have one reading.
                let readings = 1 + usize::from(amount.values[0] != amount.values[1]);
                for (value, in_base) in amount.values.into_iter().zip(amount.in_base()).take(readings) {
                    values.push(Value { value, ..base });
                    let unit = amount.unit;
                    values.extend(unit.map(|unit| Value { value: in_base, origin: Origin::Converted(unit), ..base }));
                }
                values.extend(amount.joined.map(|value| Value { value, ..base }));
                let other = amount.other_unit.map(|unit| (amount.values[0], unit));
                let joined = amount.joined.zip(amount.unit);
                let in_base = |(value, unit): (f64, Unit)| (value * unit.factor, Origin::Converted(unit));
                values.extend(joined.into_iter().chain(other).map(in_base).map(|(value, origin)| Value {
                    value,
                    origin,
                    ..base
                }));
            }
            FactKind::Fraction(value) => values.push(Value { value, origin: Origin::Fraction, is_negative: false }),
            FactKind::Date(date) => {
                let parts = [date.year, date.month.map(u16::from), date.day.map(u16::from)].into_iter().flatten();
                let value = |part| Value { value: f64::from(part), origin: Origin::DatePart, is_negative: false };
                values.extend(parts.map(value));
            }
            FactKind::Time(_) => {}
        }
    }
    // Numbers of items: a number that stands there is not missing.
    let others = tokens.iter().zip(is_read).filter(|(_, is_read)| !is_read).filter_map(|(token, _)| token.numeral());
    let written = |value| Value { value, origin: Origin::Written(None), is_negative: false };
    values.extend(others.flat_map(|numeral| numeral.values).map(written));
    values.sort_unstable_by(|one, other| {
        let factor = |value: &Value| value.origin.unit().map_or(1.0, |unit| unit.factor);
        let rank = |value: &Value| (value.origin.rank(), value.is_negative);
        let by_value = one.value.total_cmp(&other.value).then_with(|| rank(one).cmp(&rank(other)));
        by_value.then_with(|| factor(one).total_cmp(&factor(other)))
    });
    values.dedup();
    values
}
