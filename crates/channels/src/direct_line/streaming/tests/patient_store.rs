//! A store for tests in which time is paused: none passes while a call waits for SQLite, which has threads of its own. Without it, tokio
//! would go on to the next timer as soon as a test waits for one of them.

use std::sync::{Arc, mpsc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::activity::{ChannelAccount, ConversationId, Watermark};
use crate::clock::Clock;
use crate::metrics::StoreFigures;
use crate::store::{
    Appended, Attachment, Batch, ChangeListener, Conversation, ConversationStore, Counts, Created, EndOfTurn, Feedback,
    FeedbackPage, ListCursor, Listing, NewTurn, Newest, Page, Queued, SqliteStore, StoreError, StoreLimits, Turn,
    TurnKind, TurnQueue, TurnStage, Turns, WaitingTurns,
};

/// Holds the time until a call has come to its end: time stands still as long as a blocking task runs.
async fn hold<T>(call: impl Future<Output = T>) -> T {
    let (running, until) = mpsc::channel::<()>();
    let held = tokio::task::spawn_blocking(move || until.recv().ok());
    let outcome = call.await;
    drop(running);
    held.await.expect("it ends");
    outcome
}

/// A store in memory whose calls take no time.
#[derive(Debug)]
pub(super) struct PatientStore(SqliteStore);

impl PatientStore {
    pub(super) async fn open(clock: Arc<dyn Clock>) -> Self {
        Self(hold(SqliteStore::in_memory(StoreLimits::in_memory(), clock)).await.expect("a store"))
    }
}

/// The calls of a trait, each of which holds the time.
macro_rules! patient {
    ($trait:ident { $($besides:tt)* } $(fn $name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        #[async_trait]
        impl $trait for PatientStore {
            $(async fn $name(&self, $($argument: $type),*) -> $output {
                hold(self.0.$name($($argument),*)).await
            })*

            $($besides)*
        }
    };
}

type Outcome<T> = Result<T, StoreError>;

patient! { ConversationStore {
        fn strangers(&self) -> Vec<String> {
            self.0.strangers()
        }

        fn figures(&self) -> &StoreFigures {
            self.0.figures()
        }
    }
    fn create_asking(id: &ConversationId, user: Option<ChannelAccount>, turn: Option<NewTurn>) -> Outcome<Created>;
    fn find(id: &ConversationId) -> Outcome<Option<Conversation>>;
    fn created(id: &ConversationId) -> Outcome<Option<DateTime<Utc>>>;
    fn refer(id: &ConversationId, reference: Value) -> Outcome<bool>;
    fn append(id: &ConversationId, batch: Batch) -> Outcome<Option<Appended>>;
    fn recall(id: &ConversationId, key: &str) -> Outcome<Option<Appended>>;
    fn read(id: &ConversationId, after: Option<Watermark>, limit: usize) -> Outcome<Option<Page>>;
    fn newest(id: &ConversationId) -> Outcome<Option<Newest>>;
    fn subscribe(id: &ConversationId) -> Outcome<Option<ChangeListener>>;
    fn keep_attachment(id: &ConversationId, name: &str, attachment: Attachment) -> Outcome<bool>;
    fn attachment(id: &ConversationId, name: &str) -> Outcome<Option<Attachment>>;
    fn keep_feedback(id: &ConversationId, feedback: Feedback, name: Option<String>) -> Outcome<bool>;
    fn feedback(id: &ConversationId, after: Option<u64>, limit: usize) -> Outcome<Option<FeedbackPage>>;
    fn first_said(id: &ConversationId, user: &str) -> Outcome<Option<Watermark>>;
    fn conversations_of(user: &str, after: Option<&ConversationId>, limit: usize) -> Outcome<Vec<ConversationId>>;
    fn erase(user: &str) -> Outcome<usize>;
    fn list(after: Option<ListCursor>, limit: usize) -> Outcome<Listing>;
    fn count() -> Outcome<Counts>;
    fn expire(idle_since: DateTime<Utc>) -> Outcome<usize>;
    fn delete(id: &ConversationId) -> Outcome<bool>;
    fn ready() -> Outcome<()>;
    fn close() -> Outcome<()>;
}

patient! { Turns {}
    fn queue_turn(id: &ConversationId, turn: NewTurn) -> Outcome<Option<Queued>>;
    fn claim_queues(kind: TurnKind, most: usize) -> Outcome<Vec<TurnQueue>>;
    fn queues_to_claim(kind: TurnKind) -> ();
    fn next_turn(queue: &TurnQueue) -> Outcome<Option<Turn>>;
    fn note_turn(queue: &TurnQueue, turn: u64, stage: TurnStage, said: Option<String>) -> Outcome<()>;
    fn end_turn(end: &EndOfTurn) -> Outcome<()>;
    fn release_queue(queue: &TurnQueue) -> Outcome<()>;
    fn forget_turns(id: &ConversationId, kind: TurnKind) -> Outcome<usize>;
    fn forget_name(id: &ConversationId, name: &str) -> Outcome<()>;
    fn waiting_turns(kind: TurnKind) -> Outcome<WaitingTurns>;
}
