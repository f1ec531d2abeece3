//! The channels on which people read answers.

mod delivery;
pub mod direct_line;
pub mod direct_line_client;
mod retention;

pub use delivery::{Delivered, Delivery, DeliveryError};
pub use retention::Retention;
