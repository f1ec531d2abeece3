//! The store for the rest of the server.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::{Instant, sleep};
use tokio_util::task::TaskTracker;

use super::assistant_writer::discard_all_drafts;
use super::copies::Copies;
use super::lock::{Lock, make_private};
use super::place::Place;
use super::reader::Reader;
use super::work::{Alone, Work};
use super::writer::{COUNTED, Writer, counted_of};
use super::{SqliteError, connect, schema, turn_rows};
use crate::activity::{ChannelAccount, ConversationId, Watermark};
use crate::clock::Clock;
use crate::metrics::StoreFigures;
use crate::notifier_registry::NotifierRegistry;
use crate::turn_queues::TurnQueues;
use crate::writing::{
    Append, Change, Create, Health, Keep, Note, Pending, Placed, Refer, Reply, Standing, recorded_before,
};
use crate::{
    Appended, Attachment, Batch, ChangeListener, Conversation, ConversationStore, Counts, Created, Feedback,
    FeedbackPage, ListCursor, Listing, NewTurn, Newest, Page, StoreError, StoreLimits,
};

/// The most changes that wait for the writer; one more is refused.
const MAX_WAITING: usize = 1024;

/// The most KiB of them.
const MAX_WAITING_KIB: usize = 64 * 1024;

/// Between two attempts at the end of a turn.
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(250);

/// A [`ConversationStore`] in one SQLite file, where acknowledged changes are on the disk, or in memory.
#[derive(Debug)]
pub struct SqliteStore {
    pub(super) reader: Reader,
    queue: mpsc::Sender<Work>,
    pub(super) room: Arc<Semaphore>,
    notifiers: Arc<NotifierRegistry>,
    pub(super) queues: Arc<TurnQueues>,
    standing: Arc<Standing>,
    place: Place,
    figures: StoreFigures,
    /// How long the end of a turn is tried again.
    patience: Duration,
    /// The writer, which ends when it is told to, or when the last handle on the queue is gone.
    writer: TaskTracker,
}

impl SqliteStore {
    /// Opens the file, makes it when there is none, and starts the task that writes on the current runtime.
    ///
    /// # Errors
    /// When the file cannot be used; it is then as it was.
    pub async fn open(path: &Path, limits: StoreLimits, clock: Arc<dyn Clock>) -> Result<Self, SqliteError> {
        let lock = Lock::take(path)?;
        match tokio::fs::metadata(path).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => schema::create(path, limits.max_bytes).await?,
            Ok(_) | Err(_) => {
                schema::inspect(path).await?;
                make_private(path)?;
            }
        }
        let standing = Arc::<Standing>::default();
        let opening = Opening {
            path,
            writing: connect::writing(path, limits.max_bytes),
            reading: connect::reading(path),
            lock: Some(lock),
            place: Place::of(path, Arc::clone(&standing)),
            standing,
        };
        opening.start(limits, clock).await
    }

    /// Makes a store in memory, whose content is lost when it is closed, and starts the task that writes on the current runtime.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub async fn in_memory(limits: StoreLimits, clock: Arc<dyn Clock>) -> Result<Self, SqliteError> {
        let name = connect::name_in_memory();
        let opening = Opening {
            path: Path::new("memory:"),
            writing: connect::writing_in_memory(&name, limits.max_bytes),
            reading: connect::reading_in_memory(&name),
            lock: None,
            place: Place::Memory,
            standing: Arc::default(),
        };
        opening.start(limits, clock).await
    }

    /// Tries the end of a turn again for so long while the disk fails: its answer was written by a model, and nobody
    /// could send it again.
    #[must_use]
    pub fn patient(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Hands a change to the writer and waits until it is committed.
    pub(super) async fn change<C, A>(
        &self,
        change: C,
        bytes: usize,
        wrap: fn(Pending<C, A>) -> Change,
    ) -> Result<A, StoreError> {
        // One that is larger than all the room there is takes all of it, rather than never getting in.
        let kib = (bytes / 1024 + 1).min(MAX_WAITING_KIB);
        let kib = u32::try_from(kib).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).try_acquire_many_owned(kib).map_err(|_| StoreError::Busy)?;
        self.ask(|reply| Work::Change(wrap(Pending::new(change, reply, room, self.figures.queue.enter())))).await
    }

    /// Has the writer do something by itself.
    pub(super) async fn alone<A>(&self, alone: impl FnOnce(Reply<A>) -> Alone) -> Result<A, StoreError> {
        self.ask(|reply| Work::Alone(alone(reply))).await
    }

    async fn ask<A>(&self, work: impl FnOnce(Reply<A>) -> Work) -> Result<A, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.queue.try_send(work(reply)).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => StoreError::Busy,
            mpsc::error::TrySendError::Closed(_) => StoreError::Closed,
        })?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }
}

/// The parts of a store that depend on where its database is.
struct Opening<'p> {
    path: &'p Path,
    writing: SqliteConnectOptions,
    reading: SqliteConnectOptions,
    lock: Option<Lock>,
    place: Place,
    standing: Arc<Standing>,
}

impl Opening<'_> {
    /// Brings the database to the newest version, and starts the task that writes on the current runtime.
    async fn start(self, limits: StoreLimits, clock: Arc<dyn Clock>) -> Result<SqliteStore, SqliteError> {
        let Self { path, writing: options, reading, lock, place, standing } = self;
        let failed = |error| schema::explain(error, path);
        let mut connection = options.connect().await.map_err(failed)?;
        schema::migrate(&mut connection, path).await?;
        discard_all_drafts(&mut connection).await.map_err(failed)?;
        let counted = sqlx::query_as(COUNTED).fetch_one(&mut connection).await.map_err(failed)?;
        let (next_key, conversations) = counted_of(counted);
        let (queues, next_turn) = turn_rows::load(&mut connection).await.map_err(failed)?;
        let queues = Arc::new(queues);
        let reader = Reader::open(reading, path, Arc::clone(&standing)).await.map_err(failed)?;
        // From now on, its log is known.
        place.check().ok();
        let (queue, work) = mpsc::channel(MAX_WAITING);
        let notifiers = Arc::<NotifierRegistry>::default();
        let figures = StoreFigures::default();
        let writer = Writer {
            path: path.to_owned(),
            options,
            connection: Some(connection),
            readers: reader.pool.clone(),
            queue: work,
            clock,
            limits,
            notifiers: Arc::clone(&notifiers),
            health: Health::new(Arc::clone(&standing)),
            place: place.clone(),
            heads: BTreeMap::new(),
            next_key,
            queues: Arc::clone(&queues),
            next_turn,
            conversations,
            // The process before may have ended right after a deletion, or been a version that overwrote nothing.
            copies: Copies::EVERYWHERE,
            last_group: 0,
            figures: figures.clone(),
            has_begun: false,
            lock,
        };
        let tasks = TaskTracker::new();
        tasks.spawn(writer.run());
        tasks.close();
        let room = Arc::new(Semaphore::new(MAX_WAITING_KIB));
        Ok(SqliteStore {
            reader,
            queue,
            room,
            notifiers,
            queues,
            standing,
            place,
            figures,
            patience: Duration::ZERO,
            writer: tasks,
        })
    }
}

#[async_trait]
impl ConversationStore for SqliteStore {
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
        let again = batch.end.is_some().then(|| batch.clone());
        let mut appended = self.try_append(id, batch).await;
        let Some(again) = again else { return appended };
        let deadline = Instant::now() + self.patience;
        while matches!(appended, Err(StoreError::NoSpace { .. } | StoreError::Failed { .. } | StoreError::Busy))
            && self.standing.check().is_ok()
            && Instant::now() + TRY_AGAIN_AFTER <= deadline
        {
            sleep(TRY_AGAIN_AFTER).await;
            appended = self.try_append(id, again.clone()).await;
        }
        appended
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
        let listener = self.notifiers.listen(id);
        Ok(self.reader.find(id).await?.map(|_| listener))
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
        let mut erased = 0;
        loop {
            match self.alone(|reply| Alone::Erase(user.to_owned(), reply)).await? {
                0 => break,
                some => erased += some,
            }
        }
        self.give_back(erased).await?;
        Ok(erased)
    }

    async fn expire(&self, idle_since: DateTime<Utc>) -> Result<usize, StoreError> {
        let mut expired = 0;
        // In small steps, between which others get their turn.
        loop {
            match self.alone(|reply| Alone::Expire(idle_since, reply)).await? {
                0 => break,
                some => expired += some,
            }
        }
        self.give_back(expired).await?;
        Ok(expired)
    }

    async fn delete(&self, id: &ConversationId) -> Result<bool, StoreError> {
        self.alone(|reply| Alone::Delete(id.clone(), reply)).await
    }

    async fn ready(&self) -> Result<(), StoreError> {
        if self.queue.is_closed() {
            return Err(StoreError::Closed);
        }
        // A file that has lost its name is noticed by this as well.
        self.place.check().ok();
        self.standing.check()?;
        if self.standing.is_failing() {
            self.alone(Alone::Probe).await?;
        }
        Ok(())
    }

    fn figures(&self) -> Option<&StoreFigures> {
        Some(&self.figures)
    }

    async fn close(&self) -> Result<(), StoreError> {
        let (reply, closed) = oneshot::channel();
        // Waits for its turn where the queue is full: nothing that was accepted is lost for that.
        if self.queue.send(Work::Alone(Alone::Close(reply))).await.is_err() {
            return Ok(());
        }
        let closed = closed.await.unwrap_or(Ok(()));
        self.writer.wait().await;
        closed
    }
}

impl SqliteStore {
    async fn try_append(&self, id: &ConversationId, batch: Batch) -> Result<Option<Appended>, StoreError> {
        let (append, written) = Append::new(id, batch)?;
        let bytes = append.bodies.len();
        match self.change(append, bytes, Change::Append).await? {
            None => Ok(None),
            Some(Placed::Now { first, timestamp, queued }) => Ok(Some(written.at(id, first, timestamp).queued(queued))),
            Some(Placed::Nowhere) => Ok(Some(Appended::new(Vec::new(), false))),
            Some(Placed::Before { first, count }) => Ok(self.again(id, first, count).await?),
        }
    }

    /// Gives the space of so many deleted conversations back to the file system, and removes copies of what was in them.
    pub(super) async fn give_back(&self, deleted: usize) -> Result<(), StoreError> {
        while deleted > 0 && self.alone(Alone::Shrink).await? {}
        self.alone(Alone::Clear).await
    }

    /// Reads again the activities that a batch recorded when its key was first used.
    async fn again(&self, id: &ConversationId, first: Watermark, count: usize) -> Result<Option<Appended>, StoreError> {
        recorded_before((first, count), |after, limit| self.reader.read(id, after, limit)).await
    }
}
