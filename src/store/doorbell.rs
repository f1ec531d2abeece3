//! How readers learn that there is something new.

use tokio::sync::watch;

use crate::activity::Watermark;

/// The end that rings: one for each conversation, held by the store.
#[derive(Debug)]
pub struct Bell(watch::Sender<Option<Watermark>>);

/// The end that hears. It says *that* there is something new, never what: the reader then reads after its own
/// watermark, so a lost, doubled or late ring does no harm.
#[derive(Clone, Debug)]
pub struct Doorbell(watch::Receiver<Option<Watermark>>);

/// The conversation is gone; the bell will not ring again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the conversation is gone")]
pub struct Silent;

impl Bell {
    /// A bell that has not rung since `newest`.
    #[must_use]
    pub fn new(newest: Option<Watermark>) -> Self {
        Self(watch::Sender::new(newest))
    }

    /// Tells everyone that the conversation reaches as far as `newest`.
    pub fn ring(&self, newest: Watermark) {
        self.0.send_replace(Some(newest));
    }

    /// Whether anyone listens.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.0.receiver_count() > 0
    }

    /// Someone who listens from now on.
    #[must_use]
    pub fn doorbell(&self) -> Doorbell {
        Doorbell(self.0.subscribe())
    }
}

impl Doorbell {
    /// Forgets the rings so far. Call it *before* reading, so that a ring during the read is heard afterwards.
    pub fn hush(&mut self) {
        self.0.borrow_and_update();
    }

    /// Whether there was a ring since the last [`hush`](Self::hush) or [`rung`](Self::rung).
    ///
    /// # Errors
    /// When the conversation is deleted or expires.
    pub fn has_rung(&self) -> Result<bool, Silent> {
        self.0.has_changed().map_err(|_| Silent)
    }

    /// Waits for a ring since the last [`hush`](Self::hush) or `rung`. Can be cancelled without losing a ring.
    ///
    /// # Errors
    /// When the conversation is deleted or expires.
    pub async fn rung(&mut self) -> Result<(), Silent> {
        self.0.changed().await.map_err(|_| Silent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_ring_during_a_read_is_heard_after_it() {
        let bell = Bell::new(None);
        let mut doorbell = bell.doorbell();
        doorbell.hush();
        bell.ring(Watermark::FIRST);
        assert_eq!(doorbell.has_rung(), Ok(true));
        assert_eq!(doorbell.rung().await, Ok(()));
        assert_eq!(doorbell.has_rung(), Ok(false));
    }

    #[tokio::test]
    async fn a_bell_that_is_gone_is_silent() {
        let bell = Bell::new(None);
        let mut doorbell = bell.doorbell();
        drop(bell);
        assert_eq!(doorbell.has_rung(), Err(Silent));
        assert_eq!(doorbell.rung().await, Err(Silent));
    }
}
