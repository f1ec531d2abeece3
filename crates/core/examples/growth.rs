//! The cost of citing a byte of hostile texts: short pieces repeated, of 100 kB and of 1 MB, whole and in deltas of
//! four bytes. A cost that grows with the length is a fault.
//!
//!     cargo run --release --package citewire-core --example growth [PIECE...]
//!
//! Prints nanoseconds a byte; the last column is the worse of the two ratios of 1 MB to 100 kB.
//!
//! `--pieces` prints the pieces, one to a line with escapes, and `--once BYTES DELTA PIECE` cites one text once, whole where
//! `DELTA` is 0; `--cut BYTES DELTA PIECE` only makes the text and cuts it. `benches/streams.sh` counts the instructions of the one
//! without those of the other.

#![expect(clippy::disallowed_types, reason = "it measures time")]
#![expect(clippy::print_stdout, reason = "a table for the person who runs it")]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use citewire_core::answer::{Answer, MarkerGrammar, Source};
use citewire_core::cite::{Incremental, Rules, cite};

const PIECES: &[&str] = &[
    "[",
    "![",
    "](",
    "[a](",
    "[a](b) ",
    "[[a](b) ",
    "<",
    "<a ",
    "<a b='",
    "<b ",
    "<p>\n<!-- ",
    "<!--",
    "`",
    "``` ` ``` ",
    "```",
    "a`",
    "$",
    "a$b ",
    "|",
    "a|b\n",
    "|a|\n|-|\n",
    "\\",
    "> ",
    "- ",
    "1. ",
    "  - a\n",
    "[1]: x\n",
    "[^1]: x\n",
    "[1]",
    "[9] ",
    "[a][b] ",
    "【1】",
    "【",
    "[doc9]",
    " [doc9]",
    "\u{e200}cite\u{e202}x\u{e201}",
    "*",
    "_a",
    "a\n",
    "\n",
    " ",
    "\r",
    "\r\n",
    "https://x/[1]",
    "www.",
    "://[doc9] ",
    "# ",
    "- [1] a\n",
    "Sources\n[1] a\n\n",
    "[a]\n\n[a]: x\n\n",
    "=",
    "-",
    "~~~\n",
    "    a\n",
    "a [doc9]\n",
    "\u{200b}",
    "\u{e4}",
    "- a\n",
    "<x\n",
    "$a ",
    "|a|b|\n",
    "1. a\n",
    "Leave is 30 days [1]. ",
    "> a\n",
    "* a\n  - b\n",
];

const RUNS: usize = 5;

fn sources() -> Vec<Source> {
    let source = |name: &str| Source {
        title: Some(name.to_owned()),
        url: format!("https://x.example/{name}").parse().ok(),
        ..Source::default()
    };
    ["a", "b", "c"].into_iter().map(source).collect()
}

fn whole(text: &str) -> Duration {
    let answer = Answer { text: text.to_owned(), sources: sources(), ..Answer::default() };
    let start = Instant::now();
    black_box(cite(&answer, &Rules::web_chat()));
    start.elapsed()
}

/// The pieces of a text, of so many bytes each.
fn cut(text: &str, delta: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let piece;
        (piece, rest) = rest.split_at(rest.ceil_char_boundary(delta.min(rest.len())));
        (!piece.is_empty()).then_some(piece)
    })
}

/// In deltas of so many bytes; after ten seconds the time for the rest is estimated, at its best.
fn in_deltas(text: &str, delta: usize) -> Duration {
    const PATIENCE: Duration = Duration::from_secs(10);
    /// The clock costs as much as a short delta, so it is looked at behind so many.
    const LOOK_EVERY: usize = 256;
    let mut incremental = Incremental::new(MarkerGrammar::ALL, &Rules::web_chat());
    incremental.add_sources(sources());
    let start = Instant::now();
    let (mut at, mut count) = (0, 0_usize);
    for piece in cut(text, delta) {
        black_box(incremental.push(piece));
        (at, count) = (at + piece.len(), count + 1);
        if count.is_multiple_of(LOOK_EVERY) && start.elapsed() > PATIENCE {
            return start.elapsed().mul_f64(text.len() as f64 / at as f64);
        }
    }
    black_box(incremental.finish());
    start.elapsed()
}

/// The text of this length that repeats a piece. A piece from the command line may have escapes: `\n`, `\r`, `\\`, `\u{…}`.
fn repeated(piece: &str, length: usize) -> String {
    piece.repeat(length / piece.len())
}

fn unescaped(written: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = written;
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        let (c, length) = match escape.chars().next()? {
            'n' => ('\n', 1),
            'r' => ('\r', 1),
            'u' => {
                let (digits, _) = escape.strip_prefix("u{")?.split_once('}')?;
                (char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, digits.len() + 3)
            }
            c => (c, c.len_utf8()),
        };
        text.push(c);
        rest = &escape[length..];
    }
    text.push_str(rest);
    Some(text)
}

/// Cites one text once, or only cuts it, for a counter of instructions.
fn once(cites: bool, arguments: &[String]) -> Option<()> {
    let [bytes, delta, piece] = arguments else { return None };
    let text = repeated(&unescaped(piece)?, bytes.parse().ok()?);
    match (delta.parse().ok()?, cites) {
        (0, true) => {
            whole(&text);
        }
        (delta, true) => {
            in_deltas(&text, delta);
        }
        (0, false) => drop(black_box(text)),
        (delta, false) => cut(&text, delta).for_each(|piece| {
            black_box(piece);
        }),
    }
    Some(())
}

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).collect();
    match named.first().map(String::as_str) {
        Some("--pieces") => {
            PIECES.iter().for_each(|piece| println!("{}", piece.escape_default()));
            return ExitCode::SUCCESS;
        }
        Some(flag @ ("--once" | "--cut")) => {
            let done = once(flag == "--once", &named[1..]);
            if done.is_none() {
                println!("{flag} BYTES DELTA PIECE is required");
            }
            return if done.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        _ => table(&named),
    }
    ExitCode::SUCCESS
}

fn table(named: &[String]) {
    let pieces: Vec<&str> = if named.is_empty() { PIECES.to_vec() } else { named.iter().map(String::as_str).collect() };
    println!(
        "{:<24} {:>12} {:>12} {:>12} {:>12} {:>7}",
        "piece", "100 kB", "1 MB", "deltas 100k", "deltas 1M", "ratio"
    );
    for piece in pieces {
        let cost = |run: fn(&str) -> Duration, length: usize| {
            let text = repeated(piece, length);
            // The best of a few: whatever else the machine does is no cost of ours.
            let best = (0..RUNS).map(|_| run(&text)).min().unwrap_or_default();
            best.as_nanos() as f64 / text.len() as f64
        };
        let [small, large] = [100_000, 1_000_000].map(|length| cost(whole, length));
        let [small_deltas, large_deltas] = [100_000, 1_000_000].map(|length| cost(|text| in_deltas(text, 4), length));
        let ratio = (large / small).max(large_deltas / small_deltas);
        let shown = format!("{piece:?}");
        println!("{shown:<24} {small:>12.1} {large:>12.1} {small_deltas:>12.1} {large_deltas:>12.1} {ratio:>7.1}");
    }
}
