//! `citewire read-document`: reads one document, for the server that started it.

use std::io::{self, Read as _};
use std::{process, thread};

use citewire_documents::{Limits, Unreadable, extract};

use super::Outcome;
use super::args::ReadDocumentArgs;
use super::confinement::{ProcessLimits, limit, lock};
use super::input::print;

/// The stack of the thread that waits for the end of the server.
const SMALL_STACK: usize = 128 * 1024;

/// Reads the document from stdin, and prints its text, or why it has none, as JSON.
pub(super) fn run(args: &ReadDocumentArgs) -> anyhow::Result<Outcome> {
    limit(ProcessLimits { memory: args.memory, seconds: args.seconds })?;
    // A panic of a parser becomes an error of its own; its words would reach no reader.
    std::panic::set_hook(Box::new(|_| {}));
    let mut bytes = Vec::new();
    io::stdin().lock().take(args.size).read_to_end(&mut bytes)?;
    end_with_input()?;
    lock()?;
    #[cfg(debug_assertions)]
    if let Some(file) = &args.escape {
        print(&serde_json::to_vec(&attempts(file))?)?;
        return Ok(Outcome::Done);
    }
    let extracted: Result<_, Unreadable> = extract(&bytes, args.format, &Limits::default());
    print(&serde_json::to_vec(&extracted)?)?;
    Ok(Outcome::Done)
}

/// Ends this process when its input does: the server holds it open while it lives. On every system, and however the server ended.
fn end_with_input() -> io::Result<()> {
    thread::Builder::new().name("input".to_owned()).stack_size(SMALL_STACK).spawn(|| {
        let mut byte = [0];
        while io::stdin().lock().read(&mut byte).is_ok_and(|read| read > 0) {}
        process::exit(1);
    })?;
    Ok(())
}

/// Attempts of hostile code in a parser, and whether the system refused each.
#[cfg(debug_assertions)]
fn attempts(file: &std::path::Path) -> std::collections::BTreeMap<&'static str, bool> {
    let written = std::env::temp_dir().join("citewire-escape");
    std::collections::BTreeMap::from([
        ("read", std::fs::read(file).is_err()),
        ("list", std::fs::read_dir("/").is_err()),
        ("write", std::fs::write(written, b"x").is_err()),
        ("connect", std::net::TcpListener::bind("127.0.0.1:0").is_err()),
        ("start a thread", thread::Builder::new().spawn(|| {}).is_err()),
        ("start a program", process::Command::new("/bin/true").status().is_err()),
    ])
}
