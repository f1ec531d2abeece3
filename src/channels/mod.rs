//! The channels on which people read answers.

mod arrived;
pub mod azure_bot;
mod complaints;
mod delivery;
pub mod direct_line;
pub mod direct_line_client;
mod one_at_a_time;
mod retention;
mod scores;

pub use arrived::{Incomplete, NoAnswer, counted};
pub(crate) use complaints::Complaints;
pub use delivery::{Delivered, Delivery, DeliveryError, Whereabouts};
pub use retention::Retention;
pub(crate) use scores::log_scores;
