//! Messages that wait to be published. An answer never waits for Redis: where that is slow, readers elsewhere see fewer
//! pieces.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::{Message, Reach};
use crate::activity::ConversationId;

/// The most messages that wait, and the most bytes of them.
const MOST: usize = 4096;
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The most messages that are sent at once.
const BATCH: usize = 128;

/// A message for the nodes that follow a conversation.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) id: ConversationId,
    pub(super) message: Message,
    /// Learns whether anybody received it, where its sender wants to know.
    pub(super) reach: Option<Reach>,
}

/// The queue. It takes nothing while there is no connection.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    state: Mutex<State>,
    filled: Notify,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct State {
    is_open: bool,
    waiting: VecDeque<Outgoing>,
    bytes: usize,
    /// A batch is on its way.
    is_sending: bool,
}

impl Outbox {
    /// Takes a message in. Returns how many were dropped for it, itself among them where there is no connection.
    pub(super) fn push(&self, outgoing: Outgoing) -> usize {
        let mut state = self.state();
        if !state.is_open {
            return 1;
        }
        state.bytes += outgoing.message.weight();
        match state.place_of(&outgoing) {
            Some(place) => {
                let before = std::mem::replace(&mut state.waiting[place], outgoing);
                state.bytes -= before.message.weight();
            }
            None => state.waiting.push_back(outgoing),
        }
        let mut dropped = 0;
        while state.waiting.len() > MOST || (state.bytes > MOST_BYTES && state.waiting.len() > 1) {
            let oldest = state.waiting.pop_front();
            state.bytes -= oldest.map_or(0, |oldest| oldest.message.weight());
            dropped += 1;
        }
        drop(state);
        self.filled.notify_one();
        dropped
    }

    /// The next messages to send; waits for the first. The batch before counts as sent.
    pub(super) async fn batch(&self) -> Vec<Outgoing> {
        loop {
            let batch = self.take();
            if !batch.is_empty() {
                return batch;
            }
            self.emptied.notify_waiters();
            self.filled.notified().await;
        }
    }

    /// There is a connection, or none: what waits would be out of date when there is one again. Returns how many were dropped.
    pub(super) fn set_open(&self, is_open: bool) -> usize {
        let mut state = self.state();
        let dropped = state.waiting.len();
        *state = State { is_open, ..State::default() };
        drop(state);
        self.emptied.notify_waiters();
        dropped
    }

    /// Waits until nothing waits.
    pub(super) async fn emptied(&self) {
        loop {
            let mut emptied = std::pin::pin!(self.emptied.notified());
            emptied.as_mut().enable();
            let is_empty = {
                let state = self.state();
                state.waiting.is_empty() && !state.is_sending
            };
            if is_empty {
                return;
            }
            emptied.await;
        }
    }

    fn take(&self) -> Vec<Outgoing> {
        let mut state = self.state();
        let most = state.waiting.len().min(BATCH);
        let batch: Vec<Outgoing> = state.waiting.drain(..most).collect();
        state.bytes -= batch.iter().map(|outgoing| outgoing.message.weight()).sum::<usize>();
        state.is_sending = !batch.is_empty();
        batch
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No call above can panic half-way through a change, so what a poisoned lock guards is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Where a piece of the same stream waits, which holds less of the text.
    fn place_of(&self, outgoing: &Outgoing) -> Option<usize> {
        let is_later = |message: &Message| match message {
            Message::Piece { .. } | Message::Withdrawal { .. } | Message::End { .. } => true,
            Message::Shown { .. } | Message::Alive { .. } => false,
        };
        let stream = outgoing.message.stream().filter(|_| is_later(&outgoing.message))?;
        let is_piece_of = |other: &Outgoing| {
            matches!(&other.message, Message::Piece { stream: other, .. } if other == stream) && other.id == outgoing.id
        };
        self.waiting.iter().rposition(is_piece_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(stream: &str, bytes: usize) -> Outgoing {
        let frame = bytestring::ByteString::from("x".repeat(bytes));
        let message = Message::Piece { stream: stream.to_owned(), first: frame.clone(), frame, number: 1, after: None };
        Outgoing { id: "c1".parse().expect("an id"), message, reach: None }
    }

    fn end(stream: &str) -> Outgoing {
        Outgoing { message: Message::End { stream: stream.to_owned() }, ..piece(stream, 0) }
    }

    fn open() -> Outbox {
        let outbox = Outbox::default();
        outbox.set_open(true);
        outbox
    }

    fn taken(outbox: &Outbox) -> Vec<(String, usize)> {
        let batch = outbox.take().into_iter();
        batch.map(|one| (one.message.stream().unwrap_or_default().to_owned(), one.message.weight())).collect()
    }

    #[test]
    fn a_later_piece_takes_the_place_of_the_one_before() {
        let outbox = open();
        for (stream, bytes) in [("a", 1), ("b", 1), ("a", 2), ("b", 2), ("a", 3)] {
            assert_eq!(outbox.push(piece(stream, bytes)), 0);
        }
        outbox.push(end("b"));
        assert_eq!(taken(&outbox), [("a".to_owned(), 3), ("b".to_owned(), 0)]);
        assert_eq!(outbox.state().bytes, 0);
    }

    #[test]
    fn the_oldest_are_dropped_when_it_is_full() {
        let outbox = open();
        let dropped: usize = (0..MOST + 3).map(|number| outbox.push(piece(&number.to_string(), 1))).sum();
        assert_eq!((dropped, taken(&outbox)[0].0.as_str()), (3, "3"));
        let outbox = open();
        let dropped: usize = (0..5).map(|number| outbox.push(piece(&number.to_string(), MOST_BYTES / 4))).sum();
        assert_eq!((dropped, taken(&outbox).len()), (1, 4));
        assert_eq!(outbox.push(piece("large", 2 * MOST_BYTES)), 0, "one is always taken");
    }

    #[tokio::test]
    async fn without_a_connection_nothing_waits() {
        let outbox = Outbox::default();
        assert_eq!(outbox.push(piece("a", 1)), 1);
        outbox.set_open(true);
        outbox.push(piece("a", 1));
        assert_eq!(outbox.set_open(false), 1);
        outbox.emptied().await;
    }
}
