//! The sample answers against the models and serializers of the vendors' SDKs, outside the suite: the SDKs are large.

use crate::repository::Repository;
use crate::{npm, process, python};
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Holds every sample against the model of its provider's SDK, and has the serializers of frameworks write theirs again;
/// fails when one is not what the model says, or differs from what was written.
pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    if let Some(argument) = arguments.first() {
        bail!("`verify-samples` takes no arguments, but got `{argument}`");
    }
    let folder = repository.path("samples/verify");
    let environment = repository.target("verify-samples");
    python::install(&folder.join("requirements.txt"), &environment)?;
    npm::install(&folder)?;
    let written = repository.target("samples-written");
    if written.exists() {
        std::fs::remove_dir_all(&written).with_context(|| format!("{} cannot be removed", written.display()))?;
    }
    process::run(Command::new("node").arg(folder.join("write.mjs")).arg(&written))?;
    process::run(Command::new(python::program(&environment)).arg(folder.join("write.py")).arg(&written))?;
    compare(&written, &repository.path("samples/answers"))?;
    // The command fails on a fault, and its lines say which.
    process::run(Command::new(python::program(&environment)).arg(folder.join("verify.py")))
}

/// Compares each written input, `FORMAT/CASE/input.*`, with the sample of that name.
fn compare(written: &Path, samples: &Path) -> Result<()> {
    let read = |path: &Path| std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()));
    let mut same = 0;
    for input in files(&files(&files(&[written.to_owned()])?)?)? {
        let sample = samples.join(input.strip_prefix(written)?);
        if read(&input)? != read(&sample)? {
            bail!("{} is not what the serializer writes: {}", sample.display(), input.display());
        }
        same += 1;
    }
    println!("{same} samples are what the serializers of their frameworks write");
    Ok(())
}

/// The contents of the folders, in order.
fn files(folders: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
        for entry in entries {
            found.push(entry?.path());
        }
    }
    found.sort();
    Ok(found)
}
