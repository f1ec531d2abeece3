//! Passages in the order of a reranker: the route `/rerank` that Cohere (version 2), Jina and vLLM share
//! (<https://docs.cohere.com/reference/rerank>).

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::json_service::{JsonService, ServiceError};
use super::{Address, Surroundings, UpstreamFault};
use crate::document::{Found, Measure};

/// The largest value of `top`.
const MAX_TOP: usize = 200;

/// The server that judges again how well each passage fits the question.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
#[schema(as = Reranker)]
pub struct RerankerOptions {
    /// The base URL of a server with the route `/rerank` of Cohere, Jina or vLLM, or the URL of the route itself.
    #[schema(value_type = String)]
    pub url: Address,
    /// The model.
    pub model: String,
    /// The environment variable with the API key.
    pub key_env: Option<String>,
    /// How many passages the reranker judges.
    #[serde(default = "usual_top")]
    #[schema(value_type = usize, minimum = 1, maximum = 200)]
    pub top: NonZeroUsize,
}

fn usual_top() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(29)
}

impl RerankerOptions {
    /// The reranker with these options. Nothing is sent yet.
    ///
    /// # Errors
    /// When the key is not there, or a value is impossible: with everything that is wrong.
    pub fn open(&self, surroundings: &Surroundings<'_>) -> Result<Arc<Reranker>, Vec<UpstreamFault>> {
        let url = self.url.ending_with("/rerank");
        let service = JsonService::open(url, &self.model, self.key_env.as_ref(), surroundings);
        let top = self.top.get();
        let too_many = || UpstreamFault::Impossible { key: "top".to_owned(), reason: "the value must be 1 to 200" };
        match service {
            Ok(service) if top <= MAX_TOP => {
                let has_logits = AtomicBool::new(false);
                Ok(Arc::new(Reranker { service, model: self.model.clone(), top, has_logits }))
            }
            Ok(_) => Err(vec![too_many()]),
            Err(faults) => Err((top > MAX_TOP).then(too_many).into_iter().chain(faults).collect()),
        }
    }
}

/// A server that judges passages.
#[derive(Debug)]
pub struct Reranker {
    service: JsonService,
    model: String,
    top: usize,
    /// Whether it has given a score that is not between 0 and 1: its scores are logits then.
    has_logits: AtomicBool,
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Judged>,
}

#[derive(Deserialize)]
struct Judged {
    index: usize,
    relevance_score: f64,
}

impl Reranker {
    /// How many passages it judges.
    #[must_use]
    pub fn top(&self) -> usize {
        self.top
    }

    /// The passages in the order of the reranker with its scores, at most `limit`; the first of them as they are when it fails, which
    /// is logged.
    pub async fn rerank(&self, question: &str, mut found: Vec<Found>, limit: usize) -> Vec<Found> {
        if limit > 0 && !found.is_empty() {
            let judged = self.judge(question, &found, limit);
            let consequence = "passages were not reranked: they stay in the order of the search";
            if let Some(judged) = self.service.soon(judged, consequence).await {
                return judged;
            }
        }
        found.truncate(limit);
        found
    }

    async fn judge(&self, question: &str, found: &[Found], limit: usize) -> Result<Vec<Found>, ServiceError> {
        let given = &found[..found.len().min(self.top)];
        let documents: Vec<String> =
            given.iter().map(|found| found.passage.in_context(&found.document.title)).collect();
        let top_n = given.len().min(limit);
        let body = json!({ "model": self.model, "query": question, "documents": documents, "top_n": top_n });
        let Answer { mut results } = self.service.post(&body, question, "a list of results").await?;
        let places: BTreeSet<usize> = results.iter().map(|judged| judged.index).collect();
        if results.is_empty() || places.len() != results.len() || places.last() >= Some(&given.len()) {
            let (results, given) = (results.len(), given.len());
            return Err(self.service.unusable(format!("with {results} results that do not fit {given} passages")));
        }
        if results.iter().any(|judged| !(0.0..=1.0).contains(&judged.relevance_score)) {
            self.has_logits.store(true, Ordering::Relaxed);
        }
        results.sort_by(|one, other| other.relevance_score.total_cmp(&one.relevance_score));
        let reranked = results.into_iter().map(|judged| Found {
            score: self.score(judged.relevance_score),
            measure: Measure::Reranker,
            ..given[judged.index].clone()
        });
        Ok(reranked.take(limit).collect())
    }

    /// A score between 0 and 1.
    fn score(&self, given: f64) -> f64 {
        if self.has_logits.load(Ordering::Relaxed) { 1.0 / (1.0 + (-given).exp()) } else { given }
    }
}
