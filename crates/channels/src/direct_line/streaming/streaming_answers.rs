//! Starts streaming answers in the conversations of one server.

use std::sync::Arc;

use super::StreamingOptions;
use crate::activity::ChannelAccount;
use crate::direct_line::{DirectLineOptions, Publisher, bot};
use crate::keyed_mutex::KeyedMutex;
use crate::metrics::Metrics;
use crate::store::ConversationStore;

/// Starts streaming answers in the embedded channel, under the name of the bot. Clones share their state.
#[derive(Clone, Debug)]
pub struct StreamingAnswers {
    pub(super) publisher: Arc<Publisher>,
    pub(super) store: Arc<dyn ConversationStore>,
    pub(super) bot: ChannelAccount,
    pub(super) options: Arc<StreamingOptions>,
    /// Two answers under one key wait for each other.
    pub(super) turns: Arc<KeyedMutex>,
    pub(super) metrics: Metrics,
}

impl StreamingAnswers {
    /// Answers into `store`, past which `publisher` shows what does not stay there.
    #[must_use]
    pub fn new(
        publisher: Arc<Publisher>,
        store: Arc<dyn ConversationStore>,
        channel: &DirectLineOptions,
        options: StreamingOptions,
    ) -> Self {
        Self {
            publisher,
            store,
            bot: bot(channel),
            options: Arc::new(StreamingOptions { max_bytes: channel.max_answer_bytes, ..options }),
            turns: Arc::default(),
            metrics: Metrics::default(),
        }
    }

    /// Sets other options, for as long answers as before.
    #[must_use]
    pub fn with_options(self, options: StreamingOptions) -> Self {
        Self { options: Arc::new(StreamingOptions { max_bytes: self.options.max_bytes, ..options }), ..self }
    }

    /// Counts in these metrics.
    #[must_use]
    pub fn counted(self, metrics: Metrics) -> Self {
        Self { metrics, ..self }
    }

    /// Where they are counted.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }
}
