//! Writes a corpus for every target from the sample answers, into `fuzz/corpus`, which is in no commit.
//!
//!     cargo run --manifest-path fuzz/Cargo.toml --example seeds

use std::error::Error;
use std::path::{Path, PathBuf};

use citewire_core::answer::Answer;
use citewire_core::ingest::{Provider, ingest};
use citewire_fuzz::HEAD;
use serde_json::{Value, json};

const TARGETS: [&str; 6] = ["cite", "cover", "pieces", "ingest", "stream", "support"];

fn main() -> Result<(), Box<dyn Error>> {
    // Behind the last format there is none: the envelope tells it.
    let auto = u8::try_from(Provider::all().count())?;
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for target in TARGETS {
        std::fs::create_dir_all(corpus.join(target))?;
    }
    let mut seeds = 0;
    for input in inputs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/answers"))? {
        let name = input.parent().and_then(Path::file_name).ok_or("a sample has a folder")?.to_string_lossy();
        let body = std::fs::read(&input)?;
        let folder =
            input.ancestors().nth(2).and_then(Path::file_name).ok_or("a sample has a format")?.to_string_lossy();
        let slug = if folder == "native" { "citewire" } else { &folder };
        let from = Provider::all().position(|provider| provider.slug() == slug).ok_or("an unknown format")?;
        let from = u8::try_from(from)?;
        let mut write = |target: &str, kind: &str, head: &[u8], body: &[u8]| {
            seeds += 1;
            std::fs::write(corpus.join(target).join(format!("{folder}-{name}-{kind}")), [head, body].concat())
        };
        for (kind, from) in [("auto", auto), ("named", from)] {
            write("ingest", kind, &[from, 0], &body)?;
            write("stream", kind, &[from, 0, 3, 40, 1], &body)?;
        }
        if let Some(stream) = native_stream(&body) {
            write("stream", "native", &[auto, 0, 7, 1, 90], stream.as_bytes())?;
        }
        let Ok(answer) = ingest(&body, None) else { continue };
        write("cover", "text", &[], answer.text.as_bytes())?;
        let line = answer.text.lines().collect::<Vec<_>>().join(" ");
        let passages: Vec<&str> = answer.sources.iter().filter_map(|source| source.content.as_deref()).collect();
        write("support", "line", &[], format!("{line}\n{}", passages.join("\n---\n")).as_bytes())?;
        for (kind, rules) in [("web-chat", 0), ("teams", 2), ("plain", 3)] {
            let head = head(&answer, rules)?;
            write("cite", kind, &head, answer.text.as_bytes())?;
            write("pieces", kind, &head, answer.text.as_bytes())?;
        }
    }
    println!("{seeds} seeds");
    Ok(())
}

/// The inputs of all samples: `PROVIDER/NAME/input.json` or `input.sse`.
fn inputs(samples: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for provider in std::fs::read_dir(samples)? {
        for sample in std::fs::read_dir(provider?.path())? {
            for file in std::fs::read_dir(sample?.path())? {
                let file = file?.path();
                if file.file_stem().is_some_and(|stem| stem == "input") {
                    found.push(file);
                }
            }
        }
    }
    Ok(found)
}

/// As `Case::read` takes it: rules, all markers, as many sources, no turn, no repetition, four numbers.
fn head(answer: &Answer, rules: u8) -> Result<Vec<u8>, Box<dyn Error>> {
    let head: [u8; HEAD] = [rules, 4, u8::try_from(answer.sources.len().min(8))?, 0, 0, 4];
    Ok([&head, [0, 3, 5, 40].as_slice()].concat())
}

/// The events that say the same as a manifest.
fn native_stream(body: &[u8]) -> Option<String> {
    let manifest: Value = serde_json::from_slice(body).ok()?;
    let text: Vec<char> = manifest["text"].as_str()?.chars().collect();
    let deltas = text.chunks(9).map(|piece| json!({"delta": piece.iter().collect::<String>()}));
    let events = [json!({"sources": manifest["sources"]})].into_iter().chain(deltas).chain([json!({"done": true})]);
    Some(events.map(|event| format!("data: {event}\n\n")).collect())
}
