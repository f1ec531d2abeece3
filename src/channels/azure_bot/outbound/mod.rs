//! How activities get to a user: by calls through the Bot Connector, or in the response to the call that asked.

mod client;
mod credentials;
mod events;
mod outlet;
mod refusal;
mod retry;

pub use client::{ConnectorClient, ConnectorOptions};
pub use credentials::{AccessToken, AppCredentials, Credentials, TokenError};
pub use events::EventOutlet;
pub use outlet::{Collected, ConnectorOutlet, Outlet};
pub use refusal::{Refusal, RefusalCause, RefusalKind};
pub use retry::{Rule, STATUS_RULES};
