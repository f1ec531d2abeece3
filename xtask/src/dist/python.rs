//! The wheel for PyPI with the core as a module, one for all versions of Python on a platform.

use super::parts::{copy, empty, write};
use super::platform::Platform;
use super::{build, notices};
use crate::repository::Repository;
use crate::{process, python};
use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate of the module.
const CRATE: &str = "citewire-python";

/// Has maturin build the wheel in a folder, and puts the licences into it.
pub(super) fn wheel(repository: &Repository, platform: &Platform, profile: &str, out: &Path) -> Result<PathBuf> {
    let tools = build::tools(repository)?;
    let (built, unpacked) = (out.join(".maturin"), out.join(".wheel"));
    empty(&built)?;
    empty(&unpacked)?;
    let mut maturin = Command::new(python::program(&tools));
    maturin.args(["-m", "maturin", "build", "--locked", "--quiet", "--profile", profile, "--target", platform.triple]);
    maturin.arg("--manifest-path").arg(repository.path("bindings/python/Cargo.toml")).arg("--out").arg(&built);
    if platform.is_linux() {
        maturin.args(["--zig", "--compatibility", "manylinux2014"]);
        python::on_path(&mut maturin, &tools)?;
    }
    process::run(maturin.env("CARGO_INCREMENTAL", "0").current_dir(repository.path(".")))?;
    let wheel = only(&built)?;
    let packer = |action: &str, file: &Path, to: &Path| {
        let mut command = Command::new(python::program(&tools));
        process::run(command.args(["-m", "wheel", action, "--dest"]).arg(to).arg(file))
    };
    packer("unpack", &wheel, &unpacked)?;
    let folder = only(&unpacked)?;
    licences(repository, &folder)?;
    fs::remove_file(&wheel)?;
    packer("pack", &folder, &built)?;
    let made = only(&built)?;
    let wheel = out.join(made.file_name().context("a name")?);
    fs::rename(&made, &wheel)?;
    fs::remove_dir_all(built)?;
    fs::remove_dir_all(unpacked)?;
    Ok(wheel)
}

/// Puts the licences beside the fields of a package, which name them (PEP 639).
fn licences(repository: &Repository, folder: &Path) -> Result<()> {
    let about = folder.join(format!("citewire-{}.dist-info", repository.version()?));
    let fields = about.join("METADATA");
    let text = fs::read_to_string(&fields).with_context(|| format!("{} cannot be read", fields.display()))?;
    let (head, body) = text.split_once("\n\n").context("the fields have no end")?;
    let mut head = head.to_owned();
    for licence in ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES.txt"] {
        head += &format!("\nLicense-File: {licence}");
        let file = about.join("licenses").join(licence);
        if licence.starts_with("LICENSE") {
            copy(&repository.path(licence), &file)?;
        } else {
            write(&file, &notices::of_library(repository, CRATE)?)?;
        }
    }
    write(&fields, &format!("{head}\n\n{body}"))
}

/// The one entry of a folder.
fn only(folder: &Path) -> Result<PathBuf> {
    let mut entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let entry = entries.next().with_context(|| format!("{} is empty", folder.display()))??;
    anyhow::ensure!(entries.next().is_none(), "{} has several files", folder.display());
    Ok(entry.path())
}
