//! The earlier answers of a conversation, to whose sources a later answer may lead.

use std::sync::Arc;

use crate::activity::{ConversationId, Watermark};
use crate::convert::EarlierAnswers;
use crate::store::{ConversationStore, StoreError};

/// The newest activities among which earlier answers are looked for.
const LOOK_BACK: u64 = 32;

/// The newest answers of a conversation; `None` where none has a source, or the store fails: then markers without a source of their own
/// stay without one.
pub async fn earlier_answers(store: &dyn ConversationStore, id: &ConversationId) -> Option<Arc<EarlierAnswers>> {
    read(store, id).await.unwrap_or_else(|error| {
        tracing::error!(conversation.id = %id, %error, "an answer is written without the sources of earlier ones");
        None
    })
}

async fn read(store: &dyn ConversationStore, id: &ConversationId) -> Result<Option<Arc<EarlierAnswers>>, StoreError> {
    let Some(newest) = store.newest(id).await?.and_then(|newest| newest.watermark) else { return Ok(None) };
    let behind = newest.index().checked_sub(LOOK_BACK).map(Watermark::from_index);
    let page = store.read(id, behind, LOOK_BACK as usize).await?;
    let recorded = page.map(|page| page.recorded).unwrap_or_default();
    Ok(EarlierAnswers::among(recorded.into_iter().rev().map(|recorded| recorded.activity)))
}
