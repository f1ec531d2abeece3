//! The bot behind Azure Bot Service: calls from the Bot Connector, and answers through it (`docs/teams.md`).
//!
//! An answer is a [`ConnectorAnswer`] over an [`Outlet`]: through the Connector, kept for the reply to the call that asked, or as
//! events of it. A [`ConnectorClient`] calls trusted services only, with a token of [`Credentials`]. What is said is kept by
//! [`ConnectorRecords`], with a [`ConversationReference`] by which [`LaterAnswers`] find the conversation again.

mod address;
mod answer;
pub mod auth;
mod client;
mod credentials;
mod events;
mod feedback;
mod later;
mod later_error;
mod name;
mod outlet;
mod records;
mod reference;
mod refusal;
mod retry;
mod service_url;
mod words;

pub use address::{Address, NoConversation, Place};
pub use answer::{Answered, ConnectorAnswer, ConnectorTexts, Ended, Failed, Followed, Pacing, Unanswered};
pub use client::{ConnectorClient, ConnectorOptions};
pub use credentials::{AccessToken, AppCredentials, Credentials, NoTokenUrl, TokenError};
pub use events::{EventOutlet, event};
pub use feedback::SubmittedFeedback;
pub use later::{FollowedLater, LaterAnswers, LaterConversation, LaterTurn, WrittenFor};
pub use later_error::{LaterError, LaterFailed};
pub(crate) use name::is_behind_azure;
pub use name::{PublicName, find};
pub use outlet::{Collected, ConnectorOutlet, Outlet};
pub use records::{ConnectorRecords, Line};
pub use reference::{ConversationReference, NoReference};
pub use refusal::{Refusal, RefusalCause, RefusalKind};
pub use retry::{Retry, Rule, STATUS_RULES};
pub use service_url::{CHINA_HOSTS, PUBLIC_HOSTS, TrustedHosts, TrustedServiceUrl, US_GOV_HOSTS, UntrustedServiceUrl};
pub use words::Words;
