//! Lists the documents in a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use citewire_documents::Format;

use super::original::{FileLocation, OriginalFile};
use super::{LibraryError, LibraryOptions};

/// The reason why a file or folder is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// The name begins with a dot.
    Hidden,
    /// The name has an ending that is no format of documents, or it is no file.
    OtherType,
    /// A link to a folder: its files are documents only where the folder itself is.
    LinkedFolder,
    /// A link that leads out of the folder, or nowhere.
    LeadsOut,
    /// The name is not UTF-8.
    NotUtf8,
}

/// The number of skipped files and folders for each reason.
pub type Skipped = BTreeMap<SkipReason, usize>;

/// A file that is a document, as it was when the folder was listed. Two listings that are equal are taken for the same
/// documents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ListedFile {
    /// With `/` between the parts.
    pub(super) path: String,
    pub(super) format: Format,
    pub(super) bytes: u64,
    pub(super) modified: Option<SystemTime>,
}

/// The documents of the folder, in the order of their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FolderListing {
    pub(super) files: Vec<ListedFile>,
    pub(super) skipped: Skipped,
    /// Files that are skipped although their owner may expect them to be read.
    odd: Vec<(SkipReason, PathBuf)>,
    /// The files that are no documents by their names.
    pub(super) other: Vec<String>,
}

impl FolderListing {
    /// Tells the operator what may be a surprise: to be called once for each listing that differs from the one before.
    pub(super) fn tell(&self) {
        for (why, path) in &self.odd {
            let path = path.display();
            match why {
                SkipReason::LeadsOut => {
                    tracing::warn!(%path, "a link that leads out of the folder of documents is skipped");
                }
                SkipReason::NotUtf8 => tracing::warn!(%path, "a file whose name is not UTF-8 is skipped"),
                SkipReason::Hidden | SkipReason::OtherType | SkipReason::LinkedFolder => {}
            }
        }
        if !self.other.is_empty() {
            let endings: BTreeSet<&str> = self.other.iter().map(|path| ending(path)).collect();
            let endings = endings.into_iter().take(ENDINGS).collect::<Vec<_>>().join(" ");
            tracing::info!(count = self.other.len(), endings, "files of other types are skipped");
        }
    }
}

/// The maximum number of endings of skipped files that are named.
const ENDINGS: usize = 20;

/// The ending of the name of a file, with its dot; the whole name where it has none.
fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rfind('.').map_or(name, |dot| &name[dot..])
}

/// The folder itself, by its true name.
pub(super) fn root(options: &LibraryOptions) -> Result<PathBuf, LibraryError> {
    let unreadable = |source| LibraryError::Folder { folder: options.folder.clone(), source };
    let root = fs::canonicalize(&options.folder).map_err(unreadable)?;
    if root.is_dir() { Ok(root) } else { Err(unreadable(io::Error::from(io::ErrorKind::NotADirectory))) }
}

/// Lists the folder. No file is opened.
pub(super) fn list(options: &LibraryOptions) -> Result<FolderListing, LibraryError> {
    let root = root(options)?;
    let mut walk = FolderWalk { options, listing: FolderListing::default(), bytes: 0, root: &root };
    walk.folder(&root, "", 0)?;
    let mut listing = walk.listing;
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.odd.sort();
    listing.other.sort();
    Ok(listing)
}

/// Reads a document, which by now may be another file, or none.
///
/// # Errors
/// When it is there but cannot be read, or is too big.
pub(super) fn read(options: &LibraryOptions, path: &str) -> Result<Option<Vec<u8>>, LibraryError> {
    let Some((mut file, data)) = find(options, path)? else { return Ok(None) };
    let mut bytes = Vec::with_capacity(usize::try_from(data.len()).unwrap_or_default());
    file.read_to_end(&mut bytes).map_err(LibraryError::Part)?;
    Ok(Some(bytes))
}

/// Opens a document without reading it.
///
/// # Errors
///
/// When it is there but cannot be read, or is too big.
pub(super) fn open(options: &LibraryOptions, path: &str) -> Result<Option<OriginalFile>, LibraryError> {
    let Some((file, data)) = find(options, path)? else { return Ok(None) };
    let changed = data.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    let tag = changed.map(|changed| format!("{:x}-{:x}", data.len(), changed.as_nanos()));
    Ok(Some(OriginalFile::new(data.len(), tag, FileLocation::Folder(Arc::new(file)))))
}

fn find(options: &LibraryOptions, path: &str) -> Result<Option<(fs::File, fs::Metadata)>, LibraryError> {
    let root = root(options)?;
    let file = path.split('/').fold(root.clone(), |folder, part| folder.join(part));
    // The file of now, and not that of the listing, decides whether it may be read.
    let Some(target) = within(&root, &file) else { return Ok(None) };
    let unreadable = |source| LibraryError::File { path: file.clone(), source };
    // A pipe would be waited for.
    if !fs::metadata(&target).map_err(unreadable)?.is_file() {
        return Ok(None);
    }
    let opened = fs::File::open(&target).map_err(unreadable)?;
    let data = opened.metadata().map_err(unreadable)?;
    let limit = options.max_document_bytes;
    if data.len() > limit {
        return Err(LibraryError::DocumentTooBig { path: file, bytes: data.len(), limit });
    }
    Ok(Some((opened, data)))
}

/// The target of a path, if that is in the folder.
fn within(root: &Path, path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().filter(|target| target.starts_with(root))
}

struct FolderWalk<'o> {
    options: &'o LibraryOptions,
    root: &'o Path,
    listing: FolderListing,
    bytes: u64,
}

impl FolderWalk<'_> {
    fn skip(&mut self, why: SkipReason, path: &Path) {
        match why {
            SkipReason::Hidden | SkipReason::OtherType | SkipReason::LinkedFolder => {}
            SkipReason::LeadsOut | SkipReason::NotUtf8 => self.listing.odd.push((why, path.to_owned())),
        }
        *self.listing.skipped.entry(why).or_default() += 1;
    }

    fn folder(&mut self, folder: &Path, relative: &str, depth: usize) -> Result<(), LibraryError> {
        let unreadable = |source| LibraryError::File { path: folder.to_owned(), source };
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = entry.path();
            let kind = entry.file_type().map_err(unreadable)?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                self.skip(SkipReason::NotUtf8, &path);
                continue;
            };
            if name.starts_with('.') {
                self.skip(SkipReason::Hidden, &path);
                continue;
            }
            let relative = if relative.is_empty() { name.to_owned() } else { format!("{relative}/{name}") };
            if kind.is_dir() {
                let limit = self.options.max_depth;
                if depth >= limit {
                    return Err(LibraryError::TooDeep { path, limit });
                }
                self.folder(&path, &relative, depth + 1)?;
            } else {
                self.file(path, relative, kind.is_symlink())?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, relative: String, is_link: bool) -> Result<(), LibraryError> {
        if is_link && within(self.root, &path).is_none() {
            self.skip(SkipReason::LeadsOut, &path);
            return Ok(());
        }
        let data = match fs::metadata(&path) {
            Ok(data) => data,
            // The entry was deleted since its folder was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(LibraryError::File { path, source }),
        };
        let readable = |format: &Format| data.is_file() && (format.is_text() || self.options.reader.is_some());
        let Some(format) = Format::of_name(&relative).filter(readable) else {
            self.skip(if data.is_dir() { SkipReason::LinkedFolder } else { SkipReason::OtherType }, &path);
            if data.is_file() {
                self.listing.other.push(relative);
            }
            return Ok(());
        };
        let LibraryOptions { max_document_bytes, max_total_bytes, max_documents, .. } = *self.options;
        self.bytes = self.bytes.saturating_add(data.len());
        if data.len() > max_document_bytes {
            return Err(LibraryError::DocumentTooBig { path, bytes: data.len(), limit: max_document_bytes });
        }
        if self.bytes > max_total_bytes {
            return Err(LibraryError::TooMuch { path, limit: max_total_bytes });
        }
        if self.listing.files.len() >= max_documents {
            return Err(LibraryError::TooMany { path, limit: max_documents });
        }
        let modified = data.modified().ok();
        self.listing.files.push(ListedFile { path: relative, format, bytes: data.len(), modified });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> (tempfile::TempDir, LibraryOptions) {
        let folder = tempfile::tempdir().expect("a folder");
        let options = LibraryOptions::new(folder.path().join("docs"));
        fs::create_dir_all(options.folder.join("a/b")).expect("folders");
        (folder, options)
    }

    fn write(options: &LibraryOptions, path: &str, text: &str) {
        fs::write(options.folder.join(path), text).expect("written");
    }

    fn paths(options: &LibraryOptions) -> Vec<String> {
        list(options).expect("a listing").files.into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn documents_are_found_in_folders_and_everything_else_is_counted() {
        let (_keep, options) = folder();
        fs::create_dir(options.folder.join(".git")).expect("a folder");
        for path in ["z.md", "a/b/c.TXT", "a/x.markdown", ".git/d.md", ".hidden.md", "e.pdf", "noend"] {
            write(&options, path, "x");
        }
        assert_eq!(paths(&options), ["a/b/c.TXT", "a/x.markdown", "z.md"]);
        let skipped = list(&options).expect("a listing").skipped;
        assert_eq!(skipped, [(SkipReason::Hidden, 2), (SkipReason::OtherType, 2)].into());
    }

    #[test]
    fn a_link_is_followed_only_where_it_stays_in_the_folder() {
        let (keep, options) = folder();
        fs::write(keep.path().join("secret.md"), "x").expect("written");
        write(&options, "a/real.md", "inside");
        for (target, link) in [
            (keep.path().join("secret.md"), "out.md"),
            (keep.path().to_owned(), "outer"),
            (options.folder.join("a"), "a/b/loop"),
            (options.folder.join("a/real.md"), "again.md"),
            (options.folder.join("gone.md"), "dangling.md"),
        ] {
            symlink(target, options.folder.join(link)).expect("a link");
        }
        assert_eq!(paths(&options), ["a/real.md", "again.md"]);
        let skipped = list(&options).expect("a listing").skipped;
        assert_eq!(skipped, [(SkipReason::LinkedFolder, 1), (SkipReason::LeadsOut, 3)].into());
        assert_eq!(read(&options, "again.md").expect("read"), Some(b"inside".to_vec()));
        for path in ["out.md", "gone.md", "../secret.md", "a"] {
            assert_eq!(read(&options, path).expect("no error"), None, "{path}");
        }
    }

    #[test]
    fn a_limit_that_is_passed_names_the_file_and_what_mends_it() {
        let (_keep, options) = folder();
        write(&options, "a/b/c.md", "1234567890");
        write(&options, "a/d.md", "1234567890");
        for (options, words) in [
            (LibraryOptions { max_document_bytes: 9, ..options.clone() }, ["has 10 bytes", "max_document_bytes"]),
            (LibraryOptions { max_total_bytes: 19, ..options.clone() }, ["more than 19 bytes", "max_total_bytes"]),
            (LibraryOptions { max_documents: 1, ..options.clone() }, ["more than 1 documents", "max_documents"]),
            (LibraryOptions { max_depth: 1, ..options.clone() }, ["a/b lies more than 1", "max_depth"]),
            (LibraryOptions { folder: options.folder.join("none"), ..options.clone() }, ["docs/none", "that exists"]),
            (LibraryOptions { folder: options.folder.join("a/d.md"), ..options.clone() }, ["a/d.md", "that exists"]),
        ] {
            let error = list(&options).expect_err("a limit").to_string();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
        assert_eq!(paths(&LibraryOptions { max_documents: 2, max_depth: 2, ..options }).len(), 2);
    }
}
