//! The store for the rest of the server.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures_util::FutureExt as _;
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::address::Address;
use super::claims::Claims;
use super::connect::Connector;
use super::connections::Connections;
use super::error::PostgresError;
use super::maintenance;
use super::node::{Node, Pulse, Strangers};
use super::notifications;
use super::options::PostgresOptions;
use super::reader::{Reader, failed};
use super::removal::{Which, delete, discard_old_drafts};
use super::room::Room;
use super::schema;
use super::waiting::Waiting;
use super::writer::{Shared, Writer};
use crate::activity::{ChannelAccount, ConversationId, Watermark};
use crate::clock::{Clock, IdSource as _, RandomIds};
use crate::metrics::StoreFigures;
use crate::supervision::supervise;
use crate::writing::{Append, Change, Create, Health, Keep, Note, Pending, Placed, Refer, recorded_before};
use crate::{
    Appended, Attachment, Batch, ChangeListener, Conversation, ConversationStore, Counts, Created, Feedback,
    FeedbackPage, ListCursor, Listing, NewTurn, Newest, Page, StoreError, StoreLimits,
};

/// One connection writes, one listens, and one notifies. The others are shared by calls.
const OTHERS: usize = 3;

/// The most changes that wait for the writer; one more is refused.
const MAX_WAITING: usize = 2048;

/// The most KiB of them.
const MAX_WAITING_KIB: usize = 64 * 1024;

/// Without a heartbeat for so long the store is not ready: longer than a failover, which
/// would take all nodes away at once.
const UNREADY: Duration = Duration::from_secs(30);

/// A [`ConversationStore`] in a PostgreSQL database, which other nodes serve too. Acknowledged changes are durable there.
#[derive(Debug)]
pub struct PostgresStore {
    pub(super) shared: Arc<Shared>,
    pub(super) reader: Reader,
    /// Dropped to end the writer.
    queue: Mutex<Option<mpsc::Sender<Change>>>,
    waiting: Arc<Semaphore>,
    pub(super) pulse: Arc<Pulse>,
    end: CancellationToken,
    tasks: TaskTracker,
    heartbeat: Mutex<Option<JoinHandle<()>>>,
    strangers: Strangers,
}

impl PostgresStore {
    /// Connects, brings the schema to the newest version, and starts the tasks that write and listen on the current runtime.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn open(
        address: Address,
        options: PostgresOptions,
        limits: StoreLimits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, PostgresError> {
        let connector = Connector { address: address.clone() };
        let explain = |error| PostgresError::explain(error, &address);
        let mut connection = schema::connect(&connector, &options).await?;
        let room = Room::new(limits);
        room.count(&mut connection).await.map_err(explain)?;
        room.weigh(&mut connection).await.map_err(explain)?;
        let (tasks, end) = (TaskTracker::new(), CancellationToken::new());
        // Where a later step fails, the tasks of the steps before it end.
        let opening = end.clone().drop_guard();
        let alive_for = options.dead_after.saturating_sub(options.heartbeat);
        let claims = Arc::new(Claims::new(RandomIds.fresh(), options.dead_after));
        let notifications = notifications::start(&connector, &mut connection, Arc::clone(&claims), &tasks, &end).await;
        let notifications = notifications.map_err(explain)?;
        let pulse = Arc::new(Pulse::new(alive_for));
        let figures = StoreFigures::default();
        let strangers = Strangers::default();
        let node = Node::new(&options, &claims, &clock, &pulse, &figures, &strangers);
        node.begin(&mut connection).await.map_err(explain)?;
        // Only now does the clock agree with the database's.
        discard_old_drafts(&mut connection, clock.now()).await.map_err(explain)?;
        let heartbeat = node.start(connector.clone(), end.clone()).map_err(PostgresError::Thread)?;
        let most = options.connections.saturating_sub(OTHERS).max(2);
        let connections = Arc::new(Connections::new(connector, most, options.write_timeout));
        connections.keep(connection);
        let shared = Arc::new(Shared {
            connections: Arc::clone(&connections),
            clock,
            room,
            notifications,
            claims,
            waiting: Waiting::default(),
            health: Mutex::new(Health::new(Arc::clone(&connections.standing))),
            figures,
        });
        let (queue, work) = mpsc::channel(MAX_WAITING);
        tasks.spawn(Writer::new(Arc::clone(&shared), work).run());
        let keeping = (Arc::clone(&shared), end.clone());
        tasks.spawn(supervise("store maintenance", end.clone(), keeping, |(shared, end)| {
            maintenance::run(shared, end).boxed()
        }));
        tasks.close();
        opening.disarm();
        let waiting = Arc::new(Semaphore::new(MAX_WAITING_KIB));
        Ok(Self {
            shared,
            reader: Reader { connections },
            queue: Mutex::new(Some(queue)),
            waiting,
            pulse,
            end,
            tasks,
            heartbeat: Mutex::new(Some(heartbeat)),
            strangers,
        })
    }

    /// Hands a change to the writer and waits until it is committed.
    pub(super) async fn change<C, A>(
        &self,
        change: C,
        bytes: usize,
        wrap: fn(Pending<C, A>) -> Change,
    ) -> Result<A, StoreError> {
        if self.shared.room.takes(bytes).is_err() && self.shared.room.is_outdated() {
            maintenance::weigh(&self.shared).await.map_err(failed)?;
        }
        self.shared.room.takes(bytes)?;
        // One that is larger than all the room there is takes all of it, rather than never getting in.
        let kib = u32::try_from((bytes / 1024 + 1).min(MAX_WAITING_KIB)).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.waiting).try_acquire_many_owned(kib).map_err(|_| StoreError::Busy)?;
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or(StoreError::Closed)?;
        let (reply, answer) = oneshot::channel();
        let pending = Pending::new(change, reply, room, self.shared.figures.queue.enter());
        queue.try_send(wrap(pending)).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => StoreError::Busy,
            mpsc::error::TrySendError::Closed(_) => StoreError::Closed,
        })?;
        drop(queue);
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Deletes these conversations, in small steps between which others get their turn; says how many.
    async fn remove(&self, which: Which<'_>) -> Result<usize, StoreError> {
        let mut deleted = 0;
        loop {
            let step = delete(&self.shared.connections, which).await.map_err(failed)?;
            if step.is_empty() {
                return Ok(deleted);
            }
            deleted += step.len();
            self.shared.room.removed(step.len());
            for id in step.into_iter().filter_map(|id| ConversationId::try_from(id).ok()) {
                self.shared.notifications.gone(&id);
            }
        }
    }

    /// Reads again the activities that a batch recorded when its key was first used.
    async fn again(&self, id: &ConversationId, first: Watermark, count: usize) -> Result<Option<Appended>, StoreError> {
        recorded_before((first, count), |after, limit| self.reader.read(id, after, limit)).await
    }
}

#[async_trait]
impl ConversationStore for PostgresStore {
    async fn create_asking(
        &self,
        id: &ConversationId,
        user: Option<ChannelAccount>,
        turn: Option<NewTurn>,
    ) -> Result<Created, StoreError> {
        let reference = match self.find(id).await? {
            Some(found) if found.user.is_some() || user.is_none() => return Ok(Created::Existing(found)),
            found => found.and_then(|found| found.reference),
        };
        let create = Create::new(id, user, turn)?;
        let created = self.change(create, 0, Change::Create).await?;
        created.outcome(id, reference)
    }

    async fn find(&self, id: &ConversationId) -> Result<Option<Conversation>, StoreError> {
        Ok(self.reader.find(id).await?.map(|(conversation, _)| conversation))
    }

    async fn created(&self, id: &ConversationId) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.reader.created(id).await
    }

    async fn refer(&self, id: &ConversationId, reference: Value) -> Result<bool, StoreError> {
        let refer = Refer { id: id.clone(), reference: reference.to_string() };
        let bytes = refer.reference.len();
        self.change(refer, bytes, Change::Refer).await
    }

    async fn append(&self, id: &ConversationId, batch: Batch) -> Result<Option<Appended>, StoreError> {
        let (append, written) = Append::new(id, batch)?;
        let bytes = append.bodies.len();
        match self.change(append, bytes, Change::Append).await? {
            None => Ok(None),
            Some(Placed::Now { first, timestamp, queued }) => Ok(Some(written.at(id, first, timestamp).queued(queued))),
            Some(Placed::Nowhere) => Ok(Some(Appended::new(Vec::new(), false))),
            Some(Placed::Before { first, count }) => self.again(id, first, count).await,
        }
    }

    async fn recall(&self, id: &ConversationId, key: &str) -> Result<Option<Appended>, StoreError> {
        match self.reader.batch(id, key).await? {
            Some((first, count)) => self.again(id, first, count).await,
            None => Ok(None),
        }
    }

    async fn read(
        &self,
        id: &ConversationId,
        after: Option<Watermark>,
        limit: usize,
    ) -> Result<Option<Page>, StoreError> {
        self.reader.read(id, after, limit).await
    }

    async fn newest(&self, id: &ConversationId) -> Result<Option<Newest>, StoreError> {
        Ok(self.reader.find(id).await?.map(|(_, newest)| newest))
    }

    async fn subscribe(&self, id: &ConversationId) -> Result<Option<ChangeListener>, StoreError> {
        loop {
            let listener = self.shared.notifications.registry.listen(id);
            if self.reader.find(id).await?.is_none() {
                return Ok(None);
            }
            // The sweep may have looked for the conversation just before it was created.
            if listener.has_changed().is_ok() {
                return Ok(Some(listener));
            }
        }
    }

    async fn keep_attachment(
        &self,
        id: &ConversationId,
        attachment_id: &str,
        attachment: Attachment,
    ) -> Result<bool, StoreError> {
        let bytes = attachment.bytes.len();
        let keep = Keep::new(id, attachment_id, attachment);
        self.change(keep, bytes, Change::Keep).await
    }

    async fn attachment(&self, id: &ConversationId, attachment_id: &str) -> Result<Option<Attachment>, StoreError> {
        self.reader.attachment(id, attachment_id).await
    }

    async fn keep_feedback(
        &self,
        id: &ConversationId,
        feedback: Feedback,
        name: Option<String>,
    ) -> Result<bool, StoreError> {
        let note = Note::new(id, feedback, name)?;
        let bytes = note.body.len();
        self.change(note, bytes, Change::Note).await
    }

    async fn feedback(
        &self,
        id: &ConversationId,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Option<FeedbackPage>, StoreError> {
        self.reader.feedback(id, after, limit).await
    }

    async fn list(&self, after: Option<ListCursor>, limit: usize) -> Result<Listing, StoreError> {
        self.reader.list(after, limit).await
    }

    async fn count(&self) -> Result<Counts, StoreError> {
        self.reader.count().await
    }

    async fn first_said(&self, id: &ConversationId, user: &str) -> Result<Option<Watermark>, StoreError> {
        self.reader.first_said(id, user).await
    }

    async fn conversations_of(
        &self,
        user: &str,
        after: Option<&ConversationId>,
        limit: usize,
    ) -> Result<Vec<ConversationId>, StoreError> {
        self.reader.conversations_of(user, after, limit).await
    }

    async fn erase(&self, user: &str) -> Result<usize, StoreError> {
        self.remove(Which::Of(user)).await
    }

    async fn expire(&self, idle_since: DateTime<Utc>) -> Result<usize, StoreError> {
        self.remove(Which::IdleSince(idle_since)).await
    }

    async fn delete(&self, id: &ConversationId) -> Result<bool, StoreError> {
        Ok(self.remove(Which::One(id)).await? > 0)
    }

    fn strangers(&self) -> Vec<String> {
        self.strangers.names()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        if self.end.is_cancelled() {
            return Err(StoreError::Closed);
        }
        self.shared.connections.standing.check()?;
        let age = self.pulse.age();
        if age > UNREADY {
            let silence = format!("the database has not answered for {} s", age.as_secs());
            return Err(StoreError::failed(std::io::Error::new(std::io::ErrorKind::TimedOut, silence)));
        }
        Ok(())
    }

    fn figures(&self) -> Option<&StoreFigures> {
        Some(&self.shared.figures)
    }

    async fn close(&self) -> Result<(), StoreError> {
        // Accepted changes are still in the queue, and come before its end.
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.end.cancel();
        self.tasks.wait().await;
        let heartbeat = self.heartbeat.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(heartbeat) = heartbeat {
            // It ends within the time of one statement.
            tokio::task::spawn_blocking(|| heartbeat.join()).await.ok();
        }
        self.shared.connections.close().await;
        Ok(())
    }
}
