//! Answers that nobody in the conversation has just asked for: it is looked up, and the answer waits for its turn in it.

mod error;
#[expect(clippy::module_inception, reason = "the file is named after what it does")]
mod later;

pub use error::{LaterError, LaterFailed};
pub use later::{FollowedLater, LaterAnswers, LaterConversation, LaterTurn, WrittenFor};
