//! The options of the bot behind the embedded channel.

use std::str::FromStr;
use std::time::Duration;

use super::{BotEndpoint, ServiceUrl};
use crate::secret::Secret;

/// The bot behind the embedded channel: its endpoint, its secret and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotBinding {
    /// Where activities are posted to.
    pub endpoint: BotEndpoint,
    /// The credential of the bot on the Connector routes, and the key of its tickets.
    pub secret: Secret,
    /// Everything else.
    pub options: BotOptions,
}

/// The options with default values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotOptions {
    /// How the bot is to answer.
    pub delivery: BotDelivery,
    /// The id of the bot: `recipient.id` of what it gets, `from.id` of what it says.
    pub id: String,
    /// The name that people read.
    pub name: String,
    /// The credential of citewire for the bot, in `Authorization`; none when there is none, because bots of the SDKs without
    /// credentials refuse every token.
    pub token: Option<Secret>,
    /// `serviceUrl` carries a ticket for its conversation, so that a bot without credentials can answer.
    pub tickets: bool,
    /// How long a ticket is good for.
    pub ticket_lifetime: Duration,
    /// How the bot reaches citewire, when that is not how clients do.
    pub service_url: Option<ServiceUrl>,
    /// How long the bot may take to answer a post.
    pub timeout: Duration,
    /// The words for users when the bot did not answer.
    pub failure_text: String,
    /// Whether answers with a manifest pass through the citation pipeline.
    pub cite: bool,
    /// The size of an activity that the bot may post, in bytes.
    pub max_activity_bytes: usize,
    /// Activities of one conversation that wait for the bot; beyond, users are told that theirs did not reach it.
    pub max_waiting: usize,
    /// The limit for all conversations together.
    pub max_waiting_in_all: usize,
    /// Posts to the bot at one time.
    pub max_turns: usize,
}

impl Default for BotOptions {
    fn default() -> Self {
        Self {
            delivery: BotDelivery::Normal,
            id: "bot".to_owned(),
            name: "Bot".to_owned(),
            token: None,
            tickets: true,
            ticket_lifetime: Duration::from_secs(7 * 24 * 60 * 60),
            service_url: None,
            timeout: Duration::from_secs(15),
            failure_text: "The bot did not answer. Please try again later.".to_owned(),
            cite: false,
            max_activity_bytes: 1024 * 1024,
            max_waiting: 32,
            max_waiting_in_all: 2_000,
            max_turns: 256,
        }
    }
}

/// How the bot is to answer (`deliveryMode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BotDelivery {
    /// By posting to the Connector routes.
    #[default]
    Normal,
    /// In the body of its answer to the post.
    ExpectReplies,
}

/// The text is not a delivery mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the delivery is normal or expect_replies")]
pub struct UnknownDelivery;

impl FromStr for BotDelivery {
    type Err = UnknownDelivery;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "normal" => Ok(Self::Normal),
            "expect_replies" => Ok(Self::ExpectReplies),
            _ => Err(UnknownDelivery),
        }
    }
}

/// The settings of `[bot]`, as they were set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BotSettings {
    /// Where the bot is.
    pub endpoint: Option<BotEndpoint>,
    /// Its credential.
    pub secret: Option<Secret>,
    /// Everything else.
    pub options: BotOptions,
}

/// There are settings of a bot, but no endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bot.endpoint is missing: the other settings of bot need it")]
pub struct NoEndpoint;

impl BotSettings {
    /// Whether the settings name a bot. None at all is no bot.
    ///
    /// # Errors
    /// When there are settings, but not where the bot is.
    pub fn check(&self) -> Result<bool, NoEndpoint> {
        if self.endpoint.is_none() && *self != Self::default() { Err(NoEndpoint) } else { Ok(self.endpoint.is_some()) }
    }

    /// The bot, with a secret that was made when none is set.
    #[must_use]
    pub fn resolve(self, made: Option<Secret>) -> Option<BotBinding> {
        let Self { endpoint, secret, options } = self;
        Some(BotBinding { endpoint: endpoint?, secret: secret.or(made)?, options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_without_an_endpoint_are_no_bot_but_a_mistake() {
        assert_eq!(BotSettings::default().check(), Ok(false));
        let options = BotOptions { cite: true, ..BotOptions::default() };
        assert_eq!(BotSettings { options, ..BotSettings::default() }.check(), Err(NoEndpoint));
    }

    #[test]
    fn a_secret_that_is_set_outweighs_one_that_was_made() {
        let secret = |text| Secret::parse(text).ok();
        let endpoint = || "http://127.0.0.1:3979/api/messages".parse().ok();
        let made = || secret("a-secret-that-was-made");
        let set = BotSettings { endpoint: endpoint(), secret: secret("a-secret-that-was-set"), ..Default::default() };
        assert_eq!(set.resolve(made()).map(|bot| bot.secret), secret("a-secret-that-was-set"));
        let unset = BotSettings { endpoint: endpoint(), ..Default::default() };
        assert_eq!(unset.resolve(made()).map(|bot| bot.secret), made());
        assert_eq!(BotSettings::default().resolve(made()), None);
    }
}
