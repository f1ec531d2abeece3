//! The channels on which people read answers.
//!
//! [`azure_bot`] is the bot behind Azure Bot Service, [`direct_line`] the embedded channel, [`direct_line_client`] a client of a
//! Direct Line elsewhere; [`bus`] shows readers on other nodes what grows. [`Delivery`] stands above them and chooses by the conversation; the other files are what they share.

use citewire_base::{clock, digest, egress, metrics, secret, sse};
use citewire_core::{activity, answer, claims, convert, dialect, ingest, report};
use citewire_store as store;

pub mod answer_events;
mod arrived;
pub mod azure_bot;
pub mod bus;
mod delivered;
mod delivery;
mod delivery_error;
pub mod direct_line;
pub mod direct_line_client;
mod earlier_answers;
mod follow;
mod keyed_mutex;
mod pace;
mod queue_server;
mod refusal_log;
mod report_log;
mod retention;
mod support_figures;

pub use arrived::{Incomplete, NoAnswer};
pub use delivered::Delivered;
pub use delivery::{Delivery, Whereabouts};
pub use delivery_error::DeliveryError;
pub use earlier_answers::earlier_answers;
pub use queue_server::{Ending, HeldQueue, QueueServer, TurnEnd, TurnServer, is_given_up};
pub use refusal_log::RefusalLog;
pub use report_log::log_report;
pub use retention::Retention;
pub use support_figures::{count_converted, count_support, stopwatch};
