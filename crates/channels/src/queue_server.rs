//! Serves the queues of a store: has each turn answered, one after the other in each conversation.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::DeliveryError;
use crate::activity::{Activity, ConversationId};
use crate::store::{ConversationStore, EndOfTurn, StoreError, Turn, TurnKind, TurnQueue, TurnStage};

/// The interval at which queues are looked for of which no notification came.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The pause of the store when it has failed for the first time; twice as long each time after that.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// And so long at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// A turn that so many have begun to answer and did not is answered by none: it may be what has ended them.
const MAX_ATTEMPTS: u32 = 2;

/// When a server ends: first nothing new is begun, then what has begun is left to whoever serves its queue next.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// Cancelled when nothing new is to be begun.
    pub begun: CancellationToken,
    /// Cancelled when what has begun has to end at once.
    pub over: CancellationToken,
}

/// A queue that this process holds.
#[derive(Debug)]
pub struct HeldQueue {
    store: Arc<dyn ConversationStore>,
    queue: TurnQueue,
    /// When the server ends.
    pub ending: Ending,
}

/// The outcome of a turn.
#[derive(Debug)]
pub enum TurnEnd {
    /// Its end was recorded with its answer.
    Recorded,
    /// There is nothing to record.
    Silent,
    /// The server ends: the turn is left to whoever serves the queue next.
    Interrupted,
    /// Another process holds the queue, or the conversation is gone.
    Lost,
    /// The store has failed: the turn has not ended.
    Failed(StoreError),
}

/// Answers the turns of a queue.
#[async_trait]
pub trait TurnServer: Send + Sync + 'static {
    /// The memory from one turn of a queue to the next.
    type Memory: Default + Send;

    /// Answers a turn.
    async fn answer(&self, queue: &HeldQueue, turn: &Turn, memory: &mut Self::Memory) -> TurnEnd;

    /// Ends a turn with words that say that there is no answer.
    async fn apologize(&self, queue: &HeldQueue, turn: &Turn) -> TurnEnd;
}

/// Whether so many attempts at a turn have come to nothing that there is no other.
#[must_use]
pub fn is_given_up(turn: &Turn) -> bool {
    turn.attempts >= MAX_ATTEMPTS
}

impl TurnEnd {
    /// The outcome of a turn whose answer was to be recorded.
    #[must_use]
    pub fn of<T>(recorded: Result<T, DeliveryError>) -> Self {
        match recorded {
            Ok(_) => Self::Recorded,
            Err(DeliveryError::UnknownConversation | DeliveryError::Store(StoreError::Superseded)) => Self::Lost,
            Err(DeliveryError::Store(error)) => Self::Failed(error),
            // Nothing was recorded, and trying again would not change that.
            Err(DeliveryError::NoMessage | DeliveryError::Elsewhere(_) | DeliveryError::Later(_)) => Self::Silent,
        }
    }
}

impl HeldQueue {
    /// The conversation.
    #[must_use]
    pub fn conversation(&self) -> &ConversationId {
        &self.queue.conversation
    }

    /// The queue, as it was claimed.
    #[must_use]
    pub fn queue(&self) -> &TurnQueue {
        &self.queue
    }

    /// The end of a turn, to be recorded with its answer.
    #[must_use]
    pub fn end_of(&self, turn: &Turn) -> EndOfTurn {
        EndOfTurn { queue: self.queue.clone(), turn: turn.key, unless_answered: false }
    }

    /// Notes how far the answer to a turn has come.
    ///
    /// # Errors
    /// As for [`Turns::note_turn`](crate::store::Turns::note_turn).
    pub async fn note(&self, turn: &Turn, stage: TurnStage) -> Result<(), StoreError> {
        self.store.note_turn(&self.queue, turn.key, stage, None).await
    }

    /// The recorded activity that a turn is about; `None` where it is about none.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn activity(&self, turn: &Turn) -> Result<Option<Arc<Activity>>, StoreError> {
        if turn.body.is_some() {
            return Ok(None);
        }
        let page = self.store.read(self.conversation(), turn.place.previous(), 1).await?;
        Ok(page.and_then(|page| page.recorded.into_iter().next()).map(|recorded| recorded.activity))
    }
}

/// Claims queues of one kind and has them served, each by a task of its own.
#[derive(Debug)]
pub struct QueueServer {
    store: Arc<dyn ConversationStore>,
    kind: TurnKind,
    at_once: usize,
}

impl QueueServer {
    /// Serves so many queues of this kind at one time.
    #[must_use]
    pub fn new(store: Arc<dyn ConversationStore>, kind: TurnKind, at_once: usize) -> Self {
        Self { store, kind, at_once: at_once.min(Semaphore::MAX_PERMITS) }
    }

    /// Serves queues until `ending` begins. Tasks of `tasks` go on with what has begun.
    pub async fn run<S: TurnServer>(&self, server: Arc<S>, tasks: TaskTracker, ending: Ending) {
        let places = Arc::new(Semaphore::new(self.at_once));
        let mut pause = Pause::default();
        loop {
            let claimed = tokio::select! {
                biased;
                () = ending.begun.cancelled() => return,
                claimed = self.claim(&places) => claimed,
            };
            match claimed {
                Ok(queues) if queues.is_empty() => {
                    tokio::select! {
                        biased;
                        () = ending.begun.cancelled() => return,
                        () = self.store.queues_to_claim(self.kind) => {}
                        () = sleep(LOOK_EVERY) => {}
                    }
                }
                Ok(queues) => {
                    pause.end();
                    for queue in queues {
                        // As many were claimed as there were places, and nobody else takes any.
                        let place = Arc::clone(&places).try_acquire_owned();
                        let held = HeldQueue { store: Arc::clone(&self.store), queue, ending: ending.clone() };
                        let (server, places) = (Arc::clone(&server), Arc::clone(&places));
                        tasks.spawn(async move {
                            let _place = place;
                            serve(&*server, &held, &places).await;
                        });
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "waiting turns could not be read from the store");
                    pause.wait(&ending.begun).await;
                }
            }
        }
    }

    /// As many queues as there are places; waits for a place.
    async fn claim(&self, places: &Semaphore) -> Result<Vec<TurnQueue>, StoreError> {
        // The semaphore is never closed.
        drop(places.acquire().await);
        self.store.claim_queues(self.kind, places.available_permits()).await
    }
}

/// Serves a queue until it is at its end, or the server ends, or others may wait for the place.
async fn serve<S: TurnServer>(server: &S, held: &HeldQueue, places: &Semaphore) {
    let mut memory = S::Memory::default();
    while let Some(turn) = next(held).await {
        let answering = async {
            if is_given_up(&turn) {
                tracing::warn!(
                    conversation.id = %held.conversation(), turn.kind = ?held.queue.kind, attempts = turn.attempts,
                    "a question is given up, and its user gets an apology: the processes that answered it have ended"
                );
                return server.apologize(held, &turn).await;
            }
            while_connected(held, async |held| server.answer(held, &turn, &mut memory).await).await
        };
        let end = match AssertUnwindSafe(answering).catch_unwind().await {
            Ok(end) => end,
            Err(_) => {
                // The message of the panic has gone to stderr already.
                tracing::error!(conversation.id = %held.conversation(), "an answer failed because of a bug in citewire");
                let apology = AssertUnwindSafe(server.apologize(held, &turn)).catch_unwind().await;
                apology.unwrap_or(TurnEnd::Silent)
            }
        };
        if !settle(server, held, &turn, end).await {
            return;
        }
        if places.available_permits() == 0 {
            // Behind the others: a conversation that always has more keeps nobody out.
            return release(held).await;
        }
    }
}

/// Has a turn answered. The answer is broken off as at the end of the server when others may hold the queue by now: both would be
/// seen.
async fn while_connected(held: &HeldQueue, answer: impl AsyncFnOnce(&HeldQueue) -> TurnEnd) -> TurnEnd {
    let over = held.ending.over.child_token();
    let ending = Ending { over: over.clone(), ..held.ending.clone() };
    let held = HeldQueue { store: Arc::clone(&held.store), queue: held.queue.clone(), ending };
    let mut answer = pin!(answer(&held));
    tokio::select! {
        biased;
        end = &mut answer => return end,
        () = held.store.cut_off(&held.queue) => {}
    }
    tracing::warn!(conversation.id = %held.conversation(), "an answer is broken off: the store has not heard of this node for too long");
    over.cancel();
    answer.await
}

/// The next turn of a queue. When the server ends, the queue is given back.
async fn next(held: &HeldQueue) -> Option<Turn> {
    let mut pause = Pause::default();
    loop {
        if held.ending.begun.is_cancelled() {
            release(held).await;
            return None;
        }
        match held.store.next_turn(&held.queue).await {
            Ok(turn) => return turn,
            Err(error) => {
                tracing::error!(conversation.id = %held.conversation(), %error, "a waiting turn could not be read from the store");
                pause.wait(&held.ending.begun).await;
            }
        }
    }
}

/// Sees to it that a turn has ended, however long the store fails; whether the queue is served further.
async fn settle<S: TurnServer>(server: &S, held: &HeldQueue, turn: &Turn, mut end: TurnEnd) -> bool {
    let mut pause = Pause::default();
    loop {
        let error = match end {
            TurnEnd::Recorded => return true,
            // Where this process is still the holder after all, somebody has to go on.
            TurnEnd::Lost | TurnEnd::Interrupted => {
                release(held).await;
                return false;
            }
            // Neither the answer nor an apology finds room.
            TurnEnd::Silent
            | TurnEnd::Failed(StoreError::Full { .. } | StoreError::ConversationFull { .. } | StoreError::EmptyBatch) => {
                match held.store.end_turn(&held.end_of(turn)).await {
                    Ok(()) => return true,
                    Err(StoreError::Superseded) => return false,
                    Err(error) => {
                        end = TurnEnd::Silent;
                        error
                    }
                }
            }
            TurnEnd::Failed(error) => {
                end = TurnEnd::Failed(error.clone());
                error
            }
        };
        tracing::error!(conversation.id = %held.conversation(), %error, "the end of a turn could not be recorded");
        if matches!(error, StoreError::Closed) || !pause.wait(&held.ending.over).await {
            release(held).await;
            return false;
        }
        if matches!(end, TurnEnd::Failed(_)) {
            end = server.apologize(held, turn).await;
        }
    }
}

async fn release(held: &HeldQueue) {
    if let Err(error) = held.store.release_queue(&held.queue).await {
        // It is claimed again when this process counts as dead.
        tracing::warn!(conversation.id = %held.conversation(), %error, "a line of turns could not be given back");
    }
}

/// Waits longer and longer while something fails.
#[derive(Debug, Default)]
struct Pause(Option<Duration>);

impl Pause {
    fn end(&mut self) {
        self.0 = None;
    }

    /// Whether the time has passed, rather than `ending` having come.
    async fn wait(&mut self, ending: &CancellationToken) -> bool {
        let time = self.0.map_or(FIRST_PAUSE, |last| (last * 2).min(LONGEST_PAUSE));
        self.0 = Some(time);
        tokio::select! {
            biased;
            () = ending.cancelled() => false,
            () = sleep(time) => true,
        }
    }
}
