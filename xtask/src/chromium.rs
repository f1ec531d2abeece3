//! The browser that the tests drive.

use crate::{debian, process};
use anyhow::{Context as _, Result, bail};
use std::path::PathBuf;

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
    if !debian::may_install() {
        bail!(
            "Chromium is missing: install it (Debian: `apt-get install chromium`), or name its program in {VARIABLE}"
        );
    }
    debian::install("chromium")?;
    find().with_context(|| format!("Chromium was installed but is not on PATH: name its program in {VARIABLE}"))
}

fn find() -> Option<PathBuf> {
    PROGRAMS.iter().find_map(|program| process::on_path(program))
}
