//! The number that a reader sees.

use std::fmt;
use std::num::NonZeroU32;

/// The number of a claim, from 1. The same number is the label of its definition and the `position` of its claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(NonZeroU32);

impl Position {
    /// The number that follows `count` others: `count + 1`.
    ///
    /// # Panics
    /// When the number does not fit in a `u32`. No answer that fits in memory has that many claims.
    #[must_use]
    pub fn after(count: usize) -> Self {
        let number = u32::try_from(count + 1).ok().and_then(NonZeroU32::new);
        Self(number.expect("an answer in memory holds fewer claims than a u32 counts"))
    }

    /// Writes the number.
    pub(super) fn write_to(self, out: &mut String) {
        if self.get() < 10 {
            out.push(char::from(b'0' + self.get() as u8));
        } else {
            out.push_str(&self.get().to_string());
        }
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
