//! Compares the `use crate::` lines of the source with the table of allowed imports in `docs/inside/architecture.md`.

mod graph;
mod rings;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// The module of a file directly under `src`: `cite` for `src/cite/marker.rs`, `url` for `src/url.rs`.
fn module(root: &Path, file: &Path) -> String {
    let first = file.strip_prefix(root).expect("inside src").iter().next().expect("a name");
    first.to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// The modules that a source text names behind a prefix such as `crate::`, tests and all.
fn imports(source: &str, prefix: &str) -> BTreeSet<String> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut found = BTreeSet::new();
    for line in code {
        for rest in line.split(prefix).skip(1) {
            if let Some(list) = rest.strip_prefix('{') {
                let names = list.split(',').map(|item| item.split("::").next().unwrap_or_default());
                found.extend(names.map(|name| name.trim_matches(['{', '}', ';', ' ']).to_owned()));
            } else {
                found.insert(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
            }
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// Reads the rows `| module | may import |` of the table.
fn table(document: &str) -> BTreeMap<String, BTreeSet<String>> {
    let rows = document.lines().skip_while(|line| !line.starts_with("| from | may import |")).skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .flat_map(|row| {
            let mut cells = row.trim_matches('|').split('|').map(str::trim);
            let names = |cell: &str| -> Vec<String> {
                cell.split(',')
                    .map(|name| name.trim().trim_matches('`').to_owned())
                    .filter(|name| name != "nothing")
                    .collect()
            };
            let from = names(cells.next().unwrap_or_default());
            let to: BTreeSet<String> = names(cells.next().unwrap_or_default()).into_iter().collect();
            from.into_iter().map(move |from| (from, to.clone()))
        })
        .collect()
}

/// The source of each crate: its folder, and the room that all of it is, where it is one.
const CRATES: [(&str, Option<&str>); 4] = [
    ("src", None),
    ("crates/core/src", None),
    ("crates/check/src", Some("check")),
    ("crates/documents/src", Some("documents")),
];

#[test]
fn every_module_imports_only_what_the_table_allows() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(project.join("docs/inside/architecture.md")).expect("the document");
    let table = table(&document);
    assert!(table.len() > 15, "the table was not found");
    let mut faults = Vec::new();
    for (folder, room) in CRATES {
        let root = project.join(folder);
        for file in sources(&root) {
            let from = room.map_or_else(|| module(&root, &file), str::to_owned);
            let allowed = table.get(&from).unwrap_or_else(|| panic!("{from} is missing in the table"));
            let source = std::fs::read_to_string(&file).expect("a source");
            let prefix = if room.is_some() { "citewire_core::" } else { "crate::" };
            for to in imports(&source, prefix) {
                if to != from && !allowed.contains(&to) && !allowed.contains("anything") {
                    faults.push(format!("{} imports {to}", file.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Windows has no modes, no users by number and other signals. Calls that only Unix has stand in three files, which say what
/// Windows does in their place; elsewhere they would break the build there.
#[test]
fn calls_that_only_unix_has_stand_in_three_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let guarded = ["private_file.rs", "cli/confinement.rs", "cli/process.rs"].map(|file| root.join(file));
    let mut seen = 0;
    for file in sources(&root) {
        let source = std::fs::read_to_string(&file).expect("a source");
        let before_tests = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let only_unix = ["os::unix", "signal::unix", "libc::", "UnixListener", "UnixStream"];
        let found = only_unix.iter().filter(|call| before_tests.contains(**call)).count();
        if guarded.contains(&file) {
            seen += found;
        } else {
            assert_eq!(found, 0, "{} needs `cfg(unix)` and a way for Windows", file.display());
        }
    }
    assert!(seen >= 3, "the three files are where they were");
}

#[test]
fn the_reader_of_imports_sees_every_form() {
    let source =
        "use crate::cite::{A, B};\nuse crate::{graph::C, url};\nfn f() { crate::text::cut() }\n// crate::nobody\n";
    let expected: BTreeSet<String> = ["cite", "graph", "url", "text"].map(str::to_owned).into();
    assert_eq!(imports(source, "crate::"), expected);
}
