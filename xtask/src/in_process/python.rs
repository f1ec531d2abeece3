//! The package for PyPI, with the module that the suite has built or as a wheel.

use super::{example, write_vectors};
use crate::repository::Repository;
use crate::{dist, process, python};
use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tries the package around a module, and has mypy judge its types.
pub(crate) fn test(repository: &Repository, module: &Path, writer: Command) -> Result<()> {
    let (source, folder) = (repository.path("bindings/python"), repository.target("python"));
    let package = folder.join("package/citewire");
    fs::create_dir_all(&package)?;
    for file in ["__init__.py", "_native.pyi", "py.typed"] {
        fs::copy(source.join("citewire").join(file), package.join(file)).with_context(|| format!("{file}, a part"))?;
    }
    let name = if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" };
    fs::copy(module, package.join(name)).with_context(|| format!("{}, the module", module.display()))?;
    let judge = folder.join("judge");
    python::install(&source.join("test/requirements.txt"), &judge)?;
    let mut mypy = Command::new(python::program(&judge));
    mypy.args(["-m", "mypy", "--strict", "--python-version", "3.10", "--no-error-summary"])
        .arg(&package)
        .arg(source.join("test/test_calls.py"));
    process::run(mypy.env("MYPYPATH", folder.join("package")).current_dir(&folder))?;
    let run = || {
        let mut python = Command::new("python3");
        python.env("PYTHONPATH", folder.join("package")).env("PYTHONDONTWRITEBYTECODE", "1");
        python
    };
    run_all(&source, &folder, run, writer)
}

/// Builds the wheel, installs it as users do, and tries it.
pub(crate) fn test_wheel(repository: &Repository, writer: Command) -> Result<()> {
    let (source, folder) = (repository.path("bindings/python"), repository.target("python-wheel"));
    let wheel = dist::python_for_tests(repository, &folder)?;
    let environment = folder.join("environment");
    process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment))?;
    let mut pip = Command::new(python::program(&environment));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]);
    process::run(pip.arg(wheel))?;
    run_all(&source, &folder, || Command::new(python::program(&environment)), writer)?;
    samples(repository, &folder, &environment)
}

/// Runs the programs that convert in processes of frameworks, with the real packages of those.
fn samples(repository: &Repository, folder: &Path, installed: &Path) -> Result<()> {
    let (source, frameworks) = (repository.path("samples/in-process"), folder.join("frameworks"));
    python::install(&source.join("requirements.txt"), &frameworks)?;
    let code = "import sysconfig; print(sysconfig.get_path('platlib'))";
    let packages = process::output(Command::new(python::program(installed)).args(["-c", code]))?;
    let mut python = Command::new(python::program(&frameworks));
    python.args(["-m", "unittest", "test_python"]).env("PYTHONPATH", packages.trim()).current_dir(source);
    process::run(python.env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Runs the example of the README, the tests and the vectors, each by a Python that has the package.
fn run_all(source: &Path, folder: &Path, python: impl Fn() -> Command, writer: Command) -> Result<()> {
    // Without assertions the vectors would be equal whatever came.
    let python = || {
        let mut python = python();
        python.env_remove("PYTHONOPTIMIZE");
        python
    };
    let readme = fs::read_to_string(source.join("README.md")).context("the README")?;
    let code = example(&readme, "python").context("the README has no example")?;
    let said = process::output(python().args(["-c", code]))?;
    anyhow::ensure!(said.ends_with("https://hr.example/leave True\n"), "the example of the README printed {said}");
    process::run(python().arg(source.join("test/test_calls.py")))?;
    let vectors: PathBuf = folder.join("vectors.jsonl");
    write_vectors(writer, &vectors)?;
    process::run(python().arg(source.join("test/vectors.py")).arg(vectors))
}
