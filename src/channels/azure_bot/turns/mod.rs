//! The turns of the bot: what is kept of them in the store, who waits for them in this process, and how they are served.

mod body;
mod calls;
mod fingerprint;
mod limits;
mod server;
mod turn;
mod turn_handler;

pub(super) use body::{Ticket, TurnBody};
pub(super) use calls::{Call, Calls};
pub(super) use fingerprint::Fingerprint;
pub use limits::TurnLimits;
pub(super) use limits::{RAISE_ALL, RAISE_EACH};
pub(super) use server::AzureServer;
pub(super) use turn::ReplyRoute;
pub use turn::{Turn, TurnOutcome};
pub use turn_handler::TurnHandler;
