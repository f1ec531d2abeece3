//! Writes a corpus for every target from the sample answers, into `fuzz/corpus`, which is in no commit.
//!
//!     cargo run --manifest-path fuzz/Cargo.toml --example seeds

use std::error::Error;
use std::path::Path;

use citewire::ingest::ingest;
use citewire_fuzz::HEAD;

fn main() -> Result<(), Box<dyn Error>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    for target in ["cite", "pieces", "ingest"] {
        std::fs::create_dir_all(fuzz.join("corpus").join(target))?;
    }
    let mut count = 0;
    for provider in std::fs::read_dir(fuzz.join("../samples/answers"))? {
        for sample in std::fs::read_dir(provider?.path())? {
            let sample = sample?.path();
            let name = sample.file_name().ok_or("a folder has a name")?.to_string_lossy().into_owned();
            let body = std::fs::read(sample.join("input.json"))?;
            let corpus = |target: &str, kind: usize| fuzz.join("corpus").join(target).join(format!("{name}-{kind}"));
            std::fs::write(corpus("ingest", 0), [&[2, 0], body.as_slice()].concat())?;
            count += 1;
            let Ok(answer) = ingest(&body, None) else { continue };
            for (kind, rules) in [0_u8, 2, 3].into_iter().enumerate() {
                let sources = u8::try_from(answer.sources.len().min(8))?;
                let head: [u8; HEAD] = [rules, 4, sources, 0, 0, 4];
                let seed = [&head, [0, 3, 5, 40].as_slice(), answer.text.as_bytes()].concat();
                std::fs::write(corpus("cite", kind), &seed)?;
                std::fs::write(corpus("pieces", kind), &seed)?;
            }
        }
    }
    println!("{count} samples");
    Ok(())
}
