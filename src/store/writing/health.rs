//! The health of the store, and its messages to the operator.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the writer knows of its own success.
///
/// A disk that is full refuses everything, and a line of the log for each refusal would go to the same disk. So the
/// operator is told of the first change that is refused, the tenth, the hundredth, and of the first that is recorded
/// again.
///
/// `F` is what the backend tells apart of failures.
#[derive(Debug)]
pub(in crate::store) struct Health<F> {
    /// What those see who ask whether the store is ready.
    failing: Arc<AtomicBool>,
    last: Option<F>,
    refused: u64,
}

impl<F> Default for Health<F> {
    fn default() -> Self {
        Self { failing: Arc::default(), last: None, refused: 0 }
    }
}

impl<F: Copy + PartialEq> Health<F> {
    /// True as long as the last transaction failed.
    pub(in crate::store) fn failing(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.failing)
    }

    /// A change is refused for this reason; whether the operator is to be told.
    pub(in crate::store) fn refuse(&mut self, failure: F) -> bool {
        self.failing.store(true, Ordering::Relaxed);
        let another = self.last.replace(failure) != Some(failure);
        self.refused += 1;
        another || self.refused == 10_u64.pow(self.refused.ilog10())
    }

    /// A change was recorded; how many had been refused before it, if any.
    pub(in crate::store) fn recover(&mut self) -> Option<u64> {
        self.failing.store(false, Ordering::Relaxed);
        self.last.take()?;
        Some(std::mem::take(&mut self.refused))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq)]
    enum Failure {
        Full,
        ReadOnly,
        Disk,
    }

    #[test]
    fn a_reason_is_told_at_once_and_then_less_and_less_often() {
        let mut health = Health::default();
        let told: Vec<u32> = (1..=1000).filter(|_| health.refuse(Failure::Full)).collect();
        assert_eq!(told, [1, 10, 100, 1000]);
        assert!(health.refuse(Failure::ReadOnly), "another reason is news");
        assert!(!health.refuse(Failure::ReadOnly));
    }

    #[test]
    fn the_end_of_it_is_told_once() {
        let mut health = Health::default();
        assert_eq!(health.recover(), None);
        health.refuse(Failure::Disk);
        health.refuse(Failure::Disk);
        assert!(health.failing().load(Ordering::Relaxed));
        assert_eq!(health.recover(), Some(2));
        assert!(!health.failing().load(Ordering::Relaxed));
        assert_eq!(health.recover(), None);
        assert!(health.refuse(Failure::Disk), "the next time is news again");
    }
}
