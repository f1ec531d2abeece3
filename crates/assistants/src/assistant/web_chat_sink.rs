//! The way of an answer into a conversation of the embedded channel.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use tokio::time::{Instant, sleep_until};

use super::sink::{AnswerSink, Interruption, Outcome, TimeUp, Undelivered, Words};
use super::{Assistant, Downloads};
use crate::activity::Activity;
use crate::answer_events::AnswerEvents;
use crate::channels::direct_line::streaming::{self, Stop, StreamingAnswer, StreamingError};
use crate::channels::{DeliveryError, HeldQueue, TurnEnd, earlier_answers};
use crate::convert::Conversion;
use crate::dialect::Dialect;
use crate::metrics::Metrics;
use crate::store::{ConversationStore, StoreError, Turn, TurnStage};
use crate::upstream::ReplyParts;

/// Delivers an answer to the readers of a conversation.
pub(super) struct WebChatSink<'a> {
    pub(super) answer: StreamingAnswer,
    /// Resolves when the conversation is deleted.
    pub(super) deleted: BoxFuture<'static, ()>,
    pub(super) context: WebChatTurn<'a>,
}

/// The turn that is answered, and its limits.
#[derive(Clone, Copy)]
pub(super) struct WebChatTurn<'a> {
    pub(super) queue: &'a HeldQueue,
    pub(super) turn: &'a Turn,
    pub(super) stop: &'a Stop,
    pub(super) downloads: &'a Downloads,
    pub(super) store: &'a dyn ConversationStore,
    pub(super) metrics: &'a Metrics,
    /// The end of the time for the answer.
    pub(super) deadline: Instant,
    /// The length of that time.
    pub(super) limit: Duration,
}

impl AnswerSink for WebChatSink<'_> {
    type End = TurnEnd;

    async fn waiting<T: Send>(&mut self, reply: impl Future<Output = T> + Send) -> Result<T, Interruption> {
        let WebChatTurn { queue, stop, deadline, limit, .. } = self.context;
        tokio::select! {
            biased;
            () = queue.ending.over.cancelled() => Err(Interruption::Leaving),
            () = &mut self.deleted => Err(Interruption::Deleted),
            () = stop.asked() => Err(Interruption::Stopped),
            () = sleep_until(deadline) => Err(Interruption::TimeUp(TimeUp::Limit(limit))),
            reply = reply => Ok(reply),
        }
    }

    async fn conversion(&mut self, assistant: &Assistant) -> Conversion {
        let id = self.context.queue.conversation();
        let addresses = self.context.downloads.for_conversation(id).await;
        let earlier = earlier_answers(self.context.store, id).await;
        Conversion { addresses, earlier, ..assistant.conversion(Dialect::WebChat) }
    }

    async fn follow(self, conversion: Conversion, events: AnswerEvents<ReplyParts>) -> Outcome<Self> {
        let Self { answer, deleted, context } = self;
        let WebChatTurn { queue, turn, stop, deadline, limit, .. } = context;
        // When the time is up, the answer is made of the parts so far.
        let events = events.with_parts(|parts| parts.take_until(sleep_until(deadline)).boxed());
        let followed = tokio::select! {
            biased;
            () = queue.ending.over.cancelled() => return Outcome::Lost(interrupted(queue, turn).await),
            followed = answer.follow(conversion, events, None) => followed,
        };
        let time_up = (Instant::now() >= deadline).then_some(TimeUp::Limit(limit));
        let unanswered = match followed {
            Ok(streaming::Followed { delivered, incomplete, .. }) => {
                return Outcome::Delivered {
                    end: TurnEnd::Recorded,
                    incomplete,
                    report: Box::new(delivered.report),
                    time_up,
                };
            }
            Err(unanswered) => *unanswered,
        };
        let cause = match unanswered.cause {
            // An error of the back end behind the stop is none for anybody.
            StreamingError::NoAnswer(_) if stop.is_asked() => Undelivered::Stopped,
            StreamingError::NoAnswer(cause) => Undelivered::NoAnswer(cause),
            // The conversation is gone, or another node answers.
            StreamingError::Delivery(
                error @ (DeliveryError::UnknownConversation | DeliveryError::Store(StoreError::Superseded)),
            ) => return Outcome::Lost(TurnEnd::of::<()>(Err(error))),
            StreamingError::Delivery(error) => Undelivered::Unrecorded(Box::new(error)),
        };
        Outcome::Undelivered { sink: Self { answer: unanswered.answer, deleted, context }, cause, time_up }
    }

    async fn close(self, words: Words<'_>) -> TurnEnd {
        if let Some(kind) = words.kind {
            self.context.metrics.apology(kind);
        }
        end(self.answer, words.text).await
    }

    async fn abandon(self, why: Interruption, words: Words<'_>) -> TurnEnd {
        match why {
            Interruption::Leaving => interrupted(self.context.queue, self.context.turn).await,
            Interruption::Deleted => TurnEnd::Lost,
            Interruption::Stopped | Interruption::TimeUp(_) => self.close(words).await,
        }
    }
}

/// Ends an answer with a text of our own.
pub(super) async fn end(answer: StreamingAnswer, text: &str) -> TurnEnd {
    let id = answer.conversation().clone();
    let closed = answer.close(Activity::message(text)).await;
    if let Err(error) = &closed
        && !matches!(error, DeliveryError::UnknownConversation | DeliveryError::Store(StoreError::Superseded))
    {
        tracing::error!(conversation.id = %id, %error, "the failure message could not be sent to a user");
    }
    TurnEnd::of(closed)
}

/// Leaves a question in the store whose answer is not finished before the server ends, with a note that something of the answer
/// may have been shown: the next node that answers it goes on in its place.
pub(super) async fn interrupted(queue: &HeldQueue, turn: &Turn) -> TurnEnd {
    tracing::info!(conversation.id = %queue.conversation(), "an answer was broken off; its question waits to be answered again");
    match queue.note(turn, TurnStage::Spoken).await {
        Ok(()) => TurnEnd::Interrupted,
        Err(StoreError::Superseded) => TurnEnd::Lost,
        Err(error) => {
            // Then this node counts as dead, and the attempt is counted.
            tracing::warn!(conversation.id = %queue.conversation(), %error, "it could not be noted that an answer was broken off");
            TurnEnd::Interrupted
        }
    }
}
