//! The tests that drive real Web Chat in a real browser, and the pictures made the same way.

use crate::repository::Repository;
use crate::{chromium, process, web_chat};
use anyhow::{Context as _, Result, bail};
use std::process::Command;

const FOLDER: &str = "tests/browser";

/// The oldest Node.js whose test runner and file functions the scripts use.
const NODE: u32 = 20;

/// Builds the program, fetches what the tests need, and runs them.
pub(crate) fn test(repository: &Repository) -> Result<()> {
    let mut node = prepared(repository)?;
    // One file at a time: the machine's cores belong to the browser and the service.
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]);
    let folder = repository.path(FOLDER);
    let mut files: Vec<String> = std::fs::read_dir(&folder)?
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
    let version = process::output(Command::new("node").arg("--version"))?;
    let major = major(&version).with_context(|| format!("`node --version` wrote `{}`", version.trim()))?;
    if major < NODE {
        bail!("Node.js {} is too old: install version {NODE} or newer", version.trim());
    }
    let binary = repository.build_for_tests()?;
    let release = web_chat::ensure(repository, &web_chat::RELEASE)?;
    let prerelease = web_chat::ensure(repository, &web_chat::PRERELEASE)?;
    let chromium = chromium::ensure()?;
    let folder = repository.path(FOLDER);
    if !packages_are_current(repository) {
        process::run(
            Command::new("npm")
                .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--no-update-notifier"])
                .current_dir(&folder),
        )?;
    }
    let mut node = Command::new("node");
    node.current_dir(folder)
        .env("CITEWIRE_BINARY", binary)
        .env("CITEWIRE_WEBCHAT_RELEASE", release)
        .env("CITEWIRE_WEBCHAT_PRERELEASE", prerelease)
        .env(chromium::VARIABLE, chromium);
    Ok(node)
}

/// 20 from `v20.11.1`.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// npm leaves its own copy of the lock file behind when it is done; it is younger than ours when nothing changed since.
fn packages_are_current(repository: &Repository) -> bool {
    let time = |name: &str| std::fs::metadata(repository.path(FOLDER).join(name)).and_then(|data| data.modified());
    match (time("node_modules/.package-lock.json"), time("package-lock.json")) {
        (Ok(installed), Ok(wanted)) => installed >= wanted,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn the_major_version_of_node_is_read() {
        assert_eq!(major("v20.11.1\n"), Some(20));
        assert_eq!(major("v9.0.0"), Some(9));
        assert_eq!(major("20"), None);
    }
}
