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
    let is_broken = files.values().any(|state| matches!(word(state), UNREADABLE | PARTIAL));
    Ok(if is_broken { Outcome::Found } else { Outcome::Done })
}

const UNREADABLE: &str = "unreadable";
const PARTIAL: &str = "partial";

/// The state of a file in one word.
fn word(state: &FileOutcome) -> &'static str {
    match state {
        FileOutcome::Ready { loss: Some(loss), .. } if loss.is_partial => PARTIAL,
        FileOutcome::Ready { .. } => "ready",
        FileOutcome::Unreadable(_) => UNREADABLE,
        FileOutcome::Skipped => "skipped",
    }
}

fn to_json(files: &BTreeMap<String, FileOutcome>) -> Value {
    let files = files.iter().map(|(path, state)| {
        let mut file = json!({ "path": path, "state": word(state) });
        match state {
            FileOutcome::Ready { pages, passages, loss, left_out } => {
                file["pages"] = json!(pages);
                file["passages"] = json!(passages);
                if let Some(loss) = loss {
                    file["loss"] = json!(loss.words);
                }
                if *left_out > 0 {
                    file["left_out"] = json!(left_out);
                }
            }
            FileOutcome::Unreadable(reason) => file["reason"] = json!(reason.to_string()),
            FileOutcome::Skipped => {}
        }
        file
    });
    json!({ "files": files.collect::<Vec<_>>() })
}

/// A line for each file, and one for all.
fn table(files: &BTreeMap<String, FileOutcome>) -> String {
    let widest = files.keys().map(|path| in_terminal(path).chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (path, state) in files {
        let (path, more) = (in_terminal(path), more(state));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{path:widest$}  {:10}  {}", word(state), in_terminal(&more));
    }
    let count = |wanted: &str| files.values().filter(|state| word(state) == wanted).count();
    let partial = Some(count(PARTIAL)).filter(|count| *count > 0).map(|count| format!(" {count} {PARTIAL},"));
    let (ready, unreadable, skipped) = (count("ready"), count(UNREADABLE), count("skipped"));
    let partial = partial.unwrap_or_default();
    let _ = writeln!(text, "{ready} ready,{partial} {unreadable} unreadable, {skipped} skipped");
    text
}

/// The details behind the state of a file: the numbers of its parts, or the reason why it is not ready.
fn more(state: &FileOutcome) -> String {
    match state {
        FileOutcome::Ready { pages, passages, loss, left_out } => {
            let pages = pages.map(|pages| counted(pages as usize, "page"));
            let left_out = Some(*left_out).filter(|count| *count > 0);
            let left_out =
                left_out.map(|count| format!("{} of heads, feet and contents left out", counted(count, "line")));
            let parts =
                [pages, Some(counted(*passages, "passage")), left_out, loss.as_ref().map(|loss| loss.words.clone())];
            parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
        FileOutcome::Unreadable(reason) => reason.to_string(),
        FileOutcome::Skipped => "no format of documents".to_owned(),
    }
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
