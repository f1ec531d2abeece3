//! The bot behind the embedded channel: any bot that speaks the Bot Framework protocol.

mod address;
mod channel;
mod cited;
mod client;
mod connector;
mod error;
mod joined;
mod livestream;
mod options;
mod outgoing;
mod speaking;
mod ticket;
mod turns;

pub use address::{BotEndpoint, InvalidBotEndpoint, InvalidServiceUrl, ServiceUrl};
pub use channel::BotChannel;
pub use cited::Citer;
pub use client::BotClient;
pub use connector::{Begun, BotCaller, ConversationParameters};
pub use error::{ConnectorError, TurnError};
pub use options::{BotBinding, BotDelivery, BotOptions, BotSettings, NoEndpoint, UnknownDelivery};
pub use turns::BotServer;

/// The path of a `serviceUrl` before a ticket.
pub const TICKET_PREFIX: &str = "/bot";
