//! How many turns wait, about: counted from time to time, and exactly where a limit is near.

use std::sync::{Mutex, PoisonError};

use sqlx::postgres::PgConnection;

use crate::turn::{NewTurn, TurnKind};
use crate::writing::Change;

const KINDS: usize = TurnKind::ALL.len();

/// Those that are answered wait no more: one of each queue that somebody holds.
const COUNT: &str = "SELECT kind, count(*) FROM turn GROUP BY kind \
                     UNION ALL SELECT kind, -count(*) FROM line WHERE node IS NOT NULL GROUP BY kind";

/// A limit that is farther away than this is not met between two counts.
const NEAR: usize = 200;

/// The last count.
#[derive(Debug, Default)]
pub(super) struct Waiting(Mutex<[usize; KINDS]>);

impl Waiting {
    /// Counts.
    pub(super) async fn count(&self, connection: &mut PgConnection) -> Result<[usize; KINDS], sqlx::Error> {
        let mut counts = [0_i64; KINDS];
        let rows: Vec<(i64, i64)> = sqlx::query_as(COUNT).fetch_all(connection).await?;
        for (kind, count) in rows {
            if let Some(kind) = TurnKind::of_number(kind) {
                counts[kind.number()] += count;
            }
        }
        let counts = counts.map(|count| usize::try_from(count).unwrap_or_default());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = counts;
        Ok(counts)
    }

    /// How many wait as far as this group has to know.
    pub(super) async fn read(
        &self,
        connection: &mut PgConnection,
        group: &[Change],
    ) -> Result<[usize; KINDS], sqlx::Error> {
        let about = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_near = |turn: &NewTurn| about[turn.kind.number()] + NEAR >= turn.room.in_all;
        let turns = group.iter().filter_map(|change| match change {
            Change::Create(pending) => pending.change.turn.as_deref(),
            Change::Queue(pending) => Some(&pending.change.turn),
            Change::Append(pending) => pending.change.turns.as_deref()?.turn.as_ref(),
            Change::Keep(_) | Change::Refer(_) | Change::Note(_) | Change::End(_) => None,
        });
        if turns.into_iter().any(is_near) { self.count(connection).await } else { Ok(about) }
    }
}
