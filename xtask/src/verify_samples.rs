//! The sample answers against the models of the vendors' SDKs, outside the suite: the SDKs are Python's and large.

use crate::process;
use crate::repository::Repository;
use anyhow::{Context as _, Result, bail};
use std::path::Path;
use std::process::Command;

/// The oldest Python that every SDK runs on.
const PYTHON: (u32, u32) = (3, 11);

/// Holds every sample against the model of its provider's SDK; fails when one is not what the model says.
pub(crate) fn run(repository: &Repository, arguments: &[String]) -> Result<()> {
    if let Some(argument) = arguments.first() {
        bail!("`verify-samples` takes no arguments, but got `{argument}`");
    }
    let folder = repository.path("samples/verify");
    let environment = repository.target("verify-samples");
    install(&folder.join("requirements.txt"), &environment)?;
    // The command fails on a fault, and its lines say which.
    process::run(Command::new(environment.join("bin/python")).arg(folder.join("verify.py")))
}

/// Makes an environment with exactly the packages of a file, whose hashes must match, unless it is there already.
fn install(requirements: &Path, environment: &Path) -> Result<()> {
    let wanted = std::fs::read(requirements).with_context(|| format!("{} cannot be read", requirements.display()))?;
    // Written last, so that an installation which was interrupted is begun anew.
    let done = environment.join("installed.txt");
    if std::fs::read(&done).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let version = process::output(Command::new("python3").arg("--version"))?;
    if parsed(&version).with_context(|| format!("`python3 --version` wrote `{}`", version.trim()))? < PYTHON {
        bail!("{} is too old: install Python {}.{} or newer", version.trim(), PYTHON.0, PYTHON.1);
    }
    process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(environment))?;
    let mut pip = Command::new(environment.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    // Nothing is built, so that no code of a package runs before it is used.
    pip.args(["--require-hashes", "--only-binary", ":all:", "--requirement"]).arg(requirements);
    process::run(&mut pip)?;
    std::fs::write(&done, wanted).with_context(|| format!("{} cannot be written", done.display()))
}

/// 3 and 11 from `Python 3.11.7`.
fn parsed(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.trim().strip_prefix("Python ")?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::{PYTHON, parsed};

    #[test]
    fn the_version_of_python_is_read() {
        assert_eq!(parsed("Python 3.11.7\n"), Some((3, 11)));
        assert!(parsed("Python 3.9.2").is_some_and(|version| version < PYTHON));
        assert!(parsed("Python 4.0.0rc1").is_some_and(|version| version > PYTHON));
        assert_eq!(parsed("3.11.7"), None);
    }
}
