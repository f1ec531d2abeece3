//! `citewire store`.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};

use anyhow::{Context as _, bail};
use chrono::{DateTime, Utc};

use super::Outcome;
use super::args::{StoreArgs, StoreCommand};
use crate::activity::{ConversationId, InvalidConversationId};
use crate::channels::connector::PublicName;
use crate::config::{Sources, store_location};
use crate::store::Location;
use crate::store::sqlite::{Archive, Description};

pub(super) fn run(args: &StoreArgs) -> anyhow::Result<Outcome> {
    let path = match store_location(&Sources::of_this_process(args.config.clone()))? {
        Location::Sqlite(path) => path,
        Location::Memory => bail!(
            "the configured store is memory:, which only its server can see; read a conversation there, with \
             GET /v3/directline/conversations/ID/activities and the Direct Line secret"
        ),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let archive = Archive::open(&path).await?;
        let outcome = match &args.command {
            StoreCommand::Info => info(&archive).await,
            StoreCommand::Export { conversation } => export(&archive, conversation.as_deref()).await,
        };
        archive.close().await;
        outcome
    })
}

async fn info(archive: &Archive) -> anyhow::Result<Outcome> {
    io::stdout().write_all(describe(&archive.describe().await?).as_bytes())?;
    Ok(Outcome::Done)
}

async fn export(archive: &Archive, only: Option<&str>) -> anyhow::Result<Outcome> {
    let only = only.map(called).transpose().context("--conversation")?;
    let mut out = BufWriter::new(io::stdout().lock());
    let written = archive.export(only.as_ref(), |archived| {
        serde_json::to_writer(&mut out, &archived)?;
        out.write_all(b"\n")
    });
    let written = written.await?.and_then(|count| out.flush().map(|()| count));
    match (written, only) {
        (Ok(0), Some(id)) => bail!("there is nothing in a conversation {id}"),
        (Ok(_), _) => Ok(Outcome::Done),
        // Whoever reads has seen enough, `head` for instance.
        (Err(error), _) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Outcome::Done),
        (Err(error), _) => Err(error).context("cannot write to stdout"),
    }
}

/// The conversation that the operator calls so: a conversation behind Azure Bot Service has a name besides its id. No id of the
/// embedded channel has a colon in it.
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
