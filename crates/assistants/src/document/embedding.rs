//! Computes the vectors of a library's passages in the background, and again for what changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::embedder::{Embedder, EmbeddingError};
use super::file::FileContent;
use super::index_snapshot::IndexSnapshot;
use super::stored_vectors;
use super::vectors::{DocumentVectors, TextsDigest, VectorBlock, normalize};
use super::{Document, Library};
use crate::clock::Clock;

/// The wait after a failure, twice as long after each other one.
const FIRST_WAIT: Duration = Duration::from_secs(5);

/// The longest wait after a failure.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// The memory for the vectors of one library, in bytes. Passages beyond it are found by their words alone.
const MAX_BYTES: usize = 1024 * 1024 * 1024;

/// The vectors of the passages of one snapshot, as far as they are computed.
#[derive(Debug, Default)]
pub(super) struct VectorSet {
    /// The snapshot in whose index the passages have their places; `None` at the very beginning.
    pub(super) index: Option<Arc<IndexSnapshot>>,
    /// The vectors, in the order of the index.
    pub(super) blocks: Vec<VectorBlock>,
    /// The number of dimensions, once it is known.
    pub(super) dimension: Option<usize>,
    /// Whether nothing remains to be computed.
    pub(super) is_complete: bool,
}

/// The passages of one document in the index.
#[derive(Clone, Debug)]
struct IndexedDocument {
    document: Arc<Document>,
    first: usize,
    count: usize,
    texts: TextsDigest,
}

/// Computes vectors, and publishes them.
#[derive(Debug)]
pub(super) struct Embedding {
    /// The assistant, for the log.
    pub(super) name: String,
    pub(super) library: Arc<Library>,
    pub(super) embedder: Arc<dyn Embedder>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) set: watch::Sender<Arc<VectorSet>>,
    /// The vectors that are there, by the digests of the texts.
    pub(super) known: BTreeMap<TextsDigest, DocumentVectors>,
    /// Whether the vectors were complete once.
    pub(super) has_begun: bool,
    /// Whether the embedder has ever given vectors.
    pub(super) has_worked: bool,
}

impl Embedding {
    /// Never ends by itself.
    pub(super) async fn run(&mut self) {
        let mut changes = self.library.changes();
        let mut wait = FIRST_WAIT;
        let mut last_failure = None;
        loop {
            let index = Arc::clone(&changes.borrow_and_update());
            // Before the documents are read, there is nothing to be complete with.
            if !index.is_begun {
                if changes.changed().await.is_err() {
                    return;
                }
                continue;
            }
            match self.catch_up(&index, &changes).await {
                Ok(true) => {
                    if last_failure.take().is_some() {
                        tracing::info!(assistant = self.name, "the embeddings server computes vectors again");
                    }
                    wait = FIRST_WAIT;
                    if changes.changed().await.is_err() {
                        return;
                    }
                }
                // The documents have changed meanwhile.
                Ok(false) => {}
                Err(error) => {
                    let retry_after = error.retry_after.unwrap_or_default().min(LONGEST_WAIT);
                    let reason = error.to_string();
                    if last_failure.as_ref() != Some(&reason) {
                        tracing::warn!(
                            assistant = self.name,
                            error = reason,
                            "vectors of documents could not be computed; until they are, the documents are searched by words alone"
                        );
                        last_failure = Some(reason);
                    }
                    tokio::select! {
                        () = self.clock.wait(wait.max(retry_after)) => {}
                        _ = changes.changed() => {}
                    }
                    wait = (wait * 2).min(LONGEST_WAIT);
                }
            }
        }
    }

    /// Computes the missing vectors of this snapshot; `false` when there is a newer one.
    async fn catch_up(
        &mut self,
        index: &Arc<IndexSnapshot>,
        changes: &watch::Receiver<Arc<IndexSnapshot>>,
    ) -> Result<bool, EmbeddingError> {
        let parts = parts_of(Arc::clone(index)).await?;
        // A file that waits to be read may be one whose vectors are known.
        if index.is_read() {
            self.forget_others(&parts);
        }
        self.load(&parts).await?;
        self.publish(index, &parts, false);
        let missing: Vec<IndexedDocument> =
            parts.iter().filter(|part| !self.known.contains_key(&part.texts)).cloned().collect();
        let mut rest = missing.as_slice();
        while !rest.is_empty() {
            if changes.has_changed().unwrap_or(true) {
                return Ok(false);
            }
            if self.is_full(rest[0].count) {
                let left: usize = rest.iter().map(|part| part.count).sum();
                tracing::warn!(
                    assistant = self.name,
                    passages = left,
                    "the vectors of an assistant's documents fill their memory of {MAX_BYTES} bytes: the rest of the passages is \
                     searched by words alone; use a model of fewer dimensions or set dimensions"
                );
                self.publish(index, &parts, true);
                return Ok(true);
            }
            let (now, later) = rest.split_at(self.group(rest));
            self.compute(index, now).await?;
            self.publish(index, &parts, false);
            rest = later;
        }
        self.publish(index, &parts, true);
        if !missing.is_empty() || !self.has_begun {
            self.has_begun = true;
            let count = |parts: &[IndexedDocument]| parts.iter().map(|part| part.count).sum::<usize>();
            let (passages, computed) = (count(&parts), count(&missing));
            tracing::info!(assistant = self.name, passages, computed, "the vectors of the documents are complete");
        }
        Ok(true)
    }

    /// The number of documents that are computed together: enough for one call.
    fn group(&self, parts: &[IndexedDocument]) -> usize {
        let mut passages = 0;
        let within = parts.iter().take_while(|part| {
            passages += part.count;
            passages <= self.embedder.batch()
        });
        within.count().max(1)
    }

    fn forget_others(&mut self, parts: &[IndexedDocument]) {
        let present: BTreeSet<&TextsDigest> = parts.iter().map(|part| &part.texts).collect();
        self.known.retain(|texts, _| present.contains(texts));
    }

    /// Takes over what the store has of these documents.
    async fn load(&mut self, parts: &[IndexedDocument]) -> Result<(), EmbeddingError> {
        let Some(uploads) = self.library.uploads() else { return Ok(()) };
        for part in parts {
            if self.known.contains_key(&part.texts) {
                continue;
            }
            let Some(key) = uploads.key_of(&part.document.path).await else { continue };
            let read = stored_vectors::read(uploads.store(), key, self.embedder.model(), &part.texts, part.count);
            let read = read.await.map_err(|error| EmbeddingError::new(error.to_string()))?;
            let Some(vectors) = read.filter(|vectors| self.dimension().is_none_or(|known| known == vectors.dimension))
            else {
                continue;
            };
            if !self.is_full(part.count) {
                self.known.insert(part.texts, vectors);
            }
        }
        Ok(())
    }

    /// The number of dimensions, once it is known.
    fn dimension(&self) -> Option<usize> {
        let known = self.known.values().next().map(|vectors| vectors.dimension);
        known.or(self.embedder.model().dimension)
    }

    /// Whether there is no memory for the vectors of this number of passages.
    fn is_full(&self, passages: usize) -> bool {
        let numbers: usize = self.known.values().map(|vectors| vectors.rows.len()).sum();
        let more = passages.saturating_mul(self.dimension().unwrap_or_default());
        numbers.saturating_add(more).saturating_mul(size_of::<f32>()) > MAX_BYTES
    }

    /// Computes the vectors of some documents, and stores those of uploaded ones.
    async fn compute(&mut self, index: &IndexSnapshot, parts: &[IndexedDocument]) -> Result<(), EmbeddingError> {
        let places = parts.iter().flat_map(|part| part.first..part.first + part.count);
        let texts: Vec<String> = places.filter_map(|place| text_of(index, place)).collect();
        let mut rows: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.embedder.batch().max(1)) {
            rows.extend(self.rows(batch).await?);
        }
        let wanted = self.dimension();
        let Some(dimension) = wanted.or_else(|| rows.iter().map(Vec::len).find(|length| *length > 0)) else {
            return Ok(());
        };
        let mut rest = rows.as_mut_slice();
        for part in parts {
            let (own, others) = rest.split_at_mut_checked(part.count).unwrap_or_default();
            rest = others;
            let mut numbers = Vec::with_capacity(part.count * dimension);
            for row in own {
                // Passages that were refused have none.
                row.resize(if row.is_empty() { dimension } else { row.len() }, 0.0);
                if row.len() != dimension || !normalize(row) {
                    return Err(EmbeddingError::new(other_dimension(row.len(), dimension)));
                }
                numbers.extend_from_slice(row);
            }
            let vectors = DocumentVectors { dimension, rows: numbers.into() };
            self.store(part, &vectors).await;
            self.known.insert(part.texts, vectors);
        }
        Ok(())
    }

    /// One vector for each text. Where a service refuses some of the texts, these have an empty one.
    async fn rows(&mut self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let refused = match self.embedder.passages(texts).await {
            Err(error) if error.is_refusal => error,
            other => {
                self.has_worked |= other.is_ok();
                return other;
            }
        };
        let mut rows = Vec::with_capacity(texts.len());
        let mut others = 0;
        for text in texts {
            match self.embedder.passages(std::slice::from_ref(text)).await {
                Ok(row) => {
                    self.has_worked = true;
                    rows.extend(row);
                }
                Err(error) if error.is_refusal => {
                    others += 1;
                    rows.push(Vec::new());
                }
                Err(error) => return Err(error),
            }
        }
        if !self.has_worked {
            // The refusal is not about the texts.
            return Err(refused);
        }
        tracing::warn!(
            assistant = self.name,
            passages = others,
            error = refused.reason,
            "the embeddings server refuses passages; these are searched by words alone"
        );
        Ok(rows)
    }

    /// Stores the vectors of an uploaded document. They can be computed again, so a failure is no reason to do without them.
    async fn store(&self, part: &IndexedDocument, vectors: &DocumentVectors) {
        let Some(uploads) = self.library.uploads() else { return };
        let Some(key) = uploads.key_of(&part.document.path).await else { return };
        let model = self.embedder.model();
        if let Err(error) = stored_vectors::write(uploads.store(), key, model, &part.texts, vectors).await {
            tracing::warn!(
                assistant = self.name,
                document = part.document.path,
                %error,
                "the vectors of a document could not be stored; the next start computes them again"
            );
        }
    }

    fn publish(&self, index: &Arc<IndexSnapshot>, parts: &[IndexedDocument], is_complete: bool) {
        let block = |part: &IndexedDocument| {
            let IndexedDocument { first, texts, .. } = *part;
            Some(VectorBlock { first, texts, vectors: self.known.get(&texts)?.clone() })
        };
        let set = VectorSet {
            index: Some(Arc::clone(index)),
            blocks: parts.iter().filter_map(block).collect(),
            dimension: self.dimension(),
            is_complete,
        };
        self.set.send_replace(Arc::new(set));
    }
}

fn other_dimension(given: usize, wanted: usize) -> String {
    if given == wanted {
        return "the embeddings server sent numbers beyond all bounds".to_owned();
    }
    format!(
        "the embeddings server sent vectors of {given} dimensions where those of other documents have {wanted}: set dimensions, \
         or give the other model its own name in model, to compute all vectors again"
    )
}

/// The text that is turned into a vector for a passage: its text below its title and headings.
fn text_of(index: &IndexSnapshot, place: usize) -> Option<String> {
    index.contents().passage(place).map(|(document, passage)| passage.in_context(&document.title))
}

/// The documents of a snapshot, whose passages stand in the index one document after the other.
async fn parts_of(index: Arc<IndexSnapshot>) -> Result<Vec<IndexedDocument>, EmbeddingError> {
    let digested = tokio::task::spawn_blocking(move || {
        let with_passages = index.contents().placed().filter(|(_, content)| !content.passages.is_empty());
        let part = |(first, content): (usize, &FileContent)| {
            let (document, count) = (Arc::clone(&content.document), content.passages.len());
            IndexedDocument { document, first, count, texts: content.texts_in_context() }
        };
        with_passages.map(part).collect()
    });
    digested.await.map_err(|error| EmbeddingError::new(error.to_string()))
}
