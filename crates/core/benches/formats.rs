//! How fast each provider's stream is read, against serde_json reading each of its events into a `Value`.
//!
//!     cargo bench --package citewire-core --bench formats
//!
//! A stream of a megabyte is made of each streamed sample: the events that bring text, again and again where they stood.

#![expect(clippy::disallowed_methods, reason = "its texts are files")]

use std::fs;
use std::hint::black_box;
use std::path::Path;

use citewire_core::ingest::{AnswerStream, StreamEvent};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;

/// The length of a stream.
const BYTES: usize = 1_000_000;

/// The bytes that one read brings.
const READ: usize = 8 * 1024;

/// The events of a sample, each with the blank line that ends it.
fn events(sample: &str) -> Vec<String> {
    let text = sample.replace("\r\n", "\n");
    text.split_inclusive("\n\n").map(str::to_owned).collect()
}

/// A stream of about a megabyte, with the events that bring text repeated; `None` where none does before the end.
fn megabyte(sample: &str) -> Option<String> {
    let events = events(sample);
    let mut stream = AnswerStream::new(None);
    let brings_text = |event: &String| {
        let said = stream.push(event.as_bytes()).expect("a sample");
        said.iter().any(|event| matches!(event, StreamEvent::Text(_)))
    };
    let texts: Vec<bool> = events.iter().map(brings_text).collect();
    let first = texts.iter().position(|text| *text)?;
    let repeated = &events[first];
    let rest: usize = events.iter().map(String::len).sum();
    let times = BYTES.saturating_sub(rest) / repeated.len();
    let (before, behind) = events.split_at(first);
    Some([before.concat(), repeated.repeat(times), behind.concat()].concat())
}

fn formats(criterion: &mut Criterion) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/answers");
    let folders = |path: &Path| {
        let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    };
    for format in folders(&root) {
        let samples = folders(&format).into_iter().filter_map(|case| fs::read_to_string(case.join("input.sse")).ok());
        let Some(stream) = samples.filter_map(|sample| megabyte(&sample)).next() else { continue };
        let name = format.file_name().expect("a name").to_string_lossy().into_owned();
        let mut group = criterion.benchmark_group(name);
        group.sample_size(20).throughput(Throughput::Bytes(stream.len() as u64));
        group.bench_function("each event into a Value (the floor)", |b| {
            b.iter(|| {
                let data = stream.lines().filter_map(|line| line.strip_prefix("data: "));
                data.filter_map(|data| serde_json::from_str::<Value>(black_box(data)).ok()).count()
            });
        });
        group.bench_function("read", |b| {
            b.iter(|| {
                let mut reader = AnswerStream::new(None);
                for bytes in stream.as_bytes().chunks(READ) {
                    black_box(reader.push(bytes).expect("a stream"));
                }
                reader.finish()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, formats);
criterion_main!(benches);
