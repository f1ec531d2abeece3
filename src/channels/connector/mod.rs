//! The bot behind Azure Bot Service: calls from the Bot Connector, and answers through it (`docs/teams.md`).
//!
//! An answer is a [`ConnectorAnswer`] over an [`Outlet`]: through the Connector, kept for the reply to the call that asked, or as
//! events of it. A [`ConnectorClient`] calls trusted services only, with a token of [`Credentials`].

mod address;
mod answer;
pub mod auth;
mod client;
mod credentials;
mod events;
mod outlet;
mod refusal;
mod retry;
mod service_url;
mod words;

pub use address::{Address, NoConversation, Place};
pub use answer::{Answered, ConnectorAnswer, ConnectorTexts, Ended, Failed, Followed, Pacing, Unanswered};
pub use client::{ConnectorClient, ConnectorOptions};
pub use credentials::{AccessToken, AppCredentials, Credentials, NoTokenUrl, TokenError};
pub use events::{EventOutlet, event};
pub use outlet::{Collected, ConnectorOutlet, Outlet};
pub use refusal::{Refusal, RefusalCause, RefusalKind};
pub use retry::{Retry, Rule, STATUS_RULES};
pub use service_url::{CHINA_HOSTS, PUBLIC_HOSTS, TrustedHosts, TrustedServiceUrl, US_GOV_HOSTS, UntrustedServiceUrl};
pub use words::Words;
