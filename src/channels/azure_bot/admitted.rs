//! A post that was let in.

use super::conversation::{Address, ConversationReference};
use super::inbound::Inbound;
use super::turns::Fingerprint;
use crate::activity::ConversationId;

/// What is known of a post that was let in.
pub(super) struct Admitted {
    pub(super) inbound: Inbound,
    pub(super) reference: ConversationReference,
    pub(super) address: Address,
}

impl Admitted {
    pub(super) fn line(&self) -> ConversationId {
        self.reference.name().id()
    }

    /// By what the activity is known; one without an id is never known.
    pub(super) fn fingerprint(&self) -> Option<Fingerprint> {
        self.inbound.id().map(|id| Fingerprint::of(self.reference.name().as_str(), id))
    }

    /// The name of its turn.
    pub(super) fn name(&self) -> Option<String> {
        self.fingerprint().map(Fingerprint::to_name)
    }
}
