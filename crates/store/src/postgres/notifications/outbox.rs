//! Tells the other nodes what has changed.
//!
//! A transaction that notifies holds one lock of the whole server until it is committed, so no append ever does: this task has a
//! connection of its own, whose commits wait for no disk. What is lost is found by the sweep (`maintenance.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgConnection;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::message::{Message, pack};
use crate::TurnKind;
use crate::activity::{ConversationId, Watermark};
use crate::postgres::connect::Connector;
use crate::postgres::failure::timed_out;

/// The time for which notifications are gathered while there is much to tell.
const GATHER: Duration = Duration::from_millis(10);

/// A notification that is not sent within this time is dropped.
const PATIENCE: Duration = Duration::from_secs(3);

/// The most conversations whose notifications wait. More are left to the sweep.
const MAX_WAITING: usize = 10_000;

/// Sets the option for this transaction only: behind a pooler, the session may be an append's a moment later.
const NOTIFY: &str = "SELECT pg_notify($1, payload) \
                      FROM set_config('synchronous_commit', 'off', true), unnest($2::text[]) AS payload";

/// Messages that other nodes are to be told, until the server has taken them.
#[derive(Debug)]
pub(super) struct Outbox {
    pub(super) channel: String,
    pub(super) sender: Uuid,
    waiting: Mutex<Waiting>,
    wake: Notify,
    /// The server has taken the last messages.
    is_telling: AtomicBool,
}

#[derive(Debug, Default)]
struct Waiting {
    /// `None`: the conversation is gone.
    conversations: BTreeMap<ConversationId, Option<Watermark>>,
    turns: BTreeSet<(TurnKind, ConversationId)>,
    alive: bool,
}

impl Outbox {
    pub(super) fn new(channel: String, sender: Uuid) -> Self {
        Self { channel, sender, waiting: Mutex::default(), wake: Notify::new(), is_telling: AtomicBool::new(false) }
    }

    /// The conversation reaches as far as this, or is gone.
    pub(super) fn tell(&self, id: &ConversationId, newest: Option<Watermark>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.conversations.len() < MAX_WAITING || waiting.conversations.contains_key(id) {
            waiting.conversations.insert(id.clone(), newest);
        }
        drop(waiting);
        self.wake.notify_one();
    }

    /// A turn waits in the conversation.
    pub(super) fn tell_turn(&self, id: &ConversationId, kind: TurnKind) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.turns.len() < MAX_WAITING {
            waiting.turns.insert((kind, id.clone()));
        }
        drop(waiting);
        self.wake.notify_one();
    }

    /// Something that comes back, so that the listener is known to hear.
    pub(super) fn tell_alive(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).alive = true;
        self.wake.notify_one();
    }

    /// Whether the server has taken the last messages.
    pub(super) fn is_telling(&self) -> bool {
        self.is_telling.load(Ordering::Relaxed)
    }

    fn take(&self) -> Vec<String> {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        let conversations = waiting.conversations.into_iter().map(|(id, newest)| match newest {
            Some(newest) => Message::Reaches(id, newest),
            None => Message::Gone(id),
        });
        let turns = waiting.turns.into_iter().map(|(kind, id)| Message::Turn(kind, id));
        pack(self.sender, waiting.alive.then_some(Message::Alive).into_iter().chain(conversations).chain(turns))
    }

    /// Sends until the end.
    pub(super) async fn run(&self, connector: &Connector, end: &CancellationToken) {
        let (mut connection, mut next) = (None, Instant::now());
        loop {
            tokio::select! {
                () = end.cancelled() => break,
                () = self.wake.notified() => {}
            }
            sleep_until(next).await;
            let payloads = self.take();
            let sent = timeout_at(Instant::now() + PATIENCE, self.send(connector, &mut connection, &payloads)).await;
            let sent = sent.unwrap_or_else(|_| Err(timed_out()));
            self.is_telling.store(sent.is_ok(), Ordering::Relaxed);
            if let Err(error) = sent {
                connection = None;
                tracing::debug!(%error, "other nodes hear of changes later: they could not be told");
            }
            next = Instant::now() + GATHER;
        }
    }

    async fn send(
        &self,
        connector: &Connector,
        connection: &mut Option<PgConnection>,
        payloads: &[String],
    ) -> Result<(), sqlx::Error> {
        if payloads.is_empty() {
            return Ok(());
        }
        let mut open = match connection.take() {
            Some(open) => open,
            None => connector.connect(Instant::now() + PATIENCE).await?,
        };
        sqlx::query(NOTIFY).bind(&self.channel).bind(payloads).execute(&mut open).await?;
        // A connection whose work failed is dropped.
        *connection = Some(open);
        Ok(())
    }
}
