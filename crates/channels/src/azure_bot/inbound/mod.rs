//! Parses incoming activities leniently, because channels differ in member names.

mod inbound;
mod kinds;
mod members;
mod mention;

pub use inbound::{DeliveryMode, Inbound, InboundError};
pub use kinds::Kind;
