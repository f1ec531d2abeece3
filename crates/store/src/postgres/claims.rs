//! Which queues of turns this node serves.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::Row as _;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::connections::Connections;
use super::row::{conversation_id, number, signed};
use crate::activity::ConversationId;
use crate::turn::{TurnKind, TurnQueue};

const KINDS: usize = TurnKind::ALL.len();

/// The time for which a queue is left to nodes on which somebody reads its conversation: they show the answer while it is written.
pub(super) const READERS_FIRST: Duration = Duration::from_millis(150);

/// Never waits for a lock, and so has no part in a deadlock.
const CLAIM: &str = "
UPDATE line SET node = $1, fence = nextval('fence'), since = clock_timestamp()
FROM (SELECT l.conversation, l.kind, c.id FROM line l JOIN conversation c ON c.key = l.conversation
    WHERE l.kind = $2 AND l.node IS NULL
    AND (l.since <= clock_timestamp() - make_interval(secs => $4) OR c.id = ANY($5))
    AND NOT EXISTS (SELECT FROM turn t JOIN node n ON n.id::text = t.bound
        WHERE t.key = (SELECT min(key) FROM turn WHERE conversation = l.conversation AND kind = l.kind)
        AND n.id <> $1 AND n.seen > clock_timestamp() - make_interval(secs => $6))
    ORDER BY l.since LIMIT $3 FOR UPDATE OF l SKIP LOCKED) AS free
WHERE line.conversation = free.conversation AND line.kind = free.kind
RETURNING free.id, line.fence";

/// The claims of one node.
#[derive(Debug)]
pub(super) struct Claims {
    /// This node.
    pub(super) node: Uuid,
    /// Turns that are bound to a node which is silent for so long are everybody's.
    pub(super) dead_after: Duration,
    wakers: [Notify; KINDS],
    /// When the first and the last of the wakers that were put off are due, and what tells of that.
    due: Mutex<[Option<(Instant, Instant)>; KINDS]>,
    put_off: [Notify; KINDS],
    /// Queues whose conversations are read on this node.
    wanted: Mutex<[BTreeSet<ConversationId>; KINDS]>,
}

impl Claims {
    pub(super) fn new(node: Uuid, dead_after: Duration) -> Self {
        Self {
            node,
            dead_after,
            wakers: Default::default(),
            due: Mutex::default(),
            put_off: Default::default(),
            wanted: Mutex::default(),
        }
    }

    /// There is a queue whose conversation somebody reads here.
    pub(super) fn want(&self, id: &ConversationId, kind: TurnKind) {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)[kind.number()].insert(id.clone());
        self.wake(kind);
    }

    /// There may be queues to claim.
    pub(super) fn wake(&self, kind: TurnKind) {
        self.wakers[kind.number()].notify_one();
    }

    /// Wakes after a pause, in which nodes on which somebody reads may claim the queue first.
    pub(super) fn ring_later(&self, kind: TurnKind) {
        let due = Instant::now() + READERS_FIRST;
        let mut all = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        all[kind.number()].get_or_insert((due, due)).1 = due;
        drop(all);
        self.put_off[kind.number()].notify_one();
    }

    /// Resolves when there may be queues to claim.
    pub(super) async fn rung(&self, kind: TurnKind) {
        loop {
            let due = self.due.lock().unwrap_or_else(PoisonError::into_inner)[kind.number()];
            let wait = async {
                match due {
                    Some((first, _)) => sleep_until(first).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.wakers[kind.number()].notified() => return,
                () = self.put_off[kind.number()].notified() => {}
                () = wait => {
                    let due = &mut self.due.lock().unwrap_or_else(PoisonError::into_inner)[kind.number()];
                    *due = due.filter(|(first, last)| first < last).map(|(_, last)| (last, last));
                    return;
                }
            }
        }
    }

    /// Claims queues.
    pub(super) async fn claim(
        &self,
        connections: &Connections,
        kind: TurnKind,
        most: usize,
        lapses: u64,
    ) -> Result<Vec<TurnQueue>, sqlx::Error> {
        let wanted = std::mem::take(&mut self.wanted.lock().unwrap_or_else(PoisonError::into_inner)[kind.number()]);
        let wanted: Vec<&str> = wanted.iter().map(ConversationId::as_str).collect();
        let claimed = connections.run(|mut c| {
            let wanted = wanted.clone();
            async move {
                let claim = sqlx::query(CLAIM).bind(self.node).bind(signed(kind.number())).bind(signed(most));
                let claim = claim.bind(READERS_FIRST.as_secs_f64()).bind(wanted).bind(self.dead_after.as_secs_f64());
                let rows = claim.fetch_all(&mut *c).await?;
                c.done(rows)
            }
        });
        let queue = |row: &sqlx::postgres::PgRow| {
            Ok(TurnQueue { conversation: conversation_id(row.try_get(0)?)?, kind, fence: number(row, 1)?, lapses })
        };
        claimed.await?.iter().map(queue).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two turns that were put off, only the first was rung for, so that the second waited for the next look.
    #[tokio::test(start_paused = true)]
    async fn each_turn_that_was_put_off_is_rung_for_once_its_time_has_come() {
        let claims = Claims::new(Uuid::nil(), Duration::ZERO);
        let begun = Instant::now();
        claims.ring_later(TurnKind::Bot);
        tokio::time::advance(Duration::from_millis(100)).await;
        claims.ring_later(TurnKind::Bot);
        for due in [150, 250] {
            claims.rung(TurnKind::Bot).await;
            assert_eq!(begun.elapsed().as_millis(), due);
        }
    }
}
