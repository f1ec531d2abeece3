//! Assistants and documents in PostgreSQL.

use async_trait::async_trait;
use chrono::{DateTime, SubsecRound as _, Utc};
use serde_json::{Map, Value};
use sqlx::Row as _;
use sqlx::postgres::{PgConnection, PgRow};

use super::connections::Lease;
use super::escape::{escape, unescape};
use super::postgres_store::PostgresStore;
use super::reader::decoded;
use super::row::{number, signed, undecodable};
use super::transact::transact;
use crate::assistant_store::columns;
use crate::{
    AssistantStore, DeleteAssistant, DocumentChanges, DocumentKey, DocumentLimits, DocumentLoss, DocumentPart,
    DocumentState, Expected, MAX_PIECE_BYTES, NamedDocument, Publication, PutAssistant, StoreError, StoredAssistant,
    StoredDocument, StoredKey,
};

const ASSISTANTS: &str = "SELECT name, settings, version, changed, newer FROM assistant ORDER BY name";

/// Locks the row until the transaction ends: changes come one after the other.
const LOCK: &str = "SELECT value FROM assistant_revision FOR UPDATE";

const REVISION: &str = "SELECT value FROM assistant_revision";

const NEXT: &str = "UPDATE assistant_revision SET value = value + 1 RETURNING value";

const VERSION: &str = "SELECT version FROM assistant WHERE name = $1";

const PUT: &str = "INSERT INTO assistant (name, settings, version, changed, newer) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) \
     DO UPDATE SET settings = excluded.settings, version = excluded.version, changed = excluded.changed, newer = excluded.newer";

const KEYS: &str = "SELECT assistant, sealed, origin, changed FROM assistant_key ORDER BY assistant";

const PUT_KEY: &str = "INSERT INTO assistant_key (assistant, sealed, origin, changed) SELECT name, $2, $3, $4 FROM assistant WHERE name = $1 \
     ON CONFLICT (assistant) DO UPDATE SET sealed = excluded.sealed, origin = excluded.origin, changed = excluded.changed";

const CHANNEL: &str = "SELECT name FROM channel_assistant";

const CHOOSE: &str = "INSERT INTO channel_assistant (single, name) VALUES (true, $1)";

const DOCUMENTS: &str = "SELECT key, name, bytes, received, state, pages, passages, reason, assistant FROM document \
                         WHERE assistant = $1 AND NOT draft ORDER BY name";

const CHANGED: &str = "SELECT key, name, bytes, received, state, pages, passages, reason, assistant FROM document \
                       WHERE assistant = $1 AND (revised > $2 OR revised IS NULL OR state = 'reading') AND NOT draft";

const DOCUMENT: &str = "SELECT key, name, bytes, received, state, pages, passages, reason, assistant FROM document \
                        WHERE key = $1 AND NOT draft";

const NAMED: &str = "SELECT key, name, bytes, received, state, pages, passages, reason, assistant FROM document \
                     WHERE assistant = $1 AND name = $2 AND NOT draft";

const COUNT: &str = "SELECT count(*) FROM document WHERE assistant = $1 AND NOT draft";

const UNREAD: &str = "SELECT key, name, bytes, received, state, pages, passages, reason, assistant FROM document \
                      WHERE state = 'reading' AND NOT draft ORDER BY key LIMIT $1";

const DRAFT: &str = "INSERT INTO document (key, assistant, name, draft, received, state) \
                     SELECT $1, name, $2, true, $3, 'reading' FROM assistant WHERE name = $4";

/// The row is locked, so that two pieces do not get one place.
const GROW: &str = "UPDATE document SET bytes = bytes + $2, received = CASE WHEN draft THEN $3 ELSE received END \
                    WHERE key = $1";

const ADD_PIECE: &str = "INSERT INTO document_piece (document, part, place, bytes) \
                         SELECT $1, $2, count(*), $3 FROM document_piece WHERE document = $1 AND part = $2";

const IS_DRAFT: &str = "SELECT assistant, name, bytes FROM document WHERE key = $1 AND draft";

/// How many documents have other names, how large they are, and whether one has this name.
const OTHERS: &str = "SELECT count(*) FILTER (WHERE name <> $2), \
                      coalesce(sum(bytes) FILTER (WHERE name <> $2), 0)::bigint, coalesce(bool_or(name = $2), false) \
                      FROM document WHERE assistant = $1 AND NOT draft";

const REPLACE: &str = "DELETE FROM document WHERE assistant = $1 AND name = $2 AND NOT draft";

const PUBLISH: &str = "UPDATE document SET draft = false, received = $2, revised = $3 WHERE key = $1";

const SET_STATE: &str =
    "UPDATE document SET state = $2, pages = $3, passages = $4, reason = $5, revised = $6 WHERE key = $1 AND NOT draft";

const PIECE: &str = "SELECT bytes FROM document_piece WHERE document = $1 AND part = $2 AND place = $3";

#[async_trait]
impl AssistantStore for PostgresStore {
    async fn assistants(&self) -> Result<Vec<StoredAssistant>, StoreError> {
        let rows = self.reader.read_with(|mut c| async move {
            let rows = sqlx::query(ASSISTANTS).fetch_all(&mut *c).await?;
            c.done(rows)
        });
        decoded(rows.await?.iter().map(assistant))
    }

    async fn put_assistant(
        &self,
        name: &str,
        settings: Map<String, Value>,
        expected: Expected,
    ) -> Result<PutAssistant, StoreError> {
        let ((settings, newer), now) = (&columns(settings), self.shared.clock.now().trunc_subsecs(3));
        transact(&self.shared, |mut c| async move {
            let stored = version(&mut c, name).await?;
            if !expected.allows(stored) {
                return Ok((PutAssistant::Conflict, c));
            }
            let version = next(&mut c).await?;
            let put =
                sqlx::query(PUT).bind(escape(name)).bind(settings).bind(version.cast_signed()).bind(now).bind(newer);
            put.execute(&mut *c).await?;
            Ok((stored.map_or(PutAssistant::Created(version), |_| PutAssistant::Replaced(version)), c))
        })
        .await
    }

    async fn delete_assistant(&self, name: &str, expected: Expected) -> Result<DeleteAssistant, StoreError> {
        transact(&self.shared, |mut c| async move {
            let stored = version(&mut c, name).await?;
            if !expected.allows(stored) {
                return Ok((DeleteAssistant::Conflict, c));
            }
            if stored.is_none() {
                return Ok((DeleteAssistant::Unknown, c));
            }
            sqlx::query("DELETE FROM assistant WHERE name = $1").bind(escape(name)).execute(&mut *c).await?;
            let chosen = sqlx::query("DELETE FROM channel_assistant WHERE name = $1").bind(escape(name));
            chosen.execute(&mut *c).await?;
            next(&mut c).await?;
            Ok((DeleteAssistant::Deleted, c))
        })
        .await
    }

    async fn assistant_keys(&self) -> Result<Vec<StoredKey>, StoreError> {
        let rows = self.reader.read_with(|mut c| async move {
            let rows = sqlx::query(KEYS).fetch_all(&mut *c).await?;
            c.done(rows)
        });
        decoded(rows.await?.iter().map(key))
    }

    async fn put_assistant_key(
        &self,
        assistant: &str,
        sealed: Option<Vec<u8>>,
        origin: &str,
    ) -> Result<bool, StoreError> {
        let (sealed, now) = (&sealed, self.shared.clock.now().trunc_subsecs(3));
        transact(&self.shared, |mut c| async move {
            next(&mut c).await?;
            let put = sqlx::query(PUT_KEY).bind(escape(assistant)).bind(sealed).bind(origin).bind(now);
            let is_put = put.execute(&mut *c).await?.rows_affected() > 0;
            Ok((is_put, c))
        })
        .await
    }

    async fn delete_assistant_key(&self, assistant: &str) -> Result<bool, StoreError> {
        transact(&self.shared, |mut c| async move {
            next(&mut c).await?;
            let delete = sqlx::query("DELETE FROM assistant_key WHERE assistant = $1").bind(escape(assistant));
            let is_deleted = delete.execute(&mut *c).await?.rows_affected() > 0;
            Ok((is_deleted, c))
        })
        .await
    }

    async fn channel_assistant(&self) -> Result<Option<String>, StoreError> {
        let chosen = self.reader.read_with(|mut c| async move {
            let chosen: Option<String> = sqlx::query_scalar(CHANNEL).fetch_optional(&mut *c).await?;
            c.done(chosen)
        });
        Ok(chosen.await?.map(unescape))
    }

    async fn choose_channel_assistant(&self, name: Option<&str>) -> Result<(), StoreError> {
        transact(&self.shared, |mut c| async move {
            next(&mut c).await?;
            sqlx::query("DELETE FROM channel_assistant").execute(&mut *c).await?;
            if let Some(name) = name {
                sqlx::query(CHOOSE).bind(escape(name)).execute(&mut *c).await?;
            }
            Ok(((), c))
        })
        .await
    }

    async fn revision(&self) -> Result<u64, StoreError> {
        let value = self.reader.read_with(|mut c| async move {
            let value: i64 = sqlx::query_scalar(REVISION).fetch_one(&mut *c).await?;
            c.done(value)
        });
        Ok(value.await?.unsigned_abs())
    }

    async fn documents(&self, assistant: &str) -> Result<Vec<StoredDocument>, StoreError> {
        let rows = self.reader.read_with(|mut c| async move {
            let rows = sqlx::query(DOCUMENTS).bind(escape(assistant)).fetch_all(&mut *c).await?;
            c.done(rows)
        });
        decoded(rows.await?.iter().map(document))
    }

    async fn document_changes(&self, assistant: &str, since: Option<u64>) -> Result<DocumentChanges, StoreError> {
        let since = since.map_or(-1, u64::cast_signed);
        let read = self.reader.read_with(|mut c| async move {
            let revision: i64 = sqlx::query_scalar(REVISION).fetch_one(&mut *c).await?;
            let rows = sqlx::query(CHANGED).bind(escape(assistant)).bind(since).fetch_all(&mut *c).await?;
            let count: i64 = sqlx::query_scalar(COUNT).bind(escape(assistant)).fetch_one(&mut *c).await?;
            c.done((revision, rows, count))
        });
        let (revision, rows, count) = read.await?;
        let documents = decoded(rows.iter().map(document))?;
        Ok(DocumentChanges { documents, count: count.unsigned_abs(), revision: revision.unsigned_abs() })
    }

    async fn document(&self, key: DocumentKey) -> Result<Option<StoredDocument>, StoreError> {
        let row = self.reader.read_with(|mut c| async move {
            let row = sqlx::query(DOCUMENT).bind(key.0.cast_signed()).fetch_optional(&mut *c).await?;
            c.done(row)
        });
        Ok(decoded(row.await?.iter().map(document))?.pop())
    }

    async fn named_document(&self, assistant: &str, name: &str) -> Result<NamedDocument, StoreError> {
        let found = self.reader.read_with(|mut c| async move {
            let named = sqlx::query(NAMED).bind(escape(assistant)).bind(escape(name));
            let row = named.fetch_optional(&mut *c).await?;
            let count: i64 = sqlx::query_scalar(COUNT).bind(escape(assistant)).fetch_one(&mut *c).await?;
            c.done((row, count))
        });
        let (row, count) = found.await?;
        Ok(NamedDocument { document: decoded(row.iter().map(document))?.pop(), count: count.unsigned_abs() })
    }

    async fn unread_documents(&self, limit: usize) -> Result<Vec<(String, StoredDocument)>, StoreError> {
        let rows = self.reader.read_with(|mut c| async move {
            let rows = sqlx::query(UNREAD).bind(signed(limit)).fetch_all(&mut *c).await?;
            c.done(rows)
        });
        let unread = |row: &PgRow| Ok((unescape(row.try_get(8)?), document(row)?));
        decoded(rows.await?.iter().map(unread))
    }

    async fn draft_document(&self, assistant: &str, name: &str) -> Result<Option<DocumentKey>, StoreError> {
        let now = self.shared.clock.now().trunc_subsecs(3);
        transact(&self.shared, |mut c| async move {
            let key = next(&mut c).await?;
            let draft = sqlx::query(DRAFT).bind(key.cast_signed()).bind(escape(name)).bind(now).bind(escape(assistant));
            let is_drafted = draft.execute(&mut *c).await?.rows_affected() > 0;
            Ok((is_drafted.then_some(DocumentKey(key)), c))
        })
        .await
    }

    async fn add_piece(&self, key: DocumentKey, part: DocumentPart, bytes: Vec<u8>) -> Result<bool, StoreError> {
        debug_assert!(bytes.len() <= MAX_PIECE_BYTES, "a piece has at most 1 MiB");
        let (key, bytes) = (key.0.cast_signed(), &bytes);
        let now = self.shared.clock.now().trunc_subsecs(3);
        let size = if part == DocumentPart::File { signed(bytes.len()) } else { 0 };
        transact(&self.shared, |mut c| async move {
            let grown = sqlx::query(GROW).bind(key).bind(size).bind(now).execute(&mut *c).await?;
            if grown.rows_affected() == 0 {
                return Ok((false, c));
            }
            sqlx::query(ADD_PIECE).bind(key).bind(number_of(part)).bind(bytes).execute(&mut *c).await?;
            Ok((true, c))
        })
        .await
    }

    async fn publish_document(&self, key: DocumentKey, limits: DocumentLimits) -> Result<Publication, StoreError> {
        let now = self.shared.clock.now().trunc_subsecs(3);
        transact(&self.shared, |c| publish(c, key, limits, now)).await
    }

    async fn set_document_state(&self, key: DocumentKey, state: DocumentState) -> Result<bool, StoreError> {
        let (word, pages, passages, reason) = match &state {
            DocumentState::Reading => ("reading", None, None, None),
            DocumentState::Ready { pages, passages, loss } => {
                let loss = loss.as_ref().map(DocumentLoss::to_json);
                ("ready", pages.map(u32::cast_signed), Some(passages.cast_signed()), loss)
            }
            DocumentState::Unreadable { reason } => ("unreadable", None, None, Some(reason.clone())),
        };
        let reason = &reason;
        transact(&self.shared, |mut c| async move {
            let revision = next(&mut c).await?;
            let set = sqlx::query(SET_STATE).bind(key.0.cast_signed()).bind(word).bind(pages).bind(passages);
            let set = set.bind(reason.as_deref().map(escape)).bind(revision.cast_signed()).execute(&mut *c).await?;
            Ok((set.rows_affected() > 0, c))
        })
        .await
    }

    async fn piece(&self, key: DocumentKey, part: DocumentPart, place: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let place = i64::from(place);
        let piece = self.reader.read_with(|mut c| async move {
            let piece = sqlx::query_scalar(PIECE).bind(key.0.cast_signed()).bind(number_of(part)).bind(place);
            let piece = piece.fetch_optional(&mut *c).await?;
            c.done(piece)
        });
        piece.await
    }

    async fn clear_part(&self, key: DocumentKey, part: DocumentPart) -> Result<(), StoreError> {
        transact(&self.shared, |mut c| async move {
            let clear = sqlx::query("DELETE FROM document_piece WHERE document = $1 AND part = $2");
            clear.bind(key.0.cast_signed()).bind(number_of(part)).execute(&mut *c).await?;
            Ok(((), c))
        })
        .await
    }

    async fn discard_draft(&self, key: DocumentKey) -> Result<(), StoreError> {
        transact(&self.shared, |mut c| async move {
            let discard = sqlx::query("DELETE FROM document WHERE key = $1 AND draft").bind(key.0.cast_signed());
            discard.execute(&mut *c).await?;
            Ok(((), c))
        })
        .await
    }

    async fn discard_drafts(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        transact(&self.shared, |mut c| async move {
            let discard = sqlx::query("DELETE FROM document WHERE draft AND received < $1").bind(before);
            let discarded = discard.execute(&mut *c).await?.rows_affected();
            Ok((discarded, c))
        })
        .await
    }

    async fn delete_document(&self, assistant: &str, name: &str) -> Result<bool, StoreError> {
        transact(&self.shared, |mut c| async move {
            let delete = sqlx::query(REPLACE).bind(escape(assistant)).bind(escape(name));
            let is_deleted = delete.execute(&mut *c).await?.rows_affected() > 0;
            if is_deleted {
                next(&mut c).await?;
            }
            Ok((is_deleted, c))
        })
        .await
    }
}

async fn publish(
    mut c: Lease<'_>,
    key: DocumentKey,
    limits: DocumentLimits,
    now: DateTime<Utc>,
) -> Result<(Publication, Lease<'_>), sqlx::Error> {
    let key = key.0.cast_signed();
    lock(&mut c).await?;
    let draft: Option<(String, String, i64)> = sqlx::query_as(IS_DRAFT).bind(key).fetch_optional(&mut *c).await?;
    let Some((assistant, name, bytes)) = draft else { return Ok((Publication::Unknown, c)) };
    let others = sqlx::query_as(OTHERS).bind(&assistant).bind(&name).fetch_one(&mut *c).await?;
    let (others, together, replaces): (i64, i64, bool) = others;
    let judged = limits.judge(bytes.unsigned_abs(), others.unsigned_abs(), together.unsigned_abs(), replaces);
    if judged != Publication::Published {
        sqlx::query("DELETE FROM document WHERE key = $1").bind(key).execute(&mut *c).await?;
        return Ok((judged, c));
    }
    sqlx::query(REPLACE).bind(&assistant).bind(&name).execute(&mut *c).await?;
    let revision = next(&mut c).await?;
    sqlx::query(PUBLISH).bind(key).bind(now).bind(revision.cast_signed()).execute(&mut *c).await?;
    Ok((Publication::Published, c))
}

/// The next revision.
async fn next(connection: &mut PgConnection) -> Result<u64, sqlx::Error> {
    sqlx::query_scalar(NEXT).fetch_one(connection).await.map(i64::unsigned_abs)
}

async fn lock(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query(LOCK).execute(connection).await.map(drop)
}

/// The version of an assistant, which nobody changes until the transaction ends.
async fn version(connection: &mut PgConnection, name: &str) -> Result<Option<u64>, sqlx::Error> {
    lock(connection).await?;
    let version: Option<i64> = sqlx::query_scalar(VERSION).bind(escape(name)).fetch_optional(connection).await?;
    Ok(version.map(i64::unsigned_abs))
}

fn assistant(row: &PgRow) -> Result<StoredAssistant, sqlx::Error> {
    let columns = row.try_get(1).and_then(|settings| Ok((settings, row.try_get(4)?)));
    Ok(StoredAssistant::of_json(unescape(row.try_get(0)?), columns, number(row, 2)?, row.try_get(3)?))
}

fn key(row: &PgRow) -> Result<StoredKey, sqlx::Error> {
    Ok(StoredKey::new(unescape(row.try_get(0)?), row.try_get(1)?, row.try_get(2)?, row.try_get(3)?))
}

fn document(row: &PgRow) -> Result<StoredDocument, sqlx::Error> {
    let count = |index| Ok::<_, sqlx::Error>(row.try_get::<Option<i32>, _>(index)?.map(i32::cast_unsigned));
    let state = match row.try_get::<String, _>(4)?.as_str() {
        "reading" => DocumentState::Reading,
        "ready" => DocumentState::Ready {
            pages: count(5)?,
            passages: count(6)?.unwrap_or_default(),
            loss: row.try_get::<Option<String>, _>(7)?.map(|loss| DocumentLoss::of_json(unescape(loss))),
        },
        "unreadable" => {
            let reason: Option<String> = row.try_get(7)?;
            DocumentState::Unreadable { reason: unescape(reason.unwrap_or_default()) }
        }
        other => return Err(undecodable(std::io::Error::other(format!("a document in the state {other}")))),
    };
    let key = DocumentKey(number(row, 0)?);
    Ok(StoredDocument::new(key, unescape(row.try_get(1)?), number(row, 2)?, row.try_get(3)?, state))
}

/// The number of a part in its column.
fn number_of(part: DocumentPart) -> i16 {
    match part {
        DocumentPart::File => 0,
        DocumentPart::Passages => 1,
        DocumentPart::Vectors => 2,
    }
}
