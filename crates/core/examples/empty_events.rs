//! The memory that a stream of events without content takes: it must not grow with the stream.
//!
//!     cargo run --release --package citewire-core --example empty_events [MEGABYTES]
//!
//! Prints the peak of the process's memory before and after (Linux only), for three kinds of nothing: comments, events
//! without text, and events that are skipped because they are no JSON.

#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "it measures time and memory")]
#![expect(clippy::print_stdout, reason = "a table for the person who runs it")]

use std::error::Error;
use std::time::Instant;

use citewire_core::ingest::{AnswerStream, Provider};

/// The bytes that one read brings.
const READ: usize = 64 * 1024;

const NOTHING: [(&str, &str); 3] = [
    ("comments", ": keep-alive\n\n"),
    ("events without text", "data: {\"choices\":[{\"index\":0,\"delta\":{}}]}\n\n"),
    ("events that are no JSON", "data: nothing\n\n"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let megabytes: usize = std::env::args().nth(1).map_or(Ok(500), |given| given.parse())?;
    for (kind, event) in NOTHING {
        let chunk = event.repeat(READ / event.len());
        let before = peak_kilobytes()?;
        let since = Instant::now();
        let mut stream = AnswerStream::new(Some(Provider::OpenAiChat));
        stream.push(b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n")?;
        for _ in 0..megabytes * 1_000_000 / chunk.len() {
            stream.push(chunk.as_bytes())?;
        }
        let answer = stream.finish()?;
        let (seconds, after) = (since.elapsed().as_secs_f64(), peak_kilobytes()?);
        println!(
            "{megabytes} MB of {kind}: {seconds:.1} s, peak memory {before} kB before and {after} kB after, {} notes",
            answer.warnings.len()
        );
    }
    Ok(())
}

/// The most memory that this process ever held.
fn peak_kilobytes() -> Result<usize, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no peak is told")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
