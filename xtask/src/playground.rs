//! The tests in which Microsoft 365 Agents Playground, the emulator of Teams, talks to citewire in a real browser.

use crate::repository::Repository;
use crate::{browser, chromium, npm};
use anyhow::Result;
use std::process::Command;
use std::time::Instant;

const FOLDER: &str = "tests/playground";

/// Builds the program, fetches what the tests need, and runs them.
pub(crate) fn test(repository: &Repository) -> Result<()> {
    let folder = repository.path(FOLDER);
    browser::run_tests(prepared(repository)?, &folder)
}

/// Draws the picture in `docs/pictures` from the emulator.
pub(crate) fn picture(repository: &Repository) -> Result<()> {
    let mut node = prepared(repository)?;
    crate::process::run(node.arg("screenshot.mjs").arg(repository.path("docs/pictures")))
}

/// Node in the tests' folder, with everything in place that the scripts there ask for by environment.
fn prepared(repository: &Repository) -> Result<Command> {
    let binary = repository.build_for_tests()?;
    // The browser is driven by the package that the other browser tests use.
    npm::install(&repository.path("tests/browser"))?;
    let folder = repository.path(FOLDER);
    let begun = Instant::now();
    npm::install(&folder)?;
    println!("the playground is installed, after {:.1} s", begun.elapsed().as_secs_f64());
    let mut node = Command::new("node");
    node.current_dir(folder).env("CITEWIRE_BINARY", binary);
    chromium::tell(&mut node)?;
    Ok(node)
}
