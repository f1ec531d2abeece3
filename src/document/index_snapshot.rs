//! A snapshot of a library: all documents as read at one time, with their index.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::document::Markup;
use super::folder::{self, Listing, Skip, Skipped};
use super::index::{Entry, Index};
use super::question::Term;
use super::{Document, DocumentId, LibraryError, LibraryOptions, Passage, split};

/// From so many passages on, words that most of them have say nothing by themselves.
const COMMON_FROM: usize = 8;

/// All documents that were read at one time, with their index.
#[derive(Debug)]
pub(super) struct IndexSnapshot {
    listing: Listing,
    pub(super) skipped: Skipped,
    pub(super) documents: BTreeMap<DocumentId, Arc<Document>>,
    /// In the order of the index.
    pub(super) passages: Vec<(Arc<Document>, Arc<Passage>)>,
    pub(super) index: Index,
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
    let options = options.clone();
    let read = tokio::task::spawn_blocking(move || read_all(&options, folder::list(&options)?));
    index(read.await??).await
}

/// Puts texts on a snapshot that are in no folder.
pub(super) async fn of_texts(files: &BTreeMap<&'static str, &'static str>) -> Result<IndexSnapshot, LibraryError> {
    let documents = files.iter().filter_map(|(path, text)| {
        let markup = Markup::of_name(path)?;
        let parts = split::split(text, markup);
        let document = Document::new((*path).to_owned(), markup, parts.title, None);
        Some((Arc::new(document), parts.passages.into_iter().map(Arc::new).collect()))
    });
    index(Read { listing: Listing::default(), skipped: Skipped::new(), documents: documents.collect() }).await
}

/// Puts documents on a snapshot that are in no folder.
pub(super) async fn of_documents(
    documents: Vec<(Arc<Document>, Vec<Arc<Passage>>)>,
) -> Result<IndexSnapshot, LibraryError> {
    index(Read { listing: Listing::default(), skipped: Skipped::new(), documents }).await
}

/// Reads the folder again; `None` when it is as it was before.
pub(super) async fn refresh(
    options: &LibraryOptions,
    before: Arc<IndexSnapshot>,
) -> Result<Option<IndexSnapshot>, LibraryError> {
    let options = options.clone();
    let read = tokio::task::spawn_blocking(move || {
        let listing = folder::list(&options)?;
        if before.listing == listing { Ok(None) } else { read_all(&options, listing).map(Some) }
    });
    match read.await?? {
        Some(read) => index(read).await.map(Some),
        None => Ok(None),
    }
}

async fn index(Read { listing, skipped, documents }: Read) -> Result<IndexSnapshot, LibraryError> {
    let passages: Vec<(Arc<Document>, Arc<Passage>)> = documents
        .iter()
        .flat_map(|(document, passages)| passages.iter().map(|passage| (Arc::clone(document), Arc::clone(passage))))
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
    let documents = documents.into_iter().map(|(document, _)| (document.id.clone(), document)).collect();
    Ok(IndexSnapshot { listing, skipped, documents, passages, index })
}

/// What is in the folder, in the order of the paths.
struct Read {
    listing: Listing,
    skipped: Skipped,
    documents: Vec<(Arc<Document>, Vec<Arc<Passage>>)>,
}

fn read_all(options: &LibraryOptions, listing: Listing) -> Result<Read, LibraryError> {
    listing.tell();
    let mut skipped = listing.skipped.clone();
    let mut documents = Vec::with_capacity(listing.files.len());
    for file in &listing.files {
        // It was deleted since it was listed.
        let Some(bytes) = folder::read(options, &file.path)? else { continue };
        let Some(text) = split::text_of(bytes) else {
            tracing::warn!(path = file.path, "a document that is not UTF-8 is skipped: save it as UTF-8");
            *skipped.entry(Skip::NotUtf8).or_default() += 1;
            continue;
        };
        let parts = split::split(&text, file.markup);
        let document = Document::new(file.path.clone(), file.markup, parts.title, options.base_url.as_ref());
        documents.push((Arc::new(document), parts.passages.into_iter().map(Arc::new).collect()));
    }
    Ok(Read { listing, skipped, documents })
}
