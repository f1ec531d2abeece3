//! Child processes, with errors that name the command and what to do about it.

use anyhow::{Context as _, Result, bail};
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a command with our own output streams and fails when it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", shown(command));
    let status = command.status().with_context(|| missing(command))?;
    if !status.success() {
        bail!("`{}` ended with {status}", shown(command));
    }
    Ok(())
}

/// Runs a command and gives what it wrote on stdout; stderr stays visible.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(std::process::Stdio::inherit()).output().with_context(|| missing(command))?;
    if !output.status.success() {
        bail!("`{}` ended with {}", shown(command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{}` wrote something that is no text", shown(command)))
}

/// Waits until no other step has the file for itself, and has it until the result is dropped.
pub(crate) fn alone(file: &Path) -> Result<File> {
    let open = File::open(file).with_context(|| format!("cannot open {}", file.display()))?;
    open.lock().with_context(|| format!("cannot lock {}", file.display()))?;
    Ok(open)
}

/// Replaces this process by the command; comes back only when that fails.
#[cfg(unix)]
pub(crate) fn become_it(mut command: Command) -> Result<()> {
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    Err(error).with_context(|| format!("cannot start `{}`", shown(&command)))
}

/// Runs the command to its end: Windows cannot replace a process.
#[cfg(not(unix))]
pub(crate) fn become_it(mut command: Command) -> Result<()> {
    run(&mut command)
}

/// The file that a bare program name stands for, as the shell would find it.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(|file| is_program(file))
}

/// Whether this is a file that somebody may execute.
#[cfg(not(unix))]
pub(crate) fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// Whether this is a file that somebody may execute.
#[cfg(unix)]
pub(crate) fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

fn shown(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

fn missing(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let remedy = match program.as_ref() {
        "npm" | "npm.cmd" | "node" => "install Node.js 20 or newer with npm, and put both on PATH",
        "python3" => "install Python 3.11 or newer with its module venv, and put it on PATH",
        "tar" => "install tar, and put it on PATH",
        _ => "install it, and put it on PATH",
    };
    format!("cannot start `{program}`: {remedy}")
}
