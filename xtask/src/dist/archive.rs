//! The archive: the program and what one reads about it, in one folder. `tar.zst`, and `zip` for Windows.

use super::parts::{Parts, copy};
use crate::process;
use anyhow::{Context as _, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The files beside the program.
pub(super) const PAPERS: [&str; 5] = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT"];

pub(super) fn make(parts: &Parts) -> Result<PathBuf> {
    let name = format!("citewire-{}-{}", parts.version, parts.platform.triple);
    let folder = parts.work.join(&name);
    copy(&parts.program, &folder.join(parts.platform.program()))?;
    for paper in PAPERS {
        copy(&parts.source(paper), &folder.join(paper))?;
    }
    copy(&parts.notices, &folder.join("THIRD-PARTY-LICENSES.txt"))?;
    let extension = if parts.platform.is_windows() { "zip" } else { "tar.zst" };
    let archive = parts.out.join(format!("{name}.{extension}"));
    if archive.exists() {
        fs::remove_file(&archive).with_context(|| format!("cannot replace {}", archive.display()))?;
    }
    let mut command = if parts.platform.is_windows() {
        let mut command = Command::new("python3");
        command.args(["-m", "zipfile", "--create"]).arg(&archive);
        command
    } else {
        let mut command = Command::new("tar");
        command.args(["--use-compress-program", "zstd -19 -q", "-cf"]).arg(&archive);
        command
    };
    // Without this, tar of macOS adds files with attributes of its own.
    command.env("COPYFILE_DISABLE", "1");
    process::run(command.arg(&name).current_dir(&parts.work))?;
    Ok(archive)
}
