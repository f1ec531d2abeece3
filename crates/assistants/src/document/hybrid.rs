//! The search by words and vectors.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::embedding::{Embedding, VectorSet};
use super::found::without_copies;
use super::fusion::fuse;
use super::index_snapshot::IndexSnapshot;
use super::vectors::{Near, VectorBlock, dot, nearest, normalize};
use super::{DocumentId, Embedder, Found, KnownVectors, Library, LibraryError, Measure, Search};
use crate::clock::Clock;
use crate::supervision::supervise;

/// The least number of passages in each ranking: a passage far down in both of them is not among the best of the fused
/// one.
const CANDIDATES: usize = 20;

/// Finds passages by their words and by their vectors, and fuses both rankings.
///
/// The vectors are computed in the background. Until they are there, and while the embeddings server does not answer, passages are
/// found by words alone.
#[derive(Debug)]
pub struct HybridSearch {
    library: Arc<Library>,
    embedder: Arc<dyn Embedder>,
    set: watch::Receiver<Arc<VectorSet>>,
    /// The task that computes vectors. It ends with this value.
    _task: JoinSet<()>,
}

impl HybridSearch {
    /// Searches a library, and begins to compute its vectors. The name is for the log. Must be called within a tokio runtime.
    #[must_use]
    pub fn begin(
        name: impl Into<String>,
        library: Arc<Library>,
        embedder: Arc<dyn Embedder>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self::begin_with(name, library, embedder, clock, KnownVectors::default())
    }

    /// Begins with the vectors of the search whose place this one takes: only those of changed texts are computed.
    #[must_use]
    pub fn begin_with(
        name: impl Into<String>,
        library: Arc<Library>,
        embedder: Arc<dyn Embedder>,
        clock: Arc<dyn Clock>,
        known: KnownVectors,
    ) -> Self {
        let (tell, set) = watch::channel(Arc::default());
        let embedding = Embedding {
            name: name.into(),
            library: Arc::clone(&library),
            embedder: Arc::clone(&embedder),
            clock,
            set: tell,
            known: known.of(embedder.model()),
            has_begun: false,
            has_worked: false,
        };
        let mut task = JoinSet::new();
        // The task ends when it is dropped.
        let never = CancellationToken::new();
        task.spawn(supervise("embeddings", never, embedding, |embedding| embedding.run().boxed()));
        Self { library, embedder, set, _task: task }
    }

    /// Waits until the vectors of all documents that are in the library now are computed.
    pub async fn embedded(&self) {
        let index = self.library.snapshot();
        let is_done =
            |set: &Arc<VectorSet>| set.is_complete && set.index.as_ref().is_some_and(|i| Arc::ptr_eq(i, &index));
        // The sender lives as long as the task, which ends with this value.
        self.set.clone().wait_for(is_done).await.ok();
    }

    /// The vectors, if there are any of the documents that are in the library now.
    fn vectors(&self) -> Option<(Arc<VectorSet>, Arc<IndexSnapshot>, usize)> {
        let set = Arc::clone(&self.set.borrow());
        let index = set.index.clone().filter(|index| Arc::ptr_eq(index, &self.library.snapshot()))?;
        let dimension = set.dimension.filter(|_| !set.blocks.is_empty())?;
        Some((set, index, dimension))
    }
}

#[async_trait]
impl Search for HybridSearch {
    async fn search(&self, question: &str, limit: usize) -> Result<Vec<Found>, LibraryError> {
        // Stop words alone name no subject, and everything is equally far from them.
        let has_subject = self.telling_words(question) > 0;
        let Some((set, index, dimension)) = self.vectors().filter(|_| has_subject) else {
            return self.library.search(question, limit).await;
        };
        let candidates = limit.max(CANDIDATES);
        let by_words = self.library.search(question, candidates);
        let (by_words, vector) = tokio::join!(by_words, self.embedder.question(question, dimension));
        let mut by_words = by_words?;
        let Some(vector) = vector.and_then(|mut vector| normalize(&mut vector).then_some(vector)) else {
            by_words.truncate(limit);
            return Ok(by_words);
        };
        let fused = move || {
            let near = nearest(&set.blocks, &vector, candidates);
            merge(&index, &set.blocks, &vector, by_words, &near, limit)
        };
        Ok(tokio::task::spawn_blocking(fused).await?)
    }

    fn telling_words(&self, question: &str) -> usize {
        self.library.telling_words(question)
    }

    fn known_vectors(&self) -> KnownVectors {
        let set = Arc::clone(&self.set.borrow());
        let by_texts = set.blocks.iter().map(|block| (block.texts, block.vectors.clone())).collect();
        KnownVectors { model: Some(self.embedder.model().clone()), by_texts }
    }
}

/// Both rankings as one. The score of a passage with a vector is its cosine; one that was found by its vector alone has no words of
/// the question, and does not count as being about it.
fn merge(
    index: &IndexSnapshot,
    blocks: &[VectorBlock],
    question: &[f32],
    by_words: Vec<Found>,
    near: &[Near],
    limit: usize,
) -> Vec<Found> {
    let contents = index.contents();
    let firsts: BTreeMap<&DocumentId, &VectorBlock> =
        blocks.iter().filter_map(|block| Some((&contents.passage(block.first)?.0.id, block))).collect();
    // Passages whose vectors are not computed yet have no place; they stand behind all places, in the order of their ranks.
    let mut words: BTreeMap<usize, Found> = BTreeMap::new();
    let mut ranking = Vec::with_capacity(by_words.len());
    for (rank, mut found) in by_words.into_iter().enumerate() {
        let block = firsts.get(&found.document.id);
        let row = block.and_then(|block| Some((block.first, block.vectors.row(found.passage.place)?)));
        let place = row.map_or(contents.passages() + rank, |(first, _)| first + found.passage.place);
        if let Some((_, row)) = row.filter(|(_, row)| row.iter().any(|number| *number != 0.0)) {
            (found.score, found.measure) = (score(dot(row, question)), Measure::Vector);
        }
        ranking.push(place);
        words.insert(place, found);
    }
    let nearest: Vec<usize> = near.iter().map(|near| near.place).collect();
    let cosines: BTreeMap<usize, f32> = near.iter().map(|near| (near.place, near.cosine)).collect();
    let fused = fuse(&[&ranking, &nearest]).into_iter().filter_map(|place| {
        words.remove(&place).or_else(|| {
            let (document, passage) = contents.passage(place)?;
            Some(Found {
                document: Arc::clone(document),
                passage: Arc::clone(passage),
                score: score(*cosines.get(&place)?),
                measure: Measure::Vector,
                is_about: false,
                matched: Vec::new(),
            })
        })
    });
    let mut fused: Vec<Found> = fused.collect();
    without_copies(&mut fused);
    fused.truncate(limit);
    fused
}

/// A cosine as a score: what points away from the question fits no better than what has nothing to do with it.
fn score(cosine: f32) -> f64 {
    f64::from(cosine).clamp(0.0, 1.0)
}
