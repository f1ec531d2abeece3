//! The times by which Web Chat sorts.

use chrono::DateTime;

/// A time in milliseconds since 1970, the precision of Web Chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Time(i64);

impl Time {
    /// Parses RFC 3339, and offsets without a colon, which browsers also accept.
    pub(super) fn parse(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc3339(text)
            .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"))
            .ok()
            .map(|time| Self(time.timestamp_millis()))
    }

    /// The milliseconds from `earlier` to this time; negative if `earlier` is later.
    pub(super) fn since_ms(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_with_and_without_colon_are_read() {
        let with = Time::parse("2024-03-01T15:56:27.000-08:00").expect("a time");
        let without = Time::parse("2024-03-01T15:56:27.000-0800").expect("a time");
        assert_eq!(with, without);
        assert_eq!(Time::parse("2024-03-01T23:56:28Z").expect("a time").since_ms(with), 1000);
        assert_eq!(Time::parse("yesterday"), None);
    }
}
