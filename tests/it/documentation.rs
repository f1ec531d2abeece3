use std::fs;
use std::path::{Path, PathBuf};

use citewire::config::{Config, Sources};

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), extension)
}

fn files_below(root: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
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
    let operations = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operate/operations.md"));
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

/// The example is copied as it is, so that citewire has to start with it, behind the proxy and closed to strangers.
#[test]
fn citewire_starts_with_the_file_that_operations_shows_for_proxies() {
    let operations = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operate/operations.md"));
    let section = operations.split("## Behind nginx").nth(1).expect("the section");
    let example = section.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("citewire.toml");
    fs::write(&file, example).expect("written");
    let data = folder.path().display().to_string();
    let environment = [("CITEWIRE_DATA_DIR".to_owned(), data)].into();
    let config = Config::load(&Sources { file: Some(file), environment, flags: Vec::new() }).expect("a configuration");
    assert!(config.http.public_url.is_some() && !config.http.trusted_proxies.is_empty());
    assert!(!config.http.page_answers, "visitors of the page are strangers");
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("a name")
}

// A program that is copied from a page has to be the one that was run.
#[test]
fn the_pages_of_clients_show_the_programs_of_the_samples() {
    let pages: Vec<String> = files("docs/guides/clients", "md").iter().map(|path| read(path)).collect();
    let mut samples = Vec::new();
    for (extension, language) in [("py", "python"), ("mjs", "js")] {
        for sample in files("samples/clients", extension) {
            let block = format!("```{language}\n{}```\n", read(&sample));
            assert!(pages.iter().any(|page| page.contains(&block)), "no page shows {} as it is", name(&sample));
            samples.push(block);
        }
    }
    assert!(!samples.is_empty(), "there are samples");
    for page in &pages {
        for language in ["```python\n", "```js\n"] {
            for rest in page.split(language).skip(1) {
                let program = rest.split("```").next().expect("a block");
                let block = format!("{language}{program}```\n");
                assert!(samples.contains(&block), "a page shows a program that is no sample:\n{program}");
            }
        }
    }
}

#[test]
fn the_table_of_clients_names_every_page() {
    let index = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/clients/README.md"));
    for page in files("docs/guides/clients", "md") {
        let page = name(&page);
        assert!(page == "README.md" || index.contains(&format!("]({page})")), "the table does not name {page}");
    }
}

/// Folders of text that this project wrote; what tests are given may name files that do not exist.
const WRITTEN: [&str; 8] =
    ["src", "crates/core/src", "crates/check/src", "xtask/src", "fuzz/src", "web", "packaging", "samples/embed"];

/// The files of code and text below a folder.
fn everything(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    ["rs", "js", "mjs", "py", "cs", "toml", "md", "html"]
        .iter()
        .flat_map(|extension| files_below(&root, extension))
        .collect()
}

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = files("docs", "md");
    pages.extend(["README.md", "SECURITY.md", "CHANGELOG.md"].map(|name| root.join(name)));
    pages.extend(["crates/core/README.md", "crates/check/README.md"].map(|name| root.join(name)));
    pages
}

/// The links of a page to files, without their fragments, in the order in which another Markdown engine finds them.
fn links(text: &str) -> Vec<String> {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let events = Parser::new_ext(text, Options::ENABLE_TABLES);
    let addresses = events.filter_map(|event| {
        let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event else { return None };
        Some(dest_url.into_string())
    });
    let files = addresses.filter_map(|address| {
        let file = address.split('#').next().unwrap_or_default();
        (!file.is_empty() && !file.contains(':')).then(|| file.to_owned())
    });
    files.collect()
}

// The pages were sorted into folders; half of the links between them had to change.
#[test]
fn every_link_of_the_documentation_leads_to_a_file() {
    let mut followed = 0;
    let mut dead = Vec::new();
    for page in pages() {
        for link in links(&read(&page)) {
            followed += 1;
            if !page.parent().expect("a folder").join(&link).exists() {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
    assert!(followed > 200, "only {followed} links were found");
}

/// The paths `docs/….md` that a text names.
fn named(text: &str) -> Vec<&str> {
    let begins = text.match_indices("docs/").filter(|(at, _)| {
        !text[..*at].ends_with(|before: char| before.is_alphanumeric() || matches!(before, '/' | '.' | '-' | '_'))
    });
    let paths = begins.map(|(at, _)| {
        let rest = &text[at..];
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_')))
            .unwrap_or(rest.len());
        rest[..end].trim_end_matches('.')
    });
    paths.filter(|path| path.ends_with(".md")).collect()
}

/// Examples of tests beside the code, which name no page of ours.
const EXAMPLES: [&str; 2] = ["docs/a.md", "docs/b.md"];

#[test]
fn every_page_that_the_code_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    let mut missing = Vec::new();
    for path in WRITTEN.iter().flat_map(|folder| everything(folder)) {
        let text = read(&path);
        for page in named(&text) {
            seen += 1;
            if !EXAMPLES.contains(&page) && !root.join(page).exists() {
                missing.push(format!("{}: {page}", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(seen > 20, "only {seen} were found");
}
