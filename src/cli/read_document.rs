//! `citewire read-document`: reads one document, for the server that started it.

use std::io::{self, Read as _};

use citewire_documents::{Limits, Unreadable, extract};

use super::Outcome;
use super::args::ReadDocumentArgs;
use super::input::print;
use super::process::limit_memory;

/// Reads the document from stdin, and prints its text, or why it has none, as JSON.
pub(super) fn run(args: &ReadDocumentArgs) -> anyhow::Result<Outcome> {
    limit_memory(args.memory)?;
    // A panic of a parser becomes an error of its own; nobody reads its words.
    std::panic::set_hook(Box::new(|_| {}));
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let extracted: Result<_, Unreadable> = extract(&bytes, args.format, &Limits::default());
    print(&serde_json::to_vec(&extracted)?)?;
    Ok(Outcome::Done)
}
