//! Turns, for the rest of the server.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::postgres::PgRow;
use sqlx::{Connection as _, Row as _};
use tokio::time::sleep;

use super::claims::Claims;
use super::escape::{escape, unescape};
use super::postgres_store::PostgresStore;
use super::queues::print;
use super::reader::failed;
use super::row::{number, signed};
use crate::StoreError;
use crate::activity::{ConversationId, Watermark};
use crate::backend::Backend as _;
use crate::turn::{EndOfTurn, NewTurn, Queued, Turn, TurnKind, TurnQueue, TurnStage, Turns, WaitingTurns};
use crate::writing::{Change, Queue};

const NEXT: &str = "SELECT t.key, t.place, t.body, t.arrived, t.attempts, t.stage, t.said, t.answered, \
                    EXISTS (SELECT FROM node n WHERE n.id::text = t.bound AND n.id <> $3 \
                    AND n.seen > clock_timestamp() - make_interval(secs => $5)) \
                    FROM conversation c JOIN line l ON l.conversation = c.key \
                    JOIN turn t ON t.conversation = l.conversation AND t.kind = l.kind \
                    WHERE c.id = $1 AND l.kind = $2 AND l.node = $3 AND l.fence = $4 ORDER BY t.key LIMIT 1";

/// The queue stays locked until this is committed, so that nobody claims it meanwhile.
const NOTE: &str = "
WITH held AS (SELECT l.conversation FROM conversation c JOIN line l ON l.conversation = c.key
    WHERE c.id = $1 AND l.kind = $2 AND l.node = $3 AND l.fence = $4 FOR UPDATE OF l)
UPDATE turn SET stage = $6, said = $7 FROM held WHERE turn.key = $5 AND turn.conversation = held.conversation";

const RELEASE: &str = "UPDATE line SET node = NULL, since = clock_timestamp() FROM conversation c \
                       WHERE c.id = $1 AND line.conversation = c.key AND line.kind = $2 AND line.node = $3 AND line.fence = $4";

/// The head first, as always.
const LOCK: &str = "SELECT h.conversation FROM conversation c JOIN head h ON h.conversation = c.key \
                    WHERE c.id = $1 FOR NO KEY UPDATE OF h";

const FORGET: &str = "
WITH gone AS (DELETE FROM line WHERE conversation = $1 AND kind = $2),
    forgotten AS (DELETE FROM turn WHERE conversation = $1 AND kind = $2 RETURNING key)
SELECT count(*) FROM forgotten";

const WAITING: &str = "SELECT count(*), min(arrived) FROM turn WHERE kind = $1";

fn turn(row: &PgRow) -> Result<Turn, sqlx::Error> {
    let place = Watermark::from_index(number(row, 1)?);
    let body: Option<String> = row.try_get(2)?;
    let mut turn = Turn::new(number(row, 0)?, place, body.map(unescape), row.try_get(3)?);
    turn.attempts = u32::try_from(number(row, 4)?).unwrap_or(u32::MAX);
    turn.stage = TurnStage::of_number(row.try_get(5)?);
    turn.said = row.try_get::<Option<String>, _>(6)?.map(unescape);
    turn.answered = row.try_get(7)?;
    Ok(turn)
}

#[async_trait]
impl Turns for PostgresStore {
    async fn queue_turn(&self, id: &ConversationId, turn: NewTurn) -> Result<Option<Queued>, StoreError> {
        let bytes = turn.body.as_ref().map_or(0, String::len);
        self.change(Box::new(Queue { id: id.clone(), turn }), bytes, Change::Queue).await
    }

    async fn claim_queues(&self, kind: TurnKind, most: usize) -> Result<Vec<TurnQueue>, StoreError> {
        // Others may hold this node for dead by now, or soon.
        if self.pulse.left().is_zero() {
            return Ok(Vec::new());
        }
        // Before the question: the answer may come late.
        let lapses = self.pulse.lapses();
        self.shared.claims.claim(&self.shared.connections, kind, most, lapses).await.map_err(failed)
    }

    async fn queues_to_claim(&self, kind: TurnKind) {
        self.shared.claims.rung(kind).await;
    }

    fn is_cut_off(&self, queue: &TurnQueue) -> bool {
        self.pulse.lapses() != queue.lapses
    }

    async fn cut_off(&self, queue: &TurnQueue) {
        while !self.is_cut_off(queue) {
            sleep(self.pulse.left().max(Duration::from_millis(1))).await;
        }
    }

    async fn next_turn(&self, queue: &TurnQueue) -> Result<Option<Turn>, StoreError> {
        let Claims { node, dead_after, .. } = *self.shared.claims;
        let found = self.shared.connections.run(|mut c| async move {
            let next = sqlx::query(NEXT).bind(queue.conversation.as_str()).bind(signed(queue.kind.number()));
            let next = next.bind(node).bind(queue.fence.cast_signed()).bind(dead_after.as_secs_f64());
            let row = next.fetch_optional(&mut *c).await?;
            c.done(row)
        });
        let Some(row) = found.await.map_err(failed)? else { return Ok(None) };
        if row.try_get(8).map_err(failed)? {
            // It is for the node where its caller waits.
            self.release_queue(queue).await?;
            return Ok(None);
        }
        turn(&row).map(Some).map_err(failed)
    }

    async fn note_turn(
        &self,
        queue: &TurnQueue,
        turn: u64,
        stage: TurnStage,
        said: Option<String>,
    ) -> Result<(), StoreError> {
        let (node, said) = (self.shared.claims.node, said.as_deref().map(escape));
        let noted = self.shared.connections.run(|mut c| {
            let said = said.clone();
            async move {
                let note = sqlx::query(NOTE).bind(queue.conversation.as_str()).bind(signed(queue.kind.number()));
                let note = note.bind(node).bind(queue.fence.cast_signed()).bind(turn.cast_signed());
                let noted = note.bind(stage.number()).bind(said).execute(&mut *c).await?.rows_affected();
                c.done(noted)
            }
        });
        if noted.await.map_err(failed)? == 0 { Err(StoreError::Superseded) } else { Ok(()) }
    }

    async fn end_turn(&self, end: &EndOfTurn) -> Result<(), StoreError> {
        self.change(Box::new(end.clone()), 0, Change::End).await
    }

    async fn release_queue(&self, queue: &TurnQueue) -> Result<(), StoreError> {
        let node = self.shared.claims.node;
        let released = self.shared.connections.run(|mut c| async move {
            let release = sqlx::query(RELEASE).bind(queue.conversation.as_str()).bind(signed(queue.kind.number()));
            let released = release.bind(node).bind(queue.fence.cast_signed()).execute(&mut *c).await?.rows_affected();
            c.done(released)
        });
        if released.await.map_err(failed)? > 0 {
            self.shared.notifications.turn(&queue.conversation, queue.kind);
        }
        Ok(())
    }

    async fn forget_turns(&self, id: &ConversationId, kind: TurnKind) -> Result<usize, StoreError> {
        let forgotten = self.shared.connections.run(|mut c| async move {
            let mut transaction = c.begin().await?;
            let key: Option<i64> = sqlx::query_scalar(LOCK).bind(id.as_str()).fetch_optional(&mut *transaction).await?;
            let forget = sqlx::query_scalar(FORGET).bind(key.unwrap_or(-1)).bind(signed(kind.number()));
            let forgotten: i64 = forget.fetch_one(&mut *transaction).await?;
            transaction.commit().await?;
            c.done(forgotten)
        });
        Ok(usize::try_from(forgotten.await.map_err(failed)?).unwrap_or_default())
    }

    async fn forget_name(&self, id: &ConversationId, name: &str) -> Result<(), StoreError> {
        let print = print(id, name);
        let forgotten = self.shared.connections.run(|mut c| {
            let print = print.clone();
            async move {
                sqlx::query("DELETE FROM seen WHERE print = $1").bind(print).execute(&mut *c).await?;
                c.done(())
            }
        });
        forgotten.await.map_err(failed)
    }

    async fn waiting_turns(&self, kind: TurnKind) -> Result<WaitingTurns, StoreError> {
        let waiting = self.shared.connections.run(|mut c| async move {
            let waiting = sqlx::query_as(WAITING).bind(signed(kind.number()));
            let waiting: (i64, Option<DateTime<Utc>>) = waiting.fetch_one(&mut *c).await?;
            c.done(waiting)
        });
        let (count, oldest) = waiting.await.map_err(failed)?;
        Ok(WaitingTurns { count: usize::try_from(count).unwrap_or_default(), oldest })
    }
}
