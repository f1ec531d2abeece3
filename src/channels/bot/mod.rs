//! The bot behind the embedded channel: any bot that speaks the Bot Framework protocol.

mod address;
mod options;

pub use address::{BotEndpoint, InvalidBotEndpoint, InvalidServiceUrl, ServiceUrl};
pub use options::{BotBinding, BotDelivery, BotOptions, BotSettings, NoEndpoint, UnknownDelivery};
