//! The file of a document, which is read in parts.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

use bytes::Bytes;

use super::{DocumentId, LibraryError, RemoteDocument, RemoteDocuments};
use crate::store::{AssistantStore, DocumentKey, DocumentPart, MAX_PIECE_BYTES};

/// The bytes of a file that are read at a time.
const PART_BYTES: usize = 256 * 1024;

/// The file of a document as it was when it was opened. Nothing of it is read until a part is asked for.
#[derive(Debug)]
pub struct OriginalFile {
    bytes: u64,
    tag: Option<String>,
    edition: Option<u64>,
    place: FileLocation,
}

#[derive(Debug)]
pub(super) enum FileLocation {
    Folder(Arc<File>),
    Upload(Arc<dyn AssistantStore>, DocumentKey),
    Remote(Arc<dyn RemoteDocuments>, RemoteDocument),
    Program(&'static str),
}

impl OriginalFile {
    pub(super) fn new(bytes: u64, tag: Option<String>, place: FileLocation) -> Self {
        let edition = match &place {
            FileLocation::Upload(_, key) => Some(key.0),
            FileLocation::Folder(_) | FileLocation::Remote(..) | FileLocation::Program(_) => None,
        };
        Self { bytes, tag, edition, place }
    }

    /// A document of another service.
    pub(super) fn of_remote(place: Arc<dyn RemoteDocuments>, found: RemoteDocument) -> Self {
        let version = format!("{:?} {} {}", found.tag, found.bytes, found.modified.timestamp_millis());
        let tag = DocumentId::of_path(&version).to_string();
        Self::new(found.bytes, Some(tag), FileLocation::Remote(place, found))
    }

    /// The size, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The tag, different in another version of the file: letters, digits and `-`. `None` where there is nothing to
    /// tell versions by.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// The number of the upload; `None` where it was not uploaded.
    #[must_use]
    pub fn edition(&self) -> Option<u64> {
        self.edition
    }

    /// Some bytes from a place in the file on, at most 1 MiB; none behind its end, and where it is not any more what it was.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn part(&self, at: u64) -> Result<Bytes, LibraryError> {
        if at >= self.bytes {
            return Ok(Bytes::new());
        }
        let end = self.bytes.min(at.saturating_add(PART_BYTES as u64));
        match &self.place {
            FileLocation::Folder(file) => {
                let file = Arc::clone(file);
                let read = move || {
                    let mut part = Vec::new();
                    let mut file = &*file;
                    file.seek(SeekFrom::Start(at))?;
                    file.take(end - at).read_to_end(&mut part)?;
                    Ok::<_, std::io::Error>(part)
                };
                Ok(tokio::task::spawn_blocking(read).await?.map_err(LibraryError::Part)?.into())
            }
            FileLocation::Upload(store, key) => {
                // All pieces but the last have the same size.
                let size = MAX_PIECE_BYTES as u64;
                let place = u32::try_from(at / size).unwrap_or(u32::MAX);
                let piece = store.piece(*key, DocumentPart::File, place).await?;
                let mut piece = piece.map(Bytes::from).unwrap_or_default();
                let skipped = usize::try_from(at % size).unwrap_or(usize::MAX).min(piece.len());
                Ok(piece.split_off(skipped))
            }
            FileLocation::Remote(place, document) => {
                Ok(place.read_range(document, at..end).await?.map(Bytes::from).unwrap_or_default())
            }
            FileLocation::Program(text) => {
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                Ok(Bytes::from_static(text.as_bytes().get(at..).unwrap_or_default()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::clock::SystemClock;
    use crate::store::{DocumentLimits, Expected, SqliteStore, StoreLimits};

    /// A reader who wants a byte costs one piece, and one who only asks for the size none.
    #[tokio::test]
    async fn a_part_of_an_upload_is_read_from_its_piece_alone() {
        let store: Arc<dyn AssistantStore> =
            Arc::new(SqliteStore::in_memory(StoreLimits::in_memory(), Arc::new(SystemClock)).await.expect("a store"));
        store.put_assistant("hr", Map::new(), Expected::Anything).await.expect("stored");
        let key = store.draft_document("hr", "a.md").await.expect("a store").expect("a draft");
        for letter in [b'a', b'b'] {
            store.add_piece(key, DocumentPart::File, vec![letter; MAX_PIECE_BYTES]).await.expect("added");
        }
        let limits = DocumentLimits { max_bytes: u64::MAX, max_documents: 9 };
        store.publish_document(key, limits).await.expect("published");
        let size = MAX_PIECE_BYTES as u64;
        let file = OriginalFile::new(2 * size, None, FileLocation::Upload(Arc::clone(&store), key));
        assert_eq!(file.part(size - 1).await.expect("read"), "a");
        let second = file.part(size + 1).await.expect("read");
        assert!(second.len() == MAX_PIECE_BYTES - 1 && second.iter().all(|byte| *byte == b'b'));
        assert_eq!(file.part(2 * size).await.expect("read"), "");
        store.delete_document("hr", "a.md").await.expect("deleted");
        assert_eq!(file.part(0).await.expect("read"), "", "it is gone");
    }
}
