//! The bot behind Azure Bot Service: who calls it, and how it answers through the Bot Connector.

pub mod auth;
