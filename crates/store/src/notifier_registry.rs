//! The change notifiers of conversations with readers.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{ChangeListener, ChangeNotifier};
use crate::activity::{ConversationId, Watermark};

/// For stores that keep their conversations elsewhere: only conversations with listeners take memory here.
///
/// A subscriber takes its listener first and then asks whether the conversation exists; a deletion deletes first and closes the
/// notifier then. So no listener can slip in between and wait for ever.
#[derive(Debug, Default)]
pub(super) struct NotifierRegistry(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    notifiers: BTreeMap<ConversationId, ChangeNotifier>,
    /// At so many notifiers, those without listeners are removed.
    prune_at: usize,
}

/// With fewer notifiers than this, none is removed.
const FEW: usize = 64;

impl NotifierRegistry {
    /// A listener to this conversation from now on, whether the conversation exists or not.
    pub(super) fn listen(&self, id: &ConversationId) -> ChangeListener {
        let mut inner = self.lock();
        if inner.notifiers.len() >= inner.prune_at {
            inner.notifiers.retain(|_, notifier| notifier.has_listeners());
            inner.prune_at = (2 * inner.notifiers.len()).max(FEW);
        }
        inner.notifiers.entry(id.clone()).or_insert_with(|| ChangeNotifier::new(None)).listener()
    }

    /// Tells every listener that the conversation reaches as far as `newest`.
    pub(super) fn notify(&self, id: &ConversationId, newest: Watermark) {
        if let Some(notifier) = self.lock().notifiers.get(id) {
            notifier.notify(newest);
        }
    }

    /// Tells every listener of `newest` where that is news: word from other nodes may come late.
    pub(super) fn reaches(&self, id: &ConversationId, newest: Watermark) {
        if let Some(notifier) = self.lock().notifiers.get(id) {
            notifier.reaches(newest);
        }
    }

    /// The conversations that somebody listens to, behind this one, by id, and how far they are known to reach.
    pub(super) fn heard(
        &self,
        after: Option<&ConversationId>,
        most: usize,
    ) -> Vec<(ConversationId, Option<Watermark>)> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let inner = self.lock();
        let heard = inner.notifiers.range::<ConversationId, _>((from, Bound::Unbounded));
        let heard = heard.filter(|(_, notifier)| notifier.has_listeners());
        heard.take(most).map(|(id, notifier)| (id.clone(), notifier.newest())).collect()
    }

    /// Whether somebody listens to this conversation.
    pub(super) fn is_heard(&self, id: &ConversationId) -> bool {
        self.lock().notifiers.get(id).is_some_and(ChangeNotifier::has_listeners)
    }

    /// About how many there are.
    pub(super) fn len(&self) -> usize {
        self.lock().notifiers.len()
    }

    /// The conversation is gone: its listeners are closed.
    pub(super) fn close(&self, id: &ConversationId) {
        self.lock().notifiers.remove(id);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No call above can panic half-way through a change, so what a poisoned lock guards is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_conversations_with_listeners_take_memory() {
        let (registry, id) = (NotifierRegistry::default(), |text: &str| text.parse::<ConversationId>().expect("an id"));
        for number in 0..10 * FEW {
            drop(registry.listen(&id(&number.to_string())));
        }
        let mut listener = registry.listen(&id("heard"));
        assert!(registry.lock().notifiers.len() <= FEW + 1);
        registry.notify(&id("heard"), Watermark::FIRST);
        assert!(listener.changed().await.is_ok());
        registry.close(&id("heard"));
        assert!(listener.changed().await.is_err());
    }
}
