//! The rows of turns.

use chrono::DateTime;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};

use crate::activity::{ConversationId, Watermark};
use crate::turn::{Turn, TurnKind, TurnStage};
use crate::turn_queues::TurnQueues;
use crate::writing::TurnRow;

/// The process before has ended while it answered the first turn of each queue, or was about to.
const COUNT_ATTEMPTS: &str = "UPDATE turn SET attempts = attempts + 1 \
                              WHERE key IN (SELECT min(key) FROM turn GROUP BY conversation, kind)";

const ALL: &str = "SELECT turn.key, conversation.id, kind, place, body, name, arrived, attempts, stage, said, answered \
                   FROM turn JOIN conversation ON conversation.key = turn.conversation ORDER BY turn.key";

/// Reads the turns that wait in the file; returns them in their queues, and the key of the next one.
pub(super) async fn load(connection: &mut SqliteConnection) -> Result<(TurnQueues, u64), sqlx::Error> {
    sqlx::query(COUNT_ATTEMPTS).execute(&mut *connection).await?;
    let (queues, mut next_key) = (TurnQueues::default(), 1);
    for row in sqlx::query(ALL).fetch_all(connection).await? {
        let kind = TurnKind::of_number(row.try_get(2)?);
        // A kind that a later version has written is left to that.
        let Some(kind) = kind else { continue };
        let id = ConversationId::try_from(row.try_get::<String, _>(1)?);
        let turn = turn(&row)?;
        next_key = next_key.max(turn.key + 1);
        queues.push(&id.map_err(|error| sqlx::Error::Decode(error.into()))?, kind, row.try_get(5)?, turn);
    }
    Ok((queues, next_key))
}

fn turn(row: &SqliteRow) -> Result<Turn, sqlx::Error> {
    let number = |index| row.try_get::<i64, _>(index);
    let arrived = DateTime::from_timestamp_millis(number(6)?).unwrap_or_default();
    let place = Watermark::from_index(number(3)?.unsigned_abs());
    let mut turn = Turn::new(number(0)?.unsigned_abs(), place, row.try_get(4)?, arrived);
    turn.attempts = u32::try_from(number(7)?).unwrap_or(u32::MAX);
    (turn.stage, turn.said) = (TurnStage::of_number(number(8)?), row.try_get(9)?);
    turn.answered = number(10)? != 0;
    Ok(turn)
}

/// The rows of turns as the statement takes them: key, conversation, kind, place, body, name, arrived.
pub(super) type QueuedRow<'a> = (u64, i64, usize, u64, Option<&'a str>, Option<&'a str>, i64);

pub(super) fn queued_rows(rows: &[TurnRow]) -> Vec<QueuedRow<'_>> {
    rows.iter()
        .map(|TurnRow { conversation, kind, name, turn, .. }| {
            let (body, name) = (turn.body.as_deref(), name.as_deref());
            let arrived = turn.arrived.timestamp_millis();
            (turn.key, *conversation, kind.number(), turn.place.index(), body, name, arrived)
        })
        .collect()
}

/// The rows of answered turns: conversation, place.
pub(super) fn answered_rows(rows: &[(i64, ConversationId, Watermark)]) -> Vec<(i64, u64)> {
    rows.iter().map(|(conversation, _, place)| (*conversation, place.index())).collect()
}
