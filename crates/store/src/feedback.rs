//! Feedback of readers in the store.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::activity::{ChannelAccount, Watermark};

/// The feedback of one reader, as stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Feedback {
    /// The place of the answer that it is about, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Watermark>,
    /// The id of that answer in the reader's channel, where the channel says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to_id: Option<String>,
    /// The reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ChannelAccount>,
    /// `like` or `dislike`, or what else the channel has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reaction: Option<String>,
    /// The comment that the reader wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Further values from the form of the channel, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

/// Stored feedback with its time of arrival.
#[derive(Clone, Debug, PartialEq)]
pub struct NotedFeedback {
    /// When it was kept, in whole milliseconds.
    pub received: DateTime<Utc>,
    /// The feedback.
    pub feedback: Feedback,
}

impl NotedFeedback {
    /// Feedback as a backend keeps it.
    #[must_use]
    pub fn new(received: DateTime<Utc>, feedback: Feedback) -> Self {
        Self { received, feedback }
    }
}

/// A page of the feedback in one conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeedbackPage {
    /// The oldest first.
    pub feedback: Vec<NotedFeedback>,
    /// Where the next page starts; `None` when this is the last one.
    pub next: Option<u64>,
}

impl FeedbackPage {
    /// A page cut from what follows a place: `limit` pieces of `found`, each with its own place, which holds one more if there
    /// is more.
    #[must_use]
    pub fn cut(mut found: Vec<(u64, NotedFeedback)>, limit: usize) -> Self {
        let more = found.len() > limit;
        found.truncate(limit);
        let next = if more { found.last().map(|(place, _)| *place) } else { None };
        Self { feedback: found.into_iter().map(|(_, noted)| noted).collect(), next }
    }
}
