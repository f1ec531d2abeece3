//! Notifies readers of new activities in a conversation.

use tokio::sync::watch;

use crate::activity::Watermark;

/// Notifies the listeners of one conversation. The store holds it.
#[derive(Debug)]
pub struct ChangeNotifier(watch::Sender<Option<Watermark>>);

/// Hears of changes of one conversation.
///
/// A notification carries no data: the listener reads what follows its own watermark. Lost, doubled or late notifications do no
/// harm.
#[derive(Clone, Debug)]
pub struct ChangeListener(watch::Receiver<Option<Watermark>>);

/// The conversation was deleted or has expired; its listeners get no more notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the conversation was deleted")]
pub struct Closed;

impl ChangeNotifier {
    /// A notifier of a conversation that reaches as far as `newest`.
    #[must_use]
    pub fn new(newest: Option<Watermark>) -> Self {
        Self(watch::Sender::new(newest))
    }

    /// Tells every listener that the conversation reaches as far as `newest`.
    pub fn notify(&self, newest: Watermark) {
        self.0.send_replace(Some(newest));
    }

    /// Tells every listener that the conversation reaches as far as `newest`, unless that is known already.
    pub fn reaches(&self, newest: Watermark) {
        self.0.send_if_modified(|known| {
            let is_news = *known < Some(newest);
            if is_news {
                *known = Some(newest);
            }
            is_news
        });
    }

    /// How far the conversation is known to reach.
    #[must_use]
    pub fn newest(&self) -> Option<Watermark> {
        *self.0.borrow()
    }

    /// Whether anyone listens.
    #[must_use]
    pub fn has_listeners(&self) -> bool {
        self.0.receiver_count() > 0
    }

    /// A listener to the changes from now on.
    #[must_use]
    pub fn listener(&self) -> ChangeListener {
        ChangeListener(self.0.subscribe())
    }
}

impl ChangeListener {
    /// Marks the changes so far as seen. Call it *before* reading, so that a change during the read is noticed after it.
    pub fn mark_seen(&mut self) {
        self.0.borrow_and_update();
    }

    /// Whether there was a change since the last [`mark_seen`](Self::mark_seen) or [`changed`](Self::changed).
    ///
    /// # Errors
    /// When the conversation is deleted or expires.
    pub fn has_changed(&self) -> Result<bool, Closed> {
        self.0.has_changed().map_err(|_| Closed)
    }

    /// Waits for a change since the last [`mark_seen`](Self::mark_seen) or `changed`. Cancel safe: no change is lost.
    ///
    /// # Errors
    /// When the conversation is deleted or expires.
    pub async fn changed(&mut self) -> Result<(), Closed> {
        self.0.changed().await.map_err(|_| Closed)
    }

    /// Resolves when the conversation is deleted or expires.
    pub async fn closed(&mut self) {
        while self.changed().await.is_ok() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_change_during_a_read_is_noticed_after_it() {
        let notifier = ChangeNotifier::new(None);
        let mut listener = notifier.listener();
        listener.mark_seen();
        notifier.notify(Watermark::FIRST);
        assert_eq!(listener.has_changed(), Ok(true));
        assert_eq!(listener.changed().await, Ok(()));
        assert_eq!(listener.has_changed(), Ok(false));
    }

    #[tokio::test]
    async fn a_dropped_notifier_closes_its_listeners() {
        let notifier = ChangeNotifier::new(None);
        let mut listener = notifier.listener();
        drop(notifier);
        assert_eq!(listener.has_changed(), Err(Closed));
        assert_eq!(listener.changed().await, Err(Closed));
    }
}
