//! The test programs: built by cargo once, and started here.

use crate::process;
use crate::repository::{Repository, TEST_PROGRAMS};
use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use std::path::PathBuf;
use std::process::Command;

/// A line that cargo writes about something that it has built.
#[derive(Debug, Deserialize)]
struct Artifact {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    target: Option<Target>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
}

#[derive(Debug, Deserialize)]
struct Profile {
    test: bool,
}

/// A program of tests, and the folder in which it starts.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    name: String,
    file: PathBuf,
    folder: PathBuf,
}

impl Program {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.file);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command
    }
}

pub(super) fn build(repository: &Repository) -> Result<()> {
    process::run(&mut repository.cargo(&TEST_PROGRAMS))
}

/// Runs every test program, all of them even when a test of one fails.
pub(super) fn run_all(repository: &Repository) -> Result<()> {
    let mut failed = Vec::new();
    for program in all(repository)? {
        if let Err(error) = process::run(&mut program.command()) {
            println!("{error:#}");
            failed.push(program.name);
        }
    }
    if !failed.is_empty() {
        bail!("tests failed in {}", failed.join(", "));
    }
    Ok(())
}

/// The program of one name, to be started.
pub(super) fn one(repository: &Repository, name: &str) -> Result<Command> {
    let programs = all(repository)?;
    let found = programs.iter().find(|program| program.name == name);
    Ok(found.with_context(|| format!("no test program is named {name}"))?.command())
}

fn all(repository: &Repository) -> Result<Vec<Program>> {
    let mut cargo = repository.cargo(&TEST_PROGRAMS);
    let text = process::output(cargo.args(["--quiet", "--message-format", "json-render-diagnostics"]))?;
    let programs = read(&text)?;
    if programs.is_empty() {
        bail!("cargo has built no test program");
    }
    Ok(programs)
}

fn read(text: &str) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for line in text.lines() {
        let artifact: Artifact = serde_json::from_str(line).with_context(|| format!("cargo wrote `{line}`"))?;
        let is_test = artifact.reason == "compiler-artifact" && artifact.profile.is_some_and(|profile| profile.test);
        let (Some(file), Some(target)) = (artifact.executable.filter(|_| is_test), artifact.target) else { continue };
        let folder = artifact.manifest_path.parent().context("a package without a folder")?.to_owned();
        programs.push(Program { name: target.name, file, folder });
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::{Program, read};

    #[test]
    fn test_programs_are_told_from_libraries_commands_and_other_lines() {
        let line = |test: bool, executable: &str| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/here/crates/core/Cargo.toml\",\"target\":{{\"name\":\"core\"}},\"profile\":{{\"test\":{test}}},\"executable\":{executable}}}"
            )
        };
        let lines = [
            line(true, "\"/built/core-1\""),
            line(false, "\"/built/citewire\""),
            line(true, "null"),
            "{\"reason\":\"build-finished\",\"success\":true}".to_owned(),
        ];
        let expected =
            Program { name: "core".to_owned(), file: "/built/core-1".into(), folder: "/here/crates/core".into() };
        assert_eq!(read(&lines.join("\n")).expect("programs"), [expected]);
        assert!(read("warning: odd").is_err());
    }
}
