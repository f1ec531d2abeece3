//! The passages of an uploaded document as they stand in the store: JSON, in pieces.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use citewire_documents::Markup;

use super::file::FileContent;
use super::passage::Passage;
use crate::store::{AssistantStore, DocumentKey, DocumentPart, MAX_PIECE_BYTES, StoreError};

/// The text of a document, split into passages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredText {
    /// The title of the document.
    pub(super) title: String,
    /// The number of its pages, where its format has pages.
    pub(super) pages: Option<u32>,
    passages: Vec<StoredPassage>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredPassage {
    headings: Vec<String>,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    plain: bool,
}

impl StoredText {
    pub(super) fn of(content: &FileContent) -> Self {
        let stored = |passage: &Arc<Passage>| StoredPassage {
            headings: passage.headings.clone(),
            text: passage.text.clone(),
            page: passage.page,
            plain: passage.markup == Markup::Plain,
        };
        let FileContent { document, passages, .. } = content;
        Self { title: document.title.clone(), pages: document.pages, passages: passages.iter().map(stored).collect() }
    }

    pub(super) fn passages(self) -> Vec<Arc<Passage>> {
        let passage = |(place, stored): (usize, StoredPassage)| Passage {
            headings: stored.headings,
            text: stored.text,
            page: stored.page,
            place,
            markup: if stored.plain { Markup::Plain } else { Markup::Markdown },
        };
        self.passages.into_iter().enumerate().map(passage).map(Arc::new).collect()
    }

    /// The bytes of its texts and their headings.
    pub(super) fn bytes(&self) -> u64 {
        let texts = self.passages.iter().flat_map(|passage| passage.headings.iter().chain([&passage.text]));
        texts.map(|text| text.len() as u64).sum()
    }

    /// The number of passages.
    pub(super) fn len(&self) -> usize {
        self.passages.len()
    }

    /// Writes the text in place of what an attempt before has left; says whether the document is still there.
    pub(super) async fn write(&self, store: &dyn AssistantStore, key: DocumentKey) -> Result<bool, StoreError> {
        store.clear_part(key, DocumentPart::Passages).await?;
        let bytes = serde_json::to_vec(self).map_err(StoreError::failed)?;
        for piece in bytes.chunks(MAX_PIECE_BYTES) {
            if !store.add_piece(key, DocumentPart::Passages, piece.to_vec()).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the text of a document; `None` when the document is gone.
    pub(super) async fn read(store: &dyn AssistantStore, key: DocumentKey) -> Result<Option<Self>, StoreError> {
        let bytes = read_part(store, key, DocumentPart::Passages).await?;
        if bytes.is_empty() {
            return Ok(None);
        }
        serde_json::from_slice(&bytes).map(Some).map_err(StoreError::failed)
    }
}

/// All pieces of a part; empty when the document is gone.
pub(super) async fn read_part(
    store: &dyn AssistantStore,
    key: DocumentKey,
    part: DocumentPart,
) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::new();
    let mut place = 0;
    while let Some(piece) = store.piece(key, part, place).await? {
        bytes.extend_from_slice(&piece);
        place += 1;
    }
    Ok(bytes)
}
