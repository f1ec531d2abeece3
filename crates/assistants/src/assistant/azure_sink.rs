//! The way of an answer to the sender of a turn behind Azure Bot Service.

use std::pin::pin;

use futures_util::StreamExt as _;
use futures_util::future::{self, BoxFuture, Either};

use super::Assistant;
use super::sink::{AnswerSink, Interruption, Outcome, TimeUp, Undelivered, Words};
use crate::activity::Activity;
use crate::answer_events::AnswerEvents;
use crate::channels::azure_bot::{self, Answered, ConnectorAnswer, Failed, TurnInFlight, TurnOutcome};
use crate::channels::{count_converted, log_report, stopwatch};
use crate::convert::Conversion;
use crate::metrics::{Apology, Metrics};
use crate::upstream::ReplyParts;

/// Delivers an answer through the Connector, or in the response to the sender.
pub(super) struct AzureSink<'a> {
    pub(super) answer: ConnectorAnswer,
    /// Resolves when the conversation is deleted.
    pub(super) deleted: BoxFuture<'static, ()>,
    pub(super) context: AzureTurn<'a>,
}

/// The turn that is answered, and how.
#[derive(Clone, Copy)]
pub(super) struct AzureTurn<'a> {
    pub(super) turn: &'a TurnInFlight,
    /// The conversion for the channel of the turn.
    pub(super) conversion: &'a Conversion,
    /// The text that is shown while the answer is awaited.
    pub(super) informative: &'a str,
    pub(super) metrics: &'a Metrics,
}

impl AnswerSink for AzureSink<'_> {
    type End = TurnOutcome;

    async fn waiting<T: Send>(&mut self, reply: impl Future<Output = T> + Send) -> Result<T, Interruption> {
        let AzureTurn { turn, informative, .. } = self.context;
        let mut reply = pin!(reply);
        // The back end is asked while the user is told so.
        let at_once = match future::select(pin!(self.answer.inform(informative)), reply.as_mut()).await {
            Either::Left(((), _)) => None,
            Either::Right((reply, informing)) => {
                informing.await;
                Some(reply)
            }
        };
        let answer = &mut self.answer;
        let reply = async {
            match at_once {
                Some(reply) => reply,
                None => answer.during(reply).await,
            }
        };
        tokio::select! {
            biased;
            () = turn.ending.cancelled() => Err(Interruption::TimeUp(TimeUp::Turn)),
            () = &mut self.deleted => Err(Interruption::Deleted),
            reply = reply => Ok(reply),
        }
    }

    async fn conversion(&mut self, _assistant: &Assistant) -> Conversion {
        self.context.conversion.clone()
    }

    async fn follow(self, conversion: Conversion, events: AnswerEvents<ReplyParts>) -> Outcome<Self> {
        let Self { answer, deleted, context } = self;
        let AzureTurn { turn, metrics, .. } = context;
        let format = events.from().slug();
        // At the end of everything, the answer is made of the parts so far.
        let ending = Box::pin(turn.ending.clone().cancelled_owned());
        let events = events.with_parts(|parts| parts.take_until(future::select(ending, deleted)).boxed());
        let conversion = Conversion { stopwatch: Some(stopwatch(metrics)), ..conversion };
        let followed = answer.follow(conversion, events).await;
        let time_up = turn.ending.is_cancelled().then_some(TimeUp::Turn);
        match followed {
            Ok(azure_bot::Followed { answered: Answered { message, ids, report, .. }, incomplete, .. }) => {
                count_converted(metrics, format, &report);
                log_report(&report);
                turn.record(message, &ids, None).await;
                let end = if incomplete.is_some() { TurnOutcome::Failed } else { TurnOutcome::Answered };
                Outcome::Delivered { end, incomplete, report: Box::new(report), time_up }
            }
            Err(unanswered) => {
                let cause = match unanswered.cause {
                    Failed::NoAnswer(cause) => {
                        metrics.conversion(format, cause.counted());
                        Undelivered::NoAnswer(cause)
                    }
                    error @ Failed::Refused(_) => Undelivered::Unsent(Box::new(error)),
                };
                let sink = Self { answer: unanswered.answer, deleted: Box::pin(future::pending()), context };
                Outcome::Undelivered { sink, cause, time_up }
            }
        }
    }

    async fn close(self, words: Words<'_>) -> TurnOutcome {
        if let Some(kind) = words.kind {
            self.context.metrics.apology(kind);
        }
        let told = tell(self.context.turn, self.answer, words.text, None).await;
        // A refusal is an answer: there is nothing to say.
        if words.kind == Some(Apology::Refusal) { told } else { TurnOutcome::Failed }
    }

    async fn abandon(self, _why: Interruption, words: Words<'_>) -> TurnOutcome {
        self.close(words).await
    }
}

/// Ends an answer with a text of our own, which is recorded under the key.
pub(super) async fn tell(turn: &TurnInFlight, answer: ConnectorAnswer, text: &str, key: Option<&str>) -> TurnOutcome {
    match answer.close(text).await {
        Ok(ids) => {
            turn.record(Activity::message(text), &ids, key).await;
            TurnOutcome::Answered
        }
        Err(error) => {
            tracing::error!(conversation.id = %turn.conversation, %error, "a text could not be sent to a user");
            TurnOutcome::Failed
        }
    }
}
