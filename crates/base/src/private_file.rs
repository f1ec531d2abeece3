//! Files and folders that only their owner can read and write.
//!
//! On Unix the mode says so. On Windows a new file has the access list of its folder, and the folders of a user's profile, where the
//! data directory is by default, let in that user and administrators only; nothing is changed or judged there.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// The mode of a file that the owner alone reads and writes.
#[cfg(unix)]
const PRIVATE: u32 = 0o600;

/// The owner alone can see and put files in a new folder: others could put a secret of their own there first.
#[cfg(unix)]
const PRIVATE_FOLDER: u32 = 0o700;

/// Makes the folder and those above it, as far as they are missing. Folders that are there stay as they are.
///
/// # Errors
/// What the system says.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, PRIVATE_FOLDER);
    builder.create(folder)
}

/// Options under which a file that is new is private. The caller says what else holds.
#[must_use]
pub fn options() -> OpenOptions {
    #[cfg_attr(windows, expect(unused_mut, reason = "a file of Windows has no mode"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, PRIVATE);
    options
}

/// Makes a file private that is there already.
///
/// # Errors
/// On Unix when the file belongs to another user.
pub fn make_private(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(PRIVATE))?;
    #[cfg(not(unix))]
    fs::metadata(path)?;
    Ok(())
}

/// Whether other users of the system can read the file, as far as its mode says so. A file that is not there counts as
/// unreadable.
#[must_use]
pub fn is_readable_by_others(path: &Path) -> bool {
    has_mode(path, 0o077)
}

/// Whether other users of the system can write to the file, or put files into the folder.
#[must_use]
pub fn is_writable_by_others(path: &Path) -> bool {
    has_mode(path, 0o022)
}

/// The identity of a file, which differs from that of another one under the same name.
pub type FileIdentity = (u64, u64);

/// The file that has this name now; `None` where there is none.
#[must_use]
#[cfg(unix)]
pub fn identity(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

/// A constant: Windows deletes and replaces no file that is open.
#[must_use]
#[cfg(not(unix))]
pub fn identity(path: &Path) -> Option<FileIdentity> {
    fs::metadata(path).ok().map(|_| (0, 0))
}

#[cfg(unix)]
fn has_mode(path: &Path, bits: u32) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|data| data.permissions().mode() & bits != 0)
}

#[cfg(not(unix))]
fn has_mode(_: &Path, _: u32) -> bool {
    false
}

/// Makes the names in a folder outlast a power cut, as `sync_all` does for the content of files. Windows has no call
/// for it: NTFS keeps a journal of names.
///
/// # Errors
/// What the system says.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Gives a file that was written under another name in the same folder its own name, as a whole: after a power cut it has the
/// new name and all that was written, or the old one.
///
/// # Errors
/// What the system says.
pub fn put(written: &Path, path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(written)?.sync_all()?;
    fs::rename(written, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sync_folder(folder)
}
