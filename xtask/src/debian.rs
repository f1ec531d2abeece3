//! Programs that come from Debian's packages.

use crate::process;
use anyhow::{Result, bail};
use std::process::Command;

/// Installs the package that brings a program, unless the program is on PATH.
pub(crate) fn ensure(program: &str, package: &str) -> Result<()> {
    if process::on_path(program).is_some() {
        return Ok(());
    }
    if !may_install() {
        bail!("`{program}` is missing: install it (Debian: `apt-get install {package}`)");
    }
    install(package)
}

/// Whether packages can be installed: on Debian and its kin, by root.
pub(crate) fn may_install() -> bool {
    let root = process::output(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0");
    root && process::on_path("apt-get").is_some()
}

pub(crate) fn install(package: &str) -> Result<()> {
    println!("{package} is missing; installing it");
    process::run(Command::new("apt-get").args(["update", "--quiet"]))?;
    process::run(
        Command::new("apt-get")
            .args(["install", "--yes", "--quiet", "--no-install-recommends", package])
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}
