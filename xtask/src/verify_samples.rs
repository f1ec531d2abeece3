//! The sample answers against the models and serializers of the vendors' SDKs, outside the suite: the SDKs are large.

use crate::repository::Repository;
use crate::{npm, process, python};
use anyhow::{Context as _, Result, bail};
use std::path::Path;
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

/// The formats whose samples the serializers of their frameworks write.
const WRITTEN: [&str; 5] = ["agent-framework", "haystack", "langchain", "pydantic-ai", "vercel-ai-sdk"];

/// Compares each written input, `FORMAT/CASE/input.*`, with the sample of that name.
fn compare(written: &Path, samples: &Path) -> Result<()> {
    // A writer that writes nothing would differ from nothing.
    let missing: Vec<&str> = WRITTEN.into_iter().filter(|format| !written.join(format).is_dir()).collect();
    if !missing.is_empty() {
        bail!("nothing was written of {}", missing.join(", "));
    }
    // Its messages are read here, so they have to be in English.
    let mut diff = Command::new("diff");
    diff.env("LC_ALL", "C").args(["--recursive", "--brief"]).args([written, samples]);
    let output = diff.output().context("cannot start `diff`")?;
    let text = String::from_utf8_lossy(&output.stdout);
    // Most samples are no serializer's work.
    let ours = format!("Only in {}", samples.display());
    let differences: Vec<&str> = text.lines().filter(|line| !line.starts_with(&ours)).collect();
    if !differences.is_empty() || output.status.code() != Some(1) {
        bail!("not what the serializers write: {}\n{}", output.status, differences.join("\n"));
    }
    println!("samples are what the serializers of their frameworks write");
    Ok(())
}
