//! Stores of conversations, turns and assistants: the traits, and their backends.
//!
//! A new backend implements `Backend`, by which it is a [`ConversationStore`], [`Turns`] and [`AssistantStore`]. It has a URL scheme in
//! `open.rs`, and a line in each of the suites `tests/it/store.rs`, `tests/it/turns.rs` and `tests/it/assistant_store.rs`. Nothing else
//! may know which backend is at work.

use citewire_base::{clock, expiring_map, metrics, private_file, supervision};
use citewire_core::activity;

mod archived;
mod assistant_key;
mod assistant_store;
mod attachment;
mod backend;
mod change_notifier;
mod conversation;
mod conversation_store;
mod error;
mod feedback;
mod limits;
mod listing;
mod notifier_registry;
mod open;
pub mod postgres;
pub mod sqlite;
mod turn;
mod turn_queues;
mod writing;

pub use archived::{Archived, Description, Selection};
pub use assistant_key::StoredKey;
pub use assistant_store::{
    AssistantStore, DeleteAssistant, DocumentChanges, DocumentKey, DocumentLimits, DocumentLoss, DocumentPart,
    DocumentState, Expected, MAX_PIECE_BYTES, NamedDocument, Publication, PutAssistant, StoredAssistant,
    StoredDocument,
};
pub use attachment::Attachment;
pub use change_notifier::{ChangeListener, ChangeNotifier, Closed};
pub use conversation::{Appended, Batch, Conversation, Created, Newest, Page, Recorded};
pub use conversation_store::ConversationStore;
pub use error::StoreError;
pub use feedback::{Feedback, FeedbackPage, NotedFeedback};
pub use limits::StoreLimits;
pub use listing::{Counts, ListCursor, Listing, Summary};
pub use open::{Location, OpenError, Store, StoreOptions, StoreUrlError, open};
pub use sqlite::{SqliteError, SqliteStore};
pub use turn::{EndOfTurn, NewTurn, Queued, Turn, TurnKind, TurnQueue, TurnRoom, TurnStage, Turns, WaitingTurns};
