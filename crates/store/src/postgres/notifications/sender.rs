//! Tells listeners of this node, and hands to the outbox what the other nodes are told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use uuid::Uuid;

use super::outbox::Outbox;
use crate::TurnKind;
use crate::activity::{ConversationId, Watermark};
use crate::notifier_registry::NotifierRegistry;
use crate::postgres::claims::Claims;

/// The notifications of one node.
#[derive(Debug)]
pub(crate) struct Notifications {
    pub(crate) registry: NotifierRegistry,
    pub(super) claims: Arc<Claims>,
    pub(super) outbox: Arc<Outbox>,
    hearing: AtomicBool,
    /// Something may have been missed since the sweep was told last.
    gap: AtomicBool,
}

impl Notifications {
    /// Notifications that nobody hears yet.
    pub(super) fn new(channel: String, sender: Uuid, claims: Arc<Claims>) -> Self {
        Self {
            registry: NotifierRegistry::default(),
            claims,
            outbox: Arc::new(Outbox::new(channel, sender)),
            hearing: AtomicBool::new(true),
            gap: AtomicBool::new(false),
        }
    }

    /// The conversation reaches as far as this.
    pub(crate) fn grown(&self, id: &ConversationId, newest: Watermark) {
        self.registry.reaches(id, newest);
        self.outbox.tell(id, Some(newest));
    }

    /// The conversation is gone.
    pub(crate) fn gone(&self, id: &ConversationId) {
        self.registry.close(id);
        self.outbox.tell(id, None);
    }

    /// A turn waits in the conversation, and nobody may hold its line.
    pub(crate) fn turn(&self, id: &ConversationId, kind: TurnKind) {
        // Users behind Azure read on no node, so that no other node has to be told first.
        if kind == TurnKind::Azure || self.registry.is_heard(id) {
            return self.claims.want(id, kind);
        }
        self.outbox.tell_turn(id, kind);
        self.claims.ring_later(kind);
    }

    /// Tells something that has to come back.
    pub(crate) fn beat(&self) {
        self.outbox.tell_alive();
    }

    /// Whether other nodes are heard.
    pub(crate) fn is_hearing(&self) -> bool {
        self.hearing.load(Ordering::Relaxed)
    }

    /// Whether something may have been missed since this was asked last.
    pub(crate) fn take_gap(&self) -> bool {
        self.gap.swap(false, Ordering::Relaxed)
    }

    pub(super) fn set_hearing(&self, hearing: bool) {
        let before = self.hearing.swap(hearing, Ordering::Relaxed);
        if hearing && !before {
            self.gap.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn channel(&self) -> &str {
        &self.outbox.channel
    }

    pub(super) fn sender(&self) -> Uuid {
        self.outbox.sender
    }
}
