//! The queues of turns that a group of changes is about.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use crate::StoreError;
use crate::activity::{ConversationId, Watermark};
use crate::turn::{EndOfTurn, NewTurn, Queued, Turn, TurnKind, TurnRoom};

/// A queue as it was before the group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueState {
    /// How many turns it has.
    pub(crate) turns: usize,
    /// The first of them.
    pub(crate) first: Option<FirstTurn>,
    /// The fence of its holder.
    pub(crate) held: Option<u64>,
}

/// The first turn of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FirstTurn {
    pub(crate) key: u64,
    /// The place of the recorded activity that it is about, where it is about one.
    pub(crate) about: Option<Watermark>,
    /// A reply to that was recorded.
    pub(crate) answered: bool,
}

impl FirstTurn {
    pub(crate) fn of(turn: &Turn) -> Self {
        Self { key: turn.key, about: turn.body.is_none().then_some(turn.place), answered: turn.answered }
    }
}

/// The ways in which a turn can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The turn ends with what its batch records.
    WithAnswer,
    /// It was answered before, and its batch records nothing.
    AnsweredBefore,
}

impl QueueState {
    /// Decides how a turn ends.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] when it is not the first of this queue, or its ender does not hold the queue.
    pub(super) fn ending(&self, end: &EndOfTurn) -> Result<Ending, StoreError> {
        let first = self.first.filter(|first| first.key == end.turn && self.held == Some(end.queue.fence));
        let first = first.ok_or(StoreError::Superseded)?;
        Ok(if end.unless_answered && first.answered { Ending::AnsweredBefore } else { Ending::WithAnswer })
    }
}

/// A turn that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TurnRow {
    /// The key of its conversation.
    pub(crate) conversation: i64,
    pub(crate) id: ConversationId,
    pub(crate) kind: TurnKind,
    pub(crate) name: Option<String>,
    pub(crate) bound: bool,
    pub(crate) turn: Turn,
}

/// The queues of a group of changes while these are planned, and the rows that come of that.
#[derive(Debug, Default)]
pub(crate) struct GroupQueues {
    states: BTreeMap<(ConversationId, TurnKind), QueueState>,
    /// How many turns of each kind wait, in all queues: all but those that are answered.
    waiting: [usize; TurnKind::ALL.len()],
    /// The names of turns, as far as the group asks for them, that are known already.
    names: BTreeSet<(ConversationId, String)>,
    /// The key of the next turn.
    next_key: u64,
    /// The new turns, in order.
    pub(crate) queued: Vec<TurnRow>,
    /// The turns that end.
    pub(crate) ended: Vec<EndOfTurn>,
    /// The places of activities that first turns are about, to which replies are recorded; with the keys of their conversations.
    pub(crate) answered: Vec<(i64, ConversationId, Watermark)>,
}

/// Whether there is room for one more turn where a queue has so many, and so many wait in all queues together.
///
/// # Errors
/// When there is none.
fn room_for_one(room: TurnRoom, in_queue: usize, waiting: usize) -> Result<(), Queued> {
    // The first of a queue waits for no other one there.
    if in_queue > room.in_queue {
        return Err(Queued::QueueFull);
    }
    if waiting >= room.in_all {
        return Err(Queued::Full);
    }
    Ok(())
}

impl GroupQueues {
    /// Queues of which nothing is known yet.
    pub(crate) fn new(waiting: [usize; TurnKind::ALL.len()], next_key: u64) -> Self {
        Self { waiting, next_key, ..Self::default() }
    }

    /// A queue of the group.
    pub(crate) fn know(&mut self, id: &ConversationId, kind: TurnKind, state: QueueState) {
        self.states.insert((id.clone(), kind), state);
    }

    /// The name of a turn that was recorded before.
    pub(crate) fn know_name(&mut self, id: &ConversationId, name: &str) {
        self.names.insert((id.clone(), name.to_owned()));
    }

    /// The key of the next turn.
    pub(crate) fn next_key(&self) -> u64 {
        self.next_key
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.queued.is_empty() && self.ended.is_empty() && self.answered.is_empty()
    }

    fn state(&self, id: &ConversationId, kind: TurnKind) -> QueueState {
        self.states.get(&(id.clone(), kind)).copied().unwrap_or_default()
    }

    /// Puts a turn at the end of its queue, if there is room.
    pub(super) fn queue(
        &mut self,
        (key, id): (i64, &ConversationId),
        turn: &NewTurn,
        place: Watermark,
        now: DateTime<Utc>,
    ) -> Queued {
        let NewTurn { kind, body, room, name, bound } = turn.clone();
        if name.as_ref().is_some_and(|name| self.names.contains(&(id.clone(), name.clone()))) {
            return Queued::Repeated;
        }
        let waiting = &mut self.waiting[kind.number()];
        let state = self.states.entry((id.clone(), kind)).or_default();
        if let Err(full) = room_for_one(room, state.turns, *waiting) {
            return full;
        }
        *waiting += 1;
        state.turns += 1;
        if let Some(name) = &name {
            self.names.insert((id.clone(), name.clone()));
        }
        let turn = Turn::new(self.next_key, place, body, now);
        self.next_key += 1;
        self.queued.push(TurnRow { conversation: key, id: id.clone(), kind, name, bound, turn });
        Queued::Taken
    }

    /// Decides how a turn ends: see [`QueueState::ending`].
    pub(super) fn ending(&self, end: &EndOfTurn) -> Result<Ending, StoreError> {
        self.state(&end.queue.conversation, end.queue.kind).ending(end)
    }

    /// Ends a turn.
    pub(super) fn end(&mut self, end: &EndOfTurn) {
        let state = self.states.entry((end.queue.conversation.clone(), end.queue.kind)).or_default();
        state.turns = state.turns.saturating_sub(1);
        // The turn behind it cannot have been told to anybody yet.
        state.first = None;
        self.ended.push(end.clone());
    }

    /// The queues in which a turn ends and none is left.
    pub(crate) fn emptied(&self) -> BTreeSet<(&ConversationId, TurnKind)> {
        let ended = self.ended.iter().map(|end| (&end.queue.conversation, end.queue.kind));
        ended.filter(|(id, kind)| self.state(id, *kind).turns == 0).collect()
    }

    /// A reply to the activity at this place is recorded.
    pub(super) fn answer(&mut self, key: i64, id: &ConversationId, place: Watermark) {
        for kind in TurnKind::ALL {
            let state = self.states.get_mut(&(id.clone(), kind));
            let first = state.and_then(|state| state.first.as_mut());
            if let Some(first) = first.filter(|first| first.about == Some(place) && !first.answered) {
                first.answered = true;
                self.answered.push((key, id.clone(), place));
            }
        }
    }
}
