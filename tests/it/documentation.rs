use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use citewire::config::{Config, ConfigSources};
use citewire::ingest::Provider;
use regex::Regex;

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
                if !["target", "node_modules"].contains(&name(&path)) {
                    folders.push(path);
                }
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
    let sources = ["src", "crates"].into_iter().flat_map(|folder| files(folder, "rs"));
    let source: String = sources.map(|path| read(&path)).collect();
    let operations: String = files("docs/operate", "md").iter().map(|path| read(path)).collect();
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

/// The commands of README between *Run it* and the next heading.
fn commands_to_run() -> Vec<String> {
    let readme = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"));
    let section = readme.split("\n## Run it\n").nth(1).expect("the section");
    let section = section.split("\n## ").next().expect("its text");
    let commands = section.lines().filter_map(|line| line.strip_prefix("    "));
    commands.map(|line| line.split('#').next().expect("a command").trim().to_owned()).collect()
}

#[test]
fn readme_names_the_command_that_runs_citewire_and_the_one_that_continuous_integration_calls() {
    let commands = commands_to_run();
    let script = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/run"));
    let last = script.lines().rfind(|line| !line.trim().is_empty()).expect("a command");
    let called = last.strip_suffix(" \"$@\"").expect("the arguments of the script go on");
    assert!(commands.iter().any(|command| command == called), "README does not name `{called}`: {commands:?}");
    assert!(commands.iter().any(|command| command == "cargo xtask run"), "{commands:?}");
    let help = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("xtask/src/usage.txt"));
    for command in commands.iter().filter(|command| command.starts_with("cargo xtask")) {
        assert!(help.contains(command.as_str()), "xtask has no `{command}`");
    }
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
    let config =
        Config::load(&ConfigSources { file: Some(file), environment, flags: Vec::new() }).expect("a configuration");
    assert!(config.http.public_url.is_some() && !config.http.trusted_proxies.is_empty());
    assert!(!config.http.page_answers, "visitors of the page are strangers");
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("a name")
}

/// The folders of pages that show whole programs, each with that of the programs.
const SHOWN: [(&str, &str); 2] =
    [("docs/guides/clients", "samples/clients"), ("docs/guides/middleware", "samples/in-process")];

// A program that is copied from a page has to be the one that was run.
#[test]
fn pages_show_the_programs_of_the_samples() {
    for (pages, programs) in SHOWN {
        let pages: Vec<String> = files(pages, "md").iter().map(|path| read(path)).collect();
        let mut samples = Vec::new();
        for (extension, language) in [("py", "python"), ("mjs", "js"), ("cs", "csharp")] {
            // Tests stand beside the programs, and their helpers in a folder below.
            let is_shown = |path: &PathBuf| {
                path.parent().is_some_and(|folder| folder.ends_with(programs)) && !name(path).starts_with("test_")
            };
            for sample in files(programs, extension).into_iter().filter(is_shown) {
                let block = format!("```{language}\n{}```\n", read(&sample));
                assert!(pages.iter().any(|page| page.contains(&block)), "no page shows {} as it is", name(&sample));
                samples.push(block);
            }
        }
        assert!(!samples.is_empty(), "there are samples");
        for page in &pages {
            for language in ["```python\n", "```js\n", "```csharp\n"] {
                for rest in page.split(language).skip(1) {
                    let program = rest.split("```").next().expect("a block");
                    let block = format!("{language}{program}```\n");
                    assert!(samples.contains(&block), "a page shows a program that is no sample:\n{program}");
                }
            }
        }
    }
}

#[test]
fn the_tables_of_programs_name_every_page() {
    for (pages, _) in SHOWN {
        let index = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(pages).join("README.md"));
        for page in files(pages, "md") {
            let page = name(&page);
            assert!(page == "README.md" || index.contains(&format!("]({page})")), "the table does not name {page}");
        }
    }
}

// A format was read that no page named, and two pages count the formats.
#[test]
fn the_table_of_formats_names_every_format_and_pages_count_them() {
    let page = |path: &str| read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    let formats = page("docs/reference/formats.md");
    for slug in Provider::all().map(Provider::slug) {
        let row = format!("\n| `{slug}` | ");
        assert_eq!(
            formats.matches(&row).count(),
            1,
            "rows of `{slug}` in the first table of docs/reference/formats.md"
        );
    }
    let count = Provider::all().count();
    for (path, told) in
        [("README.md", format!("[{count} formats]")), ("docs/start/faq.md", format!("{count} [formats]"))]
    {
        assert!(page(path).contains(&told), "{path} does not say `{told}`: there are {count} formats");
    }
}

/// Folders of text that this project wrote; what tests are given may name files that do not exist.
const WRITTEN: [&str; 13] = [
    "src",
    "crates/core/src",
    "crates/check/src",
    "crates/documents/src",
    "crates/base/src",
    "crates/store/src",
    "crates/channels/src",
    "crates/assistants/src",
    "xtask/src",
    "fuzz/src",
    "web",
    "packaging",
    "samples/embed",
];

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
    pages.extend(
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "samples/README.md"]
            .map(|name| root.join(name)),
    );
    pages.extend(
        ["crates/core/README.md", "crates/check/README.md", "crates/documents/README.md"].map(|name| root.join(name)),
    );
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

/// The folders of which the recipes name files.
const FOLDERS: [&str; 9] = ["src/", "crates/", "tests/", "docs/", "samples/", "fuzz/", "packaging/", "xtask/", "web/"];

// A recipe sent its reader to a file that had gone.
#[test]
fn every_file_that_a_recipe_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let recipes = read(&root.join("CONTRIBUTING.md"));
    let quoted = recipes.split('`').skip(1).step_by(2);
    let paths: Vec<&str> = quoted
        .filter(|path| FOLDERS.iter().any(|folder| path.starts_with(folder)))
        // Capitals stand for a name that the reader chooses, and a star for several.
        .filter(|path| !path.contains(['*', ' ']) && !path.contains(|c: char| c.is_ascii_uppercase()))
        .collect();
    let missing: Vec<_> = paths.iter().filter(|path| !root.join(path).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(paths.len() > 20, "only {} were found", paths.len());
}

/// The page that defines the rules that code, tests and pages cite by number.
const POLICIES: &str = "docs/inside/policies.md";

fn policies() -> String {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(POLICIES))
}

/// The prefixes of the lists, each from the heading of its list.
fn prefixes(page: &str) -> Vec<&str> {
    page.lines().filter_map(|line| line.strip_prefix("## ")?.split_once(": ").map(|(prefix, _)| prefix)).collect()
}

/// The rules that stand below the heading of a list, in order. Each begins a line, in bold.
fn defined_below<'p>(page: &'p str, prefix: &str) -> Vec<&'p str> {
    let list = page.split("\n## ").find(|list| list.starts_with(&format!("{prefix}: "))).unwrap_or_default();
    list.lines().filter_map(|line| line.strip_prefix("**")?.split_once("** ").map(|(rule, _)| rule)).collect()
}

fn defined(page: &str) -> BTreeSet<&str> {
    prefixes(page).into_iter().flat_map(|prefix| defined_below(page, prefix)).collect()
}

/// The number of a rule, or a text that looks like one, with the word before it that says that it is one, if there is
/// such a word.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b((?:[Rr]ules?|[Pp]olicy|[Pp]olicies) )?([A-Z]{1,2}[0-9]?)-([0-9]{1,2})\b").expect("an expression")
});

/// The name of a function that begins with the number of a rule: `n04_`, `s1_40_`.
static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bfn ([a-z]{1,2}|[a-z][0-9]_)([0-9]{2})_").expect("an expression"));

/// The rules that a text cites: the numbers of known lists, and all that a text or the name of a test calls a rule.
fn cited(text: &str, lists: &[&str]) -> BTreeSet<String> {
    let numbers = NUMBER.captures_iter(text).filter(|found| found.get(1).is_some() || lists.contains(&&found[2]));
    let numbers = numbers.map(|found| format!("{}-{}", &found[2], &found[3]));
    let names = NAME.captures_iter(text);
    let names = names.map(|found| format!("{}-{}", found[1].trim_end_matches('_').to_uppercase(), &found[2]));
    numbers.chain(names).collect()
}

/// The files in which a rule may be cited.
fn citing() -> impl Iterator<Item = PathBuf> {
    let folders = ["src", "crates", "tests", "xtask", "fuzz", "benches", "docs"];
    let extensions = ["rs", "md", "mjs", "cjs", "sh", "sql", "toml"];
    let all = folders.into_iter().flat_map(move |folder| extensions.map(|extension| files(folder, extension)));
    all.flatten()
}

#[test]
fn what_a_text_calls_a_rule_is_one_whatever_its_list() {
    let cited = |text: &str| cited(text, &["P", "AH"]).into_iter().collect::<Vec<_>>();
    assert_eq!(cited("(policy P-05, P-256), UTF-16, B-12 (rules AH-01 to AH-06)"), ["AH-01", "AH-06", "P-05"]);
    // The texts are in two pieces, so that this file cites no such rule.
    assert_eq!(cited(&["see rule ", "Q-99"].concat()), ["Q-99"]);
    assert_eq!(cited(&["fn ", "q99_a() fn ", "s1_40_b() fn utf16_bytes() fn a_20_c()"].concat()), ["Q-99", "S1-40"]);
}

// Comments cited three lists as `P-01`, and most rules were explained nowhere.
#[test]
fn every_rule_that_is_cited_is_defined() {
    let page = policies();
    let (lists, defined) = (prefixes(&page), defined(&page));
    let mut unknown = Vec::new();
    for path in citing() {
        let rules = cited(&read(&path), &lists);
        let undefined = rules.iter().filter(|rule| !defined.contains(rule.as_str()));
        unknown.extend(undefined.map(|rule| format!("{}: {rule}", path.display())));
    }
    assert!(unknown.is_empty(), "{POLICIES} does not define:\n{}", unknown.join("\n"));
}

#[test]
fn every_rule_that_is_defined_is_cited() {
    let page = policies();
    let lists = prefixes(&page);
    let elsewhere = citing().filter(|path| !path.ends_with(POLICIES));
    let cited: BTreeSet<String> = elsewhere.flat_map(|path| cited(&read(&path), &lists)).collect();
    let idle: Vec<&str> = defined(&page).into_iter().filter(|rule| !cited.contains(*rule)).collect();
    assert!(idle.is_empty(), "nothing cites {}", idle.join(", "));
    assert!(cited.len() > 60, "only {} rules were found", cited.len());
}

#[test]
fn every_list_of_rules_has_its_own_prefix_and_every_rule_its_own_number() {
    let page = policies();
    let lists = prefixes(&page);
    assert_eq!(lists.len(), lists.iter().collect::<BTreeSet<_>>().len(), "two lists share a prefix: {lists:?}");
    let mut seen = BTreeSet::new();
    for list in &lists {
        for rule in defined_below(&page, list) {
            assert!(
                rule.strip_prefix(list).is_some_and(|number| number.starts_with('-')),
                "{rule} stands below {list}"
            );
            assert!(seen.insert(rule), "{rule} is defined twice");
        }
    }
    let bold = page.lines().filter(|line| line.starts_with("**")).count();
    assert_eq!(seen.len(), bold, "a rule stands below no list, or its line has another form");
}
