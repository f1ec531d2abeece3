//! Ends an answer: sends its message in the first form that the service accepts.

use std::time::Duration;

use super::answer::StreamState;
use super::content::Content;
use super::refusal_policy::{Next, Sent, after};
use super::{Answered, ConnectorAnswer, Ended, Failed, Unanswered};
use crate::NoAnswer;
use crate::activity::{Activity, ActivityId};
use crate::arrived::says_nothing;
use crate::azure_bot::outbound::{Refusal, RefusalCause, RefusalKind};
use crate::convert::Converted;
use crate::egress::later;
use crate::report::{Entry, Report};
use crate::store::StoreError;

/// No message takes more calls than this, its parts included.
const MAX_CALLS: usize = 40;

/// How the next part of the message goes out.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    /// As the end of the stream.
    Final(ActivityId),
    /// The stream ends first, with what was shown.
    Close(ActivityId),
    /// In the place of the stream.
    Replace(ActivityId),
    /// As a message of its own.
    Message,
    /// As a message that only the user who asked sees.
    Private,
}

impl ConnectorAnswer {
    /// Sends the message of a whole answer. Convert it with [`in_parts`](crate::convert::Conversion::in_parts): then nothing of it
    /// is cut, and it goes out in as many messages as it takes.
    ///
    /// # Errors
    /// When the answer has no words, or the channel takes it in no form.
    pub async fn whole(mut self, converted: Converted) -> Result<Answered, Box<Unanswered>> {
        let Converted { activities, report } = converted;
        let message = activities.into_iter().rfind(|activity| !activity.is_ephemeral()).unwrap_or_default();
        // A message with updates before it says that it ends them; here it may end others, or none.
        let message = message.without_stream_info();
        if says_nothing(&message) {
            return Err(Box::new(Unanswered {
                cause: Failed::NoAnswer(NoAnswer::Nothing(Box::new(report))),
                answer: self,
            }));
        }
        match self.finish(message, report).await {
            Ok(answered) => Ok(answered),
            Err(refusal) => Err(Box::new(Unanswered { cause: Failed::Refused(Box::new(refusal)), answer: self })),
        }
    }

    /// Ends with words of the caller in place of an answer: an apology, a refusal. They stand behind what was shown and cannot be
    /// taken back. When nobody knows whether the answer has arrived, they say that instead.
    ///
    /// # Errors
    /// When the channel does not take them either. Then the user has what was shown.
    pub async fn close(mut self, text: &str) -> Result<Vec<String>, Refusal> {
        let text = if self.in_doubt { self.texts.doubt.as_str() } else { text };
        let stays = match &self.state {
            StreamState::Open(_) | StreamState::Quiet(_) => !self.dialect.may_change_shown(),
            StreamState::Over(_) => self.pacing.can_replace,
            StreamState::Fresh | StreamState::Plain | StreamState::Stopped => false,
        };
        let shown = self.shown();
        let text = if stays && !shown.trim().is_empty() { format!("{shown}\n\n{text}") } else { text.to_owned() };
        let first = if self.sink.can_tell() { Way::Private } else { Way::Message };
        self.deliver(Activity::message(text), first, &mut Vec::new()).await?;
        Ok(self.ids)
    }

    /// Sends a message that somebody else may have sent before as the end of this stream: a stream that has ended says so. What was
    /// to come behind the stream is sent only where the stream had not ended.
    ///
    /// # Errors
    /// When nobody knows whether it has arrived.
    pub(crate) async fn once_more(mut self, message: Activity, stream: ActivityId) -> Result<Vec<String>, Refusal> {
        (self.state, self.once_more) = (StreamState::Quiet(stream), true);
        self.deliver(message, Way::Message, &mut Vec::new()).await?;
        Ok(self.ids)
    }

    /// Sends the message, and says what has become of it.
    pub(super) async fn finish(&mut self, message: Activity, mut report: Report) -> Result<Answered, Refusal> {
        let mut entries = Vec::new();
        let ended = self.deliver(message.clone(), Way::Message, &mut entries).await?;
        report.extend(entries);
        let message = match ended {
            Ended::Whole => message,
            Ended::Stopped => Activity::message(self.shown()),
        };
        Ok(Answered { message, ids: std::mem::take(&mut self.ids), ended, report })
    }

    /// Sends something short behind the answer, if the channel takes it.
    pub(super) async fn add(&mut self, text: &str) {
        if let Err(refusal) = self.sink.send(Activity::message(text)).await {
            tracing::warn!(error = %refusal, "a user could not be told that an answer is incomplete");
        }
    }

    /// Sends a message in parts; `first` is the way where there is no stream.
    async fn deliver(&mut self, message: Activity, first: Way, entries: &mut Vec<Entry>) -> Result<Ended, Refusal> {
        let mut way = match self.state.clone() {
            StreamState::Stopped => return Ok(Ended::Stopped),
            StreamState::Fresh | StreamState::Plain => first,
            StreamState::Open(id) | StreamState::Quiet(id) => Way::Final(id),
            StreamState::Over(id) => self.instead(id),
        };
        self.note(&message).await.map_err(RefusalCause::Unnoted)?;
        let mut content = Content::new(self.dialect, message, entries);
        let (mut again, mut lost) = (false, self.once_more);
        let mut calls = 0;
        loop {
            calls += 1;
            let Some(part) = content.next() else { return Ok(Ended::Whole) };
            if let Way::Final(id) = &way
                && !self.continues(part)
            {
                way = Way::Close(id.clone());
            }
            if let Some(wait) = self.gap_left(&way) {
                self.clock.wait(wait).await;
            }
            let (sent, taken) = match &way {
                Way::Final(id) => {
                    let ending = self.ending(part.clone(), id);
                    (Sent::Final, self.sink.send(ending).await)
                }
                Way::Close(id) => {
                    let closing = self.closing(id);
                    (Sent::Closing, self.sink.send(closing).await)
                }
                Way::Replace(id) => {
                    (Sent::Replacement, self.sink.replace(id.as_str(), part.clone()).await.map(|()| None))
                }
                Way::Message => (Sent::Message, self.sink.send(part.clone()).await),
                Way::Private => (Sent::Message, self.sink.tell(part.clone()).await),
            };
            let refusal = match taken {
                Ok(given) => {
                    way = self.took(way, given, &mut content);
                    lost = false;
                    continue;
                }
                Err(refusal) => refusal,
            };
            let next = after(sent, refusal.kind);
            tracing::info!(error = %refusal, ?next, "the channel refused an answer");
            if next == Next::Settle && self.once_more {
                content.cut();
            }
            lost |= refusal.kind == RefusalKind::Lost && sent != Sent::Closing;
            let other = match (next, way) {
                (Next::Stop, _) => {
                    self.state = StreamState::Stopped;
                    return Ok(Ended::Stopped);
                }
                // Words that the service keeps from nobody are better than none.
                (_, Way::Private) => Some(Way::Message),
                (Next::Again, way) if !std::mem::replace(&mut again, true) => Some(way),
                (Next::Settle, Way::Final(id)) if (lost || refusal.repeated) && !self.pacing.can_replace => {
                    lost = false;
                    Some(self.took(Way::Final(id), None, &mut content))
                }
                (Next::Close, Way::Final(id)) => Some(Way::Close(id)),
                (Next::Smaller, way) => content.divide(entries).then_some(way),
                (Next::Listed, way) if content.list(entries) => Some(way),
                (Next::GiveUp, _) | (Next::Listed, Way::Message) => None,
                (Next::Over | Next::Settle | Next::Again, Way::Final(id) | Way::Close(id)) => Some(self.instead(id)),
                (_, Way::Final(id)) if lost => Some(self.instead(id)),
                (_, _) => Some(Way::Message),
            };
            // Where the answer may be there already, it must not come a second time.
            match other.filter(|way| !(lost && *way == Way::Message)) {
                Some(other) if calls < MAX_CALLS => way = other,
                Some(_) | None => {
                    // Words from now on are a message of their own.
                    self.state = StreamState::Plain;
                    self.in_doubt = lost;
                    return Err(refusal);
                }
            }
        }
    }

    /// Notes that all of the answer is about to be sent.
    async fn note(&mut self, message: &Activity) -> Result<(), StoreError> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let stream = match &self.state {
            StreamState::Open(id) | StreamState::Quiet(id) => Some(id),
            StreamState::Fresh | StreamState::Over(_) | StreamState::Plain | StreamState::Stopped => None,
        };
        progress.whole(message, stream).await
    }

    /// How long to wait until a stream can end: the service counts its end with its updates.
    fn gap_left(&self, way: &Way) -> Option<Duration> {
        match way {
            Way::Final(_) | Way::Close(_) => {
                let from = later(self.pace.last(), self.pacing.gap);
                (from - self.clock.now()).to_std().ok().filter(|wait| !wait.is_zero())
            }
            Way::Replace(_) | Way::Message | Way::Private => None,
        }
    }

    /// Something was taken; how the next part goes out.
    fn took(&mut self, way: Way, given: Option<String>, content: &mut Content) -> Way {
        match way {
            Way::Close(id) => {
                self.state = StreamState::Over(id.clone());
                return self.instead(id);
            }
            Way::Final(id) | Way::Replace(id) => {
                self.state = StreamState::Plain;
                self.ids.push(id.to_string());
            }
            Way::Message | Way::Private => self.ids.extend(given),
        }
        content.advance();
        Way::Message
    }

    /// How an answer goes out whose stream has ended without it.
    fn instead(&self, id: ActivityId) -> Way {
        if self.pacing.can_replace { Way::Replace(id) } else { Way::Message }
    }

    /// Whether the service takes this text behind what was shown.
    fn continues(&self, part: &Activity) -> bool {
        self.dialect.may_change_shown() || part.text.as_deref().unwrap_or_default().starts_with(self.shown())
    }
}
