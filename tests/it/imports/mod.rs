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

/// The names that a source text has behind a prefix such as `crate::`, tests and all.
fn names_behind(source: &str, prefix: &str) -> BTreeSet<String> {
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let first = |path: &str| -> String { path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut found = BTreeSet::new();
    for rest in code.split(prefix).skip(1) {
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut begins = true;
            for (at, c) in list.char_indices() {
                match c {
                    '}' if depth == 0 => break,
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => begins = true,
                    c if begins && !c.is_whitespace() => {
                        found.insert(first(&list[at..]));
                        begins = false;
                    }
                    _ => {}
                }
            }
        } else {
            found.insert(first(rest));
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// Reads the rows `| name | names |` of a table with this head.
fn table(document: &str, head: &str) -> BTreeMap<String, BTreeSet<String>> {
    let rows = document.lines().skip_while(|line| !line.starts_with(head)).skip(2);
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

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/inside/architecture.md");
    std::fs::read_to_string(path).expect("the page")
}

/// A crate of ours.
struct Crate {
    folder: &'static str,
    /// Its name in the page, and behind `citewire_` in sources.
    name: &'static str,
    /// Whether files of no other room belong to a room with the name of the crate.
    is_room: bool,
    /// Whether its root hands out modules of other crates, so that they stand behind `crate::`.
    hands_on: bool,
}

impl Crate {
    const fn new(folder: &'static str, name: &'static str, is_room: bool, hands_on: bool) -> Self {
        Self { folder, name, is_room, hands_on }
    }

    fn sources(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(self.folder).join("src")
    }

    /// The rooms of which a file of this crate names something.
    fn imports(&self, source: &str, rooms: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for other in &CRATES {
            let prefix = format!("citewire_{}", other.name);
            let mut named = names_behind(source, &format!("{prefix}::"));
            if source.contains(&format!("{prefix} as ")) {
                named.insert(other.name.to_owned());
            }
            found.extend(named.into_iter().map(|name| other.room_of(name, rooms)));
        }
        if self.hands_on {
            found.extend(names_behind(source, "crate::").into_iter().map(|name| self.room_of(name, rooms)));
        }
        found
    }

    /// The room of something that this crate hands out, or of a file at its root.
    fn room_of(&self, name: String, rooms: &BTreeMap<String, BTreeSet<String>>) -> String {
        // A crate that hands nothing on may have a module with the name of another crate's room.
        let is_own = self.is_room && !(self.hands_on && rooms.contains_key(&name));
        if is_own { self.name.to_owned() } else { name }
    }
}

const CRATES: [Crate; 10] = [
    Crate::new(".", "", false, true),
    Crate::new("crates/core", "core", false, true),
    Crate::new("crates/check", "check", true, false),
    Crate::new("crates/calls", "calls", true, false),
    Crate::new("crates/documents", "documents", true, false),
    Crate::new("crates/support", "support", true, false),
    Crate::new("crates/base", "base", false, true),
    Crate::new("crates/store", "store", true, true),
    Crate::new("crates/channels", "channels", true, true),
    Crate::new("crates/assistants", "assistants", false, true),
];

/// The table of rooms. A crate in the second column stands for all of its rooms.
fn rooms() -> BTreeMap<String, BTreeSet<String>> {
    let mut table = table(&page(), "| from | may import |");
    assert!(table.len() > 15, "the table was not found");
    for of in CRATES.iter().filter(|of| !of.is_room && !of.name.is_empty()) {
        let root = of.sources();
        let inside: BTreeSet<String> = sources(&root).iter().map(|file| module(&root, file)).collect();
        for allowed in table.values_mut() {
            if allowed.remove(of.name) {
                allowed.extend(inside.iter().cloned());
            }
        }
    }
    table
}

#[test]
fn every_module_imports_only_what_the_table_allows() {
    let rooms = rooms();
    let mut faults = Vec::new();
    for of in &CRATES {
        let root = of.sources();
        for file in sources(&root) {
            let from = of.room_of(module(&root, &file), &rooms);
            let allowed = rooms.get(&from).unwrap_or_else(|| panic!("{from} is missing in the table"));
            let source = std::fs::read_to_string(&file).expect("a source");
            for to in of.imports(&source, &rooms) {
                if to != from && !allowed.contains(&to) && !allowed.contains("anything") {
                    faults.push(format!("{} imports {to}", file.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_crate_depends_on_the_crates_that_the_page_names() {
    let named = table(&page(), "| crate | depends on |");
    for of in CRATES.iter().filter(|of| !of.name.is_empty()) {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join(of.folder).join("Cargo.toml");
        let manifest: toml::Table = std::fs::read_to_string(manifest).expect("a manifest").parse().expect("TOML");
        let dependencies = manifest["dependencies"].as_table().expect("a table");
        let ours = dependencies.keys().filter_map(|name| name.strip_prefix("citewire-").map(str::to_owned));
        assert_eq!(named.get(of.name), Some(&ours.collect()), "{}", of.name);
    }
}

/// Windows has no modes, no users by number and other signals. Calls that only Unix has stand in three files, which say what
/// Windows does in their place; elsewhere they would break the build there.
#[test]
fn calls_that_only_unix_has_stand_in_three_files() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guarded = ["crates/base/src/private_file.rs", "./src/cli/confinement.rs", "./src/cli/process.rs"];
    let guarded = guarded.map(|file| project.join(file));
    let mut seen = 0;
    for file in CRATES.iter().flat_map(|of| sources(&of.sources())) {
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
    let source = "use crate::cite::{A, B};\nuse crate::{graph::{C, D}, url};\nfn f() { crate::text::cut() }\n\
                  // crate::nobody\nuse crate::{\n    answer::E,\n    prompt,\n};\n";
    let expected: BTreeSet<String> = ["cite", "graph", "url", "text", "answer", "prompt"].map(str::to_owned).into();
    assert_eq!(names_behind(source, "crate::"), expected);
}

#[test]
fn what_a_crate_hands_on_counts_as_what_it_is() {
    let rooms: BTreeMap<String, BTreeSet<String>> =
        ["bus", "channels", "activity", "store"].map(|room| (room.to_owned(), BTreeSet::new())).into();
    let imports = |name: &str, source: &str| {
        let of = CRATES.iter().find(|of| of.name == name).expect("a crate");
        of.imports(source, &rooms).into_iter().collect::<Vec<_>>()
    };
    assert_eq!(
        imports("channels", "use crate::{Delivery, bus::Bus};\nuse crate::activity::Activity;"),
        ["activity", "bus", "channels"]
    );
    assert_eq!(
        imports("assistants", "use citewire_store as store;\nuse citewire_channels::{Delivery, bus};"),
        ["bus", "channels", "store"]
    );
    assert!(imports("check", "use crate::activity;").is_empty(), "a module of its own");
}
