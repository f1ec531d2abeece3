//! How often a conversion asks for memory, and for how much.
//!
//!     cargo bench --package citewire-core --bench allocations

#![expect(clippy::disallowed_methods, reason = "its text is a file")]
#![expect(clippy::print_stdout, reason = "its outcome is what it prints")]

use allocation_counter::measure;
use citewire_core::cite::{Rules, cite};
use citewire_core::convert::{Conversion, convert};
use citewire_core::dialect::Dialect;
use citewire_core::ingest::ingest;
use pulldown_cmark::{Options, Parser};

fn main() {
    let body = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/load.json"))
        .expect("the request of the load test");
    let envelope: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    let body = envelope.get("answer").unwrap_or(&envelope).to_string().into_bytes();
    let answer = ingest(&body, None).expect("an answer");
    let conversion = Conversion::to(Dialect::WebChat);
    let rules = Rules::web_chat();
    println!("{:<28} {:>11} {:>9}", "step", "allocations", "bytes");
    let show = |step: &str, info: allocation_counter::AllocationInfo| {
        println!("{step:<28} {:>11} {:>9}", info.count_total, info.bytes_total);
    };
    show(
        "parse (the floor)",
        measure(|| {
            let _ = Parser::new_ext(&answer.text, Options::ENABLE_TABLES).into_offset_iter().count();
        }),
    );
    show("ingest", measure(|| drop(ingest(&body, None))));
    show("find and rewrite", measure(|| drop(cite(&answer, &rules))));
    show(
        "convert, bytes to bytes",
        measure(|| {
            let converted = convert(&body, &conversion).expect("an activity");
            let _ = serde_json::to_vec(&(&converted.activities, &converted.report));
        }),
    );
}
