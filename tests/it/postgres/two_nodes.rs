use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use citewire::activity::{ChannelAccount, ConversationId, Watermark};
use citewire::metrics::StoreFigures;
use citewire::store::postgres::PostgresStore;
use citewire::store::{
    Appended, AssistantStore, Attachment, Batch, ChangeListener, Conversation, ConversationStore, Counts, Created,
    DeleteAssistant, DocumentChanges, DocumentKey, DocumentLimits, DocumentPart, DocumentState, EndOfTurn, Expected,
    Feedback, FeedbackPage, ListCursor, Listing, NamedDocument, NewTurn, Newest, Page, Publication, PutAssistant,
    Queued, StoreError, StoredAssistant, StoredDocument, StoredKey, Turn, TurnKind, TurnQueue, TurnStage, Turns,
    WaitingTurns,
};
use serde_json::{Map, Value};

/// Gives each call to the other node: what one has acknowledged, the next one has to know.
#[derive(Debug)]
pub(crate) struct TwoNodes {
    nodes: [PostgresStore; 2],
    turn: AtomicUsize,
    /// The node that holds the queue of each fence.
    holders: Mutex<BTreeMap<u64, usize>>,
}

impl TwoNodes {
    pub(crate) fn new(nodes: [PostgresStore; 2]) -> Self {
        Self { nodes, turn: AtomicUsize::new(0), holders: Mutex::default() }
    }

    fn next_index(&self) -> usize {
        self.turn.fetch_add(1, Ordering::Relaxed) % 2
    }

    fn next(&self) -> &PostgresStore {
        &self.nodes[self.next_index()]
    }

    /// The node that has claimed a queue, which is the one that may serve it.
    fn holder(&self, queue: &TurnQueue) -> &PostgresStore {
        &self.nodes[self.holders.lock().expect("a lock")[&queue.fence]]
    }
}

#[async_trait]
impl Turns for TwoNodes {
    async fn queue_turn(&self, id: &ConversationId, turn: NewTurn) -> Result<Option<Queued>, StoreError> {
        self.next().queue_turn(id, turn).await
    }

    async fn claim_queues(&self, kind: TurnKind, most: usize) -> Result<Vec<TurnQueue>, StoreError> {
        let index = self.next_index();
        let queues = self.nodes[index].claim_queues(kind, most).await?;
        self.holders.lock().expect("a lock").extend(queues.iter().map(|queue| (queue.fence, index)));
        Ok(queues)
    }

    async fn queues_to_claim(&self, kind: TurnKind) {
        tokio::select! {
            () = self.nodes[0].queues_to_claim(kind) => {}
            () = self.nodes[1].queues_to_claim(kind) => {}
        }
    }

    async fn next_turn(&self, queue: &TurnQueue) -> Result<Option<Turn>, StoreError> {
        self.holder(queue).next_turn(queue).await
    }

    async fn note_turn(
        &self,
        queue: &TurnQueue,
        turn: u64,
        stage: TurnStage,
        said: Option<String>,
    ) -> Result<(), StoreError> {
        self.holder(queue).note_turn(queue, turn, stage, said).await
    }

    async fn end_turn(&self, end: &EndOfTurn) -> Result<(), StoreError> {
        self.holder(&end.queue).end_turn(end).await
    }

    async fn release_queue(&self, queue: &TurnQueue) -> Result<(), StoreError> {
        self.holder(queue).release_queue(queue).await
    }

    async fn forget_turns(&self, id: &ConversationId, kind: TurnKind) -> Result<usize, StoreError> {
        self.next().forget_turns(id, kind).await
    }

    async fn forget_name(&self, id: &ConversationId, name: &str) -> Result<(), StoreError> {
        self.next().forget_name(id, name).await
    }

    async fn waiting_turns(&self, kind: TurnKind) -> Result<WaitingTurns, StoreError> {
        self.next().waiting_turns(kind).await
    }
}

macro_rules! in_turn {
    ($contract:ident { $($besides:tt)* } $(fn $name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {
        #[async_trait]
        impl $contract for TwoNodes {
            $(async fn $name(&self, $($argument: $type),*) -> Result<$output, StoreError> {
                self.next().$name($($argument),*).await
            })*

            $($besides)*
        }
    };
}

in_turn! {
    ConversationStore {
        async fn append(&self, id: &ConversationId, batch: Batch) -> Result<Option<Appended>, StoreError> {
            let node = batch.end.as_ref().map_or_else(|| self.next(), |end| self.holder(&end.queue));
            node.append(id, batch).await
        }

        fn strangers(&self) -> Vec<String> {
            self.next().strangers()
        }

        fn figures(&self) -> &StoreFigures {
            self.next().figures()
        }

        async fn close(&self) -> Result<(), StoreError> {
            for node in &self.nodes {
                node.close().await?;
            }
            Ok(())
        }
    }
    fn create_asking(id: &ConversationId, user: Option<ChannelAccount>, turn: Option<NewTurn>) -> Created;
    fn find(id: &ConversationId) -> Option<Conversation>;
    fn created(id: &ConversationId) -> Option<DateTime<Utc>>;
    fn refer(id: &ConversationId, reference: Value) -> bool;
    fn recall(id: &ConversationId, key: &str) -> Option<Appended>;
    fn read(id: &ConversationId, after: Option<Watermark>, limit: usize) -> Option<Page>;
    fn newest(id: &ConversationId) -> Option<Newest>;
    fn subscribe(id: &ConversationId) -> Option<ChangeListener>;
    fn keep_attachment(id: &ConversationId, attachment_id: &str, attachment: Attachment) -> bool;
    fn attachment(id: &ConversationId, attachment_id: &str) -> Option<Attachment>;
    fn keep_feedback(id: &ConversationId, feedback: Feedback, name: Option<String>) -> bool;
    fn feedback(id: &ConversationId, after: Option<u64>, limit: usize) -> Option<FeedbackPage>;
    fn list(after: Option<ListCursor>, limit: usize) -> Listing;
    fn count() -> Counts;
    fn first_said(id: &ConversationId, user: &str) -> Option<Watermark>;
    fn conversations_of(user: &str, after: Option<&ConversationId>, limit: usize) -> Vec<ConversationId>;
    fn erase(user: &str) -> usize;
    fn expire(idle_since: DateTime<Utc>) -> usize;
    fn delete(id: &ConversationId) -> bool;
    fn ready() -> ();
}

in_turn! {
    AssistantStore {}
    fn assistants() -> Vec<StoredAssistant>;
    fn put_assistant(name: &str, settings: Map<String, Value>, expected: Expected) -> PutAssistant;
    fn delete_assistant(name: &str, expected: Expected) -> DeleteAssistant;
    fn assistant_keys() -> Vec<StoredKey>;
    fn put_assistant_key(assistant: &str, sealed: Option<Vec<u8>>, origin: &str) -> bool;
    fn delete_assistant_key(assistant: &str) -> bool;
    fn channel_assistant() -> Option<String>;
    fn choose_channel_assistant(name: Option<&str>) -> ();
    fn revision() -> u64;
    fn documents(assistant: &str) -> Vec<StoredDocument>;
    fn document_changes(assistant: &str, since: Option<u64>) -> DocumentChanges;
    fn document(key: DocumentKey) -> Option<StoredDocument>;
    fn named_document(assistant: &str, name: &str) -> NamedDocument;
    fn unread_documents(limit: usize) -> Vec<(String, StoredDocument)>;
    fn draft_document(assistant: &str, name: &str) -> Option<DocumentKey>;
    fn add_piece(key: DocumentKey, part: DocumentPart, bytes: Vec<u8>) -> bool;
    fn publish_document(key: DocumentKey, limits: DocumentLimits) -> Publication;
    fn set_document_state(key: DocumentKey, state: DocumentState) -> bool;
    fn piece(key: DocumentKey, part: DocumentPart, place: u32) -> Option<Vec<u8>>;
    fn clear_part(key: DocumentKey, part: DocumentPart) -> ();
    fn discard_draft(key: DocumentKey) -> ();
    fn discard_drafts(before: DateTime<Utc>) -> u64;
    fn delete_document(assistant: &str, name: &str) -> bool;
}
