//! The bells of those conversations that somebody listens to.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Bell, Doorbell};
use crate::activity::{ConversationId, Watermark};

/// For backends that keep their conversations elsewhere: only what is listened to takes memory here.
///
/// Whoever subscribes takes the doorbell first and then asks whether the conversation is there; whoever deletes it,
/// deletes first and silences then. So no listener can slip in between and wait for ever.
#[derive(Debug, Default)]
pub(super) struct Bells(Mutex<Hung>);

#[derive(Debug, Default)]
struct Hung {
    bells: BTreeMap<ConversationId, Bell>,
    /// At so many bells it is time to look which of them are still heard.
    look_at: usize,
}

/// So many bells are not worth a look.
const FEW: usize = 64;

impl Bells {
    /// Someone who listens to this conversation from now on, whether it is there or not.
    pub(super) fn listen(&self, id: &ConversationId) -> Doorbell {
        let mut hung = self.lock();
        if hung.bells.len() >= hung.look_at {
            hung.bells.retain(|_, bell| bell.is_heard());
            hung.look_at = (2 * hung.bells.len()).max(FEW);
        }
        hung.bells.entry(id.clone()).or_insert_with(|| Bell::new(None)).doorbell()
    }

    /// Tells whoever listens that the conversation reaches as far as `newest`.
    pub(super) fn ring(&self, id: &ConversationId, newest: Watermark) {
        if let Some(bell) = self.lock().bells.get(id) {
            bell.ring(newest);
        }
    }

    /// The conversation is gone.
    pub(super) fn silence(&self, id: &ConversationId) {
        self.lock().bells.remove(id);
    }

    fn lock(&self) -> MutexGuard<'_, Hung> {
        // No call above can panic half-way through a change, so what a poisoned lock guards is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_bells_that_are_heard_take_memory() {
        let (bells, id) = (Bells::default(), |text: &str| text.parse::<ConversationId>().expect("an id"));
        for number in 0..10 * FEW {
            drop(bells.listen(&id(&number.to_string())));
        }
        let mut doorbell = bells.listen(&id("heard"));
        assert!(bells.lock().bells.len() <= FEW + 1);
        bells.ring(&id("heard"), Watermark::FIRST);
        assert!(doorbell.rung().await.is_ok());
        bells.silence(&id("heard"));
        assert!(doorbell.rung().await.is_err());
    }
}
