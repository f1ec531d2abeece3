//! Statements by which a group of changes reads and writes turns and their queues.

use std::collections::{BTreeMap, BTreeSet};

use aws_lc_rs::digest::{SHA256, digest};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::Row as _;
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use super::escape::escape;
use super::row::{number, signed};
use super::statement::{Column, Statement};
use super::waiting::Waiting;
use crate::activity::{ConversationId, Watermark};
use crate::turn::{NewTurn, TurnKind};
use crate::writing::{Change, FirstTurn, GroupQueues, Head, QueueState, TurnRow};

/// For so long the name of a turn is remembered.
const REMEMBER_NAMES: TimeDelta = TimeDelta::minutes(10);

/// Locked, so that nobody claims a queue while one of its turns ends. After the heads, as always.
const HOLDERS: &str = "SELECT l.conversation, l.kind, l.node, l.fence FROM line l \
                       JOIN unnest($1::bigint[], $2::bigint[]) AS asked (conversation, kind) \
                       ON l.conversation = asked.conversation AND l.kind = asked.kind \
                       ORDER BY l.conversation, l.kind FOR UPDATE OF l";

const FIRST: &str = "SELECT asked.conversation, asked.kind, counted.turns, f.key, f.place, f.body IS NULL, f.answered \
                     FROM unnest($1::bigint[], $2::bigint[]) AS asked (conversation, kind) \
                     CROSS JOIN LATERAL (SELECT count(*) AS turns FROM turn t \
                     WHERE t.conversation = asked.conversation AND t.kind = asked.kind) counted \
                     CROSS JOIN LATERAL (SELECT * FROM turn t \
                     WHERE t.conversation = asked.conversation AND t.kind = asked.kind ORDER BY t.key LIMIT 1) f";

const SEEN: &str = "SELECT print FROM seen WHERE print = ANY($1) AND until > $2";

/// Which queues a group is about, and whether it may add turns.
#[derive(Default)]
struct Asked<'a> {
    queues: BTreeSet<(&'a ConversationId, TurnKind)>,
    names: Vec<(&'a ConversationId, &'a str)>,
    adds: bool,
}

impl<'a> Asked<'a> {
    fn of(group: &'a [Change]) -> Self {
        let mut asked = Self::default();
        for change in group {
            let id = change.conversation();
            match change {
                Change::Create(pending) => asked.turn(id, pending.change.turn.as_deref()),
                Change::Queue(pending) => asked.turn(id, Some(&pending.change.turn)),
                Change::End(pending) => drop(asked.queues.insert((id, pending.change.queue.kind))),
                Change::Append(pending) => {
                    let Some(parts) = pending.change.turns.as_deref() else { continue };
                    asked.queues.extend(parts.end.iter().map(|end| (id, end.queue.kind)));
                    if parts.answers.is_some() {
                        asked.queues.extend(TurnKind::ALL.map(|kind| (id, kind)));
                    }
                    asked.turn(id, parts.turn.as_ref());
                }
                Change::Keep(_) | Change::Refer(_) | Change::Note(_) => {}
            }
        }
        asked
    }

    fn turn(&mut self, id: &'a ConversationId, turn: Option<&'a NewTurn>) {
        let Some(turn) = turn else { return };
        self.adds = true;
        self.queues.insert((id, turn.kind));
        self.names.extend(turn.name.iter().map(|name| (id, name.as_str())));
    }
}

/// The queues of a group whose heads are locked. Queues that this node does not hold count as not held.
pub(super) async fn queues(
    connection: &mut PgConnection,
    group: &[Change],
    heads: &BTreeMap<ConversationId, Head>,
    (node, now): (Uuid, DateTime<Utc>),
    waiting: &Waiting,
) -> Result<GroupQueues, sqlx::Error> {
    let asked = Asked::of(group);
    if asked.queues.is_empty() {
        return Ok(GroupQueues::default());
    }
    let next_key = if asked.adds {
        // Behind the lock of the heads, so that keys grow in the order of the history.
        let key: i64 = sqlx::query_scalar("SELECT nextval('turn_key')").fetch_one(&mut *connection).await?;
        key.unsigned_abs()
    } else {
        0
    };
    let mut queues = GroupQueues::new(waiting.read(connection, group).await?, next_key);
    let known: Vec<_> = asked.queues.iter().filter_map(|(id, kind)| Some((heads.get(*id)?.key, *id, *kind))).collect();
    let keys: Vec<i64> = known.iter().map(|queue| queue.0).collect();
    let kinds: Vec<i64> = known.iter().map(|queue| signed(queue.2.number())).collect();
    let mut states: BTreeMap<(i64, i64), QueueState> = BTreeMap::new();
    for row in sqlx::query(HOLDERS).bind(&keys).bind(&kinds).fetch_all(&mut *connection).await? {
        let state = states.entry((row.try_get(0)?, row.try_get(1)?)).or_default();
        state.held = (row.try_get::<Option<Uuid>, _>(2)? == Some(node)).then_some(number(&row, 3)?);
    }
    for row in sqlx::query(FIRST).bind(&keys).bind(&kinds).fetch_all(&mut *connection).await? {
        let state = states.entry((row.try_get(0)?, row.try_get(1)?)).or_default();
        let about = row.try_get::<bool, _>(5)?.then_some(Watermark::from_index(number(&row, 4)?));
        state.turns = usize::try_from(number(&row, 2)?).unwrap_or(usize::MAX);
        state.first = Some(FirstTurn { key: number(&row, 3)?, about, answered: row.try_get(6)? });
    }
    for (key, id, kind) in known {
        queues.know(id, kind, states.get(&(key, signed(kind.number()))).copied().unwrap_or_default());
    }
    if !asked.names.is_empty() {
        let prints: Vec<Vec<u8>> = asked.names.iter().map(|(id, name)| print(id, name)).collect();
        let seen: Vec<Vec<u8>> = sqlx::query_scalar(SEEN).bind(&prints).bind(now).fetch_all(connection).await?;
        for ((id, name), print) in asked.names.iter().zip(&prints) {
            if seen.contains(print) {
                queues.know_name(id, name);
            }
        }
    }
    Ok(queues)
}

/// The rows of turns and queues.
pub(super) fn write(
    statement: &mut Statement,
    queues: &GroupQueues,
    (node, now): (Uuid, DateTime<Utc>),
) -> Result<(), sqlx::Error> {
    let queued = &queues.queued;
    statement.part(
        "INSERT INTO turn (key, conversation, kind, place, body, arrived, bound) SELECT * FROM",
        [
            Column::Numbers(queued.iter().map(|row| row.turn.key.cast_signed()).collect()),
            Column::Numbers(queued.iter().map(|row| row.conversation).collect()),
            Column::Numbers(queued.iter().map(|row| signed(row.kind.number())).collect()),
            Column::Numbers(queued.iter().map(|row| row.turn.place.index().cast_signed()).collect()),
            Column::MaybeTexts(queued.iter().map(body).collect()),
            Column::Times(queued.iter().map(|row| row.turn.arrived).collect()),
            Column::MaybeTexts(queued.iter().map(|row| row.bound.then(|| node.to_string())).collect()),
        ],
        "",
    )?;
    let made: BTreeSet<_> = queued.iter().map(|row| (row.conversation, signed(row.kind.number()))).collect();
    statement.part(
        "INSERT INTO line (conversation, kind, fence, since) SELECT made.conversation, made.kind, 0, clock_timestamp() FROM",
        [
            Column::Numbers(made.iter().map(|queue| queue.0).collect()),
            Column::Numbers(made.iter().map(|queue| queue.1).collect()),
        ],
        "AS made (conversation, kind) ON CONFLICT DO NOTHING",
    )?;
    let named: Vec<_> = queued.iter().filter_map(|row| Some(print(&row.id, row.name.as_ref()?))).collect();
    let until = Column::Times(vec![now + REMEMBER_NAMES; named.len()]);
    statement.part(
        "INSERT INTO seen (print, until) SELECT * FROM",
        [Column::Bytes(named), until],
        "ON CONFLICT (print) DO UPDATE SET until = excluded.until",
    )?;
    statement.part(
        "DELETE FROM turn USING",
        [Column::Numbers(queues.ended.iter().map(|end| end.turn.cast_signed()).collect())],
        "AS ended (key) WHERE turn.key = ended.key",
    )?;
    let empty = queues.emptied();
    statement.part(
        "DELETE FROM line USING conversation c,",
        [
            Column::Texts(empty.iter().map(|queue| queue.0.as_str().to_owned()).collect()),
            Column::Numbers(empty.iter().map(|queue| signed(queue.1.number())).collect()),
        ],
        "AS empty (id, kind) WHERE c.id = empty.id AND line.conversation = c.key AND line.kind = empty.kind",
    )?;
    statement.part(
        "UPDATE turn SET answered = true FROM",
        [
            Column::Numbers(queues.answered.iter().map(|row| row.0).collect()),
            Column::Numbers(queues.answered.iter().map(|row| row.2.index().cast_signed()).collect()),
        ],
        "AS reply (conversation, place) \
         WHERE turn.conversation = reply.conversation AND turn.place = reply.place AND turn.body IS NULL",
    )
}

fn body(row: &TurnRow) -> Option<String> {
    row.turn.body.as_ref().map(|body| escape(body).into_owned())
}

/// Digests the name of a turn: 16 bytes of SHA-256 over conversation and name are all that is kept of it.
pub(super) fn print(id: &ConversationId, name: &str) -> Vec<u8> {
    let named = format!("{} {id} {name}", id.as_str().len());
    digest(&SHA256, named.as_bytes()).as_ref()[..16].to_vec()
}
