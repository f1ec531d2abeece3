//! The channels on which people read answers.

mod delivery;
pub mod direct_line;

pub use delivery::{Delivered, Delivery, DeliveryError};
