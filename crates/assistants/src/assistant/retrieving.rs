//! The services that find passages for an assistant: embeddings server and reranker.

use std::sync::Arc;

use crate::document::Embedder;
use crate::upstream::{EmbeddingsOptions, Reranker, RerankerOptions, Surroundings, UpstreamFault};

/// The tables of a section that name services.
pub(super) const UPSTREAM: &str = "upstream";
const EMBEDDINGS: &str = "documents.embeddings";
const RERANKER: &str = "documents.reranker";

/// A fault of a service, and the table of the section that names it.
pub(super) type PlacedFault = (&'static str, UpstreamFault);

/// Takes the opened service; faults go with their table to the others.
pub(super) fn placed<T>(
    place: &'static str,
    opened: Result<T, Vec<UpstreamFault>>,
    faults: &mut Vec<PlacedFault>,
) -> Option<T> {
    opened.map_err(|wrong| faults.extend(wrong.into_iter().map(|fault| (place, fault)))).ok()
}

/// The services with these options, as far as they can be called.
pub(super) fn services(
    embeddings: Option<&EmbeddingsOptions>,
    reranker: Option<&RerankerOptions>,
    surroundings: &Surroundings<'_>,
    faults: &mut Vec<PlacedFault>,
) -> (Option<Arc<dyn Embedder>>, Option<Arc<Reranker>>) {
    let embeddings = embeddings.map(|options| options.open(surroundings));
    let embeddings = embeddings.and_then(|opened| placed(EMBEDDINGS, opened, faults));
    let reranker = reranker.map(|options| options.open(surroundings));
    let reranker = reranker.and_then(|opened| placed(RERANKER, opened, faults));
    (embeddings, reranker)
}
