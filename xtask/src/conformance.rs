//! The conformance suite: its runners and packages, and citewire held against its vectors by HTTP and by command.

use crate::repository::Repository;
use crate::{browser, python};
use anyhow::Result;
use std::process::Command;

const FOLDER: &str = "conformance/tests";

/// Builds the program, fetches what builds the wheel, and runs the tests.
pub(crate) fn test(repository: &Repository) -> Result<()> {
    let binary = repository.build_for_tests()?;
    let environment = repository.target("conformance");
    python::install(&repository.path("conformance/requirements.txt"), &environment)?;
    let folder = repository.path(FOLDER);
    let mut node = Command::new("node");
    node.current_dir(&folder)
        .env("CITEWIRE_BINARY", binary)
        .env("CITEWIRE_VERSION", repository.version()?)
        .env("CONFORMANCE_PYTHON", python::program(&environment));
    browser::run_tests(node, &folder)
}
