//! The tests that drive real Web Chat in a real browser, and the pictures made the same way.

use crate::repository::Repository;
use crate::{chromium, debian, documents, npm, process, web_chat};
use anyhow::Result;
use std::path::Path;
use std::process::Command;

const FOLDER: &str = "tests/browser";

/// Builds the program, fetches what the tests need, and runs them.
pub(crate) fn test(repository: &Repository) -> Result<()> {
    debian::ensure_postgresql()?;
    debian::ensure("redis-server", "redis-server")?;
    // Debian keeps it where only root's PATH leads.
    if !Path::new("/usr/sbin/nginx").is_file() {
        debian::ensure("nginx", "nginx-light")?;
    }
    run_tests(prepared(repository)?, &repository.path(FOLDER))
}

/// The folder of the tests about links to sentences.
const SENTENCES: &str = "tests/browser/sentences";

/// Packages of Debian with documentation as pages of the web, all together less than 10 MB.
const DOCUMENTATION: [&str; 5] =
    ["debian-faq", "debian-policy", "debian-reference-en", "developers-reference", "maint-guide"];

/// Has badges lead to sentences of many pages and documents in a real browser.
pub(crate) fn test_sentences(repository: &Repository) -> Result<()> {
    let documentation = repository.target("documentation");
    for package in DOCUMENTATION {
        documents::fetch(&documentation, package)?;
    }
    npm::install(&repository.path(FOLDER))?;
    let folder = repository.path(SENTENCES);
    let mut node = Command::new("node");
    node.current_dir(&folder)
        .env("CITEWIRE_BINARY", repository.build_for_tests()?)
        .env("CITEWIRE_DOCUMENTATION", documentation);
    chromium::tell(&mut node)?;
    chromium::tell_whole(&mut node)?;
    run_tests(node, &folder)
}

/// Runs every test file of a folder with a Node.js that was prepared for it.
pub(crate) fn run_tests(mut node: Command, folder: &Path) -> Result<()> {
    // One file at a time: the machine's cores belong to the browser and the service.
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]);
    let mut files: Vec<String> = std::fs::read_dir(folder)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".test.mjs"))
        .collect();
    files.sort();
    anyhow::ensure!(!files.is_empty(), "{} holds no tests", folder.display());
    process::run(node.args(files))
}

/// Draws the pictures in `docs/pictures` from the running program.
pub(crate) fn pictures(repository: &Repository) -> Result<()> {
    let mut node = prepared(repository)?;
    process::run(node.arg("screenshot.mjs").arg(repository.path("docs/pictures")))
}

/// Node in the tests' folder, with everything in place that the scripts there ask for by environment.
fn prepared(repository: &Repository) -> Result<Command> {
    let binary = repository.build_for_tests()?;
    let release = web_chat::ensure(repository, &web_chat::RELEASE)?;
    let prerelease = web_chat::ensure(repository, &web_chat::PRERELEASE)?;
    let folder = repository.path(FOLDER);
    npm::install(&folder)?;
    npm::install(&repository.path("tests/bot"))?;
    let mut node = Command::new("node");
    node.current_dir(folder)
        .env("CITEWIRE_BINARY", binary)
        .env("CITEWIRE_WEBCHAT_RELEASE", release)
        .env("CITEWIRE_WEBCHAT_PRERELEASE", prerelease);
    chromium::tell(&mut node)?;
    chromium::tell_whole(&mut node)?;
    Ok(node)
}
