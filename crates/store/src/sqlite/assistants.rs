//! Assistants and documents in SQLite.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

use super::assistant_work::{AssistantWork, part_number};
use super::reader::{number, time, undecodable};
use super::sqlite_store::SqliteStore;
use super::work::Alone;
use crate::assistant_store::columns;
use crate::writing::Reply;
use crate::{
    AssistantStore, DeleteAssistant, DocumentChanges, DocumentKey, DocumentLimits, DocumentLoss, DocumentPart,
    DocumentState, Expected, NamedDocument, Publication, PutAssistant, StoreError, StoredAssistant, StoredDocument,
    StoredKey,
};

const ASSISTANTS: &str = "SELECT name, settings, version, changed, newer FROM assistant ORDER BY name";

const KEYS: &str = "SELECT assistant, sealed, origin, changed FROM assistant_key ORDER BY assistant";

const CHANNEL: &str = "SELECT name FROM channel_assistant";

const REVISION: &str = "SELECT value FROM assistant_revision";

const DOCUMENTS: &str = "SELECT key, name, bytes, received, state, pages, passages, reason FROM document \
                         WHERE assistant = ? AND draft = 0 ORDER BY name";

/// Each half has an index; the signs keep the second one from that of the first, which has all documents.
const CHANGED: &str = "SELECT key, name, bytes, received, state, pages, passages, reason FROM document \
                       WHERE assistant = ?1 AND revised > ?2 AND draft = 0 \
                       UNION ALL SELECT key, name, bytes, received, state, pages, passages, reason FROM document \
                       WHERE state = 'reading' AND draft = 0 AND +assistant = ?1 AND +revised <= ?2";

const DOCUMENT: &str =
    "SELECT key, name, bytes, received, state, pages, passages, reason FROM document WHERE key = ? AND draft = 0";

const NAMED: &str = "SELECT key, name, bytes, received, state, pages, passages, reason FROM document \
                     WHERE assistant = ? AND name = ? AND draft = 0";

const COUNT: &str = "SELECT count(*) FROM document WHERE assistant = ? AND draft = 0";

const UNREAD: &str = "SELECT key, name, bytes, received, state, pages, passages, reason, assistant FROM document \
                      WHERE state = 'reading' AND draft = 0 ORDER BY key LIMIT ?";

const PIECE: &str = "SELECT bytes FROM document_piece WHERE document = ? AND part = ? AND place = ?";

impl SqliteStore {
    async fn assistant_work<A>(&self, work: impl FnOnce(Reply<A>) -> AssistantWork) -> Result<A, StoreError> {
        self.alone(|reply| Alone::Assistants(work(reply))).await
    }

    async fn document_count(&self, assistant: &str) -> Result<u64, StoreError> {
        let count: Result<i64, _> = sqlx::query_scalar(COUNT).bind(assistant).fetch_one(&self.reader.pool).await;
        count.map(i64::unsigned_abs).map_err(|error| self.reader.failed(error))
    }
}

#[async_trait]
impl AssistantStore for SqliteStore {
    async fn assistants(&self) -> Result<Vec<StoredAssistant>, StoreError> {
        let rows = sqlx::query(ASSISTANTS).fetch_all(&self.reader.pool).await;
        rows.and_then(|rows| rows.iter().map(assistant).collect()).map_err(|error| self.reader.failed(error))
    }

    async fn put_assistant(
        &self,
        name: &str,
        settings: Map<String, Value>,
        expected: Expected,
    ) -> Result<PutAssistant, StoreError> {
        let (name, settings) = (name.to_owned(), columns(settings));
        self.assistant_work(|reply| AssistantWork::Put { name, settings, expected, reply }).await
    }

    async fn delete_assistant(&self, name: &str, expected: Expected) -> Result<DeleteAssistant, StoreError> {
        let name = name.to_owned();
        let deleted = self.assistant_work(|reply| AssistantWork::Delete { name, expected, reply }).await?;
        if deleted == DeleteAssistant::Deleted {
            self.give_back(1).await?;
        }
        Ok(deleted)
    }

    async fn assistant_keys(&self) -> Result<Vec<StoredKey>, StoreError> {
        let rows = sqlx::query(KEYS).fetch_all(&self.reader.pool).await;
        rows.and_then(|rows| rows.iter().map(key).collect()).map_err(|error| self.reader.failed(error))
    }

    async fn put_assistant_key(
        &self,
        assistant: &str,
        sealed: Option<Vec<u8>>,
        origin: &str,
    ) -> Result<bool, StoreError> {
        let (assistant, origin) = (assistant.to_owned(), origin.to_owned());
        self.assistant_work(|reply| AssistantWork::PutKey { assistant, sealed, origin, reply }).await
    }

    async fn delete_assistant_key(&self, assistant: &str) -> Result<bool, StoreError> {
        let assistant = assistant.to_owned();
        self.assistant_work(|reply| AssistantWork::DeleteKey { assistant, reply }).await
    }

    async fn channel_assistant(&self) -> Result<Option<String>, StoreError> {
        let chosen = sqlx::query_scalar(CHANNEL).fetch_optional(&self.reader.pool).await;
        chosen.map_err(|error| self.reader.failed(error))
    }

    async fn choose_channel_assistant(&self, name: Option<&str>) -> Result<(), StoreError> {
        let name = name.map(str::to_owned);
        self.assistant_work(|reply| AssistantWork::Choose { name, reply }).await
    }

    async fn revision(&self) -> Result<u64, StoreError> {
        let row = sqlx::query(REVISION).fetch_one(&self.reader.pool).await;
        row.and_then(|row| number(&row, 0)).map_err(|error| self.reader.failed(error))
    }

    async fn documents(&self, assistant: &str) -> Result<Vec<StoredDocument>, StoreError> {
        let rows = sqlx::query(DOCUMENTS).bind(assistant).fetch_all(&self.reader.pool).await;
        rows.and_then(|rows| rows.iter().map(document).collect()).map_err(|error| self.reader.failed(error))
    }

    async fn document_changes(&self, assistant: &str, since: Option<u64>) -> Result<DocumentChanges, StoreError> {
        let revision = self.revision().await?;
        let since = since.map_or(-1, u64::cast_signed);
        let rows = sqlx::query(CHANGED).bind(assistant).bind(since).fetch_all(&self.reader.pool).await;
        let documents = rows.and_then(|rows| rows.iter().map(document).collect());
        let documents = documents.map_err(|error| self.reader.failed(error))?;
        Ok(DocumentChanges { documents, count: self.document_count(assistant).await?, revision })
    }

    async fn document(&self, key: DocumentKey) -> Result<Option<StoredDocument>, StoreError> {
        let row = sqlx::query(DOCUMENT).bind(key.0.cast_signed()).fetch_optional(&self.reader.pool).await;
        row.and_then(|row| row.as_ref().map(document).transpose()).map_err(|error| self.reader.failed(error))
    }

    async fn named_document(&self, assistant: &str, name: &str) -> Result<NamedDocument, StoreError> {
        let row = sqlx::query(NAMED).bind(assistant).bind(name).fetch_optional(&self.reader.pool).await;
        let named = row.and_then(|row| row.as_ref().map(document).transpose());
        let document = named.map_err(|error| self.reader.failed(error))?;
        Ok(NamedDocument { document, count: self.document_count(assistant).await? })
    }

    async fn unread_documents(&self, limit: usize) -> Result<Vec<(String, StoredDocument)>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = sqlx::query(UNREAD).bind(limit).fetch_all(&self.reader.pool).await;
        let unread = rows.and_then(|rows| rows.iter().map(|row| Ok((row.try_get(8)?, document(row)?))).collect());
        unread.map_err(|error| self.reader.failed(error))
    }

    async fn draft_document(&self, assistant: &str, name: &str) -> Result<Option<DocumentKey>, StoreError> {
        let (assistant, name) = (assistant.to_owned(), name.to_owned());
        self.assistant_work(|reply| AssistantWork::Draft { assistant, name, reply }).await
    }

    async fn add_piece(&self, key: DocumentKey, part: DocumentPart, bytes: Vec<u8>) -> Result<bool, StoreError> {
        let kib = u32::try_from(bytes.len() / 1024 + 1).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(kib).await.map_err(|_| StoreError::Closed)?;
        self.assistant_work(|reply| AssistantWork::AddPiece { key, part, bytes, room, reply }).await
    }

    async fn publish_document(&self, key: DocumentKey, limits: DocumentLimits) -> Result<Publication, StoreError> {
        self.assistant_work(|reply| AssistantWork::Publish { key, limits, reply }).await
    }

    async fn set_document_state(&self, key: DocumentKey, state: DocumentState) -> Result<bool, StoreError> {
        self.assistant_work(|reply| AssistantWork::SetState { key, state, reply }).await
    }

    async fn piece(&self, key: DocumentKey, part: DocumentPart, place: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let piece = sqlx::query_scalar(PIECE).bind(key.0.cast_signed()).bind(part_number(part)).bind(place);
        piece.fetch_optional(&self.reader.pool).await.map_err(|error| self.reader.failed(error))
    }

    async fn clear_part(&self, key: DocumentKey, part: DocumentPart) -> Result<(), StoreError> {
        self.assistant_work(|reply| AssistantWork::ClearPart { key, part, reply }).await
    }

    async fn discard_draft(&self, key: DocumentKey) -> Result<(), StoreError> {
        self.assistant_work(|reply| AssistantWork::Discard { key, reply }).await
    }

    async fn discard_drafts(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        self.assistant_work(|reply| AssistantWork::DiscardAll { before, reply }).await
    }

    async fn delete_document(&self, assistant: &str, name: &str) -> Result<bool, StoreError> {
        let (assistant, name) = (assistant.to_owned(), name.to_owned());
        let deleted = self.assistant_work(|reply| AssistantWork::DeleteDocument { assistant, name, reply }).await?;
        self.give_back(usize::from(deleted)).await?;
        Ok(deleted)
    }
}

fn assistant(row: &SqliteRow) -> Result<StoredAssistant, sqlx::Error> {
    let columns = row.try_get(1).and_then(|settings| Ok((settings, row.try_get(4)?)));
    let changed = time(row.try_get(3)?);
    Ok(StoredAssistant::of_json(row.try_get(0)?, columns, number(row, 2)?, changed.unwrap_or_default()))
}

fn key(row: &SqliteRow) -> Result<StoredKey, sqlx::Error> {
    Ok(StoredKey::new(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, time(row.try_get(3)?)?))
}

fn document(row: &SqliteRow) -> Result<StoredDocument, sqlx::Error> {
    let count = |index| row.try_get::<Option<u32>, _>(index);
    let state = match row.try_get::<String, _>(4)?.as_str() {
        "reading" => DocumentState::Reading,
        "ready" => DocumentState::Ready {
            pages: count(5)?,
            passages: count(6)?.unwrap_or_default(),
            loss: row.try_get::<Option<String>, _>(7)?.map(DocumentLoss::of_json),
        },
        "unreadable" => DocumentState::Unreadable { reason: row.try_get::<Option<String>, _>(7)?.unwrap_or_default() },
        other => return Err(undecodable(std::io::Error::other(format!("a document in the state {other}")))),
    };
    let key = DocumentKey(number(row, 0)?);
    Ok(StoredDocument::new(key, row.try_get(1)?, number(row, 2)?, time(row.try_get(3)?)?, state))
}
