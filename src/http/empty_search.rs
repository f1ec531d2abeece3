//! Logs searches of a provider that found no source.

use tracing::{debug, warn};

use crate::ingest::{AnswerFormat, EmptySearch, empty_search, ingest};

/// Says what there is in an answer that cites nothing, where its provider searched in vain.
pub(crate) fn log_empty_search(body: &[u8], from: &AnswerFormat) {
    if let Ok(answer) = ingest(body, from)
        && let Some(vain) = empty_search(body, &answer)
    {
        tell(&vain);
    }
}

/// Rule RC-07. What was found may be what the answer is about, so only the log for debugging has it.
pub(crate) fn tell(vain: &EmptySearch) {
    let EmptySearch { provider, events, tools, members, first, .. } = vain;
    let provider = provider.unwrap_or_default();
    warn!(provider, events, ?tools, ?members, "tools ran and no source was found");
    if let Some(first) = first {
        debug!(provider, %first, "the first object that was not read as a source");
    }
}
