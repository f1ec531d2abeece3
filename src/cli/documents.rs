//! `citewire documents`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::Outcome;
use super::args::{DocumentsArgs, DocumentsCommand};
use super::input::print;
use crate::document::{DocumentReader, FileOutcome, Library, LibraryOptions};
use crate::text::in_terminal;

pub(super) fn run(args: &DocumentsArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        DocumentsCommand::Check { folder, json } => check(folder, *json),
    }
}

/// Reads a folder as the server would.
fn check(folder: &Path, as_json: bool) -> anyhow::Result<Outcome> {
    let mut options = LibraryOptions::new(folder);
    options.reader = Some(DocumentReader::this_program()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let files = runtime.block_on(Library::open(options))?.files();
    let shown = if as_json { format!("{}\n", to_json(&files)) } else { table(&files) };
    print(shown.as_bytes())?;
    let is_broken = files.values().any(|state| matches!(state, FileOutcome::Unreadable(_)));
    Ok(if is_broken { Outcome::Found } else { Outcome::Done })
}

fn to_json(files: &BTreeMap<String, FileOutcome>) -> Value {
    let files = files.iter().map(|(path, state)| match state {
        FileOutcome::Ready { pages, passages } => {
            json!({ "path": path, "state": "ready", "pages": pages, "passages": passages })
        }
        FileOutcome::Unreadable(reason) => {
            json!({ "path": path, "state": "unreadable", "reason": reason.to_string() })
        }
        FileOutcome::Skipped => json!({ "path": path, "state": "skipped" }),
    });
    json!({ "files": files.collect::<Vec<_>>() })
}

/// A line for each file, and one for all.
fn table(files: &BTreeMap<String, FileOutcome>) -> String {
    let widest = files.keys().map(|path| in_terminal(path).chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    let (mut ready, mut unreadable, mut skipped) = (0, 0, 0);
    for (path, state) in files {
        let (word, more) = match state {
            FileOutcome::Ready { pages, passages } => {
                ready += 1;
                let pages = pages.map(|pages| format!("{}, ", counted(pages as usize, "page"))).unwrap_or_default();
                ("ready", format!("{pages}{}", counted(*passages, "passage")))
            }
            FileOutcome::Unreadable(reason) => {
                unreadable += 1;
                ("unreadable", reason.to_string())
            }
            FileOutcome::Skipped => {
                skipped += 1;
                ("skipped", "no format of documents".to_owned())
            }
        };
        let path = in_terminal(path);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{path:widest$}  {word:10}  {}", in_terminal(&more));
    }
    let _ = writeln!(text, "{ready} ready, {unreadable} unreadable, {skipped} skipped");
    text
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
