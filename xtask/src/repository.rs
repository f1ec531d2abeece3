//! Where things are: the repository, cargo's target directory, the built program.

use crate::packages::{Metadata, Package};
use crate::process;
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set for steps of the suite when the test programs and the command are built.
pub(crate) const BUILT: &str = "CITEWIRE_SUITE_BUILT";

/// The cargo command that builds all test programs, and lints them. Benchmarks and examples are left to the step `clippy`.
pub(crate) const TEST_PROGRAMS: [&str; 5] = ["test", "--locked", "--workspace", "--tests", "--no-run"];

/// This repository as cargo describes it.
pub(crate) struct Repository {
    /// `cargo metadata`, with every dependency of every platform.
    pub(crate) metadata: Metadata,
}

impl Repository {
    /// Asks cargo, so that `CARGO_TARGET_DIR` and its likes are honoured.
    pub(crate) fn find() -> Result<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = process::output(
            cargo().args(["metadata", "--format-version", "1", "--locked", "--all-features"]).current_dir(here),
        )?;
        let metadata =
            serde_json::from_str(&text).context("`cargo metadata` wrote something that is not understood")?;
        Ok(Self { metadata })
    }

    /// A path inside the repository.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.metadata.workspace_root.join(relative)
    }

    /// A path inside cargo's target directory.
    pub(crate) fn target(&self, relative: &str) -> PathBuf {
        self.metadata.target_directory.join(relative)
    }

    /// The version of citewire.
    pub(crate) fn version(&self) -> Result<String> {
        Ok(self.ours()?.version.clone())
    }

    /// The address of the public repository, when `Cargo.toml` names one.
    pub(crate) fn address(&self) -> Result<Option<&str>> {
        Ok(self.ours()?.repository.as_deref())
    }

    fn ours(&self) -> Result<&Package> {
        let ours = self.metadata.packages.iter().find(|package| package.name == "citewire");
        ours.context("`cargo metadata` does not name citewire")
    }

    /// A cargo command that works on this repository.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = cargo();
        command.args(arguments).current_dir(&self.metadata.workspace_root);
        command
    }

    /// A cargo command that lints packages of ours while it compiles them, so that nothing is compiled for the lints alone. It
    /// leaves out what costs a clean clone time: what a debugger reads, and what a second build could use again.
    pub(crate) fn cargo_with_lints(&self, arguments: &[&str]) -> Command {
        let mut command = self.cargo(arguments);
        command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
        command.env("CARGO_PROFILE_DEV_DEBUG", "none").env("CARGO_INCREMENTAL", "0");
        command
    }

    /// The program as the tests build it: with the same features of its dependencies, so that nothing is built twice. The suite
    /// builds it once, and says so to its steps.
    pub(crate) fn build_for_tests(&self) -> Result<PathBuf> {
        if std::env::var_os(BUILT).is_none() {
            process::run(&mut self.cargo_with_lints(&TEST_PROGRAMS))?;
        }
        Ok(self.target("debug/citewire"))
    }

    /// Builds the program and gives its path.
    pub(crate) fn build(&self, release: bool) -> Result<PathBuf> {
        let mut arguments = vec!["build", "--locked", "--bin", "citewire"];
        if release {
            arguments.push("--release");
        }
        process::run(&mut self.cargo(&arguments))?;
        Ok(self.target(if release { "release/citewire" } else { "debug/citewire" }))
    }
}

/// The cargo that started us, so that the pinned toolchain is used throughout.
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
