//! The store for the rest of the server.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use futures_util::FutureExt as _;
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
use super::removal::{delete, discard_old_drafts};
use super::room::Room;
use super::schema;
use super::waiting::Waiting;
use super::writer::{Shared, Writer};
use crate::activity::ConversationId;
use crate::backend::{Backend, Removal};
use crate::clock::{Clock, IdSource as _, RandomIds};
use crate::metrics::StoreFigures;
use crate::notifier_registry::NotifierRegistry;
use crate::supervision::supervise;
use crate::writing::{Change, Health, Pending};
use crate::{StoreError, StoreLimits};

/// One connection writes, one listens, and one notifies. The others are shared by calls.
const OTHERS: usize = 3;

/// The most changes that wait for the writer; one more is refused.
const MAX_WAITING: usize = 2048;

/// The most KiB of them.
const MAX_WAITING_KIB: usize = 64 * 1024;

/// Without a heartbeat for so long the store is not ready: longer than a failover, which
/// would take all nodes away at once.
const UNREADY: Duration = Duration::from_secs(30);

/// A [`ConversationStore`](crate::ConversationStore) in a PostgreSQL database, which other nodes serve too. Acknowledged changes are durable there.
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
}

impl Backend for PostgresStore {
    type Reader = Reader;

    fn reader(&self) -> &Reader {
        &self.reader
    }

    fn notifiers(&self) -> &NotifierRegistry {
        &self.shared.notifications.registry
    }

    async fn change<C: Send, A: Send>(
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

    async fn remove(&self, removal: Removal<'_>) -> Result<usize, StoreError> {
        let mut deleted = 0;
        loop {
            let step = delete(&self.shared.connections, removal).await.map_err(failed)?;
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

    fn names_of_strangers(&self) -> Vec<String> {
        self.strangers.names()
    }

    async fn check(&self) -> Result<(), StoreError> {
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

    fn store_figures(&self) -> &StoreFigures {
        &self.shared.figures
    }

    async fn end(&self) -> Result<(), StoreError> {
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
