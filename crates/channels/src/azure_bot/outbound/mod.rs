//! Sends activities to users: through the Bot Connector, or in the response to the call.

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
