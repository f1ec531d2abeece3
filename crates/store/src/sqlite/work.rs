//! The requests to the writer.

use chrono::{DateTime, Utc};

use super::assistant_work::AssistantWork;
use crate::activity::ConversationId;
use crate::turn::{TurnKind, TurnQueue, TurnStage};
use crate::writing::{Change, Reply};

/// A request to the writer.
#[derive(Debug)]
pub(super) enum Work {
    /// Something that goes into a transaction together with others.
    Change(Change),
    /// Something that has a transaction of its own.
    Alone(Alone),
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
    /// Note how far the answer to a turn has come; whether its queue is still held.
    NoteTurn { queue: TurnQueue, turn: u64, stage: TurnStage, said: Option<String>, reply: Reply<bool> },
    /// Forget the turns of a kind in a conversation; how many there were.
    ForgetTurns(ConversationId, TurnKind, Reply<usize>),
    /// Forget the name of a turn.
    ForgetName { id: ConversationId, name: String, reply: Reply<()> },
    /// Write something that changes nothing.
    Probe(Reply<()>),
    /// Finish what was accepted and close the file.
    Close(Reply<()>),
}
