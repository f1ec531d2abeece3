//! The test programs: built by cargo once, and started here.

use crate::process;
use crate::repository::{Repository, TEST_PROGRAMS};
use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use std::env::consts::DLL_EXTENSION;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A line that cargo writes about something that it has built.
#[derive(Debug, Deserialize)]
struct Artifact {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    target: Option<Target>,
    profile: Option<Profile>,
    executable: Option<PathBuf>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
    message: Option<Message>,
}

/// A complaint of the compiler or of clippy, as people read it.
#[derive(Debug, Deserialize)]
struct Message {
    rendered: Option<String>,
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
    process::run(&mut repository.cargo_with_lints(&TEST_PROGRAMS))
}

/// Compiles benchmarks and examples as well, and fails when there is a complaint about them or what is built already: cargo
/// tells again what it was told then.
pub(super) fn lint(repository: &Repository) -> Result<()> {
    let mut cargo = repository.cargo_with_lints(&TEST_PROGRAMS);
    cargo.args(["--benches", "--examples"]);
    let output =
        cargo.args(["--message-format", "json"]).stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    let complaints = complaints(&String::from_utf8_lossy(&output.stdout))?;
    print!("{}", complaints.join("\n"));
    if !complaints.is_empty() || !output.status.success() {
        bail!("{} complaints; cargo ended with {}", complaints.len(), output.status);
    }
    // No test starts xtask itself, so what only its tests use would be found nowhere.
    process::run(&mut repository.cargo(&["clippy", "--locked", "--package", "xtask", "--", "-D", "warnings"]))
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

/// The file of a library that another language loads, by its name.
pub(super) fn library(repository: &Repository, name: &str) -> Result<PathBuf> {
    for artifact in artifacts(&built(repository)?) {
        let Artifact { target, filenames, .. } = artifact?;
        let is_loaded = |file: &PathBuf| file.extension().is_some_and(|extension| extension == DLL_EXTENSION);
        if target.is_some_and(|target| target.name == name)
            && let Some(file) = filenames.into_iter().find(is_loaded)
        {
            return Ok(file);
        }
    }
    bail!("no library is named {name}")
}

/// All that cargo has built, as it tells of it.
fn built(repository: &Repository) -> Result<String> {
    let mut cargo = repository.cargo_with_lints(&TEST_PROGRAMS);
    process::output(cargo.args(["--quiet", "--message-format", "json-render-diagnostics"]))
}

fn all(repository: &Repository) -> Result<Vec<Program>> {
    let programs = read(&built(repository)?)?;
    if programs.is_empty() {
        bail!("cargo has built no test program");
    }
    Ok(programs)
}

fn artifacts(text: &str) -> impl Iterator<Item = Result<Artifact>> {
    text.lines().map(|line| serde_json::from_str(line).with_context(|| format!("cargo wrote `{line}`")))
}

fn complaints(text: &str) -> Result<Vec<String>> {
    let said = artifacts(text).filter_map(|artifact| match artifact {
        Ok(artifact) => artifact.message.map(|message| Ok(message.rendered.unwrap_or_default())),
        Err(error) => Some(Err(error)),
    });
    said.collect()
}

fn read(text: &str) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for artifact in artifacts(text) {
        let artifact = artifact?;
        let is_test = artifact.reason == "compiler-artifact" && artifact.profile.is_some_and(|profile| profile.test);
        let (Some(file), Some(target)) = (artifact.executable.filter(|_| is_test), artifact.target) else { continue };
        let folder = artifact.manifest_path.parent().context("a package without a folder")?.to_owned();
        programs.push(Program { name: target.name, file, folder });
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::{Program, complaints, read};

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

    #[test]
    fn a_warning_is_a_complaint_and_what_was_built_is_none() {
        let built = "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"core\"},\"executable\":null}";
        let said =
            "{\"reason\":\"compiler-message\",\"message\":{\"level\":\"warning\",\"rendered\":\"warning: odd\\n\"}}";
        assert_eq!(complaints(built).expect("lines"), [""; 0]);
        assert_eq!(complaints(&format!("{built}\n{said}\n")).expect("lines"), ["warning: odd\n"]);
        assert!(complaints("warning: odd").is_err());
    }
}
