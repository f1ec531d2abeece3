//! The bot behind Azure Bot Service: who calls it, and how it answers through the Bot Connector (`docs/guides/teams.md`).
//!
//! An [`AzureBot`] takes in what is posted: an [`Inbound`] activity whose sender [`auth`] has let in gets its turn in the line of
//! its conversation, and a [`Responder`] answers the [`Call`] that it has become.
//!
//! An answer is a [`ConnectorAnswer`] over an [`Outlet`]: through the Connector, kept for the reply to the call that asked, or as
//! events of it. A [`ConnectorClient`] calls trusted services only, with a token of [`Credentials`]. What is said is kept by
//! [`ConnectorRecords`], with a [`ConversationReference`] by which [`LaterAnswers`] find the conversation again.

mod answer;
pub mod auth;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod azure_bot;
mod conversation;
mod event_body;
mod inbound;
mod later;
mod options;
mod outbound;
mod received;
mod service_url;
mod turns;

pub use answer::{Answered, ConnectorAnswer, ConnectorTexts, Ended, Failed, Followed, Unanswered};
pub use azure_bot::AzureBot;
pub(crate) use conversation::is_behind_azure;
pub use conversation::{
    Address, ConnectorRecords, ConversationReference, Line, NoConversation, NoReference, Place, PublicName,
    SubmittedFeedback, find, find_said,
};
pub use event_body::EventBody;
pub use inbound::{DeliveryMode, Inbound, InboundError, Kind};
pub use later::{FollowedLater, LaterAnswers, LaterConversation, LaterError, LaterFailed, LaterTurn, WrittenFor};
pub use options::{AzureBotFault, AzureBotOptions, AzureBotSettings};
pub use outbound::{
    AccessToken, AppCredentials, Collected, ConnectorClient, ConnectorOptions, ConnectorOutlet, Credentials,
    EventOutlet, Outlet, Refusal, RefusalCause, RefusalKind, Rule, STATUS_RULES, TokenError,
};
pub use received::{ReceiveError, Received};
pub use service_url::{CHINA_HOSTS, PUBLIC_HOSTS, TrustedHosts, TrustedServiceUrl, US_GOV_HOSTS, UntrustedServiceUrl};
pub use turns::{Call, CallEnd, Responder, TurnLimits};
