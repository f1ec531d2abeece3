//! Bot Framework wire types, which citewire and channels exchange.
//!
//! The types only enforce their invariants. Unknown members are kept as received.

mod account;
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
