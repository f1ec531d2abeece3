//! Whether anybody on another node would see a stream.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Redis is asked at most once in this time who follows a conversation.
const PROBE_EVERY: Duration = Duration::from_secs(1);

/// Whether nodes elsewhere have received what was published last of a stream. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct Reach(Arc<Known>);

#[derive(Debug, Default)]
struct Known {
    has_receivers: AtomicBool,
    probed: Mutex<Option<Instant>>,
}

impl Reach {
    pub(super) fn has_receivers(&self) -> bool {
        self.0.has_receivers.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, has_receivers: bool) {
        self.0.has_receivers.store(has_receivers, Ordering::Relaxed);
    }

    /// Whether it is time to ask again; whoever is told so asks.
    pub(super) fn is_due(&self) -> bool {
        let mut probed = self.0.probed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = probed.is_none_or(|probed| probed.elapsed() >= PROBE_EVERY);
        if is_due {
            *probed = Some(Instant::now());
        }
        is_due
    }
}
