//! Environments of Python with exactly the packages that a file names.

use crate::process;
use anyhow::{Context as _, Result, bail};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest Python that everything runs on.
const OLDEST: (u32, u32) = (3, 11);

/// Makes an environment with exactly the packages of a file, whose hashes must match, unless it is there already.
pub(crate) fn install(requirements: &Path, environment: &Path) -> Result<()> {
    let wanted = std::fs::read(requirements).with_context(|| format!("{} cannot be read", requirements.display()))?;
    // Written last, so that an installation which was interrupted is begun anew.
    let done = environment.join("installed.txt");
    if std::fs::read(&done).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let version = process::output(Command::new("python3").arg("--version"))?;
    if parsed(&version).with_context(|| format!("`python3 --version` wrote `{}`", version.trim()))? < OLDEST {
        bail!("{} is too old: install Python {}.{} or newer", version.trim(), OLDEST.0, OLDEST.1);
    }
    process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(environment))?;
    let mut pip = Command::new(program(environment));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    // The file names all packages, and nothing is built, so that no code of a package runs before it is used.
    pip.args(["--require-hashes", "--no-deps", "--only-binary", ":all:", "--requirement"]).arg(requirements);
    process::run(&mut pip)?;
    std::fs::write(&done, wanted).with_context(|| format!("{} cannot be written", done.display()))
}

/// The interpreter of an environment.
pub(crate) fn program(environment: &Path) -> PathBuf {
    scripts(environment).join("python")
}

/// Puts the programs of an environment before all others that a command finds.
pub(crate) fn on_path(command: &mut Command, environment: &Path) -> Result<()> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(scripts(environment)).chain(env::split_paths(&path));
    command.env("PATH", env::join_paths(folders).context("PATH cannot be extended")?);
    Ok(())
}

fn scripts(environment: &Path) -> PathBuf {
    environment.join(if cfg!(windows) { "Scripts" } else { "bin" })
}

/// 3 and 11 from `Python 3.11.7`.
fn parsed(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.trim().strip_prefix("Python ")?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::{OLDEST, parsed};

    #[test]
    fn the_version_of_python_is_read() {
        assert_eq!(parsed("Python 3.11.7\n"), Some((3, 11)));
        assert!(parsed("Python 3.9.2").is_some_and(|version| version < OLDEST));
        assert!(parsed("Python 4.0.0rc1").is_some_and(|version| version > OLDEST));
        assert_eq!(parsed("3.11.7"), None);
    }
}
