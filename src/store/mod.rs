//! Where conversations are kept: the contract, and the backends that fulfil it.
//!
//! To add a backend: implement [`ConversationStore`], give it a URL scheme in `open.rs`, and add one line to the
//! behavioural suite in `tests/it/store.rs`. Nothing else may know which backend is at work.

mod contract;
mod doorbell;
mod memory;
mod open;

pub use contract::{Appended, Batch, Conversation, ConversationStore, Created, Newest, Page, Recorded, StoreError};
pub use doorbell::{Bell, Doorbell, Silent};
pub use memory::{MemoryLimits, MemoryStore};
pub use open::{OpenError, StoreOptions, open};
