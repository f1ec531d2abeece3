//! The bot behind Azure Bot Service: who calls it, and how it answers through the Bot Connector (`docs/teams.md`).
//!
//! An [`AzureBot`] takes in what is posted: an [`Inbound`] activity whose sender [`auth`] has let in gets its turn in the line of
//! its conversation, and a [`Responder`] answers the [`Call`] that it has become.
//!
//! An answer is a [`ConnectorAnswer`] over an [`Outlet`]: through the Connector, kept for the reply to the call that asked, or as
//! events of it. A [`ConnectorClient`] calls trusted services only, with a token of [`Credentials`]. What is said is kept by
//! [`ConnectorRecords`], with a [`ConversationReference`] by which [`LaterAnswers`] find the conversation again.

mod address;
mod answer;
pub mod auth;
mod azure_bot;
mod call;
mod client;
mod credentials;
mod event_body;
mod events;
mod feedback;
mod inbound;
mod job;
mod kinds;
mod later;
mod later_error;
mod mention;
mod name;
mod options;
mod outlet;
mod received;
mod records;
mod reference;
mod refusal;
mod responder;
mod retry;
mod service_url;
mod turns;
mod words;

pub use address::{Address, NoConversation, Place};
pub use answer::{Answered, ConnectorAnswer, ConnectorTexts, Ended, Failed, Followed, Unanswered};
pub use azure_bot::AzureBot;
pub use call::{Call, CallEnd};
pub use client::{ConnectorClient, ConnectorOptions};
pub use credentials::{AccessToken, AppCredentials, Credentials, TokenError};
pub use event_body::EventBody;
pub use events::{EventOutlet, event};
pub use feedback::SubmittedFeedback;
pub use inbound::{DeliveryMode, Inbound, InboundError};
pub use kinds::Kind;
pub use later::{FollowedLater, LaterAnswers, LaterConversation, LaterTurn, WrittenFor};
pub use later_error::{LaterError, LaterFailed};
pub(crate) use name::is_behind_azure;
pub use name::{PublicName, find};
pub use options::{AzureBotFault, AzureBotOptions, AzureBotSettings};
pub use outlet::{Collected, ConnectorOutlet, Outlet};
pub use received::{ReceiveError, Received};
pub use records::{ConnectorRecords, Line, find_said};
pub use reference::{ConversationReference, NoReference};
pub use refusal::{Refusal, RefusalCause, RefusalKind};
pub use responder::Responder;
pub use retry::{Rule, STATUS_RULES};
pub use service_url::{CHINA_HOSTS, PUBLIC_HOSTS, TrustedHosts, TrustedServiceUrl, US_GOV_HOSTS, UntrustedServiceUrl};
pub use turns::TurnLimits;
pub use words::Words;
