//! The task that writes. It is one, because what waits while a transaction runs becomes the next one: several at a time would
//! share the same changes among more transactions, each of which costs PostgreSQL as much as a larger one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::claims::Claims;
use super::connections::{Connections, pause};
use super::failure::{Failure, NamedCause, report, timed_out, told_of};
use super::group::{self, Trace};
use super::notifications::Notifications;
use super::queues;
use super::room::Room;
use super::settle::settle;
use super::waiting::Waiting;
use crate::StoreError;
use crate::activity::ConversationId;
use crate::clock::Clock;
use crate::metrics::{Group, NodeEvent, StoreFigures};
use crate::supervision::supervise;
use crate::writing::{Before, Change, Head, Health, Plan};

/// The most changes that go into one transaction. As many keys one call of the sequence reserves.
const MAX_CHANGES: usize = 128;

/// The most bytes of them, but at least one change goes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The turns of the runtime that others get to join a group: some microseconds.
const MAX_TURNS: usize = 64;

/// The speakers of so many conversations are remembered, whose membership then need not be written again.
const MAX_REMEMBERED: usize = 16_384;

/// Parts that all tasks of a store share.
#[derive(Debug)]
pub(super) struct Shared {
    /// Those that calls share. Writers have connections of their own, and connect by these.
    pub(super) connections: Arc<Connections>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) room: Room,
    pub(super) notifications: Arc<Notifications>,
    pub(super) claims: Arc<Claims>,
    pub(super) waiting: Waiting,
    pub(super) health: Mutex<Health<Failure>>,
    pub(super) figures: StoreFigures,
}

pub(super) struct Writer {
    shared: Arc<Shared>,
    queue: mpsc::Receiver<Change>,
    /// Absent before the first group, and after it broke.
    connection: Option<PgConnection>,
    speakers: BTreeMap<i64, Vec<String>>,
    /// How many changes were written together last.
    last_group: usize,
}

/// The outcome of a transaction besides the rows it wrote.
struct Effects {
    plan: Plan,
    created: usize,
    removed: Vec<String>,
}

/// A group that was not written.
enum Broken {
    /// Certainly not.
    Refused(sqlx::Error),
    /// Perhaps it was: the answer to COMMIT is missing.
    Doubtful(Box<(Effects, Trace)>, sqlx::Error),
}

impl Writer {
    pub(super) fn new(shared: Arc<Shared>, queue: mpsc::Receiver<Change>) -> Self {
        Self { shared, queue, connection: None, speakers: BTreeMap::new(), last_group: 0 }
    }

    /// Works until nobody is left to tell it anything.
    pub(super) async fn run(self) {
        // Only its own end is one.
        let never = CancellationToken::new();
        supervise("store writer", never, self, |writer| writer.work().boxed()).await;
    }

    async fn work(&mut self) {
        // Forgets the state that a bug may have left half done; it is asked for anew.
        self.connection = None;
        self.speakers.clear();
        while let Some(first) = self.queue.recv().await {
            let group = self.gather(first).await;
            self.last_group = group.len();
            self.write(group).await;
        }
        if let Some(connection) = self.connection.take() {
            connection.close().await.ok();
        }
    }

    /// Collects the changes that wait and fit into one transaction with the first change.
    ///
    /// While one group is written the next one gathers by itself, so that nothing has to be waited for, except this:
    /// those whom the last group has just answered are about to come back, and get a turn to do so.
    async fn gather(&mut self, first: Change) -> Vec<Change> {
        for _ in 0..MAX_TURNS {
            if self.queue.len() + 1 >= self.last_group {
                break;
            }
            tokio::task::yield_now().await;
        }
        let mut bytes = first.bytes();
        let mut group = vec![first];
        while group.len() < MAX_CHANGES && bytes < MAX_BYTES {
            let Ok(change) = self.queue.try_recv() else { break };
            bytes += change.bytes();
            group.push(change);
        }
        group
    }

    /// Writes a group, or, where one of its changes may be to blame, each of them by itself.
    async fn write(&mut self, mut group: Vec<Change>) {
        match self.attempts(&mut group).await {
            Ok(()) => group.into_iter().for_each(Change::done),
            Err(Some(error)) if group.len() > 1 && Failure::of(&error).may_be_of_one_change() => {
                for change in group {
                    let mut single = [change];
                    let written = self.attempts(&mut single).await;
                    let [change] = single;
                    match written {
                        Ok(()) => change.done(),
                        Err(error) => change.failed(&self.failed(error)),
                    }
                }
            }
            Err(error) => {
                let error = self.failed(error);
                group.into_iter().for_each(|change| change.failed(&error));
            }
        }
    }

    /// Writes a group in one transaction. While the server cannot be reached, or another transaction is in the way, that is tried
    /// again, for as long as a failover takes. Without an error, what failed is doubtful.
    async fn attempts(&mut self, group: &mut [Change]) -> Result<(), Option<sqlx::Error>> {
        let (begun, deadline) = (Instant::now(), Instant::now() + self.shared.connections.patience);
        let mut cause = NamedCause::default();
        loop {
            let error = match self.attempt(group, deadline).await {
                Ok(effects) => {
                    self.written(effects, group, begun);
                    return Ok(());
                }
                Err(Broken::Doubtful(lost, error)) => {
                    let (effects, trace) = *lost;
                    tracing::warn!(%error, "the answer to a COMMIT is lost; looking for what became of it");
                    self.shared.connections.drop_all();
                    match settle(&self.shared.connections.connector, &trace, deadline).await {
                        Some(true) => {
                            self.written(effects, group, begun);
                            return Ok(());
                        }
                        Some(false) => error,
                        None => {
                            self.shared.figures.group(Group::Failed, begun.elapsed());
                            return Err(None);
                        }
                    }
                }
                Err(Broken::Refused(error)) => error,
            };
            self.shared.figures.group(Group::Failed, begun.elapsed());
            if !self.shared.connections.may_try_again(&error, deadline) {
                return Err(Some(cause.or(error)));
            }
            let is_conflict = Failure::of(&error) == Failure::Conflict;
            cause.note(error);
            if !is_conflict {
                pause(deadline).await;
            }
        }
    }

    /// The connection is dropped, and with it what was not committed, where anything fails.
    async fn attempt(&mut self, group: &mut [Change], deadline: Instant) -> Result<Effects, Broken> {
        let refused = |error| Broken::Refused(error);
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.shared.connections.connector.connect(deadline).await.map_err(refused)?,
        };
        // A connection that swallows everything leaves time for another one, which settles what became of a COMMIT, too.
        let half = self.shared.connections.patience / 2;
        let end = || deadline.min(Instant::now() + half);
        let prepared = timeout_at(end(), self.prepare(&mut connection, group)).await;
        let (effects, trace) = prepared.unwrap_or_else(|_| Err(timed_out())).map_err(refused)?;
        let last = if trace.is_some() || !effects.removed.is_empty() { "COMMIT" } else { "ROLLBACK" };
        let ended = timeout_at(end(), sqlx::raw_sql(last).execute(&mut connection)).await;
        match (ended.unwrap_or_else(|_| Err(timed_out())), trace) {
            (Ok(_), _) => {
                self.connection = Some(connection);
                Ok(effects)
            }
            (Err(error), Some(trace)) if Failure::of(&error) == Failure::Gone => {
                Err(Broken::Doubtful(Box::new((effects, trace)), error))
            }
            (Err(error), _) => Err(Broken::Refused(error)),
        }
    }

    /// Everything but the COMMIT. There is no trace where there is nothing to write.
    async fn prepare(
        &mut self,
        connection: &mut PgConnection,
        group: &mut [Change],
    ) -> Result<(Effects, Option<Trace>), sqlx::Error> {
        sqlx::raw_sql("BEGIN ISOLATION LEVEL READ COMMITTED").execute(&mut *connection).await?;
        let room = &self.shared.room;
        let creates = group.iter().filter(|change| matches!(change, Change::Create(_))).map(Change::conversation);
        let creates: BTreeSet<_> = creates.collect();
        let needed: BTreeSet<_> = group.iter().map(Change::conversation).collect();
        let (conversations, removed) = room.make(connection, &creates, &needed).await?;
        let mut heads = group::heads(connection, group).await?;
        let next_key = if creates.iter().any(|id| !heads.contains_key(*id)) {
            sqlx::query_scalar("SELECT nextval('conversation_key')").fetch_one(&mut *connection).await?
        } else {
            0
        };
        let known = group::known(connection, group, &heads).await?;
        let userless = heads.values().filter(|head| head.user.is_none()).map(|head| head.key).collect();
        self.remind(&mut heads);
        let now = self.shared.clock.now();
        let by = (self.shared.claims.node, now);
        let queues = queues::queues(connection, group, &heads, by, &self.shared.waiting).await?;
        let before = Before { now, limits: room.limits, next_key, conversations };
        let mut plan = Plan::make(group, heads, known, queues, &before);
        let created = plan.created.len();
        let trace =
            if plan.is_empty() { None } else { Some(group::write(connection, &mut plan, &userless, by).await?) };
        Ok((Effects { plan, created, removed }, trace))
    }

    /// Copies the members that are known already into the heads, so that they are not written again.
    fn remind(&self, heads: &mut BTreeMap<ConversationId, Head>) {
        for head in heads.values_mut() {
            if let Some(speakers) = self.speakers.get(&head.key) {
                head.speakers.clone_from(speakers);
            }
        }
    }

    /// A group is committed.
    fn written(&mut self, effects: Effects, group: &[Change], begun: Instant) {
        let Effects { plan, created, removed } = effects;
        let Shared { room, notifications, figures, health, .. } = &*self.shared;
        figures.group(Group::Committed(group.len()), begun.elapsed());
        room.added(created, group.iter().map(Change::bytes).sum());
        if !removed.is_empty() {
            room.removed(removed.len());
        }
        for id in removed.into_iter().filter_map(|id| ConversationId::try_from(id).ok()) {
            notifications.gone(&id);
        }
        for (id, newest) in plan.grown {
            notifications.grown(&id, newest);
        }
        for row in &plan.queues.queued {
            notifications.turn(&row.id, row.kind);
        }
        if self.speakers.len() + plan.heads.len() > MAX_REMEMBERED {
            self.speakers.clear();
        }
        let speakers = plan.heads.into_values().filter(|head| !head.speakers.is_empty());
        self.speakers.extend(speakers.map(|head| (head.key, head.speakers)));
        if let Some(refused) = health.lock().unwrap_or_else(PoisonError::into_inner).recover() {
            tracing::warn!(refused, "the store records changes again");
        }
    }

    /// The error for callers. The operator is told more of the failure before.
    fn failed(&self, error: Option<sqlx::Error>) -> StoreError {
        let Some(error) = error else {
            self.shared.figures.node_events(NodeEvent::Doubtful, 1);
            tracing::error!("it is not known whether a change was recorded: PostgreSQL gave no answer in time");
            return StoreError::Doubtful;
        };
        let mut health = self.shared.health.lock().unwrap_or_else(PoisonError::into_inner);
        if health.refuse(Failure::of(&error)) {
            report(error, "a change could not be recorded")
        } else {
            told_of(error)
        }
    }
}
