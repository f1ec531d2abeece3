//! `citewire store`.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use chrono::{DateTime, Utc};

use super::Outcome;
use super::args::{StoreArgs, StoreCommand};
use super::causes::with_causes;
use crate::activity::{ConversationId, InvalidConversationId};
use crate::channels::azure_bot::PublicName;
use crate::clock::SystemClock;
use crate::config::{ConfigSources, store_location};
use crate::store::postgres::{self, Address};
use crate::store::sqlite;
use crate::store::{
    Archived, ConversationStore as _, Description, Location, Selection, SqliteError, SqliteStore, StoreLimits,
};

/// A store that is open for reading.
pub(super) enum OpenedStore {
    Sqlite(sqlite::Archive),
    Postgres(postgres::Archive),
}

pub(super) fn run(args: &StoreArgs) -> anyhow::Result<Outcome> {
    let place = match &args.command {
        // A backup can be looked at where nothing is configured.
        StoreCommand::Check { file: Some(file) } => Location::Sqlite(file.clone()),
        StoreCommand::Check { file: None }
        | StoreCommand::Info
        | StoreCommand::Export { .. }
        | StoreCommand::Erase { .. }
        | StoreCommand::Backup { .. }
        | StoreCommand::Migrate => store_location(&ConfigSources::of_this_process(args.config.clone()))?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match (&args.command, &place) {
            (StoreCommand::Info, _) => info(OpenedStore::open(&place).await?).await,
            (StoreCommand::Export { conversation, user }, _) => {
                let conversation = conversation.as_deref().map(called).transpose().context("--conversation")?;
                let which = match (&conversation, user) {
                    (_, Some(user)) => Selection::User(user),
                    (Some(id), None) => Selection::Conversation(id),
                    (None, None) => Selection::All,
                };
                export(OpenedStore::open(&place).await?, which).await
            }
            (StoreCommand::Erase { user }, Location::Sqlite(path)) => said_erased(erase(path, user).await?),
            (StoreCommand::Erase { user }, Location::Postgres(address)) => {
                said_erased(postgres::Archive::open(address).await?.erase(user).await?)
            }
            (StoreCommand::Backup { to }, Location::Sqlite(path)) => back_up(path, to).await,
            (StoreCommand::Backup { .. }, Location::Postgres(address)) => {
                bail!("back up {address} with PostgreSQL's own programs: pg_dump for the database, pg_basebackup for the server")
            }
            (StoreCommand::Check { .. }, Location::Sqlite(path)) => check(path).await,
            (StoreCommand::Check { .. }, Location::Postgres(address)) => {
                bail!("check {address} with PostgreSQL's own programs: pg_amcheck for the database, pg_verifybackup for a backup by pg_basebackup")
            }
            (StoreCommand::Migrate, Location::Postgres(address)) => migrate(address).await,
            (StoreCommand::Migrate, Location::Sqlite(_)) => {
                bail!("a store in a file is migrated when `citewire serve` starts; this command is for postgres:")
            }
            (StoreCommand::Backup { .. } | StoreCommand::Check { .. }, Location::Memory) => {
                bail!("the configured store is memory:, of which no file is kept")
            }
            (StoreCommand::Erase { .. } | StoreCommand::Migrate, Location::Memory) => Err(only_in_memory()),
        }
    })
}

impl OpenedStore {
    pub(super) async fn open(place: &Location) -> anyhow::Result<Self> {
        match place {
            Location::Sqlite(path) => Ok(Self::Sqlite(sqlite::Archive::open(path).await?)),
            Location::Postgres(address) => Ok(Self::Postgres(postgres::Archive::open(address).await?)),
            Location::Memory => Err(only_in_memory()),
        }
    }

    /// Hands out every activity of the selection.
    pub(super) async fn export<E>(
        &self,
        which: Selection<'_>,
        take: impl FnMut(Archived) -> Result<(), E>,
    ) -> anyhow::Result<Result<u64, E>> {
        match self {
            Self::Sqlite(archive) => Ok(archive.export(which, take).await?),
            Self::Postgres(archive) => Ok(archive.export(which, take).await?),
        }
    }

    pub(super) async fn close(self) {
        match self {
            Self::Sqlite(archive) => archive.close().await,
            // The connection ends with the value.
            Self::Postgres(_) => {}
        }
    }
}

fn only_in_memory() -> anyhow::Error {
    anyhow!(
        "the configured store is memory:, which only the running server can read; read a conversation through \
         the server with GET /v3/directline/conversations/ID/activities and the Direct Line secret"
    )
}

/// Brings a database to the version of this program.
async fn migrate(address: &Address) -> anyhow::Result<Outcome> {
    let (before, now) = postgres::migrate(address).await?;
    let line = if before == now {
        format!("{address} has schema version {now} already")
    } else {
        format!("{address} was brought from schema version {before} to {now}")
    };
    writeln!(io::stdout(), "{line}")?;
    Ok(Outcome::Done)
}

/// Writes a copy of a file that a server may have open.
async fn back_up(path: &Path, to: &Path) -> anyhow::Result<Outcome> {
    let archive = sqlite::Archive::open(path).await?;
    let written = archive.back_up(to).await;
    archive.close().await;
    writeln!(io::stdout(), "{} is a whole copy of {}: {} bytes", to.display(), path.display(), grouped(written?))?;
    Ok(Outcome::Done)
}

/// Says whether a file is whole.
async fn check(path: &Path) -> anyhow::Result<Outcome> {
    let checked = async {
        let archive = sqlite::Archive::open(path).await?;
        let findings = archive.check().await;
        archive.close().await;
        findings
    };
    let findings = match checked.await {
        Err(error @ SqliteError::Damaged { .. }) => vec![with_causes(&error.into())],
        checked => checked?,
    };
    let mut out = io::stdout().lock();
    if findings.is_empty() {
        writeln!(out, "{} is whole", path.display())?;
        return Ok(Outcome::Done);
    }
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    writeln!(io::stderr(), "citewire: {} is damaged: stop citewire and put a backup in its place", path.display())?;
    Ok(Outcome::Found)
}

/// Deletes the conversations to which a user belongs from a file that no server has open.
async fn erase(path: &Path, user: &str) -> anyhow::Result<usize> {
    // A store that is not there is not to be made.
    sqlite::Archive::open(path).await?.close().await;
    let store = SqliteStore::open(path, StoreLimits::on_disk(), Arc::new(SystemClock)).await;
    let store = store.map_err(|error| {
        let is_in_use = matches!(error, SqliteError::InUse { .. });
        let error = anyhow::Error::from(error);
        let advice = "stop the server, or erase the user through the server: DELETE /v1/users/ID with an API key";
        if is_in_use { error.context(advice) } else { error }
    })?;
    let erased = store.erase(user).await;
    let closed = store.close().await;
    let erased = erased?;
    closed?;
    Ok(erased)
}

fn said_erased(erased: usize) -> anyhow::Result<Outcome> {
    writeln!(io::stdout(), "{} conversations were deleted", grouped(erased as u64))?;
    Ok(Outcome::Done)
}

async fn info(archive: OpenedStore) -> anyhow::Result<Outcome> {
    let description = match &archive {
        OpenedStore::Sqlite(archive) => archive.describe().await.map_err(anyhow::Error::from),
        OpenedStore::Postgres(archive) => archive.describe().await.map_err(anyhow::Error::from),
    };
    archive.close().await;
    io::stdout().write_all(describe(&description?).as_bytes())?;
    Ok(Outcome::Done)
}

async fn export(archive: OpenedStore, which: Selection<'_>) -> anyhow::Result<Outcome> {
    let mut out = BufWriter::new(io::stdout().lock());
    let take = |archived: Archived| {
        serde_json::to_writer(&mut out, &archived)?;
        out.write_all(b"\n")
    };
    let written = archive.export(which, take).await;
    archive.close().await;
    let written = written?.and_then(|count| out.flush().map(|()| count));
    match (written, which) {
        (Ok(0), Selection::Conversation(id)) => bail!("the store has no activities of the conversation {id}"),
        (Ok(0), Selection::User(user)) => bail!("the store has no conversations of the user {user}"),
        (Ok(_), _) => Ok(Outcome::Done),
        // The reader has seen enough, `head` for instance.
        (Err(error), _) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Outcome::Done),
        (Err(error), _) => Err(error).context("cannot write to stdout"),
    }
}

/// The conversation with this id or name. A conversation behind Azure Bot Service has a name besides its id; ids of the
/// embedded channel contain no colon.
fn called(text: &str) -> Result<ConversationId, InvalidConversationId> {
    PublicName::parse(text).map_or_else(|| text.parse(), |name| Ok(name.id()))
}

/// A line for each thing to know.
fn describe(description: &Description) -> String {
    let Description { place, version, counts, oldest, newest, .. } = description;
    let time = |time: &Option<DateTime<Utc>>| {
        time.map_or_else(|| "-".to_owned(), |time| time.format("%Y-%m-%d %H:%M:%S UTC").to_string())
    };
    let lines = [
        ("store", place.clone()),
        ("schema version", version.to_string()),
        ("conversations", grouped(counts.conversations)),
        ("activities", grouped(counts.activities)),
        ("bytes", grouped(counts.bytes)),
        ("oldest", time(oldest)),
        ("newest", time(newest)),
    ];
    let mut text = String::new();
    for (name, value) in lines {
        // Writing to a string does not fail.
        writeln!(text, "{name:<16}{value}").ok();
    }
    text
}

/// A number with its thousands apart: 12,345.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_stand_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
