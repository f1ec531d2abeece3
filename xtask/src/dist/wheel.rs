//! The wheel for PyPI with the program as a script, which pip puts beside `python`. The module to import is in another one.

use super::parts::{Parts, copy, write};
use crate::dist::build;
use crate::{process, python};
use anyhow::Result;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

pub(super) fn make(parts: &Parts) -> Result<PathBuf> {
    let folder = parts.work.join("wheel");
    let about = folder.join(format!("citewire_server-{}.dist-info", parts.version));
    let scripts = folder.join(format!("citewire_server-{}.data/scripts", parts.version));
    copy(&parts.program, &scripts.join(parts.platform.program()))?;
    // The text of the page on PyPI stands below the fields.
    let readme = fs::read_to_string(parts.source("packaging/python/README.md"))?;
    write(&about.join("METADATA"), &(parts.template("python/METADATA", &[])? + "\n" + &readme))?;
    write(&about.join("WHEEL"), &wheel(parts.platform.wheel))?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&parts.source(licence), &about.join("licenses").join(licence))?;
    }
    copy(&parts.notices, &about.join("licenses/THIRD-PARTY-LICENSES.txt"))?;
    // `wheel` writes the list of files with their hashes, and names the archive.
    let mut pack = Command::new(python::program(&build::tools(parts.repository)?));
    process::run(pack.args(["-m", "wheel", "pack", "--dest-dir"]).arg(&parts.out).arg(&folder))?;
    Ok(parts.out.join(format!("citewire_server-{}-py3-none-{}.whl", parts.version, parts.platform.wheel)))
}

/// The file WHEEL (PEP 427). A platform may have several tags, joined by dots.
fn wheel(platforms: &str) -> String {
    let tags: String = platforms.split('.').map(|platform| format!("Tag: py3-none-{platform}\n")).collect();
    format!("Wheel-Version: 1.0\nGenerator: citewire\nRoot-Is-Purelib: false\n{tags}")
}

#[cfg(test)]
mod tests {
    use super::wheel;

    #[test]
    fn each_tag_of_a_platform_has_a_line() {
        let text = wheel("manylinux2014_x86_64.manylinux_2_17_x86_64");
        assert!(text.ends_with("Tag: py3-none-manylinux2014_x86_64\nTag: py3-none-manylinux_2_17_x86_64\n"), "{text}");
    }
}
