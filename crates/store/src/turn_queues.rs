//! The lines of a store that one process has to itself.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Notify;

use super::turn::{EndOfTurn, Line, Turn, TurnKind, TurnStage, WaitingTurns};
use super::writing::{FirstTurn, LineState};
use crate::activity::{ConversationId, Watermark};
use crate::expiring_map::ExpiringMap;

/// The names of so many turns are remembered.
const MAX_NAMES: usize = 100_000;

/// For so long.
const REMEMBER_NAMES: TimeDelta = TimeDelta::minutes(10);

const KINDS: usize = TurnKind::ALL.len();

/// All turns of a store in memory, in their lines, and who holds those. What is written to a disk stands beside it.
#[derive(Debug)]
pub(super) struct TurnQueues {
    inner: Mutex<Inner>,
    /// Notified when a line of a kind may be claimed.
    wakers: [Notify; KINDS],
}

#[derive(Debug)]
struct Inner {
    lines: BTreeMap<(ConversationId, TurnKind), QueuedLine>,
    /// Lines that nobody holds, in the order in which they are claimed.
    free: [VecDeque<ConversationId>; KINDS],
    names: ExpiringMap<(ConversationId, String), ()>,
    fence: u64,
    turns: [usize; KINDS],
    held: [usize; KINDS],
}

#[derive(Debug, Default)]
struct QueuedLine {
    turns: VecDeque<Turn>,
    /// The fence of the holder.
    held: Option<u64>,
}

impl Default for TurnQueues {
    fn default() -> Self {
        let inner = Inner {
            lines: BTreeMap::new(),
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

    /// How a line stands; an empty one that nobody holds, where there is none.
    pub(super) fn state(&self, id: &ConversationId, kind: TurnKind) -> LineState {
        let inner = self.inner();
        inner.lines.get(&(id.clone(), kind)).map_or_else(LineState::default, |line| LineState {
            turns: line.turns.len(),
            first: line.turns.front().map(FirstTurn::of),
            held: line.held,
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
        let Inner { lines, free, names, turns, .. } = &mut *inner;
        if let Some(name) = name {
            names.insert_new((id.clone(), name), (), turn.arrived);
        }
        turns[kind.number()] += 1;
        let line = lines.entry((id.clone(), kind)).or_insert_with(|| {
            free[kind.number()].push_back(id.clone());
            QueuedLine::default()
        });
        line.turns.push_back(turn);
        drop(inner);
        self.wakers[kind.number()].notify_one();
    }

    /// Claims lines: see [`Turns::claim_lines`](super::Turns::claim_lines).
    pub(super) fn claim(&self, kind: TurnKind, most: usize) -> Vec<Line> {
        let mut inner = self.inner();
        let Inner { lines, free, fence, held, .. } = &mut *inner;
        let mut claimed = Vec::new();
        while claimed.len() < most {
            let Some(id) = free[kind.number()].pop_front() else { break };
            let key = (id, kind);
            let Some(line) = lines.get_mut(&key).filter(|line| line.held.is_none()) else { continue };
            *fence += 1;
            line.held = Some(*fence);
            held[kind.number()] += 1;
            claimed.push(Line { conversation: key.0, kind, fence: *fence, lapses: 0 });
        }
        claimed
    }

    /// Waits for lines to claim.
    pub(super) async fn to_claim(&self, kind: TurnKind) {
        self.wakers[kind.number()].notified().await;
    }

    /// The first turn of a line that is held under this fence.
    pub(super) fn first(&self, line: &Line) -> Option<Turn> {
        let inner = self.inner();
        let queued = inner.lines.get(&(line.conversation.clone(), line.kind))?;
        queued.turns.front().filter(|_| queued.held == Some(line.fence)).cloned()
    }

    /// How far an answer has come; whether the line is still held.
    pub(super) fn note(&self, line: &Line, turn: u64, stage: TurnStage, said: Option<String>) -> bool {
        let mut inner = self.inner();
        let Some(queued) = inner.lines.get_mut(&(line.conversation.clone(), line.kind)) else { return false };
        let is_held = queued.held == Some(line.fence);
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
            let line = inner.lines.get_mut(&(id.clone(), kind)).into_iter();
            for turn in line.flat_map(|line| &mut line.turns) {
                turn.answered |= turn.is_about(place);
            }
        }
    }

    /// A turn has ended.
    pub(super) fn end(&self, end: &EndOfTurn) {
        let mut inner = self.inner();
        let Inner { lines, turns, held, .. } = &mut *inner;
        let key = (end.line.conversation.clone(), end.line.kind);
        let Some(line) = lines.get_mut(&key) else { return };
        if line.turns.front().is_some_and(|first| first.key == end.turn) {
            line.turns.pop_front();
            turns[key.1.number()] -= 1;
        }
        if line.turns.is_empty() {
            held[key.1.number()] -= usize::from(line.held.is_some());
            lines.remove(&key);
        }
    }

    /// Gives a line back.
    pub(super) fn release(&self, line: &Line) {
        let mut inner = self.inner();
        let Inner { lines, free, held, .. } = &mut *inner;
        let key = (line.conversation.clone(), line.kind);
        let Some(queued) = lines.get_mut(&key).filter(|queued| queued.held == Some(line.fence)) else { return };
        queued.held = None;
        held[line.kind.number()] -= 1;
        free[line.kind.number()].push_back(key.0);
        drop(inner);
        self.wakers[line.kind.number()].notify_one();
    }

    /// Forgets the turns of a line.
    pub(super) fn forget(&self, id: &ConversationId, kind: TurnKind) -> usize {
        let mut inner = self.inner();
        let Inner { lines, turns, held, .. } = &mut *inner;
        let Some(line) = lines.remove(&(id.clone(), kind)) else { return 0 };
        turns[kind.number()] -= line.turns.len();
        held[kind.number()] -= usize::from(line.held.is_some());
        line.turns.len()
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
        let lines = inner.lines.iter().filter(|((_, of), _)| *of == kind);
        let oldest = lines.filter_map(|(_, line)| line.turns.front()).map(|turn| turn.arrived).min();
        WaitingTurns { count: inner.turns[kind.number()], oldest }
    }
}
