//! The package for npm, installed into an empty project.

use super::{example, write_vectors};
use crate::repository::Repository;
use crate::{dist, npm, process};
use anyhow::{Context as _, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Tries the package with vectors that a test program writes.
pub(crate) fn test(repository: &Repository, writer: Command) -> Result<()> {
    let folder = repository.target("in-process");
    let package = dist::core_for_tests(repository, &folder)?;
    let vectors = folder.join("vectors.jsonl");
    write_vectors(writer, &vectors)?;
    in_node(repository, &folder.join("project"), &package, &vectors)?;
    samples(repository, &folder.join("samples"), &package)
}

/// Runs the programs that convert in processes of frameworks, with the real packages of those.
fn samples(repository: &Repository, project: &Path, package: &Path) -> Result<()> {
    let source = repository.path("samples/in-process");
    fs::create_dir_all(project.join("node"))?;
    for folder in ["", "node"] {
        for entry in fs::read_dir(source.join(folder))? {
            let path = entry?.path();
            let is_part = path.extension().is_some_and(|extension| extension == "mjs" || extension == "json");
            if is_part && let Some(name) = path.file_name() {
                fs::copy(&path, project.join(folder).join(name))?;
            }
        }
    }
    npm::install(project)?;
    let mut install = npm::command();
    install.args(["install", "--offline", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]);
    process::run(install.arg(package).current_dir(project))?;
    let mut files = Vec::new();
    for entry in fs::read_dir(project.join("node"))? {
        files.extend(entry?.file_name().into_string().ok().filter(|name| name.ends_with(".test.mjs")));
    }
    anyhow::ensure!(!files.is_empty(), "samples/in-process has no tests");
    // An SDK whose call fails may wait for ever.
    let mut node = Command::new("node");
    process::run(node.args(["--test", "--test-timeout=60000"]).args(files).current_dir(project.join("node")))
}

/// Installs the package as users do, and runs what its README shows, its tests and the vectors.
fn in_node(repository: &Repository, project: &Path, package: &Path, vectors: &Path) -> Result<()> {
    let source = repository.path("bindings/node");
    fs::create_dir_all(project)?;
    fs::write(project.join("package.json"), "{\"private\": true, \"type\": \"module\"}\n")?;
    let mut install = npm::command();
    install.args(["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"]);
    process::run(install.arg(package).current_dir(project))?;
    let readme = fs::read_to_string(source.join("README.md")).context("the README")?;
    fs::write(project.join("readme.mjs"), example(&readme, "js").context("the README has no example")?)?;
    for file in ["calls.test.mjs", "vectors.mjs", "types.ts"] {
        fs::copy(source.join("test").join(file), project.join(file))?;
    }
    let said = process::output(Command::new("node").arg("readme.mjs").current_dir(project))?;
    anyhow::ensure!(said.ends_with("https://hr.example/leave true\n"), "the example of the README printed {said}");
    types(&source, project)?;
    process::run(Command::new("node").args(["--test", "calls.test.mjs"]).current_dir(project))?;
    process::run(Command::new("node").arg("vectors.mjs").arg(vectors).current_dir(project))
}

/// Has the compiler of TypeScript judge a program that uses the types, with lines that they have to refuse.
fn types(source: &Path, project: &Path) -> Result<()> {
    let tests = source.join("test");
    npm::install(&tests)?;
    let mut compiler = Command::new("node");
    compiler.arg(tests.join("node_modules/typescript/bin/tsc")).args(["--strict", "--noEmit", "--module", "nodenext"]);
    compiler.args(["--target", "es2022", "--lib", "es2023,dom,esnext.disposable", "types.ts"]);
    process::run(compiler.current_dir(project))
}
