use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("text")
}

// The table named lines that nothing wrote any more.
#[test]
fn every_line_of_the_log_that_operations_tells_of_is_written_somewhere() {
    let source: String = files("src", "rs").iter().map(|path| read(path)).collect();
    let operations = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operations.md"));
    let levels = ["| `error` | ", "| `warn` | ", "| `info` | "];
    let mut lines = 0;
    for row in operations.lines() {
        let Some(row) = levels.iter().find_map(|level| row.strip_prefix(level)) else { continue };
        let told = row.split(" | ").next().expect("a cell");
        for line in told.split('`').skip(1).step_by(2) {
            assert!(source.contains(line), "nothing logs: {line}");
            lines += 1;
        }
    }
    assert!(lines > 20, "the table is read: {lines}");
}

// Rows behind a blank line are no table: they are drawn as text.
#[test]
fn no_blank_line_cuts_a_table() {
    for path in files("docs", "md") {
        let text = read(&path);
        let lines: Vec<&str> = text.lines().collect();
        for (at, pair) in lines.windows(2).enumerate() {
            let begins = pair[0].trim().is_empty() && pair[1].starts_with("| ");
            let header = lines.get(at + 2).is_some_and(|line| line.starts_with("|-"));
            assert!(!begins || header, "{}:{}: a table without its head", path.display(), at + 2);
        }
    }
}
