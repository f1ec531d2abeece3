//! `citewire store`.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use chrono::{DateTime, Utc};

use super::Outcome;
use super::args::{StoreArgs, StoreCommand};
use crate::activity::{ConversationId, InvalidConversationId};
use crate::channels::azure_bot::PublicName;
use crate::clock::SystemClock;
use crate::config::{Sources, store_location};
use crate::store::sqlite::{Archive, Description, Selection};
use crate::store::{ConversationStore as _, Location, SqliteError, SqliteStore, StoreLimits};

pub(super) fn run(args: &StoreArgs) -> anyhow::Result<Outcome> {
    let path = match store_location(&Sources::of_this_process(args.config.clone()))? {
        Location::Sqlite(path) => path,
        Location::Memory => bail!(
            "the configured store is memory:, which only the running server can read; read a conversation through \
             the server with GET /v3/directline/conversations/ID/activities and the Direct Line secret"
        ),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match &args.command {
            StoreCommand::Info => info(Archive::open(&path).await?).await,
            StoreCommand::Export { conversation, user } => {
                let conversation = conversation.as_deref().map(called).transpose().context("--conversation")?;
                let which = match (&conversation, user) {
                    (_, Some(user)) => Selection::User(user),
                    (Some(id), None) => Selection::Conversation(id),
                    (None, None) => Selection::All,
                };
                export(Archive::open(&path).await?, which).await
            }
            StoreCommand::Erase { user } => erase(&path, user).await,
        }
    })
}

/// Deletes the conversations to which a user belongs from a store that no server has open.
async fn erase(path: &Path, user: &str) -> anyhow::Result<Outcome> {
    // A store that is not there is not to be made.
    Archive::open(path).await?.close().await;
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
    writeln!(io::stdout(), "{} conversations were deleted", grouped(erased as u64))?;
    Ok(Outcome::Done)
}

async fn info(archive: Archive) -> anyhow::Result<Outcome> {
    let description = archive.describe().await;
    archive.close().await;
    io::stdout().write_all(describe(&description?).as_bytes())?;
    Ok(Outcome::Done)
}

async fn export(archive: Archive, which: Selection<'_>) -> anyhow::Result<Outcome> {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = archive.export(which, |archived| {
        serde_json::to_writer(&mut out, &archived)?;
        out.write_all(b"\n")
    });
    let written = written.await;
    archive.close().await;
    let written = written?.and_then(|count| out.flush().map(|()| count));
    match (written, which) {
        (Ok(0), Selection::Conversation(id)) => bail!("the store has no activities of the conversation {id}"),
        (Ok(0), Selection::User(user)) => bail!("the store has no conversations of the user {user}"),
        (Ok(_), _) => Ok(Outcome::Done),
        // Whoever reads has seen enough, `head` for instance.
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
    let Description { path, version, counts, oldest, newest } = description;
    let time = |time: &Option<DateTime<Utc>>| {
        time.map_or_else(|| "-".to_owned(), |time| time.format("%Y-%m-%d %H:%M:%S UTC").to_string())
    };
    let lines = [
        ("store", path.display().to_string()),
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
