//! The store for the rest of the server.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

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
use crate::activity::ConversationId;
use crate::backend::{Backend, Removal, append};
use crate::clock::Clock;
use crate::metrics::StoreFigures;
use crate::notifier_registry::NotifierRegistry;
use crate::turn_queues::TurnQueues;
use crate::writing::{Change, Health, Pending, Reply, Standing};
use crate::{Appended, Batch, StoreError, StoreLimits};

/// The most changes that wait for the writer; one more is refused.
const MAX_WAITING: usize = 1024;

/// The most KiB of them.
const MAX_WAITING_KIB: usize = 64 * 1024;

/// Between two attempts at the end of a turn.
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(250);

/// A [`ConversationStore`](crate::ConversationStore) in one SQLite file, where acknowledged changes are on the disk, or in memory.
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

    /// Gives the space of so many deleted conversations back to the file system, and removes copies of what was in them.
    pub(super) async fn give_back(&self, deleted: usize) -> Result<(), StoreError> {
        while deleted > 0 && self.alone(Alone::Shrink).await? {}
        self.alone(Alone::Clear).await
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

impl Backend for SqliteStore {
    type Reader = Reader;

    fn reader(&self) -> &Reader {
        &self.reader
    }

    fn notifiers(&self) -> &NotifierRegistry {
        &self.notifiers
    }

    async fn change<C: Send, A: Send>(
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

    async fn append_batch(&self, id: &ConversationId, batch: Batch) -> Result<Option<Appended>, StoreError> {
        let again = batch.end.is_some().then(|| batch.clone());
        let mut appended = append(self, id, batch).await;
        let Some(again) = again else { return appended };
        let deadline = Instant::now() + self.patience;
        while matches!(appended, Err(StoreError::NoSpace { .. } | StoreError::Failed { .. } | StoreError::Busy))
            && self.standing.check().is_ok()
            && Instant::now() + TRY_AGAIN_AFTER <= deadline
        {
            sleep(TRY_AGAIN_AFTER).await;
            appended = append(self, id, again.clone()).await;
        }
        appended
    }

    async fn remove(&self, removal: Removal<'_>) -> Result<usize, StoreError> {
        let mut deleted = 0;
        loop {
            let step = match removal {
                Removal::One(id) => {
                    return Ok(usize::from(self.alone(|reply| Alone::Delete(id.clone(), reply)).await?));
                }
                Removal::IdleSince(time) => self.alone(|reply| Alone::Expire(time, reply)).await?,
                Removal::Of(user) => self.alone(|reply| Alone::Erase(user.to_owned(), reply)).await?,
            };
            if step == 0 {
                break;
            }
            deleted += step;
        }
        self.give_back(deleted).await?;
        Ok(deleted)
    }

    async fn check(&self) -> Result<(), StoreError> {
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

    fn store_figures(&self) -> &StoreFigures {
        &self.figures
    }

    async fn end(&self) -> Result<(), StoreError> {
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
