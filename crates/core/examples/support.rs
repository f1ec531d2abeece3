//! The cost of holding citations against their passages.
//!
//!     cargo run --release --package citewire-core --example support
//!
//! Results and their reading are in `docs/inside/performance.md`.
#![expect(clippy::disallowed_types, reason = "it measures time")]
#![expect(clippy::print_stdout, reason = "figures for the person who runs it")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use citewire_core::claims::claims;
use citewire_core::convert::{Conversion, Support, convert};
use citewire_core::dialect::Dialect;
use citewire_core::ingest::ingest;
use serde_json::json;

/// That of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The runs of each case.
const RUNS: usize = 3_000;

const SENTENCE: &str =
    "Employees of the third office have 25 days of paid leave in a calendar year, to be taken by March";

/// About 100 bytes, of which each is another sentence.
fn sentence(n: usize) -> String {
    format!(
        "Section {n} says that the office in building {} opens at {} and has room for {} guests. ",
        n % 7,
        n % 12,
        n * 3
    )
}

/// A passage of about this size, which holds the cited words in its middle.
fn passage(bytes: usize, n: usize) -> String {
    let half: String = (n..).map(sentence).take(bytes / 180).collect();
    format!("{half}{SENTENCE}. {half}")
}

/// An answer with so many badges, each to a source of its own with a passage of so many bytes; 0 for none.
fn body(badges: usize, bytes: usize) -> Vec<u8> {
    let text: String = (1..=badges).map(|n| format!("{SENTENCE} [{n}]. And {}", sentence(n))).collect();
    let source = |n: usize| {
        let content = (bytes > 0).then(|| passage(bytes, n * 31));
        json!({"title": format!("Leave {n}"), "url": format!("https://hr.example/{n}"), "content": content})
    };
    json!({"text": text, "sources": (1..=badges).map(source).collect::<Vec<_>>()}).to_string().into_bytes()
}

/// The times of runs, sorted.
fn times(mut run: impl FnMut()) -> Vec<Duration> {
    let time = |_| {
        let begun = Instant::now();
        run();
        begun.elapsed()
    };
    let mut times: Vec<Duration> = (0..RUNS).map(time).collect();
    times.sort_unstable();
    times
}

fn told(name: &str, times: &[Duration]) -> Duration {
    let (median, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    println!("{name}: median {median:?}, p99 {p99:?}");
    median
}

fn main() {
    for (name, badges, bytes) in [("20 badges without passages", 20, 0), ("20 badges with passages of 2 kB", 20, 2_000)]
    {
        let body = body(badges, bytes);
        let of = |support| {
            let mut conversion = Conversion::to(Dialect::WebChat);
            conversion.options.require_support = support;
            let times = times(|| {
                black_box(convert(&body, &conversion)).ok();
            });
            told(&format!("{name}, {support:?}"), &times)
        };
        let [off, report] = [Support::Off, Support::Report].map(of);
        println!("{name}: {:.3} times", report.as_secs_f64() / off.as_secs_f64());
    }
    for (name, badges, bytes) in
        [("1 citation, 2 kB", 1, 2_000), ("20 citations, 2 kB", 20, 2_000), ("1 citation, 32 kB", 1, 32_000)]
    {
        let answer = ingest(&body(badges, bytes), None).expect("an answer");
        let times = times(|| {
            black_box(claims(&answer));
        });
        let median = told(name, &times);
        println!("{name}: {:?} a citation", median / u32::try_from(badges).unwrap_or(1));
    }
}
