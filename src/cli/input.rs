//! The input and the output of a command.

use std::fmt;
use std::fs;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// A file or stdin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The named input; no name and `-` mean stdin.
    pub(super) fn named(file: Option<&Path>) -> Self {
        match file {
            None => Self::Stdin,
            Some(path) if path == Path::new("-") => Self::Stdin,
            Some(path) => Self::File(path.to_owned()),
        }
    }

    /// A reader of it, which gives what has arrived.
    pub(super) fn open(&self) -> anyhow::Result<Box<dyn Read>> {
        match self {
            Self::Stdin => Ok(Box::new(io::stdin().lock())),
            Self::File(path) => {
                let file = fs::File::open(path);
                Ok(Box::new(file.with_context(|| format!("{} cannot be read", path.display()))?))
            }
        }
    }

    /// The whole input.
    pub(super) fn read(&self) -> anyhow::Result<Vec<u8>> {
        match self {
            Self::Stdin => {
                let mut bytes = Vec::new();
                io::stdin().lock().read_to_end(&mut bytes).context("stdin cannot be read")?;
                Ok(bytes)
            }
            Self::File(path) => fs::read(path).with_context(|| format!("{} cannot be read", path.display())),
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("stdin"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// The bytes without the mark that editors on Windows put before UTF-8.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Writes to stdout. A closed pipe, as after `head`, is not an error.
pub(super) fn print(bytes: &[u8]) -> io::Result<()> {
    match io::stdout().lock().write_all(bytes) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
