//! The turns of a process beside the store: callers who wait for answers in the response, and turns that run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::body::Ticket;
use super::turn::{ReplyRoute, TurnOutcome};
use crate::activity::{Activity, ConversationId};
use crate::azure_bot::conversation::ConversationReference;
use crate::azure_bot::inbound::{Inbound, Kind};
use crate::clock::{IdSource as _, RandomIds};

/// A caller who waits for answers in the response.
#[derive(Debug)]
pub(crate) struct WaitingCaller {
    pub(crate) inbound: Inbound,
    pub(crate) reference: ConversationReference,
    pub(crate) route: ReplyRoute,
    /// Cancelled when the caller waits no more.
    pub(crate) forgotten: CancellationToken,
    /// When the answers have to be there.
    pub(crate) deadline: Option<Instant>,
    /// Hears that the turn was served. Dropped before that, it tells that there was no turn.
    pub(crate) tell: oneshot::Sender<()>,
}

/// The callers who wait, and the turns that run.
#[derive(Debug)]
pub(crate) struct Calls {
    process: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    waiting: BTreeMap<u64, WaitingCaller>,
    /// The proactive messages that wait for their turns.
    later: BTreeMap<u64, (ConversationId, oneshot::Sender<DropGuard>)>,
    running: BTreeMap<u64, (ConversationId, CancellationToken)>,
    closed: bool,
}

/// A proactive message that waits for its turn, until this is dropped.
#[derive(Debug)]
#[must_use = "dropped, it waits no more"]
pub(crate) struct WaitingMessage {
    pub(crate) ticket: Ticket,
    /// Gets what has to be dropped when the message was sent. It is closed where there is no turn any more.
    pub(crate) turn: oneshot::Receiver<DropGuard>,
    calls: Arc<Calls>,
}

/// A turn that runs, until this is dropped.
#[derive(Debug)]
#[must_use = "dropped, it runs no more"]
pub(super) struct Running {
    number: u64,
    calls: Arc<Calls>,
}

impl Calls {
    pub(crate) fn new() -> Self {
        // Other processes have the same numbers, so their names are random whatever the ids of conversations are.
        Self { process: RandomIds.fresh().simple().to_string(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No call below can panic half-way through a change, so what a poisoned lock guards is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a caller wait; `None` when the server is ending. `name` is that of the turn.
    pub(crate) fn wait(&self, call: WaitingCaller, name: Option<String>) -> Option<Ticket> {
        let mut state = self.state();
        if state.closed {
            return None;
        }
        state.next += 1;
        let number = state.next;
        state.waiting.insert(number, call);
        Some(Ticket { process: self.process.clone(), call: number, name })
    }

    /// Lets a proactive message wait for its turn in this conversation; `None` when the server is ending.
    pub(crate) fn wait_for_turn(self: &Arc<Self>, id: &ConversationId) -> Option<WaitingMessage> {
        let mut state = self.state();
        if state.closed {
            return None;
        }
        state.next += 1;
        let number = state.next;
        let (tell, turn) = oneshot::channel();
        state.later.insert(number, (id.clone(), tell));
        let ticket = Ticket { process: self.process.clone(), call: number, name: None };
        Some(WaitingMessage { ticket, turn, calls: Arc::clone(self) })
    }

    /// Takes the channel that tells a proactive message that its turn has come; `None` when nobody waits any more.
    pub(super) fn take_later(&self, ticket: &Ticket) -> Option<oneshot::Sender<DropGuard>> {
        let later = if self.is_ours(ticket) { self.state().later.remove(&ticket.call) } else { None };
        later.map(|(_, tell)| tell)
    }

    /// Whether a caller has come to this process.
    pub(super) fn is_ours(&self, ticket: &Ticket) -> bool {
        ticket.process == self.process
    }

    /// The caller whose turn has come, or who waits no more; `None` when that was so before.
    pub(crate) fn take(&self, ticket: &Ticket) -> Option<WaitingCaller> {
        if self.is_ours(ticket) { self.state().waiting.remove(&ticket.call) } else { None }
    }

    /// A turn runs, until its token is cancelled or the value is dropped.
    pub(super) fn run(self: &Arc<Self>, id: &ConversationId, forgotten: &CancellationToken) -> Running {
        let mut state = self.state();
        state.next += 1;
        let number = state.next;
        state.running.insert(number, (id.clone(), forgotten.clone()));
        Running { number, calls: Arc::clone(self) }
    }

    /// How many turns run.
    pub(crate) fn running(&self) -> usize {
        self.state().running.len()
    }

    /// The conversation has ended: whoever waits for anything there, waits no more.
    pub(crate) fn forget(&self, id: &ConversationId) {
        let mut state = self.state();
        for (_, token) in state.running.values().filter(|(running, _)| running == id) {
            token.cancel();
        }
        let gone = state.waiting.extract_if(.., |_, call| call.reference.name().id() == *id);
        for (_, call) in gone {
            call.forgotten.cancel();
        }
        // Their turns are gone too; they queue again.
        state.later.retain(|_, (waiting, _)| waiting != id);
    }

    /// Lets nobody wait any more; returns those who do.
    pub(crate) fn close(&self) -> Vec<WaitingCaller> {
        let mut state = self.state();
        state.closed = true;
        state.later.clear();
        std::mem::take(&mut state.waiting).into_values().collect()
    }
}

impl WaitingCaller {
    /// Tells a caller that there is no time any more, where it waits for words.
    pub(crate) async fn turn_away(self, words: &str) {
        let mut sink = self.route.sink(&self.reference);
        // A caller that does not hear it waits no more.
        match self.inbound.asks() {
            Kind::Question | Kind::Wordless => {
                drop(sink.send(Activity::message(words)).await);
                if self.reference.is_agent() {
                    drop(sink.send(TurnOutcome::Failed.end_of_conversation()).await);
                }
            }
            Kind::Arrival | Kind::Invoke(_) | Kind::End | Kind::Passing | Kind::Nothing => {}
        }
        self.tell.send(()).ok();
    }
}

impl Drop for WaitingMessage {
    fn drop(&mut self) {
        self.calls.state().later.remove(&self.ticket.call);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.calls.state().running.remove(&self.number);
    }
}
