//! The schema.org JSON-LD graph of an activity.

mod message;

pub use message::Message;
