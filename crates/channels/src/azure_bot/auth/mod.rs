//! Authentication of callers of the bot, with tokens of the Bot Connector and of Entra.
//!
//! A channel (Teams, hosted Web Chat) shows a token that the Bot Connector has signed; another bot or agent, and the
//! Emulator, show one of Entra. Which of the two a token claims to be follows from its issuer, and the issuer only chooses
//! among the key sets of the configuration: nothing in a token leads anywhere.

mod caller;
mod claims;
mod cloud;
mod error;
mod key;
mod key_set;
mod key_source;
mod options;
mod service_url;
mod token;
mod verifier;

pub use caller::Caller;
pub use cloud::{Cloud, CloudAddresses, IssuerTemplate, UnknownCloud};
pub use error::{KeyIssuer, KeysError, TokenPart, Unauthorized, UnauthorizedKind};
pub use options::{AllowedCallers, AuthOptions, InvalidCaller};
pub use verifier::{Bearer, Verifier};
