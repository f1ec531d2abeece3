//! Counts as they are written.

/// A count as the number that it is written as.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
