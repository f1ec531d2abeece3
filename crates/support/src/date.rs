//! Dates, of which parts may be unknown.

/// A date, or as much of it as a text says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Date {
    pub(crate) year: Option<u16>,
    pub(crate) month: Option<u8>,
    pub(crate) day: Option<u8>,
    /// Month and day may be meant the other way round: `03/04/2026`.
    pub(crate) is_ambiguous: bool,
}

impl Date {
    /// The date of these numbers, if there is such a one.
    pub(crate) fn of(year: f64, month: f64, day: f64) -> Option<Self> {
        Some(Self {
            year: Some(as_year(year)?),
            month: Some(as_month(month)?),
            day: Some(as_day(day)?),
            is_ambiguous: false,
        })
    }

    /// The months to another date, if both have a month, and both or none a year.
    pub(crate) fn months_to(self, other: Self) -> Option<i32> {
        let years = match (self.year, other.year) {
            (Some(own), Some(other)) => i32::from(other) - i32::from(own),
            (None, None) => 0,
            _ => return None,
        };
        Some(years * 12 + i32::from(other.month?) - i32::from(self.month?))
    }

    /// The days to another date, if both have a day, and both or none a year.
    pub(crate) fn days_to(self, other: Self) -> Option<i32> {
        let is_of_one_kind = self.year.is_some() == other.year.is_some();
        Some(other.day_number()? - self.day_number()?).filter(|_| is_of_one_kind)
    }

    /// The number of the day, counted from a day long ago; of a year that is not known, one that is no leap year.
    fn day_number(self) -> Option<i32> {
        // March is the first month, so that the day of leap years is the last one.
        let (year, month) = (i32::from(self.year.unwrap_or(2001)), i32::from(self.month?));
        let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
        let days = (month * 153 + 2) / 5 + i32::from(self.day?);
        Some(year * 365 + year / 4 - year / 100 + year / 400 + days)
    }

    /// Whether no part that both have differs.
    pub(crate) fn agrees(self, other: Self) -> bool {
        fn same<T: PartialEq + Copy>(one: Option<T>, other: Option<T>) -> bool {
            one.is_none() || other.is_none() || one == other
        }
        let straight = same(self.month, other.month) && same(self.day, other.day);
        let swapped = same(self.day, other.month) && same(self.month, other.day);
        same(self.year, other.year) && (straight || swapped && (self.is_ambiguous || other.is_ambiguous))
    }
}

/// A number that may be a year.
pub(crate) fn as_year(value: f64) -> Option<u16> {
    integer(value, 1000.0, 2999.0)
}

/// A number that may be a month.
pub(crate) fn as_month(value: f64) -> Option<u8> {
    integer(value, 1.0, 12.0).and_then(|month| u8::try_from(month).ok())
}

/// A number that may be a day of a month.
pub(crate) fn as_day(value: f64) -> Option<u8> {
    integer(value, 1.0, 31.0).and_then(|day| u8::try_from(day).ok())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is within the bounds")]
fn integer(value: f64, least: f64, most: f64) -> Option<u16> {
    (value.fract() == 0.0 && (least..=most).contains(&value)).then_some(value as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_in_the_parts_that_both_have() {
        let date = |year, month, day| Date { year, month, day, is_ambiguous: false };
        let whole = date(Some(2026), Some(3), Some(4));
        assert!(whole.agrees(date(None, Some(3), Some(4))) && whole.agrees(date(Some(2026), None, None)));
        assert!(!whole.agrees(date(Some(2025), Some(3), Some(4))) && !whole.agrees(date(None, Some(4), Some(3))));
        let ambiguous = Date { is_ambiguous: true, ..date(Some(2026), Some(4), Some(3)) };
        assert!(whole.agrees(ambiguous) && ambiguous.agrees(whole));
    }
}
