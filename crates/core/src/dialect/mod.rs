//! The form of an activity for each channel.
//!
//! A dialect supplies rules (data) to the steps before it, and shapes the activity at the end.

mod cut;
mod dialect;
mod drawn;
mod email_html;
mod google_chat;
mod line;
mod livestream;
mod m365_copilot;
mod pacing;
mod parts;
mod plain;
mod reference_list;
mod row;
mod slack;
mod slack_blocks;
mod teams;
mod telegram;
mod web_chat;
mod wishes;

pub use dialect::{Dialect, UnknownDialect};
pub use livestream::{Answering, Livestream, Stamps, Waiting};
pub use pacing::Pacing;
pub use wishes::MessageOptions;
