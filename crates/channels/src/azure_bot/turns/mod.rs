//! The turns of the bot: their form in the store, the callers who wait for them in this process, and their server.

mod body;
mod calls;
mod fingerprint;
mod limits;
mod server;
mod turn;
mod turn_handler;

pub(super) use body::{Ticket, TurnBody};
pub(super) use calls::{Calls, WaitingCaller};
pub(super) use fingerprint::Fingerprint;
pub use limits::TurnLimits;
pub(super) use limits::{RAISE_ALL, RAISE_EACH};
pub(super) use server::AzureServer;
pub(super) use turn::ReplyRoute;
pub use turn::{TurnInFlight, TurnOutcome};
pub use turn_handler::TurnHandler;
