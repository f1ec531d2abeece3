//! Which lines of turns this node serves.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::Row as _;
use tokio::sync::Notify;
use uuid::Uuid;

use super::connections::Connections;
use super::row::{conversation_id, number, signed};
use crate::activity::ConversationId;
use crate::store::turn::{Line, TurnKind};

const KINDS: usize = TurnKind::ALL.len();

/// So long a line is left to nodes on which somebody reads its conversation: they show the answer while it is written.
pub(super) const READERS_FIRST: Duration = Duration::from_millis(150);

/// Never waits for a lock, and so has no part in a deadlock.
const CLAIM: &str = "
UPDATE line SET node = $1, fence = nextval('fence'), since = clock_timestamp()
FROM (SELECT l.conversation, l.kind, c.id FROM line l JOIN conversation c ON c.key = l.conversation
    WHERE l.kind = $2 AND l.node IS NULL
    AND (l.since <= clock_timestamp() - make_interval(secs => $4) OR c.id = ANY($5))
    ORDER BY l.since LIMIT $3 FOR UPDATE OF l SKIP LOCKED) AS free
WHERE line.conversation = free.conversation AND line.kind = free.kind
RETURNING free.id, line.fence";

/// The claims of one node.
#[derive(Debug)]
pub(super) struct Claims {
    /// This node.
    pub(super) node: Uuid,
    /// Without a heartbeat for so long, nothing more is claimed.
    pub(super) alive_for: Duration,
    bells: [Notify; KINDS],
    /// Lines whose conversations are read on this node.
    wanted: Mutex<[BTreeSet<ConversationId>; KINDS]>,
}

impl Claims {
    pub(super) fn new(node: Uuid, alive_for: Duration) -> Self {
        Self { node, alive_for, bells: Default::default(), wanted: Mutex::default() }
    }

    /// There is a line whose conversation somebody reads here.
    pub(super) fn want(&self, id: &ConversationId, kind: TurnKind) {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)[kind.number()].insert(id.clone());
        self.ring(kind);
    }

    /// There may be lines to claim.
    pub(super) fn ring(&self, kind: TurnKind) {
        self.bells[kind.number()].notify_one();
    }

    /// The same, once those have had their time on whose nodes somebody reads.
    pub(super) fn ring_later(self: &Arc<Self>, kind: TurnKind) {
        let claims = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(READERS_FIRST).await;
            claims.ring(kind);
        });
    }

    pub(super) async fn rung(&self, kind: TurnKind) {
        self.bells[kind.number()].notified().await;
    }

    /// Claims lines.
    pub(super) async fn claim(
        &self,
        connections: &Connections,
        kind: TurnKind,
        most: usize,
    ) -> Result<Vec<Line>, sqlx::Error> {
        let wanted = std::mem::take(&mut self.wanted.lock().unwrap_or_else(PoisonError::into_inner)[kind.number()]);
        let wanted: Vec<&str> = wanted.iter().map(ConversationId::as_str).collect();
        let claimed = connections.run(|mut c| {
            let wanted = wanted.clone();
            async move {
                let claim = sqlx::query(CLAIM).bind(self.node).bind(signed(kind.number())).bind(signed(most));
                let claim = claim.bind(READERS_FIRST.as_secs_f64()).bind(wanted);
                let rows = claim.fetch_all(&mut *c).await?;
                c.done(rows)
            }
        });
        let line = |row: &sqlx::postgres::PgRow| {
            Ok(Line { conversation: conversation_id(row.try_get(0)?)?, kind, fence: number(row, 1)? })
        };
        claimed.await?.iter().map(line).collect()
    }
}
