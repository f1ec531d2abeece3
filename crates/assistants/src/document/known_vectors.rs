//! The vectors that a search hands on to the one that takes its place.

use std::collections::BTreeMap;

use super::VectorModel;
use super::vectors::{DocumentVectors, TextsDigest};

/// Vectors of documents by the texts that they are made of, so that what a change of settings leaves as it was is not computed again.
#[derive(Clone, Debug, Default)]
pub struct KnownVectors {
    /// The model that made them; `None` where there are none.
    pub(super) model: Option<VectorModel>,
    pub(super) by_texts: BTreeMap<TextsDigest, DocumentVectors>,
}

impl KnownVectors {
    /// The vectors that can be compared with those of this model.
    pub(super) fn of(self, model: &VectorModel) -> BTreeMap<TextsDigest, DocumentVectors> {
        let is_same = self.model.is_some_and(|own| own.name == model.name);
        let mut by_texts = if is_same { self.by_texts } else { BTreeMap::new() };
        by_texts.retain(|_, vectors| model.makes(vectors.dimension));
        by_texts
    }
}
