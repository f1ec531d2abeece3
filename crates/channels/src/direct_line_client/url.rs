//! The URL of a Direct Line.

use std::fmt;
use std::str::FromStr;

use ::url::{Host, Url};

/// The address of a Direct Line as its clients are given it: `https://directline.botframework.com/v3/directline`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectLineUrl(Url);

/// The text is not the URL of a Direct Line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a Direct Line URL must use http or https, end with /v3/directline, and have no user, query or fragment")]
pub struct InvalidDirectLineUrl;

impl FromStr for DirectLineUrl {
    type Err = InvalidDirectLineUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text.trim().trim_end_matches('/')).map_err(|_| InvalidDirectLineUrl)?;
        let plain = url.query().is_none() && url.fragment().is_none();
        let nobody = url.username().is_empty() && url.password().is_none();
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        if !plain || !nobody || !is_web || !url.path().ends_with("/v3/directline") {
            return Err(InvalidDirectLineUrl);
        }
        Ok(Self(url))
    }
}

impl DirectLineUrl {
    /// The address itself.
    pub(super) fn as_url(&self) -> &Url {
        &self.0
    }

    /// Its host.
    #[must_use]
    pub fn host(&self) -> Option<Host<&str>> {
        self.0.host()
    }

    /// The address of a call: these parts of a path, escaped, below this address.
    pub(super) fn call(&self, parts: &[&str]) -> Url {
        let mut url = self.0.clone();
        // Every address with a host has a path.
        if let Ok(mut path) = url.path_segments_mut() {
            path.extend(parts);
        }
        url
    }
}

impl fmt::Display for DirectLineUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_stand_below_the_address_whatever_the_names_in_them() {
        for base in ["https://bot.example/v3/directline", "https://bot.example/v3/directline/"] {
            let url: DirectLineUrl = base.parse().expect("an address");
            assert_eq!(
                url.call(&["conversations", "a/b?c|d", "activities"]).as_str(),
                "https://bot.example/v3/directline/conversations/a%2Fb%3Fc|d/activities"
            );
        }
        let below: DirectLineUrl = "http://[::1]:8080/chat/v3/directline".parse().expect("an address");
        assert_eq!(below.call(&["tokens"]).as_str(), "http://[::1]:8080/chat/v3/directline/tokens");
    }

    #[test]
    fn what_is_no_direct_line_is_refused() {
        for bad in [
            "",
            "bot.example/v3/directline",
            "https://bot.example",
            "https://bot.example/v3/directline/conversations",
            "https://bot.example/v3/directline?a=1",
            "https://u:p@bot.example/v3/directline",
            "ftp://bot.example/v3/directline",
        ] {
            assert_eq!(bad.parse::<DirectLineUrl>(), Err(InvalidDirectLineUrl), "{bad:?}");
        }
    }
}
