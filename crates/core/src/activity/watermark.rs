//! The position of a reader in a conversation.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The place of an activity in its conversation, counted from 0 without gaps.
///
/// On the wire it is a string of decimal digits, opaque to clients. It always means *the last activity already seen*: the
/// response to it starts with the next activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Watermark(u64);

/// The text is not a watermark of citewire.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the watermark must be the value from an ActivitySet, unchanged")]
pub struct InvalidWatermark;

impl Watermark {
    /// The place of the first activity.
    pub const FIRST: Self = Self(0);

    /// The place with this index, counted from 0.
    #[must_use]
    pub fn from_index(index: u64) -> Self {
        Self(index)
    }

    /// The index, which is the number of activities before this one.
    #[must_use]
    pub fn index(self) -> u64 {
        self.0
    }

    /// The place before this one, which a reader has seen who reads from here; `None` for the first.
    #[must_use]
    pub fn previous(self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }

    /// The place after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl FromStr for Watermark {
    type Err = InvalidWatermark;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(InvalidWatermark);
        }
        text.parse().map(Self).map_err(|_| InvalidWatermark)
    }
}

impl TryFrom<String> for Watermark {
    type Error = InvalidWatermark;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Watermark> for String {
    fn from(watermark: Watermark) -> Self {
        watermark.to_string()
    }
}

impl fmt::Display for Watermark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watermark_is_a_string_on_the_wire() {
        assert_eq!(serde_json::to_string(&Watermark::from_index(7)).expect("JSON"), "\"7\"");
        for bad in ["", "-", "+7", "7a", "0000a-42", "99999999999999999999"] {
            assert_eq!(bad.parse::<Watermark>(), Err(InvalidWatermark), "{bad:?}");
        }
    }
}
