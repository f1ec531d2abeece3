//! Secrets that citewire generates and stores in the data directory.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::private_file;
use crate::secret::Secret;

/// A generated secret, with the path of its file.
#[derive(Clone, Debug)]
pub(super) struct GeneratedSecret {
    pub(super) secret: Secret,
    pub(super) path: PathBuf,
    /// Whether it was made at this start, so that the operator does not know it yet.
    pub(super) is_new: bool,
}

/// A secret cannot be read or generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GeneratedSecretError {
    /// The file cannot be used.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file holds no secret.
    #[error("{path} does not contain a valid secret; delete the file, and citewire creates a new secret")]
    Unusable {
        /// The file.
        path: PathBuf,
    },
    /// The system has no random numbers.
    #[error("the operating system provides no random numbers")]
    NoRandomness,
}

/// The secret in the file of this name, made when there is none yet.
pub(super) fn keep(folder: &Path, name: &str) -> Result<GeneratedSecret, GeneratedSecretError> {
    let path = folder.join(name);
    let file = |source| GeneratedSecretError::File { path: path.clone(), source };
    private_file::create_folder(folder).map_err(file)?;
    match private_file::options().write(true).create_new(true).open(&path) {
        Ok(mut new) => {
            let secret = generate()?;
            writeln!(new, "{}", secret.expose()).and_then(|()| new.sync_all()).map_err(file)?;
            Ok(GeneratedSecret { secret, path, is_new: true })
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            private_file::make_private(&path).map_err(file)?;
            let secret = read(&path).map_err(file)??;
            Ok(GeneratedSecret { secret, path, is_new: false })
        }
        Err(error) => Err(file(error)),
    }
}

/// The secret in the file of this name; `None` when none was made.
pub(super) fn made(folder: &Path, name: &str) -> Result<Option<Secret>, GeneratedSecretError> {
    let path = folder.join(name);
    match read(&path) {
        Ok(secret) => secret.map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(GeneratedSecretError::File { path, source }),
    }
}

fn read(path: &Path) -> io::Result<Result<Secret, GeneratedSecretError>> {
    let text = fs::read_to_string(path)?;
    Ok(Secret::parse(text.trim()).map_err(|_| GeneratedSecretError::Unusable { path: path.to_owned() }))
}

/// 256 random bits.
fn generate() -> Result<Secret, GeneratedSecretError> {
    let mut bytes = [0; 32];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| GeneratedSecretError::NoRandomness)?;
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Secret::parse(&text).map_err(|_| GeneratedSecretError::NoRandomness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_stays_the_same_and_only_its_owner_reads_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("not/there/yet");
        let made = keep(&inner, "api-key").expect("made");
        assert!(!private_file::is_readable_by_others(&made.path));
        assert!(!private_file::is_readable_by_others(&inner));
        assert_eq!(keep(&inner, "api-key").expect("read").secret, made.secret);
        assert_ne!(keep(&inner, "another").expect("made").secret, made.secret);
    }

    #[test]
    fn a_file_without_a_secret_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("api-key"), "").expect("written");
        assert!(matches!(keep(folder.path(), "api-key"), Err(GeneratedSecretError::Unusable { .. })));
    }
}
