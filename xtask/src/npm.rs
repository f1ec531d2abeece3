//! The npm packages that tests need, by their lock files.

use crate::process;
use anyhow::{Context as _, Result};
use std::path::Path;
use std::process::Command;

/// The oldest Node.js whose test runner and file functions the scripts use.
const NODE: u32 = 20;

/// npm itself, which is a script on Windows.
pub(crate) fn command() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// Installs what the lock file in a folder names, unless that was done already, and sees to it that Node.js can run it.
pub(crate) fn install(folder: &Path) -> Result<()> {
    let judge = format!("process.exit(parseInt(process.versions.node) < {NODE} ? 1 : 0)");
    process::output(Command::new("node").args(["-e", &judge]))
        .with_context(|| format!("install Node.js {NODE} or newer"))?;
    // Two steps may want the packages of one folder.
    let _alone = process::alone(&folder.join("package-lock.json"))?;
    if packages_are_current(folder) {
        return Ok(());
    }
    process::run(
        command()
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--no-update-notifier"])
            .current_dir(folder),
    )
}

/// npm leaves its own copy of the lock file behind when it is done; it is younger than ours when nothing changed since.
fn packages_are_current(folder: &Path) -> bool {
    let time = |name: &str| std::fs::metadata(folder.join(name)).and_then(|data| data.modified());
    match (time("node_modules/.package-lock.json"), time("package-lock.json")) {
        (Ok(installed), Ok(wanted)) => installed >= wanted,
        _ => false,
    }
}
