//! Programs that come from Debian's packages.

use crate::process;
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
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

/// Installs PostgreSQL, unless a version is there. Its programs are not on PATH: those of each version stand apart.
pub(crate) fn ensure_postgresql() -> Result<()> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    if versions.into_iter().any(|version| version.path().join("bin/initdb").is_file()) {
        return Ok(());
    }
    ensure("initdb", "postgresql")
}

/// Whether packages can be installed: on Debian and its kin, by root.
pub(crate) fn may_install() -> bool {
    let root = process::output(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0");
    root && process::on_path("apt-get").is_some()
}

pub(crate) fn install(package: &str) -> Result<()> {
    // Two steps may install at the same time, and apt-get does not wait for another.
    let _alone = process::alone(Path::new("/etc/debian_version"))?;
    println!("{package} is missing; installing it");
    process::run(Command::new("apt-get").args(["update", "--quiet"]))?;
    process::run(
        Command::new("apt-get")
            .args(["install", "--yes", "--quiet", "--no-install-recommends", package])
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

/// Downloads a package and unpacks it into a folder. Nothing of it is installed or started.
pub(crate) fn unpack(package: &str, folder: &Path) -> Result<()> {
    if process::on_path("apt-get").is_none() {
        bail!("`apt-get` is missing, which downloads Debian's package {package}: run this on Debian");
    }
    let _alone = process::alone(Path::new("/etc/debian_version"))?;
    println!("fetching {package} from the system's packages");
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut download = Command::new("apt-get");
    download.args(["download", "--quiet", package]).current_dir(folder);
    if process::run(&mut download).is_err() {
        // The system may have no list of its packages yet.
        process::run(Command::new("apt-get").args(["update", "--quiet"]))?;
        process::run(&mut download)?;
    }
    let files: Vec<PathBuf> = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let archive = files.iter().find(|path| path.extension().is_some_and(|extension| extension == "deb"));
    let archive = archive.context("`apt-get download` has brought no package")?;
    process::run(Command::new("dpkg-deb").arg("--extract").arg(archive).arg(folder))?;
    std::fs::remove_file(archive).with_context(|| format!("cannot remove {}", archive.display()))
}
