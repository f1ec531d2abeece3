//! Reads the store file for the command `citewire store`, whether a server runs or not.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use sqlx::Row as _;

use super::place::beside;
use super::reader::{Reader, activity, time};
use super::{SqliteError, connect, schema};
use crate::activity::ConversationId;
use crate::archived::{Archived, Description, Selection};
use crate::backend::Reader as _;
use crate::private_file;
use crate::{Recorded, StoreError};

/// The activities that are in memory at a time.
const PAGE: i64 = 256;

const CONVERSATIONS: &str = "SELECT key, id FROM conversation WHERE key > ? ORDER BY key LIMIT 1";

const CONVERSATION: &str = "SELECT key, id FROM conversation WHERE key > ? AND id = ?";

const OF_USER: &str = "SELECT conversation.key, conversation.id FROM member \
                       JOIN conversation ON conversation.key = member.conversation \
                       WHERE member.conversation > ? AND member.user = ? ORDER BY member.conversation LIMIT 1";

/// The version that notes who belongs to a conversation.
const MEMBERS_SINCE: i64 = 3;

const ACTIVITIES: &str = "SELECT watermark, timestamp, body FROM activity \
                          WHERE conversation = ? AND watermark > ? ORDER BY watermark LIMIT ?";

const SPAN: &str = "SELECT min(created), max(active) FROM conversation";

/// A store that is opened for reading only.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    version: i64,
    reader: Reader,
}

impl Archive {
    /// Opens a file that is there.
    ///
    /// # Errors
    /// When there is none, or it is no store that this version knows.
    pub async fn open(path: &Path) -> Result<Self, SqliteError> {
        if !path.is_file() {
            return Err(SqliteError::Missing { path: path.to_owned() });
        }
        let version = schema::inspect(path).await?;
        if version == 0 {
            return Err(SqliteError::Missing { path: path.to_owned() });
        }
        let reader = Reader::open(connect::reading(path), path, Arc::default()).await;
        let reader = reader.map_err(|error| schema::explain(error, path))?;
        Ok(Self { path: path.to_owned(), version, reader })
    }

    /// Describes the file: its size, and the times of its oldest conversation and its newest record.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn describe(&self) -> Result<Description, SqliteError> {
        let counts = self.reader.count().await.map_err(|error| self.failed(error))?;
        let row = sqlx::query(SPAN).fetch_one(&self.reader.pool).await.map_err(|error| self.explain(error))?;
        let at = |index| {
            let millis: Option<i64> = row.try_get(index)?;
            millis.map(time).transpose()
        };
        let (oldest, newest) =
            (at(0).map_err(|error| self.explain(error))?, at(1).map_err(|error| self.explain(error))?);
        let place = self.path.display().to_string();
        Ok(Description::new(place, self.version, counts, [oldest, newest]))
    }

    /// Gives every activity of these conversations to `take`, in order within each conversation, until it
    /// fails; says how many those were. Memory does not depend on how many there are. What is recorded meanwhile may
    /// or may not be among them.
    ///
    /// # Errors
    /// When the file cannot be read, or is too old to know users; the inner one is that of `take`.
    pub async fn export<E>(
        &self,
        which: Selection<'_>,
        mut take: impl FnMut(Archived) -> Result<(), E>,
    ) -> Result<Result<u64, E>, SqliteError> {
        if let (Selection::User(_), ..MEMBERS_SINCE) = (which, self.version) {
            let (path, found, needed) = (self.path.clone(), self.version, MEMBERS_SINCE);
            return Err(SqliteError::Older { path, found, needed });
        }
        let explain = |error| self.explain(error);
        let (mut last, mut count) = (0_i64, 0);
        loop {
            let next = match which {
                Selection::All => sqlx::query(CONVERSATIONS).bind(last),
                Selection::Conversation(id) => sqlx::query(CONVERSATION).bind(last).bind(id.as_str()),
                Selection::User(user) => sqlx::query(OF_USER).bind(last).bind(user),
            };
            let Some(row) = next.fetch_optional(&self.reader.pool).await.map_err(explain)? else {
                return Ok(Ok(count));
            };
            last = row.try_get(0).map_err(explain)?;
            let id: String = row.try_get(1).map_err(explain)?;
            let id = ConversationId::try_from(id).map_err(|error| explain(sqlx::Error::Decode(error.into())))?;
            let mut after = -1_i64;
            loop {
                let page = self.page(last, after, &id).await.map_err(explain)?;
                let Some(newest) = page.last().map(|last| last.watermark) else {
                    break;
                };
                after = i64::try_from(newest.index()).unwrap_or(i64::MAX);
                for recorded in page {
                    let conversation = id.clone();
                    let Recorded { watermark, activity } = recorded;
                    if let Err(error) = take(Archived::new(conversation, watermark, activity)) {
                        return Ok(Err(error));
                    }
                    count += 1;
                }
            }
        }
    }

    /// Checks all of the file for damage. Each damage is one finding; a file that is whole has none.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub async fn check(&self) -> Result<Vec<String>, SqliteError> {
        let findings = sqlx::query_scalar("PRAGMA integrity_check").fetch_all(&self.reader.pool).await;
        let mut findings: Vec<String> = findings.map_err(|error| self.explain(error))?;
        findings.retain(|finding| finding != "ok");
        Ok(findings)
    }

    /// Writes a copy of the store as it is at this moment, which is a store itself, and checks it; says how many bytes it has.
    /// Whatever ends this, `to` is the whole copy or is not there.
    ///
    /// # Errors
    /// When there is a file already, or the copy cannot be made.
    pub async fn back_up(&self, to: &Path) -> Result<u64, SqliteError> {
        let failed = |error: io::Error| SqliteError::Copy { path: to.to_owned(), source: error.into() };
        if fs::symlink_metadata(to).is_ok() {
            return Err(SqliteError::Exists { path: to.to_owned() });
        }
        let part = std::path::absolute(beside(to, &format!(".{}.part", std::process::id()))).map_err(failed)?;
        let written = self.write_copy(&part).await.and_then(|()| {
            let bytes = fs::metadata(&part).map_err(failed)?.len();
            private_file::put(&part, to).map_err(failed)?;
            Ok(bytes)
        });
        if written.is_err() {
            for end in ["", "-journal"] {
                fs::remove_file(beside(&part, end)).ok();
            }
        }
        written
    }

    async fn write_copy(&self, part: &Path) -> Result<(), SqliteError> {
        let failed = |source| SqliteError::Copy { path: part.to_owned(), source };
        let name = part.to_str().ok_or_else(|| failed("the name of the file is not UTF-8".into()))?;
        // Left by a process of this number that was killed.
        fs::remove_file(part).ok();
        // SQLite takes an empty file, and gives what it writes beside it the same mode.
        private_file::options().write(true).create_new(true).open(part).map_err(|error| failed(error.into()))?;
        let copied = sqlx::query("VACUUM INTO ?").bind(name).execute(&self.reader.pool).await;
        copied.map_err(|error| failed(error.into()))?;
        let copy = Self::open(part).await?;
        let findings = sqlx::query_scalar::<_, String>("PRAGMA quick_check").fetch_all(&copy.reader.pool).await;
        copy.close().await;
        let findings = findings.map_err(|error| failed(error.into()))?;
        if findings == ["ok"] { Ok(()) } else { Err(failed(findings.join("; ").into())) }
    }

    async fn page(&self, key: i64, after: i64, id: &ConversationId) -> Result<Vec<Recorded>, sqlx::Error> {
        let rows = sqlx::query(ACTIVITIES).bind(key).bind(after).bind(PAGE).fetch_all(&self.reader.pool).await?;
        let recorded = |row: sqlx::sqlite::SqliteRow| {
            activity(id, row.try_get(0)?, row.try_get(1)?, &row.try_get::<String, _>(2)?)
        };
        rows.into_iter().map(recorded).collect()
    }

    /// Closes the file.
    pub async fn close(self) {
        self.reader.pool.close().await;
    }

    fn explain(&self, error: sqlx::Error) -> SqliteError {
        schema::explain(error, &self.path)
    }

    fn failed(&self, error: StoreError) -> SqliteError {
        SqliteError::Failed { path: self.path.clone(), source: error.into() }
    }
}
