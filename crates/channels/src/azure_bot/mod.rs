//! [The bot behind Azure Bot Service](https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference):
//! who calls it, and how it answers through the Bot Connector (`docs/guides/teams.md`).
//!
//! An [`AzureBot`] takes in what is posted: an [`Inbound`] activity whose sender [`auth`] has let in gets its turn in the queue of
//! its conversation, and a [`TurnHandler`] answers the [`TurnInFlight`] that it has become.
//!
//! An answer is a [`ConnectorAnswer`] over an [`ActivitySink`]: through the Connector, kept for the reply to the call that asked, or as
//! events of it. A [`ConnectorClient`] calls trusted services only, with a token of [`Credentials`]. What is said is kept by
//! [`ConnectorRecords`], with a [`ConversationReference`] by which [`ProactiveMessages`] find the conversation again.

mod admitted;
mod answer;
pub mod auth;
mod azure_bot;
mod conversation;
mod event_body;
mod inbound;
mod intake;
mod options;
mod outbound;
mod proactive;
mod received;
mod service_url;
mod turns;

pub use answer::{Answered, ConnectorAnswer, ConnectorTexts, Ended, Failed, Followed, Progress, Unanswered};
pub use azure_bot::AzureBot;
pub use conversation::{
    Address, ConnectorRecords, ConversationReference, Destination, GREETING, Line, NoConversation, NoReference,
    PublicName, SubmittedFeedback, find, find_said, is_behind_azure,
};
pub use event_body::EventBody;
pub use inbound::{DeliveryMode, Inbound, InboundError, Kind};
pub use options::{AzureBotFault, AzureBotOptions, AzureBotSettings};
pub use outbound::{
    AccessToken, ActivitySink, AppCredentials, Collected, ConnectorClient, ConnectorOptions, ConnectorSink,
    Credentials, EventSink, Refusal, RefusalCause, RefusalKind, Rule, STATUS_RULES, TokenError,
};
pub use proactive::{
    FollowedProactive, ProactiveConversation, ProactiveError, ProactiveFailed, ProactiveMessages, ProactiveTurn,
    WrittenFor,
};
pub use received::{ReceiveError, Received};
pub use service_url::{CHINA_HOSTS, PUBLIC_HOSTS, TrustedHosts, TrustedServiceUrl, US_GOV_HOSTS, UntrustedServiceUrl};
pub use turns::{TurnHandler, TurnInFlight, TurnLimits, TurnOutcome};
