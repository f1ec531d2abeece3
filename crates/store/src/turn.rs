//! Turns: what has to be answered, and who answers it.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::StoreError;
use crate::activity::{ConversationId, Watermark};

/// The kind of back end that answers a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TurnKind {
    /// An assistant.
    Assistant,
    /// The bot behind the embedded channel.
    Bot,
    /// The bot that Azure Bot Service calls.
    Azure,
}

impl TurnKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Assistant, Self::Bot, Self::Azure];

    /// The number under which a store keeps it.
    #[must_use]
    pub const fn number(self) -> usize {
        self as usize
    }

    /// The kind of this number.
    #[must_use]
    pub fn of_number(number: i64) -> Option<Self> {
        usize::try_from(number).ok().and_then(|number| Self::ALL.get(number).copied())
    }
}

/// A turn that is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTurn {
    /// The kind of back end that answers it.
    pub kind: TurnKind,
    /// Its subject, in words that the store does not read; `None` is the first activity of the batch that records the
    /// turn.
    pub body: Option<String>,
    /// How many turns may wait.
    pub room: TurnRoom,
    /// Under which this turn is known. A second turn under the same name in the same conversation is not recorded, as long as
    /// the name is remembered: ten minutes.
    pub name: Option<String>,
    /// Only the process that records it can answer it, because its caller waits there. Others serve it once that one is dead.
    pub bound: bool,
}

/// How many turns of one kind may wait behind those that are being answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnRoom {
    /// In one conversation.
    pub in_queue: usize,
    /// In all conversations together.
    pub in_all: usize,
}

/// The outcome for a turn that was to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queued {
    /// It waits in the queue of its conversation.
    Taken,
    /// A turn of this name was recorded before.
    Repeated,
    /// Its conversation has no room for one more that waits.
    QueueFull,
    /// All conversations together have no room for one more that waits.
    Full,
}

/// A queue that is held: all turns of one kind in one conversation, in the order of the history. One holder serves it at a
/// time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnQueue {
    /// The conversation.
    pub conversation: ConversationId,
    /// The kind of back end that answers its turns.
    pub kind: TurnKind,
    /// Grows with each claim. A holder whose fence is an older one records nothing.
    pub fence: u64,
    /// How often its holder had been cut off from the store when it was claimed.
    pub lapses: u64,
}

/// A turn at the front of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its name in the store.
    pub key: u64,
    /// The place of the activity that it is about. Where it has a `body`, the place of the activity that was recorded next.
    pub place: Watermark,
    /// Its subject, where that is no recorded activity.
    pub body: Option<String>,
    /// When it was recorded.
    pub arrived: DateTime<Utc>,
    /// How many holders have begun to answer it before and were gone before they had.
    pub attempts: u32,
    /// How far its answer has come.
    pub stage: TurnStage,
    /// The answer that is about to be said, as its holder noted it.
    pub said: Option<String>,
    /// A reply to it was recorded: see [`Batch::answers`](super::Batch::answers).
    pub answered: bool,
}

impl Turn {
    /// A turn that nobody has begun to answer.
    #[must_use]
    pub fn new(key: u64, place: Watermark, body: Option<String>, arrived: DateTime<Utc>) -> Self {
        Self { key, place, body, arrived, attempts: 0, stage: TurnStage::Waiting, said: None, answered: false }
    }

    /// Whether it is about the recorded activity at this place.
    #[must_use]
    pub fn is_about(&self, place: Watermark) -> bool {
        self.body.is_none() && self.place == place
    }
}

/// How far the answer to a turn has come, where what was sent cannot be taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TurnStage {
    /// Nothing was sent.
    #[default]
    Waiting,
    /// Something may have been sent.
    Spoken,
    /// The whole answer may have been sent.
    Final,
}

impl TurnStage {
    /// The number under which a store keeps it.
    #[must_use]
    pub const fn number(self) -> i64 {
        self as i64
    }

    /// The stage of this number; an unknown one is the last, after which nothing is said twice.
    #[must_use]
    pub const fn of_number(number: i64) -> Self {
        match number {
            0 => Self::Waiting,
            1 => Self::Spoken,
            _ => Self::Final,
        }
    }
}

/// The end of a turn, recorded together with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndOfTurn {
    /// The queue, as its holder has claimed it.
    pub queue: TurnQueue,
    /// The key of the turn, which is the first of the queue.
    pub turn: u64,
    /// Where a reply was recorded already, only the turn ends and the batch is not recorded: an apology is none then.
    pub unless_answered: bool,
}

/// The turns that wait, of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingTurns {
    /// How many there are, with those that are being answered.
    pub count: usize,
    /// When the oldest of them was recorded.
    pub oldest: Option<DateTime<Utc>>,
}

/// Keeps turns in queues until they are answered, whoever goes meanwhile.
///
/// A turn is written by the batch that is its reason ([`Batch::turn`](super::Batch::turn)) and deleted by the one that answers
/// it ([`Batch::end`](super::Batch::end)). What every backend promises:
/// - The turns of a queue come in the order of the history, one at a time.
/// - A turn stays until it is ended, by its holder; only the deletion of its conversation, or [`forget_turns`](Self::forget_turns), take it
///   away.
/// - A holder whose queue was claimed by somebody else ends nothing: it gets [`StoreError::Superseded`].
/// - A queue without turns is none, and need not be released.
#[async_trait]
pub trait Turns: Send + Sync {
    /// Records a turn that no batch records; `None` where there is no such conversation.
    ///
    /// # Errors
    /// When the store fails.
    async fn queue_turn(&self, id: &ConversationId, turn: NewTurn) -> Result<Option<Queued>, StoreError>;

    /// Claims up to `most` queues of a kind that nobody holds, those that have waited longest first.
    ///
    /// # Errors
    /// When the store fails.
    async fn claim_queues(&self, kind: TurnKind, most: usize) -> Result<Vec<TurnQueue>, StoreError>;

    /// Resolves when there may be queues of this kind to claim. One caller at a time; a call that is dropped loses nothing.
    async fn queues_to_claim(&self, kind: TurnKind);

    /// Whether others may serve this queue by now, because the store has not heard of its holder for too long since it was
    /// claimed. What the holder shows from then on may be shown twice.
    fn is_cut_off(&self, _queue: &TurnQueue) -> bool {
        false
    }

    /// Resolves when that is so.
    async fn cut_off(&self, _queue: &TurnQueue) {
        std::future::pending::<()>().await;
    }

    /// The first turn of a queue; `None` when the queue is at its end, or held by somebody else by now.
    ///
    /// # Errors
    /// When the store fails.
    async fn next_turn(&self, queue: &TurnQueue) -> Result<Option<Turn>, StoreError>;

    /// Notes how far the answer to the first turn of a queue has come, before that can be seen from outside.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] when the queue is held by somebody else by now, or when the store fails.
    async fn note_turn(
        &self,
        queue: &TurnQueue,
        turn: u64,
        stage: TurnStage,
        said: Option<String>,
    ) -> Result<(), StoreError>;

    /// Ends a turn to which nothing is recorded.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] when the queue is held by somebody else by now, or when the store fails.
    async fn end_turn(&self, end: &EndOfTurn) -> Result<(), StoreError>;

    /// Gives a queue back, with the turns that wait in it, to be claimed again.
    ///
    /// # Errors
    /// When the store fails.
    async fn release_queue(&self, queue: &TurnQueue) -> Result<(), StoreError>;

    /// Forgets all turns of a kind in a conversation; returns how many there were.
    ///
    /// # Errors
    /// When the store fails.
    async fn forget_turns(&self, id: &ConversationId, kind: TurnKind) -> Result<usize, StoreError>;

    /// Forgets that a turn of this name was recorded, so that one may be recorded again; the turn itself stays.
    ///
    /// # Errors
    /// When the store fails.
    async fn forget_name(&self, id: &ConversationId, name: &str) -> Result<(), StoreError>;

    /// Counts the turns of this kind that wait, and finds since when.
    ///
    /// # Errors
    /// When the store fails.
    async fn waiting_turns(&self, kind: TurnKind) -> Result<WaitingTurns, StoreError>;
}
