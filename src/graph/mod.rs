//! The schema.org JSON-LD graph of an activity.

#[cfg(feature = "check")]
pub(crate) mod context;
#[cfg(feature = "check")]
pub(crate) mod expand;
mod message;

pub use message::Message;
