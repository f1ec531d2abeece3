//! Why there is no bot.

use super::NoTokenUrl;
use crate::egress::EgressError;

/// Why the bot behind Azure Bot Service cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AzureBotError {
    /// No connections can be made from this system at all.
    #[error(transparent)]
    Egress(#[from] EgressError),
    /// No token could ever be asked for.
    #[error(transparent)]
    Login(#[from] NoTokenUrl),
}
