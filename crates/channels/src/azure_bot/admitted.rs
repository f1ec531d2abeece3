//! A post that was let in.

use super::conversation::{Address, ConversationReference};
use super::inbound::Inbound;
use super::turns::Fingerprint;
use crate::activity::ConversationId;

/// A post that was let in.
pub(super) struct Admitted {
    pub(super) inbound: Inbound,
    pub(super) reference: ConversationReference,
    pub(super) address: Address,
}

impl Admitted {
    pub(super) fn conversation(&self) -> ConversationId {
        self.reference.name().id()
    }

    /// The name of its turn, or of its feedback. An activity without an id has none, and is never known again.
    pub(super) fn name(&self) -> Option<String> {
        self.inbound.id().map(|id| Fingerprint::of(self.reference.name().as_str(), id).to_name())
    }
}
