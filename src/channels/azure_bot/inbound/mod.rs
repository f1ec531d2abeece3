//! What is posted to the bot, read leniently: every channel names things in its own way.

#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod inbound;
mod kinds;
mod members;
mod mention;

pub use inbound::{DeliveryMode, Inbound, InboundError};
pub use kinds::Kind;
