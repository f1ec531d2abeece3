//! Answers that nobody in the conversation has just asked for: it is looked up, and the answer waits for its turn in it.

mod error;
#[expect(clippy::module_inception, reason = "the file is named after what it does")]
mod proactive;

pub use error::{ProactiveError, ProactiveFailed};
pub use proactive::{FollowedProactive, ProactiveConversation, ProactiveMessages, ProactiveTurn, WrittenFor};
