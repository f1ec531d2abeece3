//! The embedded [Direct Line 3.0](https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-direct-line-3-0-api-reference)
//! server: what a client may do, without the HTTP around it.

pub mod bot;
mod caller;
mod client_activity;
mod error;
mod feed;
mod frame;
mod frame_cache;
mod hub;
mod listening;
mod options;
mod owner;
mod post_name;
mod posting;
mod publisher;
mod remote;
mod respondent;
mod room;
mod running;
mod service;
mod speaker;
pub mod streaming;
mod token;
mod upload;

pub use caller::Caller;
pub use client_activity::{ActivityError, ClientActivity};
pub use error::DirectLineError;
pub use feed::Feed;
pub use frame::Frame;
pub use hub::{Ephemeral, Hub, HubFull};
pub use options::DirectLineOptions;
pub use owner::{InvalidOwner, Owner};
pub(crate) use posting::attachments_path;
pub use publisher::Publisher;
pub use respondent::{Respondent, Unrecorded};
pub use running::{Part, Running};
pub use service::{DirectLine, Grant, Resume, Started, TokenRequest};
pub(crate) use speaker::CHANNEL_ID;
pub(super) use speaker::{bot, sign};
pub use token::{Claims, TokenError, TokenKind, Tokens};
pub use upload::{UNKNOWN_MEDIA_TYPE, Upload, UploadedFile};
