//! The tests that read documents from buckets, and hold signed links against the libraries of the services.

use crate::repository::Repository;
use crate::{browser, npm, python};
use anyhow::Result;
use std::process::Command;

const FOLDER: &str = "tests/buckets";

/// Builds the program, fetches Azurite and the libraries, and runs the tests.
pub(crate) fn test(repository: &Repository) -> Result<()> {
    let binary = repository.build_for_tests()?;
    let folder = repository.path(FOLDER);
    npm::install(&folder)?;
    let environment = repository.path("target/buckets");
    python::install(&folder.join("requirements.txt"), &environment)?;
    let mut node = Command::new("node");
    node.current_dir(&folder).env("CITEWIRE_BINARY", binary).env("CITEWIRE_PYTHON", python::program(&environment));
    browser::run_tests(node, &folder)
}
