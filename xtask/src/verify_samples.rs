//! The sample answers against the models of the vendors' SDKs, outside the suite: the SDKs are Python's and large.

use crate::repository::Repository;
use crate::{process, python};
use anyhow::{Result, bail};
use std::process::Command;

/// Holds every sample against the model of its provider's SDK; fails when one is not what the model says.
pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    if let Some(argument) = arguments.first() {
        bail!("`verify-samples` takes no arguments, but got `{argument}`");
    }
    let folder = repository.path("samples/verify");
    let environment = repository.target("verify-samples");
    python::install(&folder.join("requirements.txt"), &environment)?;
    // The command fails on a fault, and its lines say which.
    process::run(Command::new(python::program(&environment)).arg(folder.join("verify.py")))
}
