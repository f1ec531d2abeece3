//! Finds the passages for a question, with the earlier messages in mind.

use std::sync::Arc;

use super::{Ask, ChatMessage, Reranker, Speaker, UpstreamError};
use crate::document::{Found, KnownVectors, LibraryError, Measure, Search, searched};

/// A question with no more telling words may lean on the one before it: *And in Germany?*
const FEW_WORDS: usize = 2;

/// The number of passages that are searched for words of a short question.
const MANY: usize = 200;

/// Finds passages for questions: a search, then a reranker, then a threshold, of which the last two may be missing.
#[derive(Clone, Debug)]
pub struct Retriever {
    search: Arc<dyn Search>,
    reranker: Option<Arc<Reranker>>,
    min_score: Option<f64>,
}

impl Retriever {
    /// A search alone.
    #[must_use]
    pub fn new(search: Arc<dyn Search>) -> Self {
        Self { search, reranker: None, min_score: None }
    }

    /// Orders the found passages by a reranker.
    #[must_use]
    pub fn with_reranker(self, reranker: Option<Arc<Reranker>>) -> Self {
        Self { reranker, ..self }
    }

    /// Leaves out passages whose score is below a threshold.
    #[must_use]
    pub fn with_min_score(self, min_score: Option<f64>) -> Self {
        Self { min_score, ..self }
    }

    /// The vectors of its search.
    #[must_use]
    pub fn known_vectors(&self) -> KnownVectors {
        self.search.known_vectors()
    }

    /// The passages that fit what is asked, the best first. A question of few words is read together with the user's question before
    /// it, but finds only what has something of its own words, if it has any.
    ///
    /// # Errors
    /// When the documents cannot be searched.
    pub async fn retrieve(&self, ask: &Ask, limit: usize) -> Result<Vec<Found>, UpstreamError> {
        let wanted = self.reranker.as_ref().map_or(limit, |reranker| reranker.top().max(limit));
        let (asked, mut found) = self.search(ask, wanted).await?;
        if let Some(reranker) = &self.reranker {
            found = reranker.rerank(&asked, found, limit).await;
        }
        if let Some(least) = self.min_score {
            found.retain_mut(|found| {
                // Words decide by themselves what a passage is about; of vectors and rerankers only the threshold says what is enough.
                found.is_about |= least > 0.0 && found.measure != Measure::Words;
                found.score >= least
            });
        }
        Ok(found)
    }

    /// The text that is searched, and the passages that fit it.
    async fn search(&self, ask: &Ask, limit: usize) -> Result<(String, Vec<Found>), UpstreamError> {
        let question = searched(ask.question());
        let own_words = self.search.telling_words(question);
        let search = async |text: &str, limit| self.search.search(text, limit).await.map_err(unsearchable);
        match question_before(&ask.turns).map(searched) {
            Some(before) if own_words == 0 => Ok((before.to_owned(), search(before, limit).await?)),
            Some(before) if own_words <= FEW_WORDS => {
                let asked = format!("{question}\n{before}");
                let mut own = search(question, MANY).await?;
                let mut both = search(&asked, MANY).await?;
                both.retain_mut(|found| {
                    let own = own.iter().find(|own| is_same(own, found));
                    found.is_about |= own.is_some_and(|own| own.is_about);
                    own.is_some()
                });
                let found = if both.is_empty() { &mut own } else { &mut both };
                found.truncate(limit);
                Ok((asked, std::mem::take(found)))
            }
            Some(_) | None => Ok((question.to_owned(), search(question, limit).await?)),
        }
    }
}

/// The user's message before the question.
fn question_before(turns: &[ChatMessage]) -> Option<&str> {
    let (_, before) = turns.split_last()?;
    before.iter().rev().find(|turn| turn.speaker == Speaker::User).map(|turn| turn.text.as_str())
}

fn is_same(one: &Found, other: &Found) -> bool {
    one.document.id == other.document.id && one.passage.place == other.passage.place
}

fn unsearchable(error: LibraryError) -> UpstreamError {
    UpstreamError::Search(Box::new(error))
}
