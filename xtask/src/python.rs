//! Environments of Python with exactly the packages that a file names.

use crate::process;
use anyhow::{Context as _, Result};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes an environment with exactly the packages of a file, whose hashes must match, unless it is there already.
pub(crate) fn install(requirements: &Path, environment: &Path) -> Result<()> {
    let wanted = std::fs::read(requirements).with_context(|| format!("{} cannot be read", requirements.display()))?;
    // Two steps may want one environment.
    let _alone = process::alone(requirements)?;
    // Written last, so that an installation which was interrupted is begun anew.
    let done = environment.join("installed.txt");
    if std::fs::read(&done).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    process::output(Command::new("python3").args(["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]))
        .context("install Python 3.11 or newer")?;
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
