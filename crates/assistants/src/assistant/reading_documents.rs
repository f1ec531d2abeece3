//! Texts of documents that have to be extracted: uploads and files in folders.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::watch;
use tokio::time::sleep;

use super::{AssistantManager, DocumentsSource};
use crate::document::{LibraryError, UploadOptions, is_text, read_upload};
use crate::store::{DocumentKey, StoredDocument};

/// How long documents that could not be read wait for the next attempt.
const READ_AGAIN_AFTER: Duration = Duration::from_secs(30);

/// The maximum number of documents to look at whose text has to be extracted: more than a few assistants have together, so that the others
/// come to their turns.
const UNREAD: usize = 20_000;

/// The maximum number of documents of one assistant to begin at one time. Those that have to be parsed then wait for their turns.
const BEGUN_EACH: usize = 4;

/// The uploads whose text has to be extracted.
#[derive(Debug, Default)]
struct Unread {
    /// With their assistants, the oldest first.
    documents: Vec<(String, StoredDocument)>,
    /// Those that are being read.
    begun: BTreeMap<String, BTreeMap<DocumentKey, Kind>>,
}

/// How an upload is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// As it is: it waits behind nothing that has to be parsed.
    Text,
    Parsed,
}

impl Unread {
    /// Takes out those that may begin.
    fn admit(&mut self) -> Vec<(String, StoredDocument)> {
        let begun = &mut self.begun;
        let may_begin = |(assistant, document): &mut (String, StoredDocument)| {
            let own = begun.entry(assistant.clone()).or_default();
            let kind = if is_text(&document.name) { Kind::Text } else { Kind::Parsed };
            let others = own.values().filter(|other| **other == kind).count();
            let may = others < BEGUN_EACH && !own.contains_key(&document.key);
            if may {
                own.insert(document.key, kind);
            }
            may
        };
        self.documents.extract_if(.., may_begin).collect()
    }

    /// A document was read, or is to be asked for again.
    fn end(&mut self, assistant: &str, key: DocumentKey) {
        self.documents.retain(|(_, document)| document.key != key);
        if let Some(own) = self.begun.get_mut(assistant) {
            own.remove(&key);
            if own.is_empty() {
                self.begun.remove(assistant);
            }
        }
    }
}

impl AssistantManager {
    /// Tells that a document was uploaded, which has to be read.
    pub fn uploaded(&self) {
        self.uploaded.notify_one();
    }

    /// Changes each time an uploaded document was read.
    #[must_use]
    pub fn watch_reads(&self) -> watch::Receiver<u64> {
        self.reads.subscribe()
    }

    /// Reads uploaded documents, and puts each to work. Never ends by itself.
    pub async fn read_uploads(&self) {
        let (mut waiting, mut running) = (Unread::default(), FuturesUnordered::new());
        loop {
            match self.store.unread_documents(UNREAD).await {
                Ok(unread) => waiting.documents = unread,
                Err(error) => tracing::error!(%error, "uploaded documents could not be read; they are tried again"),
            }
            // A document may have been uploaded to another node.
            let next_look = tokio::time::sleep(READ_AGAIN_AFTER);
            let mut next_look = std::pin::pin!(next_look);
            loop {
                for (assistant, document) in waiting.admit() {
                    running.push(async move {
                        let read = self.read_one(&assistant, &document).await;
                        if let Err(error) = &read {
                            let name = &document.name;
                            tracing::error!(%error, assistant, document = name, "a document could not be read; it is tried again");
                            sleep(READ_AGAIN_AFTER).await;
                        }
                        (assistant, document.key)
                    });
                }
                tokio::select! {
                    Some((assistant, key)) = running.next() => waiting.end(&assistant, key),
                    () = &mut next_look => break,
                    () = self.uploaded.notified() => break,
                }
            }
        }
    }

    async fn read_one(&self, assistant: &str, document: &StoredDocument) -> Result<(), LibraryError> {
        let reader = self.reader.clone().map(|reader| reader.of(assistant));
        let read = read_upload(&*self.store, document, reader.as_ref()).await?;
        {
            let _alone = self.storing.lock().await;
            let library = self.library(assistant);
            if let Some(library) = library.as_ref().filter(|library| library.pending() > 0) {
                library.refresh().await?;
            }
            let others = library.as_ref().map_or(0, |library| library.text_bytes_besides(&document.name));
            let limit = self.max_text_bytes(assistant).await;
            read.store(&*self.store, document, others, limit).await?;
            tracing::debug!(assistant, document = document.name, "an uploaded document was read");
            self.refresh().await;
            // Another refresh may have taken the change over, and be still at it.
            if let Some(library) = library.filter(|library| !library.is_searched(document)) {
                self.refresh_library(assistant, &library).await;
            }
        }
        self.reads.send_modify(|count| *count += 1);
        Ok(())
    }

    /// The text that the uploads of an assistant may have.
    async fn max_text_bytes(&self, assistant: &str) -> u64 {
        let plan = self.stored_plan(assistant).await.ok().flatten();
        match plan.and_then(|plan| plan.documents).map(|documents| documents.source) {
            Some(DocumentsSource::Uploads(options)) => options.max_text_bytes,
            // Its settings have changed since the upload.
            Some(DocumentsSource::Folder(_) | DocumentsSource::Bucket(..)) | None => {
                UploadOptions::default().max_text_bytes
            }
        }
    }

    /// Extracts the texts of files in folders, and puts each to work. Never ends by itself.
    pub async fn read_folders(&self) {
        let (mut busy, mut running) = (BTreeSet::new(), FuturesUnordered::new());
        loop {
            for assistant in self.assistants.all() {
                let Some(library) = assistant.library().filter(|library| library.has_waiting_files()).cloned() else {
                    continue;
                };
                // One library is kept alive by its reading, so that no other has its address.
                let place = Arc::as_ptr(&library).addr();
                if busy.insert(place) {
                    running.push(async move {
                        let read = library.extract().await;
                        let has_failed = read.is_err();
                        if let Some(current) = self.current.lock().await.as_mut() {
                            current.note_reading(assistant.name(), read.map_err(|error| error.to_string()));
                        }
                        if has_failed {
                            tokio::time::sleep(READ_AGAIN_AFTER).await;
                        }
                        (place, library)
                    });
                }
            }
            tokio::select! {
                Some((place, _)) = running.next() => {
                    busy.remove(&place);
                }
                () = self.refreshed.notified() => {}
            }
        }
    }
}
