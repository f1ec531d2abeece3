//! Following the body of an answer while it arrives.

use std::error::Error;
use std::pin::pin;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use tokio::time::{Instant, sleep_until};

use super::{Followed, LiveAnswer, LiveError, Unanswered};
use crate::activity::Activity;
use crate::channels::arrived::{Wordless, counted, settle};
use crate::channels::pace::Pace;
use crate::channels::{Delivered, DeliveryError, NoAnswer, log_scores};
use crate::convert::{Conversion, Streamed, Streaming, Update};
use crate::store::Doorbell;

/// What has arrived when the body is over.
struct Arrived<E> {
    streaming: Streaming,
    /// Why there is not more.
    broken: Option<E>,
}

impl LiveAnswer {
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
        body: S,
        key: Option<String>,
    ) -> Result<Followed<E>, Box<Unanswered<E>>>
    where
        S: Stream<Item = Result<Bytes, E>>,
        E: Error + 'static,
    {
        self.run(conversion, body, key, |_| false, Wordless::Refused).await
    }

    /// The same for an answer that somebody sends who knows what they send, so that it may be without words, and where some
    /// ways for the body to break off leave nothing of the answer that may stay.
    ///
    /// # Errors
    /// As for [`follow`](Self::follow), and when `refused` says so.
    pub async fn follow_unless<S, E>(
        self,
        conversion: Conversion,
        body: S,
        key: Option<String>,
        refused: impl Fn(&E) -> bool,
    ) -> Result<Followed<E>, Box<Unanswered<E>>>
    where
        S: Stream<Item = Result<Bytes, E>>,
        E: Error + 'static,
    {
        self.run(conversion, body, key, refused, Wordless::Kept).await
    }

    async fn run<S, E>(
        mut self,
        conversion: Conversion,
        body: S,
        key: Option<String>,
        refused: impl Fn(&E) -> bool,
        wordless: Wordless,
    ) -> Result<Followed<E>, Box<Unanswered<E>>>
    where
        S: Stream<Item = Result<Bytes, E>>,
        E: Error + 'static,
    {
        match self.try_follow(conversion, body, key, refused, wordless).await {
            Ok(followed) => Ok(followed),
            Err(cause) => Err(Box::new(Unanswered { cause, answer: self })),
        }
    }

    async fn try_follow<S, E>(
        &mut self,
        conversion: Conversion,
        body: S,
        key: Option<String>,
        refused: impl Fn(&E) -> bool,
        wordless: Wordless,
    ) -> Result<Followed<E>, LiveError<E>>
    where
        S: Stream<Item = Result<Bytes, E>>,
        E: Error + 'static,
    {
        let turns = std::sync::Arc::clone(&self.live.turns);
        let _turn = match &key {
            Some(key) => Some(turns.take(&format!("{} {key}", self.id)).await),
            None => None,
        };
        let is_repeated = match &key {
            Some(key) => self.live.store.recall(&self.id, key).await.map_err(DeliveryError::from)?.is_some(),
            None => false,
        };
        let from = conversion.slug();
        let streaming = Streaming::new(conversion);
        let Arrived { streaming, broken } = self.take_in(streaming, body, !is_repeated).await?;
        if let Some(error) = broken.as_ref()
            && refused(error)
        {
            return Err(
                broken.map_or(DeliveryError::NoMessage.into(), |error| LiveError::NoAnswer(NoAnswer::Body(error)))
            );
        }
        let settled = settle(streaming, broken, wordless);
        let outcome = settled.as_ref().map_or_else(NoAnswer::counted, |(streamed, _)| counted(&streamed.report));
        self.live.metrics.conversion(from, outcome);
        let (streamed, incomplete) = settled.map_err(LiveError::NoAnswer)?;
        let Streamed { message, report, .. } = streamed;
        log_scores(&report.scores);
        let behind = incomplete.as_ref().map(|_| Activity::message(self.live.options.incomplete.clone()));
        let appended = self.record(message, behind, key).await?;
        let first = appended.recorded.into_iter().next().ok_or(DeliveryError::NoMessage)?;
        let id = first.activity.id.clone().ok_or(DeliveryError::NoMessage)?;
        Ok(Followed { delivered: Delivered { id, activity: first.activity, report }, incomplete })
    }

    /// Takes the body in, and shows what can be shown of it.
    async fn take_in<S, E>(
        &mut self,
        mut streaming: Streaming,
        body: S,
        is_shown: bool,
    ) -> Result<Arrived<E>, LiveError<E>>
    where
        S: Stream<Item = Result<Bytes, E>>,
        E: Error + 'static,
    {
        let mut body = pin!(body);
        let mut doorbell = self.doorbell().await?;
        let mut pace = Pace::new(self.live.options.interval, Instant::now());
        let mut informative = None;
        loop {
            tokio::select! {
                biased;
                rung = doorbell.rung() => {
                    // What others say is nothing to an answer, but there may be nobody left to say it to.
                    rung.map_err(|_| DeliveryError::UnknownConversation)?;
                    continue;
                }
                () = until_due(pace.due()) => {}
                item = body.next() => {
                    let bytes = match item {
                        Some(Ok(bytes)) => bytes,
                        Some(Err(error)) => return Ok(Arrived { streaming, broken: Some(error) }),
                        None => return Ok(Arrived { streaming, broken: None }),
                    };
                    match streaming.push(&bytes).map_err(|error| LiveError::NoAnswer(NoAnswer::Convert(error)))? {
                        Some(Update::Informative(text)) => informative = Some(text.to_owned()),
                        Some(Update::Text(_)) => {}
                        None => continue,
                    }
                    if is_shown {
                        pace.wish(Instant::now());
                    }
                    continue;
                }
                () = until(pace.allowed()) => {}
            }
            // Nothing is borrowed of the conversion while something is sent: it cannot be looked at from two threads.
            let so_far = streaming.so_far();
            if self.publish(so_far, &mut informative).await? {
                pace.sent(Instant::now());
                // A body that always has more would not let the readers' sockets come to it.
                tokio::task::yield_now().await;
            } else {
                pace.unseen(Instant::now());
            }
        }
    }

    /// Shows what is new; whether anyone was there to see it.
    async fn publish(
        &mut self,
        so_far: Option<Activity>,
        informative: &mut Option<String>,
    ) -> Result<bool, DeliveryError> {
        if let Some(so_far) = so_far {
            return self.update(so_far).await;
        }
        // Readers who have been told something already need not be told that again.
        if let Some(text) = informative.take()
            && !self.is_shown()
        {
            self.inform(&text).await?;
        }
        Ok(true)
    }

    async fn doorbell(&self) -> Result<Doorbell, DeliveryError> {
        self.live.store.subscribe(&self.id).await?.ok_or(DeliveryError::UnknownConversation)
    }
}

/// Resolves at that time; never, where there is none.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// The same, and at once where the time has come: timers stand still while a body that always has more keeps the thread.
async fn until_due(due: Option<Instant>) {
    if due.is_none_or(|due| due > Instant::now()) {
        until(due).await;
    }
}

impl<E: Error + 'static> From<DeliveryError> for LiveError<E> {
    fn from(error: DeliveryError) -> Self {
        Self::Delivery(error)
    }
}
