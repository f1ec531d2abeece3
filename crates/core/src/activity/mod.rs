//! Bot Framework wire types: what travels between citewire and a channel.
//!
//! No behaviour beyond the invariants of the types. Fields that citewire does not know are kept as they came.

mod account;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod activity;
mod activity_set;
mod attachment;
mod entity;
mod id;
mod stream_info;
mod watermark;

pub use account::{ChannelAccount, ConversationAccount, Role};
pub use activity::Activity;
pub use activity_set::ActivitySet;
pub use attachment::Attachment;
pub use entity::Entity;
pub use id::{ActivityId, ConversationId, InvalidConversationId};
pub use stream_info::StreamInfo;
pub use watermark::{InvalidWatermark, Watermark};
