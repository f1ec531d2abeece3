//! Weekends and working days: what a passage says of weekends it says of Saturdays.

use std::sync::LazyLock;

use crate::phrases::Phrases;
use crate::token::Token;
use crate::words::Languages;

/// Days of the week, one bit each, Monday the lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Days(u8);

static PARTS: LazyLock<Phrases<Days>> = LazyLock::new(|| {
    Phrases::named(
        include_str!("tables/parts_of_the_week.txt"),
        &[("weekend", Days(0b110_0000)), ("working", Days(0b001_1111))],
    )
});

impl Days {
    /// The days of the parts of the week that a text names as a whole.
    pub(crate) fn of(tokens: &[Token]) -> Self {
        let parts = (0..tokens.len()).filter_map(|at| PARTS.at(tokens, at, Languages::ANY));
        Self(parts.fold(0, |all, (days, _)| all | days.0))
    }

    /// Whether a day is one of them; 1 is Monday.
    pub(crate) fn has(self, day: u8) -> bool {
        (1..=7).contains(&day) && self.0 & 1 << (day - 1) != 0
    }
}
