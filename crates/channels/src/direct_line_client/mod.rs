//! A [Direct Line 3.0](https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-direct-line-3-0-api-reference)
//! client: posts answers into conversations of a Direct Line that is not ours.
//!
//! Such a client stands on the user's side: what it posts goes to the bot, and everyone in the conversation reads it under
//! the client's user id. Only citewire's own channel lets the bearer of its secret speak as a bot.

mod binding;
mod bound;
mod client;
mod conversation;
mod credential;
mod error;
mod history;
mod outgoing;
mod retry;
mod url;
mod wire;

pub use binding::{
    Binding, BindingSettings, BoundConversations, Coverage, DEFAULT_USER, InvalidConversations, UnusableBinding,
};
pub use bound::{BoundDirectLine, NOTICE};
pub use client::{DirectLineClient, Posted, SERVER_NAME};
pub use conversation::{ConversationName, InvalidConversationName};
pub use credential::Credential;
pub use error::{Call, CallError, Misunderstood, PostError};
pub use outgoing::MAX_ACTIVITY_CHARACTERS;
pub use retry::{Rule, STATUS_RULES};
pub use url::{DirectLineUrl, InvalidDirectLineUrl};
