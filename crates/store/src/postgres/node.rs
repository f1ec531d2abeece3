//! This node among others: says that it is alive, and takes the queues of those who have not said so for too long.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt as _;
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::claims::Claims;
use super::connect::Connector;
use super::failure::{Failure, mend, timed_out};
use super::options::{PostgresOptions, SecretDigests};
use crate::clock::{Clock, SystemClock};
use crate::metrics::{NodeEvent, StoreFigures};
use crate::supervision::{on_own_thread, supervise};
use crate::turn::TurnKind;
use crate::writing::Health;

const BEAT: &str = "INSERT INTO node (id, name, version, started, seen, secrets) \
                    VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp(), $4) \
                    ON CONFLICT (id) DO UPDATE SET seen = excluded.seen RETURNING clock_timestamp()";

/// Living nodes whose secrets are others. Two nodes agree that accept what the other one signs, and have the same keys.
const OTHERS: &str = "SELECT name FROM node WHERE id <> $1 AND seen > clock_timestamp() - make_interval(secs => $2) \
                      AND NOT (secrets[1] = ANY ($3) AND $3[1] = ANY (secrets) \
                               AND secrets[cardinality(secrets)] = $3[cardinality($3)]) ORDER BY name";

/// The first turn of a queue whose holder has died may be what it has died of, so attempts are counted.
const BURY: &str = "
WITH dead AS (SELECT l.conversation, l.kind FROM line l LEFT JOIN node n ON n.id = l.node
    WHERE l.node IS NOT NULL AND (n.id IS NULL OR n.seen < clock_timestamp() - make_interval(secs => $1))
    FOR UPDATE OF l SKIP LOCKED),
free AS (UPDATE line SET node = NULL, since = '-infinity' FROM dead
    WHERE line.conversation = dead.conversation AND line.kind = dead.kind RETURNING line.conversation, line.kind)
UPDATE turn SET attempts = attempts + 1 FROM free
WHERE turn.key = (SELECT min(t.key) FROM turn t WHERE t.conversation = free.conversation AND t.kind = free.kind)
RETURNING turn.kind";

/// Rows of dead nodes stay for an operator to see, for some time.
const FORGET: &str = "DELETE FROM node WHERE seen < clock_timestamp() - interval '1 hour'";

const LEAVE: &str = "WITH free AS (UPDATE line SET node = NULL WHERE node = $1) DELETE FROM node WHERE id = $1";

/// The clock follows the one of the database where they are farther apart than this.
const APART: TimeDelta = TimeDelta::milliseconds(100);

/// When the database has heard of this node last.
#[derive(Debug)]
pub(super) struct Pulse {
    /// Without a heartbeat for longer, others may hold this node for dead.
    alive_for: Duration,
    heard: Mutex<Heard>,
}

#[derive(Debug)]
struct Heard {
    last: Instant,
    /// How often that was too long ago.
    lapses: u64,
}

impl Pulse {
    pub(super) fn new(alive_for: Duration) -> Self {
        Self { alive_for, heard: Mutex::new(Heard { last: Instant::now(), lapses: 0 }) }
    }

    /// The database has taken a heartbeat that was sent at this time.
    fn beat(&self, sent: Instant) {
        let mut heard = self.heard();
        if sent.saturating_duration_since(heard.last) > self.alive_for {
            heard.lapses += 1;
        }
        heard.last = sent;
    }

    /// How long ago the last heartbeat was.
    pub(super) fn age(&self) -> Duration {
        self.heard().last.elapsed()
    }

    /// How long this node is surely not held for dead.
    pub(super) fn left(&self) -> Duration {
        self.alive_for.saturating_sub(self.age())
    }

    /// How often others may have held this node for dead, with the present.
    pub(super) fn lapses(&self) -> u64 {
        let heard = self.heard();
        heard.lapses + u64::from(heard.last.elapsed() > self.alive_for)
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        // No call above can panic half-way through a change, so what a poisoned lock guards is whole.
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The heartbeat of a node.
pub(super) struct Node {
    name: String,
    heartbeat: Duration,
    dead_after: Duration,
    claims: Arc<Claims>,
    clock: Arc<dyn Clock>,
    pulse: Arc<Pulse>,
    figures: StoreFigures,
    secrets: Option<SecretDigests>,
    strangers: Strangers,
}

/// The names of nodes with other secrets. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Strangers(Arc<Mutex<Vec<String>>>);

impl Strangers {
    pub(super) fn names(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes who they are now, and says so when others are there than before.
    fn note(&self, found: Vec<String>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *known == found {
            return;
        }
        if found.is_empty() {
            tracing::warn!("all nodes of the database have the same secrets again");
        } else {
            let nodes = found.join("; ");
            let mend = "give all nodes the same direct_line_secret, direct_line.second_secret and API keys";
            tracing::error!(
                nodes,
                mend,
                "other nodes of the database have other secrets: they refuse what this node has signed"
            );
        }
        *known = found;
    }
}

impl Node {
    pub(super) fn new(
        options: &PostgresOptions,
        claims: &Arc<Claims>,
        clock: &Arc<dyn Clock>,
        pulse: &Arc<Pulse>,
        figures: &StoreFigures,
        strangers: &Strangers,
    ) -> Self {
        // For operators who look at the table. Containers and pods are hosts; one host may have several nodes.
        let host = whoami::hostname().unwrap_or_else(|_| "unknown host".to_owned());
        let name = format!("{host}, process {}", std::process::id());
        let PostgresOptions { heartbeat, dead_after, secrets, .. } = *options;
        let (claims, clock, pulse) = (Arc::clone(claims), Arc::clone(clock), Arc::clone(pulse));
        let (figures, strangers) = (figures.clone(), strangers.clone());
        Self { name, heartbeat, dead_after, claims, clock, pulse, figures, secrets, strangers }
    }

    /// The first heartbeat.
    pub(super) async fn begin(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let (asked, sent) = (self.clock.now(), Instant::now());
        let beat = sqlx::query_scalar(BEAT).bind(self.claims.node).bind(&self.name).bind(env!("CARGO_PKG_VERSION"));
        let beat = beat.bind(self.secrets.map(SecretDigests::words));
        let told: DateTime<Utc> = beat.fetch_one(&mut *connection).await?;
        self.figures.clock_offset((told - SystemClock.now()).as_seconds_f64());
        // Half-way between the question and the answer.
        let behind = told - (asked + (self.clock.now() - asked) / 2);
        if behind.abs() > APART {
            self.clock.adjust(behind);
        }
        self.pulse.beat(sent);
        if let Some(secrets) = self.secrets {
            let others = sqlx::query_scalar(OTHERS).bind(self.claims.node).bind(self.dead_after.as_secs_f64());
            self.strangers.note(others.bind(secrets.words()).fetch_all(connection).await?);
        }
        Ok(())
    }

    /// Beats until the end, on a thread of its own: a node whose other threads are busy is not dead.
    ///
    /// # Errors
    /// When the system gives no thread or no runtime.
    pub(super) fn start(self, connector: Connector, end: CancellationToken) -> io::Result<JoinHandle<()>> {
        on_own_thread("citewire heartbeat", async move || {
            let beating = (self, connector, end.clone());
            supervise("store heartbeat", end, beating, |(node, connector, end)| node.run(connector, end).boxed()).await;
        })
    }

    async fn run(&self, connector: &Connector, end: &CancellationToken) {
        let mut connection = None;
        // Since when each heartbeat was taken: who was cut off itself does not know yet who else is dead.
        let (mut steady, mut health) = (Instant::now(), Health::new(Arc::default()));
        loop {
            tokio::select! {
                () = end.cancelled() => break,
                () = tokio::time::sleep(self.heartbeat) => {}
            }
            let is_steady = steady.elapsed() >= self.dead_after;
            let beaten = timeout(self.dead_after / 3, self.beat(connector, &mut connection, is_steady)).await;
            if let Err(error) = beaten.unwrap_or_else(|_| Err(timed_out())) {
                connection = None;
                steady = Instant::now();
                self.figures.node_events(NodeEvent::HeartbeatMissed, 1);
                if health.refuse(Failure::of(&error)) {
                    let mend = mend(&error);
                    tracing::warn!(%error, mend, "the database took no heartbeat of this node; trying again");
                }
            } else if let Some(missed) = health.recover() {
                tracing::warn!(missed, "the database takes heartbeats of this node again");
            }
        }
        let leave = async {
            let mut open = match connection.take() {
                Some(open) => open,
                None => connector.connect(Instant::now() + self.heartbeat).await?,
            };
            sqlx::query(LEAVE).bind(self.claims.node).execute(&mut open).await?;
            open.close().await
        };
        if timeout(self.heartbeat, leave).await.is_err() {
            tracing::warn!("the database could not be told that this node has ended; others find out by its silence");
        }
    }

    async fn beat(
        &self,
        connector: &Connector,
        connection: &mut Option<PgConnection>,
        is_steady: bool,
    ) -> Result<(), sqlx::Error> {
        let mut open = match connection.take() {
            Some(open) => open,
            None => connector.connect(Instant::now() + self.heartbeat).await?,
        };
        self.begin(&mut open).await?;
        if is_steady {
            let bury = sqlx::query_scalar::<_, i64>(BURY).bind(self.dead_after.as_secs_f64());
            let freed = bury.fetch_all(&mut open).await?;
            if !freed.is_empty() {
                self.figures.node_events(NodeEvent::TakenOver, freed.len());
                tracing::warn!(lines = freed.len(), "turns of a dead node are taken over");
            }
            for kind in freed.into_iter().filter_map(TurnKind::of_number) {
                self.claims.wake(kind);
            }
            sqlx::query(FORGET).execute(&mut open).await?;
        }
        // A connection whose work failed is dropped.
        *connection = Some(open);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A process that was stopped for so long that others took its turns over found out only if it looked before its next heartbeat.
    #[tokio::test(start_paused = true)]
    async fn a_lapse_is_known_after_the_next_heartbeat_too() {
        let pulse = Pulse::new(9 * SECOND);
        advance(9 * SECOND).await;
        assert_eq!((pulse.lapses(), pulse.left()), (0, Duration::ZERO));
        advance(SECOND).await;
        assert_eq!(pulse.lapses(), 1);
        pulse.beat(Instant::now());
        assert_eq!((pulse.lapses(), pulse.left()), (1, 9 * SECOND));
    }

    /// The database had heard of the node when it was asked, not when its answer came.
    #[tokio::test(start_paused = true)]
    async fn a_heartbeat_counts_from_when_it_was_sent() {
        let pulse = Pulse::new(9 * SECOND);
        let sent = Instant::now();
        advance(20 * SECOND).await;
        pulse.beat(sent);
        assert_eq!((pulse.lapses(), pulse.left()), (1, Duration::ZERO));
    }
}
