//! The browser that the tests drive.

use crate::process;
use anyhow::{Context as _, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// Names the browser's program.
pub(crate) const VARIABLE: &str = "CITEWIRE_CHROMIUM";

const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The browser's program, installed from the system's packages when it is missing and we may.
pub(crate) fn ensure() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        let program = PathBuf::from(named);
        if !process::is_program(&program) {
            bail!("{VARIABLE} names {}, which is no program", program.display());
        }
        return Ok(program);
    }
    if let Some(program) = find() {
        return Ok(program);
    }
    if !may_install() {
        bail!(
            "Chromium is missing: install it (Debian: `apt-get install chromium`), or name its program in {VARIABLE}"
        );
    }
    println!("Chromium is missing; installing it");
    process::run(Command::new("apt-get").args(["update", "--quiet"]))?;
    process::run(
        Command::new("apt-get")
            .args(["install", "--yes", "--quiet", "--no-install-recommends", "chromium"])
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )?;
    find().with_context(|| format!("Chromium was installed but is not on PATH: name its program in {VARIABLE}"))
}

fn find() -> Option<PathBuf> {
    PROGRAMS.iter().find_map(|program| process::on_path(program))
}

fn may_install() -> bool {
    let root = process::output(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0");
    root && process::on_path("apt-get").is_some()
}
