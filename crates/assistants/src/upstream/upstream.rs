//! The trait of all back ends.

use std::fmt::Debug;

use async_trait::async_trait;

use super::{Ask, Reply, UpstreamError};

/// A back end that answers questions. Dropping the future, or the body of the reply, ends the call.
#[async_trait]
pub trait Upstream: Debug + Send + Sync {
    /// Asks; returns when the answer begins to arrive.
    ///
    /// # Errors
    /// When there is no answer: nothing of it has been seen.
    async fn ask(&self, ask: Ask) -> Result<Reply, UpstreamError>;

    /// Whether it looks for sources itself. One that does not is given some in [`Ask::sources`].
    fn retrieves(&self) -> bool;

    /// Its kind, as the configuration names it.
    fn kind(&self) -> &'static str {
        "other"
    }

    /// Whether a model writes its answers. One without can do nothing with a question that is [plain](Ask::plain).
    fn has_model(&self) -> bool {
        true
    }

    /// The host that is called, for an operator who looks for a fault; `None` where nothing is called.
    fn host(&self) -> Option<&str> {
        None
    }

    /// Words that the back end sent about a fault, for the log: without the keys that were sent to it, and without the
    /// question.
    fn fit_to_be_logged(&self, words: &str, question: &str) -> String {
        let question = question.trim();
        if question.is_empty() { words.to_owned() } else { words.replace(question, "****") }
    }
}
