//! A snapshot of a library: all documents as read at one time, with their index.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::file::{self, Content, FileRead};
use super::folder::{self, Listed, Listing};
use super::index::{Entry, Index};
use super::question::Term;
use super::{Document, DocumentId, LibraryError, LibraryOptions, Passage};
use crate::digest::of_parts;

/// From so many passages on, words that most of them have say nothing by themselves.
const COMMON_FROM: usize = 8;

/// So many files are read at one time.
const AT_ONCE: usize = 4;

/// All documents that were read at one time, with their index.
#[derive(Debug)]
pub(super) struct IndexSnapshot {
    pub(super) listing: Listing,
    /// What came of reading each file, by its path.
    pub(super) files: BTreeMap<String, FileRead>,
    pub(super) documents: BTreeMap<DocumentId, Arc<Document>>,
    /// In the order of the index.
    pub(super) passages: Vec<(Arc<Document>, Arc<Passage>)>,
    pub(super) index: Index,
    /// Of the documents and their texts, as they are found and quoted.
    pub(super) digest: [u8; 32],
}

/// A term with its weight.
pub(super) struct Weighed {
    pub(super) term: Term,
    /// So many passages have it.
    pub(super) count: usize,
    pub(super) weight: f64,
    /// Whether not nearly all passages have it.
    pub(super) is_telling: bool,
}

impl IndexSnapshot {
    /// A term that stands nowhere is looked for without umlauts, and by its beginning. What is found nowhere even so is part of the
    /// question.
    pub(super) async fn weigh(&self, terms: Vec<Term>) -> Result<Vec<Weighed>, LibraryError> {
        let mut known: Vec<(Term, usize)> = Vec::with_capacity(terms.len());
        for term in terms {
            let (term, count) = self.known_form(term).await?;
            if known.iter().all(|(other, _)| *other != term) {
                known.push((term, count));
            }
        }
        let all = self.passages.len();
        let weighed = known.into_iter().map(|(term, count)| {
            // A pair of letters that stands nowhere is hardly a word.
            let part = if count == 0 && term.is_unspaced { 0.5 } else { 1.0 };
            let is_telling = all < COMMON_FROM || count * 10 <= all * 6;
            Weighed { weight: part * rarity(count.max(1), all), is_telling, term, count }
        });
        Ok(weighed.collect())
    }

    /// The first form of a term that stands anywhere, and in how many passages; the term itself where none does.
    async fn known_form(&self, term: Term) -> Result<(Term, usize), LibraryError> {
        let plain = term.without_umlauts();
        let beginnings = [term.beginning(), plain.as_ref().and_then(Term::beginning)];
        let forms: Vec<Term> = [Some(term.clone()), plain].into_iter().chain(beginnings).flatten().collect();
        let counts = self.index.count(&forms).await?;
        let found = forms.into_iter().zip(counts).find(|(_, count)| *count > 0);
        Ok(found.unwrap_or((term, 0)))
    }
}

/// How much a word says that so many of all passages have, as BM25 weighs it. Always above 0.
fn rarity(count: usize, all: usize) -> f64 {
    let (count, all) = (count as f64, all as f64);
    (1.0 + (all - count + 0.5).max(0.0) / (count + 0.5)).ln()
}

/// Reads the folder.
pub(super) async fn load(options: &LibraryOptions) -> Result<IndexSnapshot, LibraryError> {
    let listing = list(options).await?;
    read_all(options, listing, &BTreeMap::new()).await
}

/// Puts texts on a snapshot that are in no folder.
pub(super) async fn of_texts(files: &BTreeMap<&'static str, &'static str>) -> Result<IndexSnapshot, LibraryError> {
    let contents = files.iter().filter_map(|(path, text)| Some(((*path).to_owned(), Ok(file::built_in(path, text)?))));
    index(Listing::default(), contents.collect()).await
}

/// Puts documents on a snapshot that are in no folder.
pub(super) async fn of_documents(contents: Vec<Content>) -> Result<IndexSnapshot, LibraryError> {
    let files = contents.into_iter().map(|content| (content.document.path.clone(), Ok(content)));
    index(Listing::default(), files.collect()).await
}

/// Reads the folder again; `None` when it is as it was before. Only files are read that are not as they were.
pub(super) async fn refresh(
    options: &LibraryOptions,
    before: Arc<IndexSnapshot>,
) -> Result<Option<IndexSnapshot>, LibraryError> {
    let listing = list(options).await?;
    if before.listing == listing {
        return Ok(None);
    }
    let unchanged: BTreeMap<&Listed, &FileRead> =
        before.listing.files.iter().filter_map(|file| Some((file, before.files.get(&file.path)?))).collect();
    read_all(options, listing, &unchanged).await.map(Some)
}

async fn list(options: &LibraryOptions) -> Result<Listing, LibraryError> {
    let options = options.clone();
    tokio::task::spawn_blocking(move || folder::list(&options)).await?
}

/// Reads what is in the folder, in the order of the paths.
async fn read_all(
    options: &LibraryOptions,
    listing: Listing,
    unchanged: &BTreeMap<&Listed, &FileRead>,
) -> Result<IndexSnapshot, LibraryError> {
    listing.tell();
    let reading = |listed: &Listed| {
        let (before, listed, options) = (unchanged.get(listed).copied().cloned(), listed.clone(), options.clone());
        async move {
            if let Some(before) = before {
                return Ok::<_, LibraryError>(Some((listed.path, before)));
            }
            let path = listed.path.clone();
            let read = file::read(options, listed).await?;
            if let Some(Err(reason)) = &read {
                tracing::warn!(path, %reason, "a document cannot be read");
            }
            Ok(read.map(|read| (path, read)))
        }
    };
    let readings: Vec<_> = listing.files.iter().map(reading).collect();
    let read: Vec<Option<(String, FileRead)>> = stream::iter(readings).buffered(AT_ONCE).try_collect().await?;
    let files: BTreeMap<String, FileRead> = read.into_iter().flatten().collect();
    if !files.values().any(Result::is_ok) && (!files.is_empty() || !listing.other.is_empty()) {
        tracing::warn!(folder = %options.folder.display(), "no file in the folder of documents can be read");
    }
    index(listing, files).await
}

async fn index(listing: Listing, files: BTreeMap<String, FileRead>) -> Result<IndexSnapshot, LibraryError> {
    let contents = || files.values().filter_map(|read| read.as_ref().ok());
    let passages: Vec<(Arc<Document>, Arc<Passage>)> = contents()
        .flat_map(|Content { document, passages }| {
            passages.iter().map(|passage| (Arc::clone(document), Arc::clone(passage)))
        })
        .collect();
    let entries: Vec<Entry<'_>> = passages
        .iter()
        .map(|(document, passage)| Entry {
            title: &document.title,
            headings: passage.headings.join("\n"),
            text: &passage.text,
        })
        .collect();
    let index = Index::build(&entries).await?;
    let documents = contents().map(|content| (content.document.id.clone(), Arc::clone(&content.document))).collect();
    let (passages, digest) = tokio::task::spawn_blocking(move || {
        let digest = digest(&passages);
        (passages, digest)
    })
    .await?;
    Ok(IndexSnapshot { listing, files, documents, passages, index, digest })
}

/// What tells these passages from others.
fn digest(passages: &[(Arc<Document>, Arc<Passage>)]) -> [u8; 32] {
    of_parts(passages.iter().flat_map(|(document, passage)| {
        let (place, headings) = ([&document.path, &document.title], &passage.headings);
        place.into_iter().chain(headings).chain([&passage.text])
    }))
}
