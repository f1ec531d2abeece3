//! The queue of documents to be read: their owners take turns, so that the slow files of one hold up no other.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// A line of documents that are read in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lane {
    /// A document that is read at once: nothing slow stands before it.
    Quick,
    /// A document that has to be parsed, within the short time.
    Parsed,
    /// A document that took longer than the short time, once more.
    Late,
}

/// The queue before the slots for documents that are read at one time. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadingQueue(Arc<Mutex<QueueState>>);

#[derive(Debug, Default)]
struct QueueState {
    lines: BTreeMap<Lane, OwnerQueue>,
    /// The number of documents being read.
    running: BTreeMap<Lane, usize>,
}

#[derive(Debug, Default)]
struct OwnerQueue {
    waiting: BTreeMap<String, VecDeque<oneshot::Sender<ReadingTurn>>>,
    /// The owners who wait, the next one first.
    order: VecDeque<String>,
}

/// A slot, until it is dropped.
#[derive(Debug)]
pub(super) struct ReadingTurn {
    queue: ReadingQueue,
    lane: Lane,
}

impl ReadingQueue {
    /// Waits for a slot.
    pub(super) async fn take(&self, owner: &str, lane: Lane) -> ReadingTurn {
        loop {
            let (give, given) = oneshot::channel();
            {
                let mut state = self.state();
                let line = state.lines.entry(lane).or_default();
                let own = line.waiting.entry(owner.to_owned()).or_default();
                if own.is_empty() {
                    line.order.push_back(owner.to_owned());
                }
                own.push_back(give);
            }
            self.go_on();
            // A line never drops a sender; if one did, the slot is asked for again.
            if let Ok(turn) = given.await {
                return turn;
            }
        }
    }

    /// The number of documents that wait.
    pub(super) fn waiting(&self) -> usize {
        let state = self.state();
        let waiting = state.lines.values().flat_map(|line| line.waiting.values());
        waiting.map(|own| own.iter().filter(|give| !give.is_closed()).count()).sum()
    }

    /// Gives free slots to waiting owners.
    fn go_on(&self) {
        loop {
            let Some((lane, give)) = self.state().next() else { return };
            // A caller who went away meanwhile drops the turn, and with it gives the slot back.
            drop(give.send(ReadingTurn { queue: self.clone(), lane }));
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    /// Takes the next reader out of a lane that has a free slot.
    fn next(&mut self) -> Option<(Lane, oneshot::Sender<ReadingTurn>)> {
        for lane in [Lane::Quick, Lane::Parsed, Lane::Late] {
            if self.has_room(lane)
                && let Some(give) = self.lines.get_mut(&lane).and_then(OwnerQueue::next)
            {
                *self.running.entry(lane).or_default() += 1;
                return Some((lane, give));
            }
        }
        None
    }

    fn has_room(&self, lane: Lane) -> bool {
        let running = |lane| self.running.get(&lane).copied().unwrap_or_default();
        match lane {
            Lane::Quick => running(Lane::Quick) < 1,
            Lane::Parsed => running(Lane::Parsed) + running(Lane::Late) < 2,
            // The other place stays free for those who come new.
            Lane::Late => running(Lane::Late) < 1 && running(Lane::Parsed) < 2,
        }
    }
}

impl OwnerQueue {
    fn next(&mut self) -> Option<oneshot::Sender<ReadingTurn>> {
        while let Some(owner) = self.order.pop_front() {
            let own = self.waiting.get_mut(&owner)?;
            let give = own.pop_front();
            if own.is_empty() {
                self.waiting.remove(&owner);
            } else {
                self.order.push_back(owner);
            }
            if let Some(give) = give.filter(|give| !give.is_closed()) {
                return Some(give);
            }
        }
        None
    }
}

impl Drop for ReadingTurn {
    fn drop(&mut self) {
        if let Some(running) = self.queue.state().running.get_mut(&self.lane) {
            *running = running.saturating_sub(1);
        }
        self.queue.go_on();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use futures_util::future::BoxFuture;

    use super::*;

    fn ask(turns: &ReadingQueue, owner: &'static str, lane: Lane) -> BoxFuture<'static, ReadingTurn> {
        let turns = turns.clone();
        let mut asked = async move { turns.take(owner, lane).await }.boxed();
        match asked.as_mut().now_or_never() {
            Some(turn) => std::future::ready(turn).boxed(),
            None => asked,
        }
    }

    fn is_given(asked: &mut BoxFuture<'static, ReadingTurn>) -> Option<ReadingTurn> {
        asked.as_mut().now_or_never()
    }

    #[test]
    fn owners_take_turns_and_what_is_quick_waits_for_nobody() {
        let turns = ReadingQueue::default();
        let mut first: Vec<_> = (0..4).map(|_| ask(&turns, "a", Lane::Parsed)).collect();
        let mut other = ask(&turns, "b", Lane::Parsed);
        let mut quick = ask(&turns, "c", Lane::Quick);
        assert!(is_given(&mut quick).is_some());
        let running: Vec<ReadingTurn> = first[..2].iter_mut().filter_map(is_given).collect();
        assert_eq!((running.len(), turns.waiting()), (2, 3));
        assert!(is_given(&mut first[2]).is_none() && is_given(&mut other).is_none());
        drop(running);
        // Of "a" one came before, then it was the turn of "b".
        assert!(is_given(&mut first[2]).is_some() && is_given(&mut other).is_some());
    }

    #[test]
    fn the_late_leave_a_place_to_those_who_come_new() {
        let turns = ReadingQueue::default();
        let mut late: Vec<_> = (0..2).map(|_| ask(&turns, "a", Lane::Late)).collect();
        let slow = is_given(&mut late[0]).expect("a place");
        assert!(is_given(&mut late[1]).is_none());
        let new = is_given(&mut ask(&turns, "b", Lane::Parsed)).expect("the other place");
        drop(slow);
        assert!(is_given(&mut late[1]).is_some());
        drop(new);
    }

    #[test]
    fn who_goes_away_leaves_the_place_to_the_next() {
        let turns = ReadingQueue::default();
        let held: Vec<ReadingTurn> = (0..2).filter_map(|_| is_given(&mut ask(&turns, "a", Lane::Parsed))).collect();
        let (gone, mut next) = (ask(&turns, "a", Lane::Parsed), ask(&turns, "a", Lane::Parsed));
        drop(gone);
        assert_eq!(turns.waiting(), 1);
        drop(held);
        let given = ask(&turns, "b", Lane::Parsed);
        drop(given);
        assert!(is_given(&mut next).is_some());
        assert!(is_given(&mut ask(&turns, "b", Lane::Parsed)).is_some());
    }
}
