//! Proactive messages: finds the conversation, and sends the answer when its queue allows it.

mod error;
mod proactive;

pub use error::{ProactiveError, ProactiveFailed};
pub use proactive::{FollowedProactive, ProactiveConversation, ProactiveMessages, ProactiveTurn, WrittenFor};
