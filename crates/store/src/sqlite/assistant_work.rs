//! The requests to the writer that are about assistants and documents.

use chrono::{DateTime, Utc};
use tokio::sync::OwnedSemaphorePermit;

use crate::writing::Reply;
use crate::{
    DeleteAssistant, DocumentKey, DocumentLimits, DocumentPart, DocumentState, Expected, Publication, PutAssistant,
};

/// A change of assistants or documents.
#[derive(Debug)]
pub(super) enum AssistantWork {
    Put {
        name: String,
        /// As JSON: the members that every version knows, and newer ones.
        settings: (String, Option<String>),
        expected: Expected,
        reply: Reply<PutAssistant>,
    },
    Delete {
        name: String,
        expected: Expected,
        reply: Reply<DeleteAssistant>,
    },
    PutKey {
        assistant: String,
        /// `None` says that it was dropped.
        sealed: Option<Vec<u8>>,
        origin: String,
        reply: Reply<bool>,
    },
    DeleteKey {
        assistant: String,
        reply: Reply<bool>,
    },
    /// Chooses the assistant of the channel itself.
    Choose {
        name: Option<String>,
        reply: Reply<()>,
    },
    Draft {
        assistant: String,
        name: String,
        reply: Reply<Option<DocumentKey>>,
    },
    AddPiece {
        key: DocumentKey,
        part: DocumentPart,
        bytes: Vec<u8>,
        /// The memory that the piece takes while it waits.
        room: OwnedSemaphorePermit,
        reply: Reply<bool>,
    },
    Publish {
        key: DocumentKey,
        limits: DocumentLimits,
        reply: Reply<Publication>,
    },
    SetState {
        key: DocumentKey,
        state: DocumentState,
        reply: Reply<bool>,
    },
    ClearPart {
        key: DocumentKey,
        part: DocumentPart,
        reply: Reply<()>,
    },
    Discard {
        key: DocumentKey,
        reply: Reply<()>,
    },
    DiscardAll {
        before: DateTime<Utc>,
        reply: Reply<u64>,
    },
    DeleteDocument {
        assistant: String,
        name: String,
        reply: Reply<bool>,
    },
}

/// The number of a part in its column.
pub(super) fn part_number(part: DocumentPart) -> i64 {
    match part {
        DocumentPart::File => 0,
        DocumentPart::Passages => 1,
        DocumentPart::Vectors => 2,
    }
}
