//! Prints the text of a file as JSON: `cargo run --release -p citewire-documents --example read -- FILE [words]`.

use citewire_documents::{Format, Limits, extract};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("the name of a file is missing")?;
    let format = Format::of_name(&path).ok_or("the ending of the name is none of a document")?;
    let mut limits = Limits::default();
    limits.keep_words = arguments.next().is_some();
    let extracted = extract(&std::fs::read(path)?, format, &limits);
    serde_json::to_writer(std::io::stdout().lock(), &extracted)?;
    Ok(())
}
