//! Statements by which a group of changes reads and writes rows.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use sqlx::Row as _;
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use super::escape::{escape, unescape};
use super::queues;
use super::row::{conversation_id, number, signed};
use super::statement::{Column, Statement};
use crate::activity::ConversationId;
use crate::writing::{Change, Head, Known, Plan};

/// Always in this order, so that the groups of two nodes do not wait for each other.
const HEADS: &str = "SELECT c.id, c.key, c.\"user\", h.next, h.newest, h.bytes \
                     FROM conversation c JOIN head h ON h.conversation = c.key \
                     WHERE c.id = ANY($1) ORDER BY h.conversation FOR NO KEY UPDATE OF h";

/// Read when the heads are locked: until then another node may have named a user.
const USERS: &str = "SELECT key, \"user\" FROM conversation WHERE key = ANY($1)";

const KNOWN: &str = "SELECT b.conversation, b.name, b.first, b.count::bigint \
                     FROM unnest($1::bigint[], $2::text[]) AS asked (conversation, name) \
                     JOIN batch b ON b.conversation = asked.conversation AND b.name = asked.name";

/// Where the transaction can be found again when the answer to its COMMIT is lost.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trace {
    pub(super) transaction: String,
    pub(super) commit_check: CommitCheck,
}

/// A row that the transaction writes, and no other one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CommitCheck {
    Activity {
        conversation: i64,
        place: i64,
        at: DateTime<Utc>,
        body: String,
    },
    Feedback {
        conversation: i64,
        at: DateTime<Utc>,
        body: String,
    },
    Turn {
        key: i64,
    },
    /// Doing it again changes nothing.
    None,
}

/// The heads of those conversations of the group that are there, locked.
pub(super) async fn heads(
    connection: &mut PgConnection,
    group: &[Change],
) -> Result<BTreeMap<ConversationId, Head>, sqlx::Error> {
    let ids: BTreeSet<&str> = group.iter().map(|change| change.conversation().as_str()).collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let mut heads = BTreeMap::new();
    for row in sqlx::query(HEADS).bind(ids).fetch_all(&mut *connection).await? {
        let head = Head {
            key: row.try_get(1)?,
            user: row.try_get(2)?,
            next: number(&row, 3)?,
            newest: row.try_get(4)?,
            bytes: usize::try_from(number(&row, 5)?).unwrap_or(usize::MAX),
            speakers: Vec::new(),
        };
        heads.insert(conversation_id(row.try_get(0)?)?, head);
    }
    let adopts = group.iter().filter_map(|change| match change {
        Change::Create(pending) if pending.change.user.is_some() => heads.get(&pending.change.id),
        Change::Create(_)
        | Change::Append(_)
        | Change::Keep(_)
        | Change::Refer(_)
        | Change::Note(_)
        | Change::Queue(_)
        | Change::End(_) => None,
    });
    let keys: Vec<i64> = adopts.filter(|head| head.user.is_none()).map(|head| head.key).collect();
    if !keys.is_empty() {
        let users: Vec<(i64, Option<String>)> = sqlx::query_as(USERS).bind(keys).fetch_all(connection).await?;
        let mut users: BTreeMap<i64, Option<String>> = users.into_iter().collect();
        for head in heads.values_mut() {
            if let Some(user) = users.remove(&head.key) {
                head.user = user;
            }
        }
    }
    Ok(heads)
}

/// Which batches of the group were recorded before.
pub(super) async fn known(
    connection: &mut PgConnection,
    group: &[Change],
    heads: &BTreeMap<ConversationId, Head>,
) -> Result<Known, sqlx::Error> {
    let (mut keys, mut names) = (Vec::new(), Vec::new());
    for change in group {
        let Some(head) = heads.get(change.conversation()) else { continue };
        for name in change.names() {
            keys.push(head.key);
            names.push(escape(name).into_owned());
        }
    }
    if names.is_empty() {
        return Ok(Known::new());
    }
    let rows = sqlx::query(KNOWN).bind(keys).bind(names).fetch_all(connection).await?;
    rows.into_iter()
        .map(|row| {
            let (first, count) = (number(&row, 2)?, usize::try_from(number(&row, 3)?).unwrap_or_default());
            Ok(((row.try_get(0)?, unescape(row.try_get(1)?)), (first, count)))
        })
        .collect()
}

/// Writes the rows of a plan in one statement. `heads` are those before.
pub(super) async fn write(
    connection: &mut PgConnection,
    plan: &mut Plan,
    userless: &BTreeSet<i64>,
    by: (Uuid, DateTime<Utc>),
) -> Result<Trace, sqlx::Error> {
    let commit_check = commit_check(plan);
    let mut statement = Statement::default();
    conversations(&mut statement, plan, userless)?;
    let activities = std::mem::take(&mut plan.activities);
    let bodies = activities.iter().map(|row| text(&plan.bodies, row.3, row.4)).collect();
    statement.part(
        "INSERT INTO activity (conversation, place, at, body) SELECT * FROM",
        [
            Column::Numbers(activities.iter().map(|row| row.0).collect()),
            Column::Numbers(activities.iter().map(|row| row.1.cast_signed()).collect()),
            Column::Times(activities.iter().map(|row| time(row.2)).collect()),
            Column::Texts(bodies),
        ],
        "",
    )?;
    let batches = &plan.batches;
    statement.part(
        "INSERT INTO batch (conversation, name, first, count) SELECT * FROM",
        [
            Column::Numbers(batches.iter().map(|row| row.0).collect()),
            Column::Texts(batches.iter().map(|row| escape(&row.1).into_owned()).collect()),
            Column::Numbers(batches.iter().map(|row| row.2.cast_signed()).collect()),
            Column::Numbers(batches.iter().map(|row| signed(row.3)).collect()),
        ],
        "",
    )?;
    beside(&mut statement, plan)?;
    queues::write(&mut statement, &plan.queues, by)?;
    let transaction = statement.run(connection).await?;
    Ok(Trace { transaction, commit_check })
}

/// The rows of conversations and heads. A row that is new is inserted as it is at the end: within one statement no part sees what
/// another one has written.
fn conversations(statement: &mut Statement, plan: &mut Plan, userless: &BTreeSet<i64>) -> Result<(), sqlx::Error> {
    let (created, mut touched) = (std::mem::take(&mut plan.created), BTreeMap::new());
    for row in std::mem::take(&mut plan.touched) {
        touched.insert(row.0, row);
    }
    let grown: Vec<_> = created.iter().map(|new| touched.remove(&new.0)).collect();
    let users = created.iter().zip(&grown).map(|(new, grown)| new.2.clone().or_else(|| grown.as_ref()?.1.clone()));
    statement.part(
        "INSERT INTO conversation (key, id, \"user\", reference, created) SELECT * FROM",
        [
            Column::Numbers(created.iter().map(|new| new.0).collect()),
            Column::Texts(created.iter().map(|new| new.1.clone()).collect()),
            Column::MaybeTexts(users.collect()),
            Column::MaybeTexts(created.iter().map(|new| plan.referred.remove(&new.0)).collect()),
            Column::Times(created.iter().map(|new| time(new.3)).collect()),
        ],
        "",
    )?;
    let of = |index: usize| grown[index].as_ref();
    let all = 0..created.len();
    statement.part(
        "INSERT INTO head (conversation, next, newest, active, bytes) SELECT * FROM",
        [
            Column::Numbers(created.iter().map(|new| new.0).collect()),
            Column::Numbers(all.clone().map(|new| of(new).map_or(0, |row| row.2.cast_signed())).collect()),
            Column::MaybeTimes(all.clone().map(|new| of(new)?.3.map(time)).collect()),
            Column::Times(
                all.clone().map(|new| time(of(new).and_then(|row| row.4).unwrap_or(created[new].3))).collect(),
            ),
            Column::Numbers(all.map(|new| of(new).map_or(0, |row| signed(row.5))).collect()),
        ],
        "",
    )?;
    let touched: Vec<_> = touched.into_values().collect();
    statement.part(
        "UPDATE head SET next = new.next, newest = new.newest, active = coalesce(new.active, head.active), bytes = new.bytes FROM",
        [
            Column::Numbers(touched.iter().map(|row| row.0).collect()),
            Column::Numbers(touched.iter().map(|row| row.2.cast_signed()).collect()),
            Column::MaybeTimes(touched.iter().map(|row| row.3.map(time)).collect()),
            Column::MaybeTimes(touched.iter().map(|row| row.4.map(time)).collect()),
            Column::Numbers(touched.iter().map(|row| signed(row.5)).collect()),
        ],
        "AS new (key, next, newest, active, bytes) WHERE head.conversation = new.key",
    )?;
    // A row is updated once, whatever changes in it.
    let mut changed: BTreeMap<i64, (Option<String>, Option<String>)> = BTreeMap::new();
    for (key, reference) in std::mem::take(&mut plan.referred) {
        changed.entry(key).or_default().1 = Some(reference);
    }
    for row in touched.iter().filter(|row| userless.contains(&row.0) && row.1.is_some()) {
        changed.entry(row.0).or_default().0.clone_from(&row.1);
    }
    statement.part(
        "UPDATE conversation SET \"user\" = coalesce(conversation.\"user\", new.\"user\"), \
         reference = coalesce(new.reference, conversation.reference) FROM",
        [
            Column::Numbers(changed.keys().copied().collect()),
            Column::MaybeTexts(changed.values().map(|row| row.0.clone()).collect()),
            Column::MaybeTexts(changed.values().map(|row| row.1.clone()).collect()),
        ],
        "AS new (key, \"user\", reference) WHERE conversation.key = new.key",
    )
}

/// Attachments, members and feedback.
fn beside(statement: &mut Statement, plan: &Plan) -> Result<(), sqlx::Error> {
    let attachments = &plan.attachments;
    statement.part(
        "INSERT INTO attachment (conversation, id, content_type, name, bytes) SELECT * FROM",
        [
            Column::Numbers(attachments.iter().map(|row| row.0).collect()),
            Column::Texts(attachments.iter().map(|row| escape(&row.1).into_owned()).collect()),
            Column::Texts(attachments.iter().map(|row| escape(&row.2).into_owned()).collect()),
            Column::MaybeTexts(
                attachments.iter().map(|row| row.3.as_ref().map(|name| escape(name).into_owned())).collect(),
            ),
            Column::Bytes(attachments.iter().map(|row| slice(&plan.contents, row.4, row.5).to_vec()).collect()),
        ],
        "ON CONFLICT DO NOTHING",
    )?;
    // A statement cannot change a row twice.
    let mut members: BTreeMap<(i64, String), Option<i64>> = BTreeMap::new();
    for (key, user, first) in &plan.members {
        let known = members.entry((*key, escape(user).into_owned())).or_default();
        *known = known.or(first.map(u64::cast_signed));
    }
    statement.part(
        "INSERT INTO member (conversation, \"user\", first) SELECT * FROM",
        [
            Column::Numbers(members.keys().map(|member| member.0).collect()),
            Column::Texts(members.keys().map(|member| member.1.clone()).collect()),
            Column::MaybeNumbers(members.values().copied().collect()),
        ],
        "ON CONFLICT (conversation, \"user\") DO UPDATE SET first = excluded.first \
         WHERE member.first IS NULL AND excluded.first IS NOT NULL",
    )?;
    let feedback = &plan.feedback;
    statement.part(
        "INSERT INTO feedback (conversation, at, body) SELECT * FROM",
        [
            Column::Numbers(feedback.iter().map(|row| row.0).collect()),
            Column::Times(feedback.iter().map(|row| time(row.1)).collect()),
            Column::Texts(feedback.iter().map(|row| row.2.clone()).collect()),
        ],
        "",
    )
}

fn commit_check(plan: &Plan) -> CommitCheck {
    if let Some(&(conversation, place, at, from, length)) = plan.activities.first() {
        let (place, at, body) = (place.cast_signed(), time(at), text(&plan.bodies, from, length));
        return CommitCheck::Activity { conversation, place, at, body };
    }
    match plan.feedback.first() {
        Some((conversation, at, body)) => {
            CommitCheck::Feedback { conversation: *conversation, at: time(*at), body: body.clone() }
        }
        None => {
            let turn = plan.queues.queued.first();
            turn.map_or(CommitCheck::None, |row| CommitCheck::Turn { key: row.turn.key.cast_signed() })
        }
    }
}

/// Takes a number of bytes from a place on that is counted from 1.
fn slice(bytes: &[u8], from: usize, length: usize) -> &[u8] {
    from.checked_sub(1).and_then(|from| bytes.get(from..from + length)).unwrap_or_default()
}

fn text(bytes: &[u8], from: usize, length: usize) -> String {
    String::from_utf8_lossy(slice(bytes, from, length)).into_owned()
}

fn time(millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(millis).unwrap_or_default()
}
