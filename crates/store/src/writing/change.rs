//! The changes that are written together with others.

use chrono::{DateTime, Duration, Utc};
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;

use super::reply::Reply;
use crate::activity::{Activity, ChannelAccount, ConversationId, Watermark};
use crate::metrics::Waiting;
use crate::turn::{EndOfTurn, NewTurn, Queued};
use crate::{Appended, Attachment, Batch, Conversation, Created, Feedback, Recorded, StoreError};

/// A change that is committed in one transaction with other waiting changes.
#[derive(Debug)]
pub(crate) enum Change {
    Create(Pending<Create, CreatedAs>),
    Append(Pending<Append, Option<Placed>>),
    Keep(Pending<Keep, bool>),
    Refer(Pending<Refer, bool>),
    Note(Pending<Note, bool>),
    Queue(Pending<Box<Queue>, Option<Queued>>),
    End(Pending<Box<EndOfTurn>, ()>),
}

/// A change, its result, and the channel for it.
#[derive(Debug)]
pub(crate) struct Pending<C, A> {
    pub(crate) change: C,
    /// Set when the change is planned, sent when it is committed.
    pub(crate) answer: Option<Result<A, StoreError>>,
    reply: Reply<A>,
    /// The room that the change takes while it waits.
    _room: OwnedSemaphorePermit,
    /// Its place among all that wait.
    _waiting: Waiting,
}

impl<C, A> Pending<C, A> {
    pub(crate) fn new(change: C, reply: Reply<A>, room: OwnedSemaphorePermit, waiting: Waiting) -> Self {
        Self { change, answer: None, reply, _room: room, _waiting: waiting }
    }

    /// Tells who waits, who may have gone.
    fn send(self, otherwise: Option<&StoreError>) {
        let answer = match (otherwise, self.answer) {
            // A change that was refused for a reason of its own keeps that reason.
            (_, Some(Err(refused))) => Err(refused),
            (Some(error), _) => Err(error.clone()),
            (None, Some(answer)) => answer,
            (None, None) => Err(StoreError::Closed),
        };
        self.reply.send(answer).ok();
    }
}

impl Change {
    /// The conversation that it is about.
    pub(crate) fn conversation(&self) -> &ConversationId {
        match self {
            Self::Create(pending) => &pending.change.id,
            Self::Append(pending) => &pending.change.id,
            Self::Keep(pending) => &pending.change.id,
            Self::Refer(pending) => &pending.change.id,
            Self::Note(pending) => &pending.change.id,
            Self::Queue(pending) => &pending.change.id,
            Self::End(pending) => &pending.change.queue.conversation,
        }
    }

    /// Its key and the other names under which its conversation knows it.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        let (name, more) = match self {
            Self::Append(pending) => (&pending.change.key, &*pending.change.names),
            Self::Note(pending) => (&pending.change.name, &[][..]),
            Self::Create(_) | Self::Keep(_) | Self::Refer(_) | Self::Queue(_) | Self::End(_) => (&None, &[][..]),
        };
        name.iter().chain(more)
    }

    /// Bytes that it adds to a transaction.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Create(_) => 0,
            Self::Append(pending) => pending.change.bodies.len(),
            Self::Keep(pending) => pending.change.bytes.len(),
            Self::Refer(pending) => pending.change.reference.len(),
            Self::Note(pending) => pending.change.body.len(),
            Self::Queue(pending) => pending.change.turn.body.as_ref().map_or(0, String::len),
            Self::End(_) => 0,
        }
    }

    /// The change is committed.
    pub(crate) fn done(self) {
        self.send(None);
    }

    /// The change was not committed.
    pub(crate) fn failed(self, error: &StoreError) {
        self.send(Some(error));
    }

    fn send(self, otherwise: Option<&StoreError>) {
        match self {
            Self::Create(pending) => pending.send(otherwise),
            Self::Append(pending) => pending.send(otherwise),
            Self::Keep(pending) => pending.send(otherwise),
            Self::Refer(pending) => pending.send(otherwise),
            Self::Note(pending) => pending.send(otherwise),
            Self::Queue(pending) => pending.send(otherwise),
            Self::End(pending) => pending.send(otherwise),
        }
    }
}

/// A request to create a conversation.
#[derive(Debug)]
pub(crate) struct Create {
    pub(crate) id: ConversationId,
    /// Its user as JSON.
    pub(crate) user: Option<String>,
    /// The id of that user.
    pub(crate) member: Option<String>,
    /// The turn of a user who becomes known.
    pub(crate) turn: Option<Box<NewTurn>>,
}

/// The created or existing conversation.
#[derive(Debug)]
pub(crate) struct CreatedAs {
    pub(crate) new: bool,
    /// Its user as JSON.
    pub(crate) user: Option<String>,
}

/// A request to record activities.
#[derive(Debug)]
pub(crate) struct Append {
    pub(crate) id: ConversationId,
    pub(crate) key: Option<String>,
    /// Other names under which they are found.
    pub(crate) names: Vec<String>,
    /// None of them is stamped with an earlier time.
    pub(crate) not_before: Option<DateTime<Utc>>,
    /// The activities as JSON, one after the other.
    pub(crate) bodies: Vec<u8>,
    /// How long each of them is.
    pub(crate) lengths: Vec<usize>,
    /// The user who says each of them; none where that is a bot.
    pub(crate) speakers: Vec<Option<String>>,
    /// Their part in turns; `None` for most, which have none.
    pub(crate) turns: Option<Box<TurnParts>>,
}

/// The part of activities in turns: the one that they ask for, end or answer.
#[derive(Debug, Default)]
pub(crate) struct TurnParts {
    /// The turn to record with them, where they have to be answered.
    pub(crate) turn: Option<NewTurn>,
    /// The turn that they answer.
    pub(crate) end: Option<EndOfTurn>,
    /// The place of the activity to which they are a reply.
    pub(crate) answers: Option<Watermark>,
}

impl TurnParts {
    /// These parts, if there is any.
    pub(crate) fn of(turn: Option<NewTurn>, end: Option<EndOfTurn>, answers: Option<Watermark>) -> Option<Box<Self>> {
        let is_any = turn.is_some() || end.is_some() || answers.is_some();
        is_any.then(|| Box::new(Self { turn, end, answers }))
    }
}

/// The watermarks of recorded activities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placed {
    /// Here, now: each a millisecond after the one before.
    Now { first: Watermark, timestamp: DateTime<Utc>, queued: Option<Queued> },
    /// Here, under the same key, before.
    Before { first: Watermark, count: usize },
    /// Nowhere: the turn that they were to end was answered before.
    Nowhere,
}

/// A request to put a turn into its queue.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) id: ConversationId,
    pub(crate) turn: NewTurn,
}

/// A request to store an attachment.
#[derive(Debug)]
pub(crate) struct Keep {
    pub(crate) id: ConversationId,
    pub(crate) attachment: String,
    pub(crate) content_type: String,
    pub(crate) name: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

/// A request to replace the reference of a conversation.
#[derive(Debug)]
pub(crate) struct Refer {
    pub(crate) id: ConversationId,
    /// The reference as JSON.
    pub(crate) reference: String,
}

/// A request to store feedback.
#[derive(Debug)]
pub(crate) struct Note {
    pub(crate) id: ConversationId,
    /// The feedback as JSON.
    pub(crate) body: String,
    /// The id of the user who gives it.
    pub(crate) from: Option<String>,
    /// It is stored once under this name.
    pub(crate) name: Option<String>,
}

impl Create {
    pub(crate) fn new(
        id: &ConversationId,
        user: Option<ChannelAccount>,
        turn: Option<NewTurn>,
    ) -> Result<Self, StoreError> {
        let member = user.as_ref().and_then(|user| user.id.clone());
        let user = user.map(|user| serde_json::to_string(&user)).transpose().map_err(StoreError::failed)?;
        Ok(Self { id: id.clone(), user, member, turn: turn.map(Box::new) })
    }
}

impl CreatedAs {
    /// The outcome for the caller.
    pub(crate) fn outcome(self, id: &ConversationId, reference: Option<Value>) -> Result<Created, StoreError> {
        let user = self.user.map(|user| serde_json::from_str(&user)).transpose().map_err(StoreError::failed)?;
        let conversation = Conversation::new(id.clone(), user).referred(reference);
        Ok(if self.new { Created::New(conversation) } else { Created::Existing(conversation) })
    }
}

/// The activities of a request, until they get their places.
#[derive(Debug)]
pub(crate) struct Written(Vec<Activity>);

impl Append {
    pub(crate) fn new(id: &ConversationId, batch: Batch) -> Result<(Self, Written), StoreError> {
        let Batch { mut activities, key, names, not_before, turn, end, answers } = batch;
        let turns = TurnParts::of(turn, end, answers);
        if activities.is_empty() {
            return Err(StoreError::EmptyBatch);
        }
        let (mut bodies, mut lengths) = (Vec::new(), Vec::new());
        for activity in &mut activities {
            // These are assigned, and stand in columns of their own.
            (activity.id, activity.timestamp, activity.conversation) = (None, None, None);
            let from = bodies.len();
            serde_json::to_writer(&mut bodies, activity).map_err(StoreError::failed)?;
            lengths.push(bodies.len() - from);
        }
        let speakers = activities.iter().map(|activity| activity.speaker().map(str::to_owned)).collect();
        Ok((Self { id: id.clone(), key, names, not_before, bodies, lengths, speakers, turns }, Written(activities)))
    }
}

impl Written {
    /// The activities at their places.
    pub(crate) fn at(self, id: &ConversationId, first: Watermark, timestamp: DateTime<Utc>) -> Appended {
        let mut place = (first, timestamp);
        let mut recorded = Vec::with_capacity(self.0.len());
        for activity in self.0 {
            recorded.push(Recorded::at(activity, id, place.0, place.1));
            place = (place.0.next(), place.1 + Duration::milliseconds(1));
        }
        Appended::new(recorded, false)
    }
}

impl Keep {
    pub(crate) fn new(id: &ConversationId, attachment_id: &str, attachment: Attachment) -> Self {
        let Attachment { content_type, name, bytes } = attachment;
        Self { id: id.clone(), attachment: attachment_id.to_owned(), content_type, name, bytes }
    }
}

impl Note {
    pub(crate) fn new(id: &ConversationId, feedback: Feedback, name: Option<String>) -> Result<Self, StoreError> {
        let body = serde_json::to_string(&feedback).map_err(StoreError::failed)?;
        Ok(Self { id: id.clone(), body, from: feedback.from.and_then(|from| from.id), name })
    }
}
