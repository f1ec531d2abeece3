//! The task that writes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use chrono::DateTime;
use futures_util::FutureExt as _;
use serde::Serialize;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions};
use sqlx::{
    Arguments as _, AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _, SqliteConnection, SqlitePool,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::connect::PAGE_BYTES;
use super::copies::Copies;
use super::failure::{Failure, report, told_of};
use super::lock::Lock;
use super::place::Place;
use super::turn_rows::{self, answered_rows, queued_rows};
use super::work::{Alone, Work};
use crate::activity::ConversationId;
use crate::clock::Clock;
use crate::metrics::{Group, StoreFigures};
use crate::notifier_registry::NotifierRegistry;
use crate::supervision::supervise;
use crate::turn_queues::TurnQueues;
use crate::writing::{Before, Change, Head, Health, Known, Plan, rows};
use crate::{StoreError, StoreLimits};

/// The most changes that go into one transaction.
const MAX_CHANGES: usize = 128;

/// The most bytes of them, but at least one change goes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The turns of the runtime that others get to join a group: some microseconds.
const MAX_TURNS: usize = 64;

/// The heads of so many conversations are kept in memory.
const MAX_HEADS: usize = 16_384;

/// The statements of a group, each with its rows as one argument, so that it is prepared once, however many rows there are.
const CREATE: &str = "
INSERT INTO conversation (key, id, user, created, active)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 3 FROM json_each(?);";

const TOUCH: &str = "
UPDATE conversation SET user = new.user, next = new.next, newest = new.newest, active = coalesce(new.active, conversation.active), bytes = new.bytes
    FROM (SELECT value ->> 0 AS key, value ->> 1 AS user, value ->> 2 AS next, value ->> 3 AS newest,
        value ->> 4 AS active, value ->> 5 AS bytes FROM json_each(?)) AS new
    WHERE conversation.key = new.key;";

const APPEND: &str = "
INSERT INTO activity (conversation, watermark, timestamp, body)
    SELECT value ->> 0, value ->> 1, value ->> 2, CAST(substr(?, value ->> 3, value ->> 4) AS TEXT) FROM json_each(?);";

const NAME_BATCHES: &str = "
INSERT INTO batch (conversation, name, first, count)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?);";

const ATTACH: &str = "
INSERT INTO attachment (conversation, id, content_type, name, bytes)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, coalesce(substr(?, value ->> 4, value ->> 5), x'')
    FROM json_each(?)
    WHERE true ON CONFLICT (conversation, id) DO NOTHING;";

const ADMIT: &str = "
INSERT INTO member (conversation, user, first)
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)
    WHERE true ON CONFLICT (conversation, user) DO UPDATE SET first = excluded.first
    WHERE first IS NULL AND excluded.first IS NOT NULL;";

const REFER: &str = "
UPDATE conversation SET reference = new.reference
    FROM (SELECT value ->> 0 AS key, value ->> 1 AS reference FROM json_each(?)) AS new
    WHERE conversation.key = new.key;";

const RATE: &str = "
INSERT INTO feedback (conversation, timestamp, body)
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?);";

const QUEUE: &str = "
INSERT INTO turn (key, conversation, kind, place, body, name, arrived)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
    FROM json_each(?);";

const END: &str = "
DELETE FROM turn WHERE key IN (SELECT value FROM json_each(?));";

const ANSWER: &str = "
UPDATE turn SET answered = 1 FROM json_each(?) AS answer
    WHERE turn.conversation = answer.value ->> 0 AND turn.place = answer.value ->> 1 AND turn.body IS NULL;";

/// A transaction in one call, with the statements that have rows: most groups need two of eleven, and each costs something even
/// when it has nothing to do. A combination is prepared when it comes for the first time.
struct Transaction {
    sql: String,
    arguments: SqliteArguments,
}

impl Transaction {
    fn begin() -> Self {
        Self { sql: "BEGIN IMMEDIATE;".to_owned(), arguments: SqliteArguments::default() }
    }

    fn add<T: Serialize>(&mut self, statement: &str, values: &[T]) -> Result<(), sqlx::Error> {
        self.add_with(statement, None, values)
    }

    /// Adds a statement that takes pieces of these bytes. No values need no statement.
    fn add_with<T: Serialize>(
        &mut self,
        statement: &str,
        bytes: Option<Vec<u8>>,
        values: &[T],
    ) -> Result<(), sqlx::Error> {
        if values.is_empty() {
            return Ok(());
        }
        let encode = sqlx::Error::Encode;
        self.sql.push_str(statement);
        if let Some(bytes) = bytes {
            self.arguments.add(bytes).map_err(encode)?;
        }
        self.arguments.add(rows(&values).map_err(|error| encode(error.into()))?).map_err(encode)
    }

    async fn commit(mut self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        self.sql.push_str("COMMIT");
        // Made of the statements above, with nothing of a client in it.
        sqlx::query_with(AssertSqlSafe(self.sql), self.arguments).execute(connection).await?;
        Ok(())
    }
}

const HEADS: &str = "SELECT id, key, user, next, newest, bytes FROM conversation \
                     WHERE id IN (SELECT value FROM json_each(?))";

const KNOWN: &str = "SELECT batch.conversation, batch.name, batch.first, batch.count FROM json_each(?) AS asked \
                     JOIN batch ON batch.conversation = asked.value ->> 0 AND batch.name = asked.value ->> 1";

pub(super) struct Writer {
    pub(super) path: PathBuf,
    pub(super) options: SqliteConnectOptions,
    /// Absent after it broke and before it is opened anew.
    pub(super) connection: Option<SqliteConnection>,
    /// Closed before the writer's own connection, which as the last one moves the log into the file.
    pub(super) readers: SqlitePool,
    pub(super) queue: mpsc::Receiver<Work>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) limits: StoreLimits,
    pub(super) notifiers: Arc<NotifierRegistry>,
    pub(super) health: Health<Failure>,
    pub(super) place: Place,
    pub(super) heads: BTreeMap<ConversationId, Head>,
    pub(super) next_key: i64,
    /// The turns, which are in the file as well.
    pub(super) queues: Arc<TurnQueues>,
    pub(super) next_turn: u64,
    pub(super) conversations: usize,
    pub(super) copies: Copies,
    /// How many changes were written together last.
    pub(super) last_group: usize,
    pub(super) figures: StoreFigures,
    /// Whether it has worked before.
    pub(super) has_begun: bool,
    /// Let go of behind the last change.
    pub(super) lock: Option<Lock>,
}

/// The next key of a conversation, and the number of conversations.
pub(super) const COUNTED: &str = "SELECT coalesce(max(key), 0) + 1, count(*) FROM conversation";

/// Makes unsigned the number of conversations that [`COUNTED`] has found.
pub(super) fn counted_of((next_key, conversations): (i64, i64)) -> (i64, usize) {
    (next_key, usize::try_from(conversations).unwrap_or_default())
}

impl Writer {
    /// Works until it is told to close or nobody is left to tell it anything.
    pub(super) async fn run(self) {
        // Only its own end is one.
        let never = CancellationToken::new();
        supervise("store writer", never, self, |writer| writer.work().boxed()).await;
    }

    async fn work(&mut self) {
        if let Err(error) = self.begin_anew().await {
            tracing::error!(%error, "the store could not be read after a bug; changes may fail until the next start");
        }
        let mut closing = None;
        let mut ahead = None;
        loop {
            let work = match ahead.take() {
                Some(alone) => Some(Work::Alone(alone)),
                None => self.queue.recv().await,
            };
            match work {
                Some(Work::Change(first)) => {
                    let (group, behind) = self.gather(first).await;
                    ahead = behind;
                    self.last_group = group.len();
                    self.write(group).await;
                }
                Some(Work::Alone(Alone::Close(reply))) => {
                    // Accepted changes are still in the queue, and come before the end of it.
                    self.queue.close();
                    closing = Some(reply);
                }
                Some(Work::Alone(alone)) => self.alone(alone).await,
                None => break,
            }
        }
        let closed = self.finish().await;
        if let Some(reply) = closing {
            reply.send(closed).ok();
        }
    }

    /// Reads anew from the file what a bug may have left half done.
    async fn begin_anew(&mut self) -> Result<(), sqlx::Error> {
        if !std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        self.connection = None;
        self.heads.clear();
        let counted = sqlx::query_as(COUNTED).fetch_one(self.connection().await?).await?;
        (self.next_key, self.conversations) = counted_of(counted);
        let (_, next_turn) = turn_rows::load(self.connection().await?).await?;
        self.next_turn = self.next_turn.max(next_turn);
        Ok(())
    }

    /// Collects the changes that wait and fit into one transaction with the first change, and the work that came then
    /// and does not go with others.
    ///
    /// While one group is written the next one gathers by itself, so that nothing has to be waited for, except this:
    /// those whom the last group has just answered are about to come back, and get a turn to do so.
    async fn gather(&mut self, first: Change) -> (Vec<Change>, Option<Alone>) {
        for _ in 0..MAX_TURNS {
            if self.queue.len() + 1 >= self.last_group {
                break;
            }
            tokio::task::yield_now().await;
        }
        let mut bytes = first.bytes();
        let mut group = vec![first];
        while group.len() < MAX_CHANGES && bytes < MAX_BYTES {
            match self.queue.try_recv() {
                Ok(Work::Change(change)) => {
                    bytes += change.bytes();
                    group.push(change);
                }
                Ok(Work::Alone(alone)) => return (group, Some(alone)),
                Err(_) => break,
            }
        }
        (group, None)
    }

    /// Writes a group, or, where that fails and one of its changes may be to blame, each of them by itself.
    async fn write(&mut self, mut group: Vec<Change>) {
        match self.attempt(&mut group).await {
            Ok(()) => group.into_iter().for_each(Change::done),
            Err(error) if group.len() > 1 && Failure::of(&error).may_be_of_one_batch() => {
                for change in group {
                    let mut single = [change];
                    let written = self.attempt(&mut single).await;
                    let [change] = single;
                    match written {
                        Ok(()) => change.done(),
                        Err(error) => {
                            let error = self.failed(error, change.bytes()).await;
                            change.failed(&error);
                        }
                    }
                }
            }
            Err(error) => {
                let error = self.failed(error, group.iter().map(Change::bytes).sum()).await;
                group.into_iter().for_each(|change| change.failed(&error));
            }
        }
    }

    /// Writes a group in one transaction, and counts it.
    async fn attempt(&mut self, group: &mut [Change]) -> Result<(), sqlx::Error> {
        let begun = Instant::now();
        let written = self.commit(group).await;
        let outcome = if written.is_ok() { Group::Committed(group.len()) } else { Group::Failed };
        self.figures.group(outcome, begun.elapsed());
        written
    }

    async fn commit(&mut self, group: &mut [Change]) -> Result<(), sqlx::Error> {
        let heads = self.heads_of(group).await?;
        self.make_room(group, &heads).await?;
        let known = self.known_of(group, &heads).await?;
        let queues = self.queues_of(group);
        let before = Before {
            now: self.clock.now(),
            limits: self.limits,
            next_key: self.next_key,
            conversations: self.conversations,
        };
        let plan = Plan::make(group, heads, known, queues, &before);
        if !plan.is_empty() {
            let referred: Vec<_> = plan.referred.iter().collect();
            let mut transaction = Transaction::begin();
            transaction.add(CREATE, &plan.created)?;
            transaction.add(TOUCH, &plan.touched)?;
            transaction.add_with(APPEND, Some(plan.bodies), &plan.activities)?;
            transaction.add(NAME_BATCHES, &plan.batches)?;
            transaction.add_with(ATTACH, Some(plan.contents), &plan.attachments)?;
            transaction.add(ADMIT, &plan.members)?;
            transaction.add(REFER, &referred)?;
            transaction.add(RATE, &plan.feedback)?;
            transaction.add(QUEUE, &queued_rows(&plan.queues.queued))?;
            transaction.add(END, &plan.queues.ended.iter().map(|end| end.turn).collect::<Vec<_>>())?;
            transaction.add(ANSWER, &answered_rows(&plan.queues.answered))?;
            let written = transaction.commit(self.connection().await?).await;
            if let Err(error) = written {
                self.abandon().await;
                return Err(error);
            }
            self.recorded();
        }
        self.next_key = plan.next_key;
        self.conversations += plan.created.len();
        if self.heads.len() + plan.heads.len() > MAX_HEADS {
            self.heads.clear();
        }
        self.heads.extend(plan.heads);
        for (id, newest) in plan.grown {
            self.notifiers.notify(&id, newest);
        }
        self.queues_changed(plan.queues);
        Ok(())
    }

    /// Deletes conversations in which nothing was ever recorded, the oldest first, where the group starts more than there is room
    /// for: whoever only starts conversations keeps nobody else from starting one.
    async fn make_room(&mut self, group: &[Change], heads: &BTreeMap<ConversationId, Head>) -> Result<(), sqlx::Error> {
        let creates = group.iter().filter(|change| matches!(change, Change::Create(_))).map(Change::conversation);
        let new: BTreeSet<_> = creates.filter(|id| !heads.contains_key(*id)).collect();
        let missing = (self.conversations + new.len()).saturating_sub(self.limits.max_conversations);
        if missing > 0 {
            let needed: BTreeSet<_> = group.iter().map(|change| change.conversation().as_str()).collect();
            self.delete_empty(missing, &needed).await?;
        }
        Ok(())
    }

    /// The heads of those conversations of the group that are there.
    async fn heads_of(&mut self, group: &[Change]) -> Result<BTreeMap<ConversationId, Head>, sqlx::Error> {
        let mut found = BTreeMap::new();
        let mut missing = Vec::new();
        for id in group.iter().map(Change::conversation) {
            match self.heads.get(id) {
                Some(head) => {
                    found.entry(id.clone()).or_insert_with(|| head.clone());
                }
                None => missing.push(id.as_str()),
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        let missing = rows(&missing).map_err(|error| sqlx::Error::Encode(error.into()))?;
        for row in sqlx::query(HEADS).bind(missing).fetch_all(self.connection().await?).await? {
            let newest: Option<i64> = row.try_get(4)?;
            let head = Head {
                key: row.try_get(1)?,
                user: row.try_get(2)?,
                next: row.try_get::<i64, _>(3)?.try_into().unwrap_or_default(),
                newest: newest.and_then(DateTime::from_timestamp_millis),
                bytes: row.try_get::<i64, _>(5)?.try_into().unwrap_or_default(),
                speakers: Vec::new(),
            };
            let id = ConversationId::try_from(row.try_get::<String, _>(0)?);
            found.insert(id.map_err(|error| sqlx::Error::Decode(error.into()))?, head);
        }
        Ok(found)
    }

    /// Which batches of the group were recorded before.
    async fn known_of(
        &mut self,
        group: &[Change],
        heads: &BTreeMap<ConversationId, Head>,
    ) -> Result<Known, sqlx::Error> {
        let placed = group.iter().filter_map(|change| Some((heads.get(change.conversation())?.key, change)));
        let named = placed.flat_map(|(key, change)| change.names().map(move |name| (key, name)));
        let named: Vec<(i64, &String)> = named.collect();
        if named.is_empty() {
            return Ok(Known::new());
        }
        let named = rows(&named).map_err(|error| sqlx::Error::Encode(error.into()))?;
        let rows = sqlx::query(KNOWN).bind(named).fetch_all(self.connection().await?).await?;
        rows.into_iter()
            .map(|row| {
                let number = |index| row.try_get::<i64, _>(index);
                let (first, count) = (number(2)?.unsigned_abs(), usize::try_from(number(3)?).unwrap_or_default());
                Ok(((number(0)?, row.try_get(1)?), (first, count)))
            })
            .collect()
    }

    /// The connection, opened anew where it broke. There is none to a file that has lost its name.
    pub(super) async fn connection(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        self.place.check().map_err(|moved| sqlx::Error::Configuration(moved.into()))?;
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                self.place.reopened();
                self.options.connect().await?
            }
        };
        Ok(self.connection.insert(connection))
    }

    /// Rolls back. SQLite may have done so by itself; where neither is certain, the connection is given up, which
    /// rolls back too.
    pub(super) async fn abandon(&mut self) {
        let Some(connection) = self.connection.as_mut() else {
            return;
        };
        if let Err(error) = sqlx::query("ROLLBACK").execute(&mut *connection).await
            && !error.to_string().contains("no transaction is active")
        {
            self.connection = None;
        }
        // The heads of conversations were not changed, but it costs nothing to ask for them again.
        self.heads.clear();
    }

    /// The error for callers after a failure to write so many bytes. The operator is told more of it before.
    pub(super) async fn failed(&mut self, error: sqlx::Error, bytes: usize) -> StoreError {
        if Failure::of(&error) == Failure::Full && self.is_at_limit(bytes).await {
            return StoreError::Full { what: "bytes", limit: self.limits.max_bytes };
        }
        if self.health.refuse(Failure::of(&error)) {
            report(error, &self.path, "a change could not be recorded")
        } else {
            told_of(error)
        }
    }

    /// A transaction has succeeded.
    pub(super) fn recorded(&mut self) {
        if let Some(refused) = self.health.recover() {
            tracing::warn!(store.path = %self.path.display(), refused, "the store records changes again");
        }
    }

    /// Whether it is our own limit that keeps so many bytes out, rather than the end of the disk.
    async fn is_at_limit(&mut self, bytes: usize) -> bool {
        let Ok(connection) = self.connection().await else {
            return false;
        };
        let pages = sqlx::query_scalar::<_, i64>("PRAGMA page_count").fetch_one(&mut *connection).await;
        let most = sqlx::query_scalar::<_, i64>("PRAGMA max_page_count").fetch_one(connection).await;
        // Pages that a change needs besides its own bytes: those of indexes that split, and those that are not filled.
        let needed = i64::try_from(2 * bytes / PAGE_BYTES).unwrap_or(i64::MAX).saturating_add(64);
        matches!((pages, most), (Ok(pages), Ok(most)) if pages.saturating_add(needed) >= most)
    }

    async fn finish(&mut self) -> Result<(), StoreError> {
        self.readers.close().await;
        let _lock = self.lock.take();
        let Some(mut connection) = self.connection.take() else {
            return Ok(());
        };
        let moved = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut connection).await;
        let closed = connection.close().await;
        moved.map(drop).and(closed).map_err(|error| report(error, &self.path, "the store was not closed cleanly"))
    }
}
