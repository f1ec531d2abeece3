//! The npm packages that tests need, by their lock files.

use crate::process;
use anyhow::{Context as _, Result, bail};
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
    let version = process::output(Command::new("node").arg("--version"))?;
    let major = major(&version).with_context(|| format!("`node --version` wrote `{}`", version.trim()))?;
    if major < NODE {
        bail!("Node.js {} is too old: install version {NODE} or newer", version.trim());
    }
    if packages_are_current(folder) {
        return Ok(());
    }
    process::run(
        command()
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--no-update-notifier"])
            .current_dir(folder),
    )
}

/// 20 from `v20.11.1`.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// npm leaves its own copy of the lock file behind when it is done; it is younger than ours when nothing changed since.
fn packages_are_current(folder: &Path) -> bool {
    let time = |name: &str| std::fs::metadata(folder.join(name)).and_then(|data| data.modified());
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
