//! Parses incoming activities leniently, because channels differ in member names.

#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod inbound;
mod kinds;
mod members;
mod mention;

pub use inbound::{DeliveryMode, Inbound, InboundError};
pub use kinds::Kind;
