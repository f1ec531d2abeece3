//! Reads the body of an answer while it arrives.

use std::error::Error;
use std::future::pending;
use std::sync::Arc;

use futures_util::Stream;

use super::answer::StreamState;
use super::{Answered, ConnectorAnswer, Ended, Failed, Followed, Unanswered};
use crate::NoAnswer;
use crate::activity::Activity;
use crate::answer_events::{AnswerEvents, AnswerPart};
use crate::arrived::{Wordless, settle};
use crate::convert::{Conversion, Streamed, Streaming};
use crate::follow::{Audience, Unread, take_in};
use crate::report::Report;

/// The user has pressed the stop button.
pub(crate) struct Stopped;

impl Audience for ConnectorAnswer {
    type Over = Stopped;

    fn times(&mut self) -> (impl Future<Output = Result<(), Stopped>> + Send, impl Future<Output = ()> + Send) {
        let now = self.clock.now();
        let shows = matches!(self.state, StreamState::Fresh | StreamState::Open(_));
        let (allowed, due) = if shows { (self.pace.allowed(), self.pace.due()) } else { (None, None) };
        let deadline = self.deadline();
        let has_come = [deadline, due].into_iter().flatten().any(|at| at <= now);
        let is_stopped = self.is_stopped();
        let must = async move {
            match (is_stopped, has_come) {
                (true, _) => Err(Stopped),
                (false, true) => Ok(()),
                (false, false) => pending().await,
            }
        };
        let wake = [deadline, allowed].into_iter().flatten().min();
        let clock = Arc::clone(&self.clock);
        let may = async move {
            match wake {
                Some(at) => clock.wait((at - now).to_std().unwrap_or_default()).await,
                None => pending().await,
            }
        };
        (must, may)
    }

    fn wish(&mut self) {
        self.pace.wish(self.clock.now());
    }

    async fn keep_alive(&mut self) -> bool {
        let is_due = self.deadline().is_some_and(|at| at <= self.clock.now());
        if is_due {
            self.meet_deadline().await;
        }
        is_due
    }

    async fn show(&mut self, so_far: Option<Activity>, informative: Option<String>) -> Result<(), Stopped> {
        match (so_far, informative) {
            (Some(so_far), _) => self.update(so_far).await,
            // Users who have been told something already need not be told that again.
            (None, Some(text)) if !self.is_shown() => self.inform(&text).await,
            (None, _) => self.pace.forget(),
        }
        Ok(())
    }
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
    pub async fn follow<S, E>(
        mut self,
        conversion: Conversion,
        events: AnswerEvents<S>,
    ) -> Result<Followed<E>, Box<Unanswered<E>>>
    where
        S: Stream<Item = Result<AnswerPart, E>> + Unpin,
        E: Error + 'static,
    {
        match self.try_follow(conversion, events).await {
            Ok(followed) => Ok(followed),
            Err(cause) => Err(Box::new(Unanswered { cause, answer: self })),
        }
    }

    async fn try_follow<S, E>(
        &mut self,
        mut conversion: Conversion,
        events: AnswerEvents<S>,
    ) -> Result<Followed<E>, Failed<E>>
    where
        S: Stream<Item = Result<AnswerPart, E>> + Unpin,
        E: Error + 'static,
    {
        conversion.in_parts = true;
        if self.state == StreamState::Plain {
            // Nothing is prepared that nobody sees.
            conversion.options.updates = Some(0);
        }
        let arrived = match take_in(Streaming::new(conversion), events, self).await {
            Ok(arrived) => arrived,
            Err(Unread::Convert(error)) => return Err(Failed::NoAnswer(NoAnswer::Convert(error))),
            Err(Unread::Over(Stopped)) => return Ok(Followed { answered: self.stopped(), incomplete: None }),
        };
        let (streamed, incomplete) = settle(arrived, Wordless::Refused).map_err(Failed::NoAnswer)?;
        let Streamed { message, report, .. } = streamed;
        let finished = self.finish(message, report).await;
        let answered = finished.map_err(|refusal| Failed::Refused(Box::new(refusal)))?;
        if incomplete.is_some() && answered.ended == Ended::Whole {
            let note = self.texts.incomplete.clone();
            self.add(&note).await;
        }
        Ok(Followed { answered, incomplete })
    }

    /// The part of a stopped answer that the user has.
    fn stopped(&mut self) -> Answered {
        let message = Activity::message(self.shown());
        Answered { message, ids: std::mem::take(&mut self.ids), ended: Ended::Stopped, report: Report::default() }
    }
}
