//! `citewire eval`: figures about the citations of many answers.

mod exported;
mod folder;
mod page;
mod tally;
mod text;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde_json::json;

use tally::{Count, Earlier, Tally, VERSION};

use super::Outcome;
use super::conversion_args::format;
use super::eval_args::{EvalArgs, EvalOutput};
use super::input::print;
use super::store::OpenedStore;
use crate::config::{BackEnds, ConfigSources, back_ends, store_location};
use crate::store::{Archived, Location, Selection};

/// Counts, compares and prints. What could not be read is an outcome of its own.
pub(super) fn run(args: &EvalArgs) -> anyhow::Result<Outcome> {
    let earlier = args.against.as_deref().map(earlier).transpose().context("--against")?;
    let count = match &args.folder {
        Some(folder) => folder::count(folder, &format(args.map.as_deref(), &args.from)?)?,
        None => conversations(&ConfigSources::of_this_process(args.config.clone()))?,
    };
    let output = if args.json { EvalOutput::Json } else { args.output };
    let printed = match output {
        EvalOutput::Text => text::described(&count, earlier.as_ref()),
        EvalOutput::Json => to_json(&count, earlier.as_ref())?,
        EvalOutput::Html => page::page(&count, earlier.as_ref()),
    };
    print(printed.as_bytes())?;
    Ok(if count.unread.is_empty() { Outcome::Done } else { Outcome::Found })
}

/// Reads a count that was printed as JSON.
fn earlier(file: &Path) -> anyhow::Result<Earlier> {
    let bytes = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let earlier: Earlier = serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is no count that `citewire eval --output json` wrote", file.display()))?;
    ensure!(earlier.version == VERSION, "{} has version {}, not {VERSION}", file.display(), earlier.version);
    Ok(earlier)
}

/// Counts the answers of a store.
fn conversations(sources: &ConfigSources) -> anyhow::Result<Count> {
    let (place, back_ends): (Location, BackEnds) = (store_location(sources)?, back_ends(sources)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut count = Count::new("the conversations in the store".to_owned());
    runtime.block_on(async {
        let archive = OpenedStore::open(&place).await?;
        let take = |archived: Archived| -> Result<(), Infallible> {
            let Archived { conversation, watermark, activity } = archived;
            let provider = |assistant: Option<&str>| back_ends.kind(assistant).map(str::to_owned);
            exported::take(&mut count, &conversation, &watermark.to_string(), &activity, &provider);
            Ok(())
        };
        let read = archive.export(Selection::All, take).await;
        archive.close().await;
        let Ok(_) = read?;
        anyhow::Ok(())
    })?;
    Ok(count)
}

fn to_json(count: &Count, earlier: Option<&Earlier>) -> anyhow::Result<String> {
    let mut printed = serde_json::to_value(count)?;
    printed["shares"] = json!(count.total.shares());
    if let Some(earlier) = earlier {
        let changes = count.by.named().into_iter().zip(earlier.by.named()).map(|((name, now), (_, before))| {
            let changes: BTreeMap<&String, _> =
                now.iter().map(|(key, tally)| (key, change(tally, before.get(key)))).collect();
            (name, json!(changes))
        });
        let by: BTreeMap<_, _> = changes.collect();
        let gone = count.by.named().into_iter().zip(earlier.by.named()).map(|((name, now), (_, before))| {
            (name, json!(before.keys().filter(|key| !now.contains_key(*key)).collect::<Vec<_>>()))
        });
        let gone: BTreeMap<_, _> = gone.collect();
        printed["against"] = json!(earlier);
        printed["change"] = json!({"total": change(&count.total, Some(&earlier.total)), "by": by, "gone": gone});
    }
    Ok(serde_json::to_string_pretty(&printed)? + "\n")
}

fn change(now: &Tally, before: Option<&Tally>) -> Option<tally::Shares> {
    Some(now.shares().since(before?.shares()))
}
