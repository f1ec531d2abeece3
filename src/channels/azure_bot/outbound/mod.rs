//! How activities get to a user: by calls through the Bot Connector, or in the response to the call that asked.

mod activity_sink;
mod client;
mod credentials;
mod events;
mod refusal;
mod retry;

pub use activity_sink::{ActivitySink, Collected, ConnectorSink};
pub use client::{ConnectorClient, ConnectorOptions};
pub use credentials::{AccessToken, AppCredentials, Credentials, TokenError};
pub use events::EventSink;
pub use refusal::{Refusal, RefusalCause, RefusalKind};
pub use retry::{Rule, STATUS_RULES};
