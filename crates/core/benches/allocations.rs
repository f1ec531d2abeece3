//! How often a conversion asks for memory, and for how much.
//!
//!     cargo bench --package citewire-core --bench allocations
//!
//! `--times NUMBER STEP` takes one step so many times and prints nothing, for callgrind to count its instructions: those of 21
//! times without those of one, divided by 20.

#![expect(clippy::disallowed_methods, reason = "its text is a file")]
#![expect(clippy::print_stdout, reason = "its outcome is what it prints")]

use std::hint::black_box;

use allocation_counter::measure;
use citewire_core::answer::{Answer, MarkerGrammar};
use citewire_core::cite::{Incremental, Rules, cite};
use citewire_core::convert::{Conversion, convert};
use citewire_core::dialect::Dialect;
use citewire_core::ingest::ingest;
use pulldown_cmark::{Options, Parser};

/// The length of the pieces of a stream, in bytes.
const PIECE: usize = 4;

/// The body of the request of the load test, and what its steps need.
struct Inputs {
    /// Its sources have no passages, so that no citation is judged.
    body: Vec<u8>,
    with_passages: Vec<u8>,
    answer: Answer,
    conversion: Conversion,
    rules: Rules,
}

type Step = fn(&Inputs);

const STEPS: [(&str, Step); 6] = [
    ("parse (the floor)", |inputs| {
        black_box(Parser::new_ext(&inputs.answer.text, Options::ENABLE_TABLES).into_offset_iter().count());
    }),
    ("ingest", |inputs| drop(black_box(ingest(&inputs.body, None)))),
    ("find and rewrite", |inputs| drop(black_box(cite(&inputs.answer, &inputs.rules)))),
    ("convert, bytes to bytes", |inputs| converted(&inputs.body, &inputs.conversion)),
    ("convert, with passages", |inputs| converted(&inputs.with_passages, &inputs.conversion)),
    ("a stream in pieces", |inputs| {
        let mut incremental = Incremental::new(MarkerGrammar::ALL, &inputs.rules);
        incremental.add_sources(inputs.answer.sources.iter().cloned());
        let (text, mut at) = (&inputs.answer.text, 0);
        while at < text.len() {
            let end = text.ceil_char_boundary((at + PIECE).min(text.len()));
            black_box(incremental.push(&text[at..end]));
            at = end;
        }
        drop(black_box(incremental.finish()));
    }),
];

fn converted(body: &[u8], conversion: &Conversion) {
    let converted = convert(body, conversion).expect("an activity");
    let _ = black_box(serde_json::to_vec(&(&converted.activities, &converted.report)));
}

fn main() {
    let body = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/load.json"))
        .expect("the request of the load test");
    let envelope: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    let mut given = envelope.get("answer").unwrap_or(&envelope).clone();
    let with_passages = given.to_string().into_bytes();
    for source in given["sources"].as_array_mut().into_iter().flatten().filter_map(|source| source.as_object_mut()) {
        source.remove("content");
    }
    let body = given.to_string().into_bytes();
    let answer = ingest(&body, None).expect("an answer");
    let conversion = Conversion::to(Dialect::WebChat);
    let inputs = Inputs { body, with_passages, answer, conversion, rules: Rules::web_chat() };
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [flag, times, name] = &arguments[..]
        && flag == "--times"
    {
        let (_, step) = STEPS.iter().find(|(step, _)| step == name).expect("a step");
        (0..times.parse().expect("a number")).for_each(|_| step(&inputs));
        return;
    }
    println!("{:<28} {:>11} {:>9}", "step", "allocations", "bytes");
    for (name, step) in STEPS {
        // Tables of words are read with the first citation that is judged.
        step(&inputs);
        let info = measure(|| step(&inputs));
        println!("{name:<28} {:>11} {:>9}", info.count_total, info.bytes_total);
    }
}
