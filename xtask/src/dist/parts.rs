//! The parts that packages are made of, and the files of one in the making.

use super::platform::Platform;
use crate::repository::Repository;
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The parts of every package.
pub(super) struct Parts<'r> {
    pub(super) repository: &'r Repository,
    pub(super) platform: &'static Platform,
    pub(super) version: String,
    /// The program.
    pub(super) program: PathBuf,
    /// The licences of everything inside the program.
    pub(super) notices: PathBuf,
    /// Where packages go.
    pub(super) out: PathBuf,
    /// Where they are put together.
    pub(super) work: PathBuf,
}

#[expect(clippy::cast_precision_loss, reason = "a size for people")]
pub(super) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// An empty folder in the place of whatever was there.
pub(super) fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

pub(super) fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Copies a file to a place whose folders are made. The program stays executable.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// The bytes of all files below a folder. Links count nothing.
pub(super) fn size(path: &Path) -> Result<u64> {
    let data = fs::symlink_metadata(path).with_context(|| format!("{} cannot be read", path.display()))?;
    if data.is_dir() {
        let mut bytes = 0;
        for entry in fs::read_dir(path)? {
            bytes += size(&entry?.path())?;
        }
        return Ok(bytes);
    }
    Ok(if data.is_file() { data.len() } else { 0 })
}

impl Parts<'_> {
    /// A file of the repository.
    pub(super) fn source(&self, relative: &str) -> PathBuf {
        self.repository.path(relative)
    }

    /// A text of the folder `packaging`, with `{{version}}` and the like filled in.
    pub(super) fn template(&self, relative: &str, values: &[(&str, &str)]) -> Result<String> {
        let file = self.source("packaging").join(relative);
        let mut text = fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        for (name, value) in [("version", self.version.as_str())].iter().chain(values) {
            text = text.replace(&format!("{{{{{name}}}}}"), value);
        }
        if let Some((_, rest)) = text.split_once("{{") {
            bail!("{}: nobody fills in `{}`", file.display(), rest.split("}}").next().unwrap_or_default());
        }
        Ok(text)
    }
}
