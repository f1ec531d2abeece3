//! The options of answers without a model.

use std::time::Duration;

/// The options of answers without a model.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalOptions {
    /// The text before the sentences of the documents.
    pub introduction: String,
    /// The text before the citations of documents that have no sentence to quote: a table, for example.
    pub pointer: String,
    /// The answer where the documents have nothing.
    pub nothing: String,
    /// How long each word takes, so that readers see an answer grow. An answer that nobody reads while it grows takes no time.
    pub pace: Duration,
    /// The most sentences that are quoted.
    pub max_sentences: usize,
    /// The most documents that are quoted.
    pub max_documents: usize,
}

impl Default for LocalOptions {
    fn default() -> Self {
        Self {
            introduction: "This is what the documents say:".to_owned(),
            pointer: "These passages fit the question best:".to_owned(),
            nothing: "The documents say nothing about this.".to_owned(),
            pace: Duration::from_millis(15),
            max_sentences: 14,
            max_documents: 4,
        }
    }
}
