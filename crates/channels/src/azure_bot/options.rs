//! The options of the bot behind Azure Bot Service.

use std::time::Duration;

use url::Url;
use uuid::Uuid;

use super::auth::{AllowedCallers, AuthOptions, Cloud, CloudAddresses};
use super::service_url::{CHINA_HOSTS, PUBLIC_HOSTS, TrustedHosts, US_GOV_HOSTS};
use super::turns::TurnLimits;
use crate::egress::{InvalidHost, is_this_machine};
use crate::secret::Secret;

/// The bot behind Azure Bot Service. There is one.
#[derive(Clone, Debug)]
pub struct AzureBotOptions {
    /// The callers that are let in.
    pub auth: AuthOptions,
    /// With what the bot proves itself; nothing where it calls without a token, in development.
    pub app_secret: Option<Secret>,
    /// Where its answers may go.
    pub hosts: TrustedHosts,
    /// Whether services on this machine may be called as well, over http, by who is on it: where Agents Playground or the Emulator
    /// runs beside citewire, which nobody else reaches.
    pub loopback_services: bool,
    /// The name of the assistant that answers; the one of the channel itself where none is named.
    pub assistant: Option<String>,
    /// Whether the text of an answer names its sources for agents, which drop what stands beside the text.
    pub self_contained_for_agents: bool,
    /// Whether answers by e-mail are HTML.
    pub html_email: bool,
    /// Whether an answer in a group chat of Teams quotes its question.
    pub quote_questions: bool,
    /// Whether refusals and apologies in groups of Teams are shown to the user who asked alone.
    pub private_apologies: bool,
    /// How much is taken in.
    pub turns: TurnLimits,
    /// The longest activity that is taken, in bytes.
    pub max_activity_bytes: usize,
    /// Within this time who waits for answers in the body of the response gets those that there are.
    pub reply_within: Duration,
}

/// The settings of `[azure_bot]`, as they were set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AzureBotSettings {
    /// The app id of the bot.
    pub app_id: Option<Uuid>,
    /// Its client secret.
    pub app_secret: Option<Secret>,
    /// Its tenant; a bot of many tenants has none.
    pub tenant: Option<Uuid>,
    /// Its cloud.
    pub cloud: Cloud,
    /// The issuer of the channel's tokens, where it is not that of the cloud.
    pub channel_issuer: Option<String>,
    /// The metadata of the channel's keys, where they are elsewhere.
    pub channel_metadata: Option<Url>,
    /// The metadata of Entra's keys, where they are elsewhere.
    pub entra_metadata: Option<Url>,
    /// Where tokens are asked for, without the tenant, where that is elsewhere.
    pub login: Option<Url>,
    /// Agents that may call.
    pub allowed_callers: AllowedCallers,
    /// More hosts to which answers may go.
    pub service_hosts: String,
    /// Whether the Emulator may call with the bot's own credentials.
    pub emulator: bool,
    /// Whether calls without a token are let in on this machine.
    pub anonymous: bool,
    /// The assistant that answers.
    pub assistant: Option<String>,
    /// Whether the text of an answer to an agent names its sources.
    pub self_contained_for_agents: bool,
    /// Whether answers by e-mail are HTML.
    pub html_email: bool,
    /// Whether an answer in a group chat of Teams quotes its question.
    pub quote_questions: bool,
    /// Whether refusals and apologies in groups of Teams are shown to the user who asked alone.
    pub private_apologies: bool,
    /// The number of turns that run at one time.
    pub max_turns: usize,
    /// The number of activities that wait.
    pub max_waiting: usize,
}

/// An error in the combination of settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AzureBotFault {
    /// There are settings of a bot, but no bot.
    #[error("azure_bot.app_id is missing: the other settings of azure_bot need it")]
    NoAppId,
    /// The bot cannot prove itself.
    #[error("azure_bot.app_secret (CITEWIRE_AZURE_BOT_APP_SECRET) is needed beside azure_bot.app_id")]
    NoSecret,
    /// Calls without a token would be let in from elsewhere.
    #[error(
        "azure_bot.anonymous lets calls in without a token: leave it out, or have bind name a loopback address and leave \
         out public_url, trust_forwarded and trusted_proxies"
    )]
    Anonymous,
    /// The secret would go out for everyone to read.
    #[error("azure_bot.login receives the secret of the bot: use https, or http on this machine only")]
    Login,
    /// A host is none.
    #[error("azure_bot.service_hosts: {0}")]
    ServiceHosts(#[from] InvalidHost),
}

impl Default for AzureBotSettings {
    fn default() -> Self {
        let TurnLimits { at_once, waiting, .. } = TurnLimits::default();
        Self {
            app_id: None,
            app_secret: None,
            tenant: None,
            cloud: Cloud::default(),
            channel_issuer: None,
            channel_metadata: None,
            entra_metadata: None,
            login: None,
            allowed_callers: AllowedCallers::default(),
            service_hosts: String::new(),
            emulator: false,
            anonymous: false,
            assistant: None,
            self_contained_for_agents: true,
            html_email: false,
            quote_questions: false,
            private_apologies: false,
            max_turns: at_once,
            max_waiting: waiting,
        }
    }
}

impl AzureBotOptions {
    /// The usual options of a bot whose callers are these.
    #[must_use]
    pub fn new(auth: AuthOptions, hosts: TrustedHosts) -> Self {
        Self {
            auth,
            app_secret: None,
            hosts,
            loopback_services: false,
            assistant: None,
            self_contained_for_agents: true,
            html_email: false,
            quote_questions: false,
            private_apologies: false,
            turns: TurnLimits::default(),
            max_activity_bytes: 256 * 1024,
            reply_within: Duration::from_secs(13),
        }
    }
}

impl AzureBotSettings {
    /// The bot that the settings name; none at all is no bot. `is_local` says whether nobody but this machine reaches the
    /// server.
    ///
    /// # Errors
    /// When the settings do not fit together: with all that is wrong.
    pub fn resolve(self, is_local: bool) -> Result<Option<AzureBotOptions>, Vec<AzureBotFault>> {
        if self == Self::default() {
            return Ok(None);
        }
        let mut faults = Vec::new();
        if self.app_id.is_none() && !self.anonymous {
            faults.push(AzureBotFault::NoAppId);
        }
        if self.app_id.is_some() && self.app_secret.is_none() {
            faults.push(AzureBotFault::NoSecret);
        }
        if self.anonymous && !is_local {
            faults.push(AzureBotFault::Anonymous);
        }
        let addresses = self.addresses();
        let login = &addresses.login;
        if login.scheme() != "https"
            && !(login.scheme() == "http" && login.host().is_some_and(|it| is_this_machine(&it)))
        {
            faults.push(AzureBotFault::Login);
        }
        let known = match self.cloud {
            Cloud::Public => PUBLIC_HOSTS,
            Cloud::UsGov => US_GOV_HOSTS,
            Cloud::China => CHINA_HOSTS,
        };
        let hosts = match TrustedHosts::new(known).with(&self.service_hosts) {
            Ok(hosts) if faults.is_empty() => hosts,
            Ok(_) => return Err(faults),
            Err(error) => {
                faults.push(error.into());
                return Err(faults);
            }
        };
        let auth = AuthOptions {
            app_id: self.app_id,
            tenant: self.tenant,
            addresses,
            allowed_callers: self.allowed_callers,
            emulator: self.emulator,
            anonymous: self.anonymous,
            ..AuthOptions::default()
        };
        Ok(Some(AzureBotOptions {
            app_secret: self.app_secret,
            loopback_services: is_local && (self.anonymous || self.emulator),
            assistant: self.assistant,
            self_contained_for_agents: self.self_contained_for_agents,
            html_email: self.html_email,
            quote_questions: self.quote_questions,
            private_apologies: self.private_apologies,
            turns: TurnLimits { at_once: self.max_turns, ..TurnLimits::default() }.with_waiting(self.max_waiting),
            ..AzureBotOptions::new(auth, hosts)
        }))
    }

    fn addresses(&self) -> CloudAddresses {
        let mut addresses = self.cloud.addresses();
        if let Some(issuer) = &self.channel_issuer {
            addresses.channel_issuer.clone_from(issuer);
        }
        let replaced = [
            (&self.channel_metadata, &mut addresses.channel_metadata),
            (&self.entra_metadata, &mut addresses.entra_metadata),
            (&self.login, &mut addresses.login),
        ];
        for (set, address) in replaced {
            if let Some(set) = set {
                address.clone_from(set);
            }
        }
        addresses
    }
}

#[cfg(test)]
mod tests {
    use uuid::uuid;

    use super::*;

    fn settings() -> AzureBotSettings {
        AzureBotSettings {
            app_id: Some(uuid!("7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1")),
            app_secret: Secret::parse("a-secret-of-sixteen-characters").ok(),
            ..AzureBotSettings::default()
        }
    }

    fn faults(settings: AzureBotSettings, is_local: bool) -> Vec<AzureBotFault> {
        settings.resolve(is_local).expect_err("a fault")
    }

    #[test]
    fn no_settings_are_no_bot_and_some_without_a_bot_are_a_mistake() {
        assert!(AzureBotSettings::default().resolve(true).is_ok_and(|bot| bot.is_none()));
        let lonely = AzureBotSettings { emulator: true, ..AzureBotSettings::default() };
        assert_eq!(faults(lonely, true), [AzureBotFault::NoAppId]);
        let unproven = AzureBotSettings { app_secret: None, ..settings() };
        assert_eq!(faults(unproven, true), [AzureBotFault::NoSecret]);
        assert!(settings().resolve(false).is_ok_and(|bot| bot.is_some()));
    }

    #[test]
    fn calls_without_a_token_are_for_this_machine_alone() {
        let open = || AzureBotSettings { anonymous: true, ..AzureBotSettings::default() };
        assert_eq!(faults(open(), false), [AzureBotFault::Anonymous]);
        let local = open().resolve(true).expect("a bot").expect("a bot");
        assert!(local.auth.anonymous && local.auth.app_id.is_none());
    }

    #[test]
    fn services_on_this_machine_are_for_the_playground_and_the_emulator_where_nobody_else_calls() {
        let are_called = |settings: AzureBotSettings, is_local| {
            settings.resolve(is_local).expect("a bot").expect("a bot").loopback_services
        };
        assert!(!are_called(settings(), true));
        assert!(are_called(AzureBotSettings { emulator: true, ..settings() }, true));
        assert!(are_called(AzureBotSettings { anonymous: true, ..settings() }, true));
        assert!(!are_called(AzureBotSettings { emulator: true, ..settings() }, false));
    }

    #[test]
    fn the_secret_goes_out_by_https_or_stays_on_this_machine() {
        let with = |login: &str| AzureBotSettings { login: login.parse().ok(), ..settings() };
        for bad in ["http://login.example/", "mailto:a@login.example", "ftp://127.0.0.1/", "http://10.0.0.1/"] {
            assert_eq!(faults(with(bad), true), [AzureBotFault::Login], "{bad}");
        }
        for good in ["https://login.example/", "http://127.0.0.1:1/", "http://localhost/", "http://[::1]/"] {
            assert!(with(good).resolve(true).is_ok(), "{good}");
        }
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let wrong = AzureBotSettings {
            anonymous: true,
            app_secret: None,
            service_hosts: "https://agents.example".to_owned(),
            ..settings()
        };
        let expected = [AzureBotFault::NoSecret, AzureBotFault::Anonymous, AzureBotFault::ServiceHosts(InvalidHost)];
        assert_eq!(faults(wrong, false), expected);
    }

    #[test]
    fn the_cloud_says_where_everything_is_unless_something_else_is_set() {
        let login = Url::parse("http://127.0.0.1:1/").expect("an address");
        let bot = AzureBotSettings { cloud: Cloud::China, login: Some(login.clone()), ..settings() };
        let bot = bot.resolve(true).expect("a bot").expect("a bot");
        assert_eq!(bot.auth.addresses, CloudAddresses { login, ..Cloud::China.addresses() });
        assert!(bot.hosts.check("https://webchat.botframework.azure.cn/").is_ok());
        assert!(bot.hosts.check("https://smba.trafficmanager.net/").is_err());
    }
}
