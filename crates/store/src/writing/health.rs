//! The health of the store, and its messages to the operator.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::StoreError;

/// A kind of failure, as a backend tells failures apart.
pub(crate) trait FailureKind: Copy + PartialEq {
    /// Why the store serves nobody any more before this process is started anew, if that is so: a damaged table may fail one change
    /// in a hundred, and the ninety-nine beside it say nothing about that.
    fn lasting(self) -> Option<&'static str>;
}

/// Whether the store works, for those who ask whether it is ready.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    /// True as long as the last transaction failed.
    failing: AtomicBool,
    lost: OnceLock<&'static str>,
}

impl Standing {
    /// Whether the last transaction failed.
    pub(crate) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }

    /// Notes a failure that lasts, wherever it was met; others are none of this.
    pub(crate) fn note(&self, failure: impl FailureKind) {
        if let Some(reason) = failure.lasting() {
            self.lose(reason);
        }
    }

    /// The store is lost for this process; whether that is news. The first reason stays.
    pub(crate) fn lose(&self, reason: &'static str) -> bool {
        self.lost.set(reason).is_ok()
    }

    /// # Errors
    /// When the store is lost for this process.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.lost.get().map_or(Ok(()), |reason| Err(StoreError::Lost { reason }))
    }
}

/// Counts the writer's failures and knows whether it works now.
///
/// A disk that is full refuses everything, and a line of the log for each refusal would go to the same disk. So the
/// operator is told of the first change that is refused, the tenth, the hundredth, and of the first that is recorded
/// again.
///
/// `F` is what the backend tells apart of failures.
#[derive(Debug)]
pub(crate) struct Health<F> {
    /// Shared with those who ask whether the store is ready.
    standing: Arc<Standing>,
    last: Option<F>,
    refused: u64,
}

impl<F: FailureKind> Health<F> {
    pub(crate) fn new(standing: Arc<Standing>) -> Self {
        Self { standing, last: None, refused: 0 }
    }

    /// A change is refused for this reason; whether the operator is to be told.
    pub(crate) fn refuse(&mut self, failure: F) -> bool {
        self.standing.failing.store(true, Ordering::Relaxed);
        self.standing.note(failure);
        let another = self.last.replace(failure) != Some(failure);
        self.refused += 1;
        another || self.refused == 10_u64.pow(self.refused.ilog10())
    }

    /// A change was recorded; how many had been refused before it, if any. A store that is lost is not found again by that.
    pub(crate) fn recover(&mut self) -> Option<u64> {
        self.standing.failing.store(false, Ordering::Relaxed);
        if self.standing.check().is_err() {
            return None;
        }
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
        Damaged,
    }

    impl FailureKind for Failure {
        fn lasting(self) -> Option<&'static str> {
            (self == Self::Damaged).then_some("damaged")
        }
    }

    #[test]
    fn a_reason_is_told_at_once_and_then_less_and_less_often() {
        let mut health = Health::new(Arc::default());
        let told: Vec<u32> = (1..=1000).filter(|_| health.refuse(Failure::Full)).collect();
        assert_eq!(told, [1, 10, 100, 1000]);
        assert!(health.refuse(Failure::ReadOnly), "another reason is news");
        assert!(!health.refuse(Failure::ReadOnly));
    }

    #[test]
    fn the_end_of_it_is_told_once() {
        let standing = Arc::<Standing>::default();
        let mut health = Health::new(Arc::clone(&standing));
        assert_eq!(health.recover(), None);
        health.refuse(Failure::Disk);
        health.refuse(Failure::Disk);
        assert!(standing.is_failing());
        assert_eq!(health.recover(), Some(2));
        assert!(!standing.is_failing());
        assert_eq!(health.recover(), None);
        assert!(health.refuse(Failure::Disk), "the next time is news again");
    }

    /// Successes beside it, and other failures, change nothing.
    #[test]
    fn damage_stays_and_is_told_once() {
        let standing = Arc::<Standing>::default();
        let mut health = Health::new(Arc::clone(&standing));
        assert!(health.refuse(Failure::Damaged));
        for _ in 0..3 {
            assert_eq!(health.recover(), None);
            assert!(!health.refuse(Failure::Damaged), "nothing new");
        }
        assert!(matches!(standing.check(), Err(StoreError::Lost { reason: "damaged" })));
        assert!(!standing.lose("another reason"));
        assert!(matches!(standing.check(), Err(StoreError::Lost { reason: "damaged" })));
    }
}
