//! Slots for connections. Beyond them, clients are told to come again, and `/healthz`, `/readyz` and the metrics alone are
//! answered: a server that fell silent there would be ended by its monitor, with no reason in sight.

use std::cell::Cell;
use std::collections::VecDeque;
use std::net::Shutdown;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use actix_web::rt::net::TcpStream;
use socket2::{SockRef, Socket};

use crate::http::paths::METRICS;
use crate::metrics::Metrics;

/// The number of connections that are taken in beyond the slots.
pub(crate) const KEPT: usize = 32;

/// The number of them that may wait; the next one ends the one that has waited longest, so that a client that asks at
/// once is always answered.
const WAITING: usize = KEPT / 2;

/// The least time between two warnings to the operator.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// The slots for connections, shared by all workers.
#[derive(Debug)]
pub(crate) struct ConnectionSlots {
    most: usize,
    taken: AtomicUsize,
    /// Connections beyond the slots, the oldest first, each with a handle by which it can be ended.
    beyond: Mutex<VecDeque<(u64, Socket)>>,
    next: AtomicU64,
    told: Mutex<Option<Instant>>,
    metrics: Metrics,
}

/// A connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    number: u64,
    /// Whether the connection has one of the slots.
    has_slot: Cell<bool>,
}

impl ConnectionSlots {
    pub(crate) fn new(most: usize, metrics: Metrics) -> Arc<Self> {
        metrics.connections_limit(most);
        let (taken, next) = (AtomicUsize::new(0), AtomicU64::new(0));
        Arc::new(Self { most, taken, beyond: Mutex::default(), next, told: Mutex::default(), metrics })
    }

    /// A connection has come.
    pub(crate) fn enter(self: &Arc<Self>, stream: &TcpStream) -> ConnectionSlot {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let slot = ConnectionSlot { slots: Arc::clone(self), number, has_slot: Cell::new(self.take()) };
        if !slot.has_slot.get() {
            self.tell();
            // A system that gives no handle is out of files: then this connection ends with the time for its head.
            if let Ok(handle) = SockRef::from(stream).try_clone() {
                let mut beyond = self.beyond();
                beyond.push_back((number, handle));
                if beyond.len() > WAITING
                    && let Some((_, longest)) = beyond.pop_front()
                {
                    longest.shutdown(Shutdown::Both).ok();
                }
            }
        }
        slot
    }

    fn take(&self) -> bool {
        let one_more = |taken| (taken < self.most).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }

    fn tell(&self) {
        self.metrics.connection_without_place();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|told| told.elapsed() >= TELL_EVERY) {
            *told = Some(Instant::now());
            tracing::warn!(
                limit = self.most,
                "the limit of connections is reached: requests on others are answered 503, but for the health and the metrics; \
                 raise the limit of open files"
            );
        }
    }

    fn beyond(&self) -> MutexGuard<'_, VecDeque<(u64, Socket)>> {
        self.beyond.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, number: u64) {
        self.beyond().retain(|(waiting, _)| *waiting != number);
    }
}

impl ConnectionSlot {
    /// Whether a request on it is served: one of the slots is its own by now, or the path is open to those who watch the server.
    pub(crate) fn serves(&self, path: &str) -> bool {
        if self.has_slot.get() {
            return true;
        }
        if ["/healthz", "/readyz", METRICS].contains(&path) {
            return true;
        }
        let taken = self.slots.take();
        if taken {
            self.has_slot.set(true);
            self.slots.forget(self.number);
        }
        taken
    }

    /// Whether it ends with the answer: it has none of the slots.
    pub(crate) fn is_passing(&self) -> bool {
        !self.has_slot.get()
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        if self.has_slot.get() {
            self.slots.taken.fetch_sub(1, Ordering::Relaxed);
        } else {
            self.slots.forget(self.number);
        }
    }
}
