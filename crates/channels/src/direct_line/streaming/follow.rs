//! Reads the body of an answer while it arrives.

use std::error::Error;

use futures_util::{Stream, StreamExt as _};
use tokio::time::{Instant, sleep_until};

use super::{Followed, StreamingAnswer, StreamingError, Unanswered};
use crate::activity::Activity;
use crate::answer_events::{AnswerEvents, AnswerPart};
use crate::arrived::{Wordless, settle};
use crate::convert::{Conversion, Streamed, Streaming};
use crate::follow::{Arrived, Audience, Unread, take_in};
use crate::pace::Pace;
use crate::store::ChangeListener;
use crate::{Delivered, DeliveryError, Incomplete, NoAnswer, count_converted, log_report, stopwatch};

/// The readers of an answer, as far as their sockets are open.
struct Readers<'a> {
    answer: &'a mut StreamingAnswer,
    pace: Pace<Instant>,
    listener: ChangeListener,
    /// Nothing is shown of an answer that was recorded before.
    is_repeated: bool,
}

impl Audience for Readers<'_> {
    type Over = DeliveryError;

    fn times(&mut self) -> (impl Future<Output = Result<(), DeliveryError>> + Send, impl Future<Output = ()> + Send) {
        let (allowed, due) = (self.pace.allowed(), self.pace.due());
        let listener = &mut self.listener;
        let must = async move {
            loop {
                tokio::select! {
                    biased;
                    // The messages of others do not concern an answer, but its conversation may be gone.
                    changed = listener.changed() => changed.map_err(|_| DeliveryError::UnknownConversation)?,
                    () = until_due(due) => return Ok(()),
                }
            }
        };
        (must, until(allowed))
    }

    fn wish(&mut self) {
        if !self.is_repeated {
            self.pace.wish(Instant::now());
        }
    }

    async fn show(&mut self, so_far: Option<Activity>, informative: Option<String>) -> Result<(), DeliveryError> {
        let seen = match (so_far, informative) {
            (Some(so_far), _) => self.answer.update(so_far).await?,
            // Readers who have been told something already need not be told that again.
            (None, Some(text)) if !self.answer.is_shown() => self.answer.inform(&text).await.map(|()| Some(0))?,
            (None, _) => Some(0),
        };
        if let Some(bytes) = seen {
            self.pace.sent_bytes(bytes, Instant::now());
            // A body that always has more would not let the readers' sockets come to it.
            tokio::task::yield_now().await;
        } else {
            self.pace.unseen(Instant::now());
        }
        Ok(())
    }
}

impl StreamingAnswer {
    /// Follows the body of an answer: shows what can be shown of it while it arrives, and records its message, which is the one
    /// that the whole answer gives. With a `key`, a repeated call shows and records nothing, and returns what the first one has
    /// recorded.
    ///
    /// An answer that breaks off, or ends without its sign, stays as it is, and a second short message behind it says that it is
    /// incomplete. The future may be dropped at any time; what it has shown is withdrawn then.
    ///
    /// # Errors
    /// When nothing of use has arrived, or no words, when required grounding is missing, when the conversation is gone or the store fails.
    /// Nothing is recorded then.
    pub async fn follow<S, E>(
        self,
        conversion: Conversion,
        events: AnswerEvents<S>,
        key: Option<String>,
    ) -> Result<Followed<E>, Box<Unanswered<E>>>
    where
        S: Stream<Item = Result<AnswerPart, E>> + Unpin,
        E: Error + 'static,
    {
        self.run(conversion, events, key, |_| false, Wordless::Refused).await
    }

    /// Follows an answer whose sender knows what it sends, so that it may be without words, and where some
    /// ways for the body to break off leave nothing of the answer that may stay.
    ///
    /// # Errors
    /// As for [`follow`](Self::follow), and when `refused` says so.
    pub async fn follow_unless<S, E>(
        self,
        conversion: Conversion,
        events: AnswerEvents<S>,
        key: Option<String>,
        refused: impl Fn(&E) -> bool,
    ) -> Result<Followed<E>, Box<Unanswered<E>>>
    where
        S: Stream<Item = Result<AnswerPart, E>> + Unpin,
        E: Error + 'static,
    {
        self.run(conversion, events, key, refused, Wordless::Kept).await
    }

    async fn run<S, E>(
        mut self,
        conversion: Conversion,
        events: AnswerEvents<S>,
        key: Option<String>,
        refused: impl Fn(&E) -> bool,
        wordless: Wordless,
    ) -> Result<Followed<E>, Box<Unanswered<E>>>
    where
        S: Stream<Item = Result<AnswerPart, E>> + Unpin,
        E: Error + 'static,
    {
        match self.try_follow(conversion, events, key, refused, wordless).await {
            Ok(followed) => Ok(followed),
            Err(cause) => Err(Box::new(Unanswered { cause, answer: self })),
        }
    }

    async fn try_follow<S, E>(
        &mut self,
        conversion: Conversion,
        events: AnswerEvents<S>,
        key: Option<String>,
        refused: impl Fn(&E) -> bool,
        wordless: Wordless,
    ) -> Result<Followed<E>, StreamingError<E>>
    where
        S: Stream<Item = Result<AnswerPart, E>> + Unpin,
        E: Error + 'static,
    {
        let turns = std::sync::Arc::clone(&self.streaming.turns);
        let _turn = match &key {
            Some(key) => Some(turns.take(&format!("{} {key}", self.id)).await),
            None => None,
        };
        let is_repeated = match &key {
            Some(key) => self.streaming.store.recall(&self.id, key).await.map_err(DeliveryError::from)?.is_some(),
            None => false,
        };
        let from = events.from().slug();
        let listener = self.listener().await?;
        let pace = Pace::new(self.streaming.options.interval, Instant::now());
        let conversion = Conversion { stopwatch: Some(stopwatch(&self.streaming.metrics)), ..conversion };
        let streaming = Streaming::new(conversion).at_most(self.streaming.options.max_bytes);
        let stop = self.stop.clone();
        let events = events.with_parts(|parts| Box::pin(parts.take_until(stop.asked())));
        let mut readers = Readers { answer: self, pace, listener, is_repeated };
        let taken = take_in(streaming, events, &mut readers).await;
        let arrived = taken.map_err(|unread| match unread {
            Unread::Convert(error) => StreamingError::NoAnswer(NoAnswer::Convert(error)),
            Unread::Over(error) => StreamingError::Delivery(error),
        })?;
        let arrived = match arrived {
            Arrived { broken: Some(error), .. } if refused(&error) => {
                return Err(StreamingError::NoAnswer(NoAnswer::Body(error)));
            }
            arrived => arrived,
        };
        let settled = settle(arrived, wordless);
        match &settled {
            Ok((streamed, _)) => count_converted(&self.streaming.metrics, from, &streamed.report),
            Err(error) => self.streaming.metrics.conversion(from, error.counted()),
        }
        let (streamed, mut incomplete) = settled.map_err(StreamingError::NoAnswer)?;
        if stop.is_asked() && incomplete.is_some() {
            incomplete = Some(Incomplete::Stopped);
        }
        let Streamed { message, report, .. } = streamed;
        log_report(&report);
        let behind = incomplete.as_ref().map(|why| match why {
            Incomplete::Stopped => stop.words().to_owned(),
            Incomplete::Body(_) | Incomplete::NoEnd | Incomplete::TooLong => self.streaming.options.incomplete.clone(),
        });
        let behind = behind.map(Activity::message);
        let appended = self.record(message, behind, key).await?;
        let first = appended.recorded.into_iter().next().ok_or(DeliveryError::NoMessage)?;
        let id = first.activity.id.clone().ok_or(DeliveryError::NoMessage)?;
        Ok(Followed { delivered: Delivered { id, activity: first.activity, report }, incomplete })
    }

    async fn listener(&self) -> Result<ChangeListener, DeliveryError> {
        self.streaming.store.subscribe(&self.id).await?.ok_or(DeliveryError::UnknownConversation)
    }
}

/// Resolves at that time; never, where there is none.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Resolves at that time, and at once where it has come: timers stand still while a body that always has more keeps the thread.
async fn until_due(due: Option<Instant>) {
    if due.is_none_or(|due| due > Instant::now()) {
        until(due).await;
    }
}

impl<E: Error + 'static> From<DeliveryError> for StreamingError<E> {
    fn from(error: DeliveryError) -> Self {
        Self::Delivery(error)
    }
}
