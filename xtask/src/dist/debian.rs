//! The package for Debian and Ubuntu: the program, a service of systemd, and a file for its settings.

use super::parts::{Parts, copy, size, write};
use crate::process;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The scripts that dpkg runs when it installs and removes the package.
pub(super) const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// The revision of the packaging itself, for the same version of the program.
const REVISION: u32 = 1;

pub(super) fn make(parts: &Parts, architecture: &str) -> Result<PathBuf> {
    let root = parts.work.join("debian");
    let papers = root.join("usr/share/doc/citewire");
    copy(&parts.program, &root.join("usr/bin/citewire"))?;
    copy(&parts.source("packaging/debian/citewire.service"), &root.join("usr/lib/systemd/system/citewire.service"))?;
    copy(&parts.source("packaging/debian/citewire.toml"), &root.join("etc/citewire/citewire.toml"))?;
    copy(&parts.source("packaging/debian/copyright"), &papers.join("copyright"))?;
    copy(&parts.source("CHANGELOG.md"), &papers.join("CHANGELOG.md"))?;
    copy(&parts.notices, &papers.join("THIRD-PARTY-LICENSES.txt"))?;
    let size = (size(&root)? / 1024).to_string();
    let control = root.join("DEBIAN");
    let version = format!("{}-{REVISION}", parts.version);
    let values = [("architecture", architecture), ("size", size.as_str()), ("debian-version", version.as_str())];
    write(&control.join("control"), &parts.template("debian/control", &values)?)?;
    copy(&parts.source("packaging/debian/conffiles"), &control.join("conffiles"))?;
    for script in SCRIPTS {
        copy(&parts.source("packaging/debian").join(script), &control.join(script))?;
    }
    modes(&root)?;
    let package = parts.out.join(format!("citewire_{version}_{architecture}.deb"));
    process::run(Command::new("dpkg-deb").args(["--root-owner-group", "--build", "-Zxz"]).arg(&root).arg(&package))?;
    Ok(package)
}

/// Modes: 0755 for programs, scripts and folders, 0644 for all else, whatever the umask of this process.
#[cfg(unix)]
fn modes(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let runs = path.is_dir()
        || path.ends_with("usr/bin/citewire")
        || SCRIPTS.iter().any(|script| path.ends_with(Path::new("DEBIAN").join(script)));
    fs::set_permissions(path, fs::Permissions::from_mode(if runs { 0o755 } else { 0o644 }))?;
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            modes(&entry?.path())?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn modes(_: &Path) -> Result<()> {
    anyhow::bail!("packages for Debian are made on Linux")
}
