//! Following the body of an answer while it arrives.

use std::error::Error;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};

use super::answer::Course;
use super::{Answered, ConnectorAnswer, Ended, Failed, Followed, Unanswered};
use crate::activity::Activity;
use crate::channels::NoAnswer;
use crate::channels::arrived::{Wordless, settle};
use crate::convert::{Conversion, Streamed, Streaming, Update};
use crate::report::Report;

/// What has arrived when the body is over.
enum Arrived<E> {
    /// All that there is, and why there is not more.
    Over(Box<Streaming>, Option<E>),
    /// The user wants no more.
    Stopped,
}

impl ConnectorAnswer {
    /// Follows the body of an answer: shows what can be shown of it while it arrives, and sends its message, which is the one
    /// that the whole answer gives.
    ///
    /// An answer that breaks off, or ends without its sign, stays as it is, and a second short message behind it says that it is
    /// incomplete. When the user presses the stop button, the rest of the body is not read.
    ///
    /// # Errors
    /// When nothing of use has arrived, or no words, when required grounding is missing, or when the channel takes the answer in
    /// no form.
    pub async fn follow<S, E>(mut self, conversion: Conversion, body: S) -> Result<Followed<E>, Box<Unanswered<E>>>
    where
        S: Stream<Item = Result<Bytes, E>>,
        E: Error + 'static,
    {
        match self.try_follow(conversion, body).await {
            Ok(followed) => Ok(followed),
            Err(cause) => Err(Box::new(Unanswered { cause, answer: self })),
        }
    }

    async fn try_follow<S, E>(&mut self, mut conversion: Conversion, body: S) -> Result<Followed<E>, Failed<E>>
    where
        S: Stream<Item = Result<Bytes, E>>,
        E: Error + 'static,
    {
        conversion.in_parts = true;
        if self.course == Course::Plain {
            // Nothing is prepared that nobody sees.
            conversion.options.updates = Some(0);
        }
        let (streaming, broken) = match self.take_in(Streaming::new(conversion), body).await? {
            Arrived::Over(streaming, broken) => (streaming, broken),
            Arrived::Stopped => return Ok(Followed { answered: self.stopped(), incomplete: None }),
        };
        let settled = settle(*streaming, broken, Wordless::Refused).map_err(Failed::NoAnswer)?;
        let (streamed, incomplete) = settled;
        let Streamed { message, report, .. } = streamed;
        let finished = self.finish(message, report).await;
        let answered = finished.map_err(|refusal| Failed::Refused(Box::new(refusal)))?;
        if incomplete.is_some() && answered.ended == Ended::Whole {
            let note = self.texts.incomplete.clone();
            self.add(&note).await;
        }
        Ok(Followed { answered, incomplete })
    }

    /// Takes the body in, and shows what can be shown of it.
    async fn take_in<S, E>(&mut self, mut streaming: Streaming, body: S) -> Result<Arrived<E>, Failed<E>>
    where
        S: Stream<Item = Result<Bytes, E>>,
        E: Error + 'static,
    {
        let mut body = pin!(body);
        let clock = Arc::clone(&self.clock);
        let mut informative = None;
        loop {
            if self.is_stopped() {
                return Ok(Arrived::Stopped);
            }
            let now = clock.now();
            let shows = matches!(self.course, Course::Fresh | Course::Open(_));
            let (allowed, due) = if shows { (self.pace.allowed(), self.pace.due()) } else { (None, None) };
            let deadline = self.deadline();
            if [deadline, due].into_iter().flatten().all(|at| at > now) {
                let wake = [deadline, allowed].into_iter().flatten().min();
                let wait = wake.map(|at| (at - now).to_std().unwrap_or_default());
                let item = tokio::select! {
                    biased;
                    item = body.next() => Some(item),
                    () = clock.wait(wait.unwrap_or_default()), if wait.is_some() => None,
                };
                match item {
                    None => {}
                    Some(None) => return Ok(Arrived::Over(Box::new(streaming), None)),
                    Some(Some(Err(error))) => return Ok(Arrived::Over(Box::new(streaming), Some(error))),
                    Some(Some(Ok(bytes))) => {
                        match streaming.push(&bytes).map_err(|error| Failed::NoAnswer(NoAnswer::Convert(error)))? {
                            Some(Update::Informative(text)) => informative = Some(text.to_owned()),
                            Some(Update::Text(_)) => {}
                            None => continue,
                        }
                        self.pace.wish(clock.now());
                        continue;
                    }
                }
            }
            if self.deadline().is_some_and(|at| at <= clock.now()) {
                self.meet_deadline().await;
                continue;
            }
            // Nothing is borrowed of the conversion while something is sent: it cannot be looked at from two threads.
            match (streaming.so_far(), informative.take()) {
                (Some(so_far), _) => self.update(so_far).await,
                // Users who have been told something already need not be told that again.
                (None, Some(text)) if !self.is_shown() => self.inform(&text).await,
                (None, _) => self.pace.forget(),
            }
        }
    }

    /// What the user has who has stopped the answer.
    fn stopped(&mut self) -> Answered {
        let message = Activity::message(self.shown());
        Answered { message, ids: std::mem::take(&mut self.ids), ended: Ended::Stopped, report: Report::default() }
    }
}
