//! Vectors from a server with OpenAI's embeddings route (<https://platform.openai.com/docs/api-reference/embeddings>).

use std::num::NonZeroUsize;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::interface::put_if;
use super::json_service::{JsonService, ServiceError};
use super::{Address, Surroundings, UpstreamFault};
use crate::document::{Embedder, EmbeddingError, VectorModel};

/// The largest value of `batch`.
const MAX_BATCH: usize = 256;

/// The largest value of `dimensions`.
const MAX_DIMENSIONS: usize = 16_384;

/// The server that computes vectors of passages and questions, so that documents are also found by their meaning.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
#[schema(as = Embeddings)]
pub struct EmbeddingsOptions {
    /// The base URL of a server with the route `/embeddings` of OpenAI, or the URL of the route itself.
    #[schema(value_type = String)]
    pub url: Address,
    /// The model. If it changes, citewire computes all vectors again.
    pub model: String,
    /// The environment variable with the API key.
    pub key_env: Option<String>,
    /// The number of dimensions to request, for models that offer several.
    #[schema(value_type = Option<usize>, minimum = 1, maximum = 16_384)]
    pub dimensions: Option<NonZeroUsize>,
    /// The largest number of passages in one call.
    #[serde(default = "usual_batch")]
    #[schema(value_type = usize, minimum = 1, maximum = 256)]
    pub batch: NonZeroUsize,
}

fn usual_batch() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(31)
}

impl EmbeddingsOptions {
    /// The server with these options. Nothing is sent yet.
    ///
    /// # Errors
    /// When the key is not there, or a value is impossible: with everything that is wrong.
    pub fn open(&self, surroundings: &Surroundings<'_>) -> Result<Arc<dyn Embedder>, Vec<UpstreamFault>> {
        let url = self.url.ending_with("/embeddings");
        let mut faults = Vec::new();
        let mut at_most = |key: &str, given: usize, most: usize, reason: &'static str| {
            if given > most {
                faults.push(UpstreamFault::Impossible { key: key.to_owned(), reason });
            }
        };
        at_most("batch", self.batch.get(), MAX_BATCH, "the value must be 1 to 256");
        let dimension = self.dimensions.map(NonZeroUsize::get);
        at_most("dimensions", dimension.unwrap_or_default(), MAX_DIMENSIONS, "the value must be 1 to 16384");
        match JsonService::open(url, &self.model, self.key_env.as_ref(), surroundings) {
            Ok(service) if faults.is_empty() => {
                let model = VectorModel::new(self.model.clone(), dimension);
                Ok(Arc::new(Embeddings { service, model, batch: self.batch.get() }))
            }
            Ok(_) => Err(faults),
            Err(more) => Err(faults.into_iter().chain(more).collect()),
        }
    }
}

/// A server that computes vectors.
#[derive(Debug)]
struct Embeddings {
    service: JsonService,
    model: VectorModel,
    batch: usize,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<f32>,
}

impl Embeddings {
    /// One vector for each text, in their order, of `dimension` numbers each if that is known.
    async fn vectors(
        &self,
        texts: &[String],
        dimension: Option<usize>,
        question: &str,
    ) -> Result<Vec<Vec<f32>>, ServiceError> {
        let mut body = json!({ "model": self.model.name, "input": texts, "encoding_format": "float" });
        put_if(&mut body, "dimensions", self.model.dimension);
        let Answer { mut data } = self.service.post(&body, question, "a list of embeddings").await?;
        data.sort_by_key(|item| item.index);
        if data.len() != texts.len() || data.iter().enumerate().any(|(place, item)| item.index != place) {
            let (given, wanted) = (data.len(), texts.len());
            return Err(self
                .service
                .unusable(format!("with {given} vectors, and not with one for each of {wanted} texts")));
        }
        let wanted = dimension.or(data.first().map(|item| item.embedding.len())).unwrap_or_default();
        match data.iter().map(|item| item.embedding.len()).find(|given| *given != wanted || *given == 0) {
            Some(given) => Err(self.service.unusable(format!(
                "with a vector of {given} dimensions where {wanted} are expected; check model and dimensions"
            ))),
            None => Ok(data.into_iter().map(|item| item.embedding).collect()),
        }
    }
}

#[async_trait]
impl Embedder for Embeddings {
    fn model(&self) -> &VectorModel {
        &self.model
    }

    fn batch(&self) -> usize {
        self.batch
    }

    async fn passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let vectors = self.vectors(texts, self.model.dimension, "").await;
        vectors.map_err(|error| EmbeddingError {
            retry_after: error.retry_after(),
            is_refusal: error.is_refusal(),
            ..EmbeddingError::new(error.to_string())
        })
    }

    async fn question(&self, question: &str, dimension: usize) -> Option<Vec<f32>> {
        let texts = [question.to_owned()];
        let call = self.vectors(&texts, Some(dimension), question);
        let vectors = self.service.soon(call, "a question got no vector: documents are searched by words alone").await;
        vectors?.pop()
    }
}
