//! The samples of `samples/answers`, for every program of tests that reads them.

use std::path::{Path, PathBuf};

use citewire_core::convert::Conversion;
use citewire_core::dialect::Dialect;
use serde_json::Value;

/// The root of the repository, whichever of its crates a test belongs to.
pub(crate) fn project() -> &'static Path {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.find(|folder| folder.join("samples/answers").is_dir()).expect("the repository")
}

/// The folders of all samples.
pub(crate) fn samples() -> Vec<PathBuf> {
    let root = project().join("samples/answers");
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect()
    };
    let mut cases: Vec<PathBuf> = folders(&root).iter().flat_map(|provider| folders(provider)).collect();
    cases.sort();
    cases
}

/// The input of a case, whole or a stream.
pub(crate) fn input(case: &Path) -> Vec<u8> {
    let files = ["input.json", "input.sse", "input.jsonl"].map(|file| case.join(file));
    let mut files = files.iter().filter(|file| file.exists());
    let file = files.next().unwrap_or_else(|| panic!("{}: no input", case.display()));
    assert!(files.next().is_none(), "{}: two inputs", case.display());
    std::fs::read(file).expect("an input")
}

/// A conversion to the message alone.
pub(crate) fn to_message(dialect: Dialect) -> Conversion {
    let mut conversion = Conversion::to(dialect);
    conversion.options.updates = Some(0);
    conversion
}

pub(crate) fn json_file(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The blocks of JSON in a Markdown document.
pub(crate) fn json_blocks(document: &str) -> Vec<Value> {
    let blocks = document.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    blocks.map(|block| serde_json::from_str(block).unwrap_or_else(|error| panic!("{error} in {block}"))).collect()
}
