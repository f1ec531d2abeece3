//! The endpoint of the bot, and the service URL under which it calls citewire.

use std::fmt;
use std::str::FromStr;

use url::Url;

/// The messaging endpoint of a bot: `http://127.0.0.1:3979/api/messages`.
#[derive(Clone, PartialEq, Eq)]
pub struct BotEndpoint(Url);

/// The base URL of the Connector routes that a bot gets, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceUrl(String);

/// The text is not a valid endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the endpoint of a bot must be an absolute http or https URL without user and fragment")]
pub struct InvalidBotEndpoint;

/// The text is not a valid service URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a service URL must be an absolute http or https URL without user, query and fragment")]
pub struct InvalidServiceUrl;

fn is_web(url: &Url) -> bool {
    let nobody = url.username().is_empty() && url.password().is_none();
    matches!(url.scheme(), "http" | "https") && url.has_host() && nobody && url.fragment().is_none()
}

impl FromStr for BotEndpoint {
    type Err = InvalidBotEndpoint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Url::parse(text.trim()).ok().filter(is_web).map(Self).ok_or(InvalidBotEndpoint)
    }
}

impl BotEndpoint {
    pub(super) fn url(&self) -> Url {
        self.0.clone()
    }
}

impl fmt::Display for BotEndpoint {
    /// Without the query, in which some hosts of functions want their key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.0.clone();
        shown.set_query(None);
        shown.fmt(f)
    }
}

impl fmt::Debug for BotEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BotEndpoint({self})")
    }
}

impl FromStr for ServiceUrl {
    type Err = InvalidServiceUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text.trim()).ok().filter(|url| is_web(url) && url.query().is_none());
        url.map(|url| Self(url.as_str().trim_end_matches('/').to_owned())).ok_or(InvalidServiceUrl)
    }
}

impl ServiceUrl {
    /// The base as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_called_is_refused() {
        for bad in ["", "bot.example", "ftp://bot.example/", "https://u:p@bot.example/", "https://bot.example/#a"] {
            assert_eq!(bad.parse::<BotEndpoint>(), Err(InvalidBotEndpoint), "{bad:?}");
            assert_eq!(bad.parse::<ServiceUrl>(), Err(InvalidServiceUrl), "{bad:?}");
        }
        assert_eq!("https://chat.example/?a=1".parse::<ServiceUrl>(), Err(InvalidServiceUrl));
    }

    #[test]
    fn a_key_in_the_query_is_sent_but_not_shown() {
        let endpoint: BotEndpoint = "https://bot.example/api/messages?code=hunter2".parse().expect("an address");
        assert_eq!(endpoint.url().query(), Some("code=hunter2"));
        assert_eq!(endpoint.to_string(), "https://bot.example/api/messages");
        assert!(!format!("{endpoint:?}").contains("hunter2"));
    }

    #[test]
    fn a_service_url_ends_without_a_slash() {
        let base = |text: &str| text.parse::<ServiceUrl>().expect("an address").as_str().to_owned();
        assert_eq!(base("https://chat.example/x/"), "https://chat.example/x");
        assert_eq!(base("http://citewire:3978"), "http://citewire:3978");
    }
}
