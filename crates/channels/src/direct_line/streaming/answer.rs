//! A streaming answer in a conversation.

use std::sync::Arc;

use chrono::Duration;

use super::{Stop, StreamingAnswers};
use crate::DeliveryError;
use crate::activity::{Activity, ActivityId, ConversationId, StreamInfo, Watermark};
use crate::bus::Announced;
use crate::dialect::{Answering, Dialect, Livestream, Stamps, Waiting};
use crate::direct_line::running::stream_of_turn;
use crate::direct_line::{Ephemeral, Part, Running, sign};
use crate::metrics::LiveStream;
use crate::store::{Appended, Batch, ChangeListener, EndOfTurn, Recorded, Turn, TurnStage};

/// An answer in a conversation of the embedded channel, from its first informative text to its message.
///
/// What it has shown is withdrawn when it is dropped before it has ended, so that no reader is left with half an answer. The answer
/// [to a turn](Self::to_turn) is left as it is: whoever answers the turn next goes on in its place.
/// Where nobody reads, nothing is shown, and the message is an ordinary one.
#[derive(Debug)]
#[must_use = "dropped, it has not ended"]
pub struct StreamingAnswer {
    pub(super) streaming: StreamingAnswers,
    pub(super) id: ConversationId,
    phase: Phase,
    /// The part that the readers' sockets know.
    running: Arc<Running>,
    /// The id of what it answers.
    reply_to: Option<ActivityId>,
    /// The turn that it answers.
    end: Option<EndOfTurn>,
    /// The id of its first activity, as soon as that is known.
    name: Option<ActivityId>,
    is_shown: bool,
    /// Whether another node may have shown something of it.
    is_resumed: bool,
    /// Tells other nodes that it goes on.
    announced: Option<Announced>,
    stamps: Stamps,
    /// How far the conversation reached when something was shown last.
    reached: Option<Watermark>,
    /// Says when the conversation reaches further.
    changes: Option<ChangeListener>,
    counted: LiveStream,
    pub(super) stop: Stop,
}

/// How far the stream is.
#[derive(Debug)]
enum Phase {
    Waiting(Livestream<Waiting>),
    Answering(Livestream<Answering>),
    Ended,
}

impl StreamingAnswers {
    /// An answer in a conversation, of which nothing is shown yet.
    pub fn begin(&self, id: ConversationId) -> StreamingAnswer {
        StreamingAnswer::new(self.clone(), id)
    }
}

impl StreamingAnswer {
    fn new(streaming: StreamingAnswers, id: ConversationId) -> Self {
        // The embedded channel is one, whatever the answer is converted for.
        let phase = Livestream::new(Dialect::WebChat).map_or(Phase::Ended, Phase::Waiting);
        Self {
            counted: streaming.metrics.live_stream(),
            streaming,
            id,
            phase,
            running: Arc::default(),
            reply_to: None,
            end: None,
            name: None,
            is_shown: false,
            is_resumed: false,
            announced: None,
            stamps: Stamps::default(),
            reached: None,
            changes: None,
            stop: Stop::default(),
        }
    }

    /// Ends the answer when that is asked: what has arrived of it then is what there is.
    pub fn until(mut self, stop: &Stop) -> Self {
        self.stop = stop.clone();
        self
    }

    /// Makes the answer a reply to this activity of its conversation: whatever is shown and recorded of it says so in
    /// `replyToId`. The activity has to be recorded, because Web Chat holds a reply back for seconds when it does not know what it
    /// answers.
    pub fn replying_to(mut self, id: Option<&ActivityId>) -> Self {
        self.reply_to = id.cloned();
        self
    }

    /// Ends this turn with the message of the answer. Its stream is that of the turn.
    pub fn to_turn(mut self, turn: &Turn, end: EndOfTurn) -> Self {
        self.end = Some(end);
        self.name = Some(stream_of_turn(&self.id, turn));
        if turn.attempts > 0 || turn.stage != TurnStage::Waiting {
            // Whatever was shown, it was less than an activity in each millisecond.
            let made = (self.streaming.publisher.now() - turn.arrived).num_milliseconds().max(1);
            let made = u32::try_from(made).unwrap_or(u32::MAX / 2);
            self.phase = Livestream::resumed(Dialect::WebChat, made).map_or(Phase::Ended, Phase::Waiting);
            self.is_resumed = true;
        }
        self
    }

    /// The conversation.
    #[must_use]
    pub fn conversation(&self) -> &ConversationId {
        &self.id
    }

    /// Whether readers see anything of it.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Whether anybody would see the answer while it is written. Where somebody else may write it by now, nothing is shown.
    pub async fn is_read(&self) -> bool {
        !self.is_cut_off() && self.streaming.publisher.hub().is_read_anywhere(&self.id, &self.running).await
    }

    /// Whether somebody else may write the answer by now.
    fn is_cut_off(&self) -> bool {
        self.end.as_ref().is_some_and(|end| self.streaming.store.is_cut_off(&end.queue))
    }

    /// Shows a prepared short text at once, while the answer is awaited. Once the answer has begun there is no place for one,
    /// and nothing is shown.
    ///
    /// # Errors
    /// When the conversation is gone, or the store fails.
    pub async fn inform(&mut self, text: &str) -> Result<(), DeliveryError> {
        if !self.is_read().await {
            return Ok(());
        }
        match &mut self.phase {
            Phase::Waiting(stream) => match stream.informative(text) {
                Some(activity) => {
                    self.catch_up().await?;
                    if !self.is_cut_off() {
                        self.put(activity, Part::Piece);
                    }
                    Ok(())
                }
                None => Ok(()),
            },
            Phase::Answering(_) | Phase::Ended => Ok(()),
        }
    }

    /// Shows all of the answer so far, and returns how many bytes that takes; `None` where nobody was there to see it.
    pub(super) async fn update(&mut self, so_far: Activity) -> Result<Option<usize>, DeliveryError> {
        if !self.is_read().await {
            return Ok(None);
        }
        self.phase = match std::mem::replace(&mut self.phase, Phase::Ended) {
            Phase::Waiting(stream) => Phase::Answering(stream.answer()),
            phase @ (Phase::Answering(_) | Phase::Ended) => phase,
        };
        if let Phase::Answering(stream) = &mut self.phase
            && let Some(activity) = stream.update_cited(so_far)
        {
            self.catch_up().await?;
            // This node may have slept since it was asked whether anybody reads.
            if self.is_cut_off() {
                return Ok(None);
            }
            // Counted first, so that a reader who has it finds it in the figures.
            self.counted.updated();
            return Ok(Some(self.put(activity, Part::Piece)));
        }
        Ok(Some(0))
    }

    /// Ends the stream with another message in place of what was shown: an apology, a refusal. Where nothing was shown it is
    /// an ordinary message.
    ///
    /// # Errors
    /// When the conversation is gone, or the store fails; what was shown is then withdrawn.
    pub async fn close(mut self, message: Activity) -> Result<Arc<Activity>, DeliveryError> {
        let appended = self.record(message, None, None).await?;
        let Recorded { activity, .. } = appended.recorded.into_iter().next().ok_or(DeliveryError::NoMessage)?;
        Ok(activity)
    }

    /// Records the message that ends the stream, and what readers are told behind it.
    pub(super) async fn record(
        &mut self,
        message: Activity,
        behind: Option<Activity>,
        key: Option<String>,
    ) -> Result<Appended, DeliveryError> {
        // From here on a drop withdraws nothing: the store may have taken the message by then.
        let phase = std::mem::replace(&mut self.phase, Phase::Ended);
        let message = match phase {
            Phase::Waiting(stream) => stream.last(message),
            Phase::Answering(stream) => stream.last(message),
            Phase::Ended => message,
        };
        let message = match &self.name {
            Some(name) => message.with_stream_id(name),
            None => message,
        };
        self.running.end();
        let activities = std::iter::once(message).chain(behind).map(|activity| self.sign(activity));
        let after_all_shown = self.stamps.latest().map(|latest| latest + Duration::milliseconds(1));
        let batch = Batch::new(activities.collect()).keyed(key).not_before(after_all_shown);
        let batch = batch.ending(self.end.clone());
        let appended = self.streaming.store.append(&self.id, batch).await;
        // A message that another answer has recorded under the key meanwhile ends no stream of this one.
        if !matches!(&appended, Ok(Some(appended)) if !appended.repeated) {
            self.retract();
        } else if let Some(name) = self.name.as_ref().filter(|_| self.is_shown || self.is_resumed) {
            self.streaming.publisher.hub().end(&self.id, name);
        }
        appended?.ok_or(DeliveryError::UnknownConversation)
    }

    /// Finds out how far the conversation reaches. The store is asked at first, and when something was recorded since.
    async fn catch_up(&mut self) -> Result<(), DeliveryError> {
        let store = &self.streaming.store;
        match &mut self.changes {
            Some(changes) => match changes.has_changed() {
                Ok(true) => changes.mark_seen(),
                Ok(false) => return Ok(()),
                Err(_) => return Err(DeliveryError::UnknownConversation),
            },
            None => {
                let changes = store.subscribe(&self.id).await?.ok_or(DeliveryError::UnknownConversation)?;
                // Marked before the store is asked, so that nothing that comes meanwhile is missed.
                self.changes.insert(changes).mark_seen();
            }
        }
        let newest = store.newest(&self.id).await?.ok_or(DeliveryError::UnknownConversation)?;
        self.reached = newest.watermark;
        if newest.timestamp > self.stamps.latest() {
            self.stamps = Stamps::after(newest.timestamp);
        }
        Ok(())
    }

    fn sign(&self, activity: Activity) -> Activity {
        Activity { reply_to_id: self.reply_to.clone(), ..sign(activity, &self.streaming.bot) }
    }

    /// Shows an activity, and returns how many bytes that takes.
    fn put(&mut self, activity: Activity, part: Part) -> usize {
        let publisher = Arc::clone(&self.streaming.publisher);
        let fresh = publisher.fresh_id(&self.id);
        let name = self.name.get_or_insert_with(|| fresh.clone());
        let id = if self.is_shown { fresh } else { name.clone() };
        self.is_shown = true;
        if self.announced.is_none() {
            self.announced = publisher.hub().announce(&self.id, name);
        }
        let activity = activity.with_stream_id(name);
        let mut activity = self.sign(activity);
        activity.id = Some(id);
        activity.timestamp = Some(self.stamps.next(publisher.now()));
        activity.conversation = Some(self.id.clone().into());
        let ephemeral = Ephemeral::new(self.reached, Arc::new(activity)).of(&self.running, part);
        publisher.hub().show(&self.id, ephemeral)
    }

    /// Takes back what was shown, from those who have seen it: the message that does so is not recorded.
    fn retract(&mut self) {
        self.running.end();
        if self.is_shown && self.end.is_none() {
            // As `Livestream::withdraw` makes it, which is of no use to a stream that has ended in vain.
            self.put(Activity::message("").with_stream_info(StreamInfo::Final), Part::Withdrawal);
        }
    }
}

impl Drop for StreamingAnswer {
    fn drop(&mut self) {
        if !matches!(self.phase, Phase::Ended) {
            self.retract();
        }
    }
}
