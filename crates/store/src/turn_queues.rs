//! The queues of a store that one process has to itself.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Notify;

use super::turn::{EndOfTurn, Turn, TurnKind, TurnQueue, TurnStage, WaitingTurns};
use super::writing::{FirstTurn, QueueState};
use crate::activity::{ConversationId, Watermark};
use crate::expiring_map::ExpiringMap;

/// The names of so many turns are remembered.
const MAX_NAMES: usize = 100_000;

/// For so long.
const REMEMBER_NAMES: TimeDelta = TimeDelta::minutes(10);

const KINDS: usize = TurnKind::ALL.len();

/// All turns of a store in memory, in their queues, and who holds those. What is written to a disk stands beside it.
#[derive(Debug)]
pub(super) struct TurnQueues {
    inner: Mutex<Inner>,
    /// Notified when a queue of a kind may be claimed.
    wakers: [Notify; KINDS],
}

#[derive(Debug)]
struct Inner {
    queues: BTreeMap<(ConversationId, TurnKind), QueueEntry>,
    /// Queues that nobody holds, in the order in which they are claimed.
    free: [VecDeque<ConversationId>; KINDS],
    names: ExpiringMap<(ConversationId, String), ()>,
    fence: u64,
    turns: [usize; KINDS],
    held: [usize; KINDS],
}

#[derive(Debug, Default)]
struct QueueEntry {
    turns: VecDeque<Turn>,
    /// The fence of the holder.
    held: Option<u64>,
}

impl Default for TurnQueues {
    fn default() -> Self {
        let inner = Inner {
            queues: BTreeMap::new(),
            free: Default::default(),
            names: ExpiringMap::new(MAX_NAMES, REMEMBER_NAMES),
            fence: 0,
            turns: [0; KINDS],
            held: [0; KINDS],
        };
        Self { inner: Mutex::new(inner), wakers: Default::default() }
    }
}

impl TurnQueues {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No call below can panic half-way through a change, so what a poisoned lock guards is whole.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How a queue stands; an empty one that nobody holds, where there is none.
    pub(super) fn state(&self, id: &ConversationId, kind: TurnKind) -> QueueState {
        let inner = self.inner();
        inner.queues.get(&(id.clone(), kind)).map_or_else(QueueState::default, |queue| QueueState {
            turns: queue.turns.len(),
            first: queue.turns.front().map(FirstTurn::of),
            held: queue.held,
        })
    }

    /// How many turns of each kind wait: all but those that are answered.
    pub(super) fn waiting(&self) -> [usize; KINDS] {
        let inner = self.inner();
        std::array::from_fn(|kind| inner.turns[kind].saturating_sub(inner.held[kind]))
    }

    /// Whether a turn of this name was recorded before.
    pub(super) fn is_known(&self, id: &ConversationId, name: &str, now: DateTime<Utc>) -> bool {
        self.inner().names.get(&(id.clone(), name.to_owned()), now).is_some()
    }

    /// A turn was recorded.
    pub(super) fn push(&self, id: &ConversationId, kind: TurnKind, name: Option<String>, turn: Turn) {
        let mut inner = self.inner();
        let Inner { queues, free, names, turns, .. } = &mut *inner;
        if let Some(name) = name {
            names.insert_new((id.clone(), name), (), turn.arrived);
        }
        turns[kind.number()] += 1;
        let queue = queues.entry((id.clone(), kind)).or_insert_with(|| {
            free[kind.number()].push_back(id.clone());
            QueueEntry::default()
        });
        queue.turns.push_back(turn);
        drop(inner);
        self.wakers[kind.number()].notify_one();
    }

    /// Claims queues: see [`Turns::claim_queues`](super::Turns::claim_queues).
    pub(super) fn claim(&self, kind: TurnKind, most: usize) -> Vec<TurnQueue> {
        let mut inner = self.inner();
        let Inner { queues, free, fence, held, .. } = &mut *inner;
        let mut claimed = Vec::new();
        while claimed.len() < most {
            let Some(id) = free[kind.number()].pop_front() else { break };
            let key = (id, kind);
            let Some(queue) = queues.get_mut(&key).filter(|queue| queue.held.is_none()) else { continue };
            *fence += 1;
            queue.held = Some(*fence);
            held[kind.number()] += 1;
            claimed.push(TurnQueue { conversation: key.0, kind, fence: *fence, lapses: 0 });
        }
        claimed
    }

    /// Waits for queues to claim.
    pub(super) async fn to_claim(&self, kind: TurnKind) {
        self.wakers[kind.number()].notified().await;
    }

    /// The first turn of a queue that is held under this fence.
    pub(super) fn first(&self, queue: &TurnQueue) -> Option<Turn> {
        let inner = self.inner();
        let queued = inner.queues.get(&(queue.conversation.clone(), queue.kind))?;
        queued.turns.front().filter(|_| queued.held == Some(queue.fence)).cloned()
    }

    /// How far an answer has come; whether the queue is still held.
    pub(super) fn note(&self, queue: &TurnQueue, turn: u64, stage: TurnStage, said: Option<String>) -> bool {
        let mut inner = self.inner();
        let Some(queued) = inner.queues.get_mut(&(queue.conversation.clone(), queue.kind)) else { return false };
        let is_held = queued.held == Some(queue.fence);
        match queued.turns.front_mut().filter(|first| is_held && first.key == turn) {
            Some(first) => {
                (first.stage, first.said) = (stage, said);
                true
            }
            None => false,
        }
    }

    /// A reply to the activity of this place was recorded.
    pub(super) fn answered(&self, id: &ConversationId, place: Watermark) {
        let mut inner = self.inner();
        for kind in TurnKind::ALL {
            let queue = inner.queues.get_mut(&(id.clone(), kind)).into_iter();
            for turn in queue.flat_map(|queue| &mut queue.turns) {
                turn.answered |= turn.is_about(place);
            }
        }
    }

    /// A turn has ended.
    pub(super) fn end(&self, end: &EndOfTurn) {
        let mut inner = self.inner();
        let Inner { queues, turns, held, .. } = &mut *inner;
        let key = (end.queue.conversation.clone(), end.queue.kind);
        let Some(queue) = queues.get_mut(&key) else { return };
        if queue.turns.front().is_some_and(|first| first.key == end.turn) {
            queue.turns.pop_front();
            turns[key.1.number()] -= 1;
        }
        if queue.turns.is_empty() {
            held[key.1.number()] -= usize::from(queue.held.is_some());
            queues.remove(&key);
        }
    }

    /// Gives a queue back.
    pub(super) fn release(&self, queue: &TurnQueue) {
        let mut inner = self.inner();
        let Inner { queues, free, held, .. } = &mut *inner;
        let key = (queue.conversation.clone(), queue.kind);
        let Some(queued) = queues.get_mut(&key).filter(|queued| queued.held == Some(queue.fence)) else { return };
        queued.held = None;
        held[queue.kind.number()] -= 1;
        free[queue.kind.number()].push_back(key.0);
        drop(inner);
        self.wakers[queue.kind.number()].notify_one();
    }

    /// Forgets the turns of a queue.
    pub(super) fn forget(&self, id: &ConversationId, kind: TurnKind) -> usize {
        let mut inner = self.inner();
        let Inner { queues, turns, held, .. } = &mut *inner;
        let Some(queue) = queues.remove(&(id.clone(), kind)) else { return 0 };
        turns[kind.number()] -= queue.turns.len();
        held[kind.number()] -= usize::from(queue.held.is_some());
        queue.turns.len()
    }

    /// A turn of this name may be recorded again.
    pub(super) fn forget_name(&self, id: &ConversationId, name: &str) {
        self.inner().names.remove(&(id.clone(), name.to_owned()));
    }

    /// The conversation is gone, and its turns with it.
    pub(super) fn forget_all(&self, id: &ConversationId) {
        for kind in TurnKind::ALL {
            self.forget(id, kind);
        }
    }

    /// The turns that there are.
    pub(super) fn count(&self, kind: TurnKind) -> WaitingTurns {
        let inner = self.inner();
        let queues = inner.queues.iter().filter(|((_, of), _)| *of == kind);
        let oldest = queues.filter_map(|(_, queue)| queue.turns.front()).map(|turn| turn.arrived).min();
        WaitingTurns { count: inner.turns[kind.number()], oldest }
    }
}
