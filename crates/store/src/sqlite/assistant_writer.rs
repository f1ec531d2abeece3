//! Changes of assistants and documents, each in a transaction of its own.

use chrono::{DateTime, Utc};
use sqlx::{Connection as _, SqliteConnection};

use super::assistant_work::{AssistantWork, part_number};
use super::copies::Copies;
use super::writer::Writer;
use crate::{
    DeleteAssistant, DocumentKey, DocumentLimits, DocumentLoss, DocumentPart, DocumentState, Expected, MAX_PIECE_BYTES,
    Publication, PutAssistant,
};

const NEXT: &str = "UPDATE assistant_revision SET value = value + 1 RETURNING value";

const VERSION: &str = "SELECT version FROM assistant WHERE name = ?";

const PUT: &str = "INSERT INTO assistant (name, settings, version, changed, newer) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) \
     DO UPDATE SET settings = excluded.settings, version = excluded.version, changed = excluded.changed, newer = excluded.newer";

const PUT_KEY: &str = "INSERT INTO assistant_key (assistant, sealed, origin, changed) SELECT name, ?2, ?3, ?4 FROM assistant WHERE name = ?1 \
     ON CONFLICT (assistant) DO UPDATE SET sealed = excluded.sealed, origin = excluded.origin, changed = excluded.changed";

const CHOOSE: &str = "INSERT INTO channel_assistant (only, name) VALUES (1, ?)";

const DRAFT: &str = "INSERT INTO document (key, assistant, name, draft, received, state) \
                     SELECT ?, name, ?, 1, ?, 'reading' FROM assistant WHERE name = ?";

const ADD_PIECE: &str = "INSERT INTO document_piece (document, part, place, bytes) \
                         SELECT document.key, ?2, (SELECT count(*) FROM document_piece WHERE document = ?1 AND part = ?2), ?3 \
                         FROM document WHERE document.key = ?1";

const GROW: &str = "UPDATE document SET bytes = bytes + ?1, received = CASE draft WHEN 1 THEN ?2 ELSE received END \
                    WHERE key = ?3";

const IS_DRAFT: &str = "SELECT assistant, name, bytes FROM document WHERE key = ? AND draft = 1";

/// The number of documents, and their sizes together.
const TOTAL: &str = "SELECT count(*), coalesce(sum(bytes), 0) FROM document WHERE assistant = ? AND draft = 0";

/// The size of the document of a name.
const SIZE: &str = "SELECT bytes FROM document WHERE assistant = ? AND name = ? AND draft = 0";

const PUBLISH: &str = "UPDATE document SET draft = 0, received = ?, revised = ? WHERE key = ?";

const SET_STATE: &str =
    "UPDATE document SET state = ?, pages = ?, passages = ?, reason = ?, revised = ? WHERE key = ? AND draft = 0";

/// Deletes drafts whose upload ended with the process before.
pub(super) async fn discard_all_drafts(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM document WHERE draft = 1").execute(connection).await.map(drop)
}

impl Writer {
    pub(super) async fn assistants(&mut self, work: AssistantWork) {
        match work {
            AssistantWork::Put { name, settings, expected, reply } => {
                let put = self.put_assistant(&name, settings, expected).await;
                self.answer(reply, put).await;
            }
            AssistantWork::Delete { name, expected, reply } => {
                let deleted = self.delete_assistant(&name, expected).await;
                self.answer(reply, deleted).await;
            }
            AssistantWork::PutKey { assistant, sealed, origin, reply } => {
                let put = self.put_key(&assistant, sealed, &origin).await;
                self.answer(reply, put).await;
            }
            AssistantWork::DeleteKey { assistant, reply } => {
                let deleted = self.delete_key(&assistant).await;
                self.answer(reply, deleted).await;
            }
            AssistantWork::Choose { name, reply } => {
                let chosen = self.choose(name.as_deref()).await;
                self.answer(reply, chosen).await;
            }
            AssistantWork::Draft { assistant, name, reply } => {
                let drafted = self.draft_document(&assistant, &name).await;
                self.answer(reply, drafted).await;
            }
            AssistantWork::AddPiece { key, part, bytes, room, reply } => {
                let size = bytes.len();
                let added = self.add_piece(key, part, bytes).await;
                drop(room);
                self.answer_about(reply, added, size).await;
            }
            AssistantWork::Publish { key, limits, reply } => {
                let published = self.publish_document(key, limits).await;
                self.answer(reply, published).await;
            }
            AssistantWork::SetState { key, state, reply } => {
                let set = self.set_document_state(key, state).await;
                self.answer(reply, set).await;
            }
            AssistantWork::ClearPart { key, part, reply } => {
                let cleared = self.clear_part(key, part).await;
                self.answer(reply, cleared).await;
            }
            AssistantWork::Discard { key, reply } => {
                let discarded = self.discard_draft(key).await;
                self.answer(reply, discarded).await;
            }
            AssistantWork::DiscardAll { before, reply } => {
                let discarded = self.discard_drafts(before).await;
                self.answer(reply, discarded).await;
            }
            AssistantWork::DeleteDocument { assistant, name, reply } => {
                let deleted = self.delete_document(&assistant, &name).await;
                self.answer(reply, deleted).await;
            }
        }
    }

    async fn put_assistant(
        &mut self,
        name: &str,
        (settings, newer): (String, Option<String>),
        expected: Expected,
    ) -> Result<PutAssistant, sqlx::Error> {
        let now = self.clock.now().timestamp_millis();
        let mut transaction = self.connection().await?.begin().await?;
        let stored = version(&mut transaction, name).await?;
        if !expected.allows(stored) {
            return Ok(PutAssistant::Conflict);
        }
        let version = next(&mut transaction).await?;
        let put = sqlx::query(PUT).bind(name).bind(settings).bind(version).bind(now).bind(newer);
        put.execute(&mut *transaction).await?;
        transaction.commit().await?;
        let version = version.unsigned_abs();
        Ok(stored.map_or(PutAssistant::Created(version), |_| PutAssistant::Replaced(version)))
    }

    async fn delete_assistant(&mut self, name: &str, expected: Expected) -> Result<DeleteAssistant, sqlx::Error> {
        let mut transaction = self.connection().await?.begin().await?;
        let stored = version(&mut transaction, name).await?;
        if !expected.allows(stored) {
            return Ok(DeleteAssistant::Conflict);
        }
        if stored.is_none() {
            return Ok(DeleteAssistant::Unknown);
        }
        sqlx::query("DELETE FROM assistant WHERE name = ?").bind(name).execute(&mut *transaction).await?;
        sqlx::query("DELETE FROM channel_assistant WHERE name = ?").bind(name).execute(&mut *transaction).await?;
        next(&mut transaction).await?;
        transaction.commit().await?;
        self.copies = Copies::EVERYWHERE;
        Ok(DeleteAssistant::Deleted)
    }

    async fn put_key(&mut self, assistant: &str, sealed: Option<Vec<u8>>, origin: &str) -> Result<bool, sqlx::Error> {
        let now = self.clock.now().timestamp_millis();
        let mut transaction = self.connection().await?.begin().await?;
        let put = sqlx::query(PUT_KEY).bind(assistant).bind(sealed).bind(origin).bind(now);
        let is_put = put.execute(&mut *transaction).await?.rows_affected() > 0;
        next(&mut transaction).await?;
        transaction.commit().await?;
        self.copies = Copies::EVERYWHERE;
        Ok(is_put)
    }

    async fn delete_key(&mut self, assistant: &str) -> Result<bool, sqlx::Error> {
        let mut transaction = self.connection().await?.begin().await?;
        let delete = sqlx::query("DELETE FROM assistant_key WHERE assistant = ?").bind(assistant);
        let is_deleted = delete.execute(&mut *transaction).await?.rows_affected() > 0;
        next(&mut transaction).await?;
        transaction.commit().await?;
        self.copies = Copies::EVERYWHERE;
        Ok(is_deleted)
    }

    async fn choose(&mut self, name: Option<&str>) -> Result<(), sqlx::Error> {
        let mut transaction = self.connection().await?.begin().await?;
        sqlx::query("DELETE FROM channel_assistant").execute(&mut *transaction).await?;
        if let Some(name) = name {
            sqlx::query(CHOOSE).bind(name).execute(&mut *transaction).await?;
        }
        next(&mut transaction).await?;
        transaction.commit().await
    }

    async fn draft_document(&mut self, assistant: &str, name: &str) -> Result<Option<DocumentKey>, sqlx::Error> {
        let now = self.clock.now().timestamp_millis();
        let mut transaction = self.connection().await?.begin().await?;
        let key = next(&mut transaction).await?;
        let draft = sqlx::query(DRAFT).bind(key).bind(name).bind(now).bind(assistant);
        let is_drafted = draft.execute(&mut *transaction).await?.rows_affected() > 0;
        transaction.commit().await?;
        Ok(is_drafted.then_some(DocumentKey(key.unsigned_abs())))
    }

    async fn add_piece(&mut self, key: DocumentKey, part: DocumentPart, bytes: Vec<u8>) -> Result<bool, sqlx::Error> {
        debug_assert!(bytes.len() <= MAX_PIECE_BYTES, "a piece has at most 1 MiB");
        let (key, size) = (key.0.cast_signed(), i64::try_from(bytes.len()).unwrap_or(i64::MAX));
        let now = self.clock.now().timestamp_millis();
        let mut transaction = self.connection().await?.begin().await?;
        let add = sqlx::query(ADD_PIECE).bind(key).bind(part_number(part)).bind(bytes);
        let is_added = add.execute(&mut *transaction).await?.rows_affected() > 0;
        if part == DocumentPart::File {
            sqlx::query(GROW).bind(size).bind(now).bind(key).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(is_added)
    }

    async fn publish_document(&mut self, key: DocumentKey, limits: DocumentLimits) -> Result<Publication, sqlx::Error> {
        let (key, now) = (key.0.cast_signed(), self.clock.now().timestamp_millis());
        let mut transaction = self.connection().await?.begin().await?;
        let draft: Option<(String, String, i64)> =
            sqlx::query_as(IS_DRAFT).bind(key).fetch_optional(&mut *transaction).await?;
        let Some((assistant, name, bytes)) = draft else { return Ok(Publication::Unknown) };
        let total = sqlx::query_as(TOTAL).bind(&assistant).fetch_one(&mut *transaction).await?;
        let (count, together): (i64, i64) = total;
        let replaced = sqlx::query_scalar(SIZE).bind(&assistant).bind(&name).fetch_optional(&mut *transaction).await?;
        let replaced: Option<i64> = replaced;
        let others = count.unsigned_abs().saturating_sub(replaced.map_or(0, |_| 1));
        let together = together.unsigned_abs().saturating_sub(replaced.unwrap_or_default().unsigned_abs());
        let judged = limits.judge(bytes.unsigned_abs(), others, together, replaced.is_some());
        if judged == Publication::Published {
            let replaced = sqlx::query("DELETE FROM document WHERE assistant = ? AND name = ? AND draft = 0");
            replaced.bind(&assistant).bind(&name).execute(&mut *transaction).await?;
            let revision = next(&mut transaction).await?;
            sqlx::query(PUBLISH).bind(now).bind(revision).bind(key).execute(&mut *transaction).await?;
        } else {
            sqlx::query("DELETE FROM document WHERE key = ?").bind(key).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        self.copies = Copies::EVERYWHERE;
        Ok(judged)
    }

    async fn set_document_state(&mut self, key: DocumentKey, state: DocumentState) -> Result<bool, sqlx::Error> {
        let (word, pages, passages, reason) = match state {
            DocumentState::Reading => ("reading", None, None, None),
            DocumentState::Ready { pages, passages, loss } => {
                ("ready", pages, Some(passages), loss.as_ref().map(DocumentLoss::to_json))
            }
            DocumentState::Unreadable { reason } => ("unreadable", None, None, Some(reason)),
        };
        let mut transaction = self.connection().await?.begin().await?;
        let revision = next(&mut transaction).await?;
        let set = sqlx::query(SET_STATE).bind(word).bind(pages).bind(passages).bind(reason).bind(revision);
        let is_set = set.bind(key.0.cast_signed()).execute(&mut *transaction).await?.rows_affected() > 0;
        transaction.commit().await?;
        Ok(is_set)
    }

    async fn clear_part(&mut self, key: DocumentKey, part: DocumentPart) -> Result<(), sqlx::Error> {
        let clear = sqlx::query("DELETE FROM document_piece WHERE document = ? AND part = ?");
        let clear = clear.bind(key.0.cast_signed()).bind(part_number(part));
        let cleared = clear.execute(self.connection().await?).await?;
        if cleared.rows_affected() > 0 {
            self.copies = Copies::EVERYWHERE;
        }
        Ok(())
    }

    async fn discard_draft(&mut self, key: DocumentKey) -> Result<(), sqlx::Error> {
        let discard = sqlx::query("DELETE FROM document WHERE key = ? AND draft = 1").bind(key.0.cast_signed());
        discard.execute(self.connection().await?).await?;
        self.copies = Copies::EVERYWHERE;
        Ok(())
    }

    async fn discard_drafts(&mut self, before: DateTime<Utc>) -> Result<u64, sqlx::Error> {
        let discard =
            sqlx::query("DELETE FROM document WHERE draft = 1 AND received < ?").bind(before.timestamp_millis());
        let discarded = discard.execute(self.connection().await?).await?.rows_affected();
        if discarded > 0 {
            self.copies = Copies::EVERYWHERE;
        }
        Ok(discarded)
    }

    async fn delete_document(&mut self, assistant: &str, name: &str) -> Result<bool, sqlx::Error> {
        let mut transaction = self.connection().await?.begin().await?;
        let delete = sqlx::query("DELETE FROM document WHERE assistant = ? AND name = ? AND draft = 0");
        let is_deleted = delete.bind(assistant).bind(name).execute(&mut *transaction).await?.rows_affected() > 0;
        if is_deleted {
            next(&mut transaction).await?;
        }
        transaction.commit().await?;
        if is_deleted {
            self.copies = Copies::EVERYWHERE;
        }
        Ok(is_deleted)
    }
}

/// The next revision.
async fn next(connection: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(NEXT).fetch_one(connection).await
}

async fn version(connection: &mut SqliteConnection, name: &str) -> Result<Option<u64>, sqlx::Error> {
    let version: Option<i64> = sqlx::query_scalar(VERSION).bind(name).fetch_optional(connection).await?;
    Ok(version.map(i64::unsigned_abs))
}
