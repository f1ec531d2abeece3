//! The facts of a text: amounts, parts of one, dates and times.

use crate::date::Date;
use crate::words::Unit;

/// A fact and its tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact {
    pub(crate) kind: FactKind,
    /// The first token.
    pub(crate) first: usize,
    /// The token behind the last one.
    pub(crate) end: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FactKind {
    Amount(Amount),
    /// `half`
    Fraction(f64),
    Date(Date),
    /// Minutes since midnight. An hour without am or pm may be either.
    Time([u16; 2]),
}

/// A number with its unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amount {
    /// Both readings, scaled by the words behind the number.
    pub(crate) values: [f64; 2],
    pub(crate) unit: Option<Unit>,
    /// The unit that the same word is as well: pounds weigh, and are paid.
    pub(crate) other_unit: Option<Unit>,
    /// How many digits are significant; `None` for a word.
    pub(crate) significant: Option<u8>,
    /// It is said to be rounded.
    pub(crate) is_about: bool,
    pub(crate) is_decimal: bool,
    pub(crate) is_negative: bool,
    /// The value in the base unit together with the amount beside it: `2 hours and 15 minutes`.
    pub(crate) whole: Option<f64>,
    /// The value of the whole number, if this is one of its groups: `10 000`.
    pub(crate) joined: Option<f64>,
}

impl Amount {
    /// The values in the base unit.
    pub(crate) fn in_base(self) -> [f64; 2] {
        self.values.map(|value| value * self.factor())
    }

    pub(crate) fn factor(self) -> f64 {
        self.unit.map_or(1.0, |unit| unit.factor)
    }

    /// Whether a number of four digits may be a year.
    pub(crate) fn is_year(&self) -> bool {
        self.significant == Some(4) && self.values[0] == self.values[1] && (1000.0..3000.0).contains(&self.values[0])
    }
}

impl Fact {
    /// Whether it hardly stands in two texts by chance: small numbers do.
    pub(crate) fn is_telling(&self) -> bool {
        match self.kind {
            FactKind::Date(_) | FactKind::Time(_) => true,
            FactKind::Fraction(_) => false,
            FactKind::Amount(amount) => amount.unit.is_some() || amount.significant.is_some_and(|digits| digits >= 3),
        }
    }

    /// "Two prizes" may have been counted.
    pub(crate) fn is_counted(&self) -> bool {
        matches!(self.kind, FactKind::Amount(amount) if amount.significant.is_none() && amount.unit.is_none() && amount.values[0] <= 4.0)
    }
}
