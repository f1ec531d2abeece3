//! The requests to the writer.

use chrono::{DateTime, Utc};
use tokio::sync::OwnedSemaphorePermit;

use super::assistant_work::AssistantWork;
use super::reply::Reply;
use crate::activity::{ConversationId, Watermark};
use crate::metrics::Waiting;
use crate::store::StoreError;

/// A request to the writer.
#[derive(Debug)]
pub(super) enum Work {
    /// Something that goes into a transaction together with others.
    Change(Change),
    /// Something that has a transaction of its own.
    Alone(Alone),
}

/// A change that is committed in one transaction with other waiting changes.
#[derive(Debug)]
pub(super) enum Change {
    Create(Pending<Create, CreatedAs>),
    Append(Pending<Append, Option<Placed>>),
    Keep(Pending<Keep, bool>),
    Refer(Pending<Refer, bool>),
    Note(Pending<Note, bool>),
}

/// A request with a transaction of its own, or without one.
#[derive(Debug)]
pub(super) enum Alone {
    /// Delete a conversation.
    Delete(ConversationId, Reply<bool>),
    /// Delete some of the conversations to which this user belongs; the number of those deleted.
    Erase(String, Reply<usize>),
    /// Delete some of the conversations in which nothing was recorded since; the number of those deleted.
    Expire(DateTime<Utc>, Reply<usize>),
    /// Give back some of the space that nothing takes; whether there is more of it.
    Shrink(Reply<bool>),
    /// Remove the copies that SQLite has made of what was deleted, if anything was since that was done last.
    Clear(Reply<()>),
    /// Change assistants or documents.
    Assistants(AssistantWork),
    /// Write something that changes nothing.
    Probe(Reply<()>),
    /// Finish what was accepted and close the file.
    Close(Reply<()>),
}

/// A change, its result, and the channel for it.
#[derive(Debug)]
pub(super) struct Pending<C, A> {
    pub(super) change: C,
    /// Set when the change is planned, sent when it is committed.
    pub(super) answer: Option<Result<A, StoreError>>,
    reply: Reply<A>,
    /// The room that the change takes while it waits.
    _room: OwnedSemaphorePermit,
    /// Its place among all that wait.
    _waiting: Waiting,
}

impl<C, A> Pending<C, A> {
    pub(super) fn new(change: C, reply: Reply<A>, room: OwnedSemaphorePermit, waiting: Waiting) -> Self {
        Self { change, answer: None, reply, _room: room, _waiting: waiting }
    }

    /// Tells who waits, who may have gone.
    fn send(self, otherwise: Option<&StoreError>) {
        let answer = match (otherwise, self.answer) {
            // What was refused for a reason of its own keeps that reason.
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
    pub(super) fn conversation(&self) -> &ConversationId {
        match self {
            Self::Create(pending) => &pending.change.id,
            Self::Append(pending) => &pending.change.id,
            Self::Keep(pending) => &pending.change.id,
            Self::Refer(pending) => &pending.change.id,
            Self::Note(pending) => &pending.change.id,
        }
    }

    /// What it adds to a transaction, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Create(_) => 0,
            Self::Append(pending) => pending.change.bodies.len(),
            Self::Keep(pending) => pending.change.bytes.len(),
            Self::Refer(pending) => pending.change.reference.len(),
            Self::Note(pending) => pending.change.body.len(),
        }
    }

    /// The change is committed.
    pub(super) fn done(self) {
        self.send(None);
    }

    /// The change was not committed.
    pub(super) fn failed(self, error: &StoreError) {
        self.send(Some(error));
    }

    fn send(self, otherwise: Option<&StoreError>) {
        match self {
            Self::Create(pending) => pending.send(otherwise),
            Self::Append(pending) => pending.send(otherwise),
            Self::Keep(pending) => pending.send(otherwise),
            Self::Refer(pending) => pending.send(otherwise),
            Self::Note(pending) => pending.send(otherwise),
        }
    }
}

/// A request to create a conversation.
#[derive(Debug)]
pub(super) struct Create {
    pub(super) id: ConversationId,
    /// Its user as JSON.
    pub(super) user: Option<String>,
    /// The id of that user.
    pub(super) member: Option<String>,
}

/// The created or existing conversation.
#[derive(Debug)]
pub(super) struct CreatedAs {
    pub(super) new: bool,
    /// Its user as JSON.
    pub(super) user: Option<String>,
}

/// A request to record activities.
#[derive(Debug)]
pub(super) struct Append {
    pub(super) id: ConversationId,
    pub(super) key: Option<String>,
    /// What else they are found under.
    pub(super) names: Vec<String>,
    /// None of them is stamped with an earlier time.
    pub(super) not_before: Option<DateTime<Utc>>,
    /// The activities as JSON, one after the other.
    pub(super) bodies: Vec<u8>,
    /// How long each of them is.
    pub(super) lengths: Vec<usize>,
    /// The user who says each of them; none where that is a bot.
    pub(super) speakers: Vec<Option<String>>,
}

/// The watermarks of recorded activities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placed {
    /// Here, now: each a millisecond after the one before.
    Now { first: Watermark, timestamp: DateTime<Utc> },
    /// Here, under the same key, before.
    Before { first: Watermark, count: usize },
}

/// A request to store an attachment.
#[derive(Debug)]
pub(super) struct Keep {
    pub(super) id: ConversationId,
    pub(super) attachment: String,
    pub(super) content_type: String,
    pub(super) name: Option<String>,
    pub(super) bytes: Vec<u8>,
}

/// A request to replace the reference of a conversation.
#[derive(Debug)]
pub(super) struct Refer {
    pub(super) id: ConversationId,
    /// The reference as JSON.
    pub(super) reference: String,
}

/// A request to store feedback.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) id: ConversationId,
    /// The feedback as JSON.
    pub(super) body: String,
    /// The id of the user who gives it.
    pub(super) from: Option<String>,
}
