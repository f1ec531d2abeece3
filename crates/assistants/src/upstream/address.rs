//! The URL of a back end.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use url::Url;

/// The URL of a back end: `http` or `https`, with a host, without a password and without a fragment.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(Url);

/// The text is not the URL of a back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an http or https URL without user name, password and fragment is required")]
pub struct InvalidAddress;

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// When it is none, or holds a password, which belongs into the environment.
    pub fn parse(text: &str) -> Result<Self, InvalidAddress> {
        let url = Url::parse(text.trim()).map_err(|_| InvalidAddress)?;
        let is_plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        if is_plain && is_web { Ok(Self(url)) } else { Err(InvalidAddress) }
    }

    /// An address that is written in the code.
    pub(super) fn known(text: &'static str) -> Self {
        Self::parse(text).expect("a known address is one")
    }

    /// The address itself.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// This address when its path ends with `end` already, else the one that has `end` below it.
    #[must_use]
    pub(super) fn ending_with(&self, end: &str) -> Url {
        let mut url = self.0.clone();
        let path = url.path().trim_end_matches('/');
        if !path.ends_with(end) {
            let path = format!("{path}{end}");
            url.set_path(&path);
        }
        url
    }
}

impl fmt::Debug for Address {
    /// Without the query, in which some services take a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.0.clone();
        shown.set_query(None);
        f.write_str(shown.as_str())
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The text itself is not repeated: it may hold a password.
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).expect("an address")
    }

    #[test]
    fn an_address_is_of_the_web_and_holds_no_password() {
        for bad in ["", "model.example", "ftp://x.example", "https://me:pw@x.example", "https://x.example/#a", "data:x"]
        {
            assert_eq!(Address::parse(bad), Err(InvalidAddress), "{bad}");
        }
    }

    #[test]
    fn an_address_may_be_a_base_or_a_whole() {
        let end = "/chat/completions";
        for text in ["https://x.example/v1", "https://x.example/v1/", "https://x.example/v1/chat/completions"] {
            assert_eq!(address(text).ending_with(end).as_str(), "https://x.example/v1/chat/completions");
        }
        let kept = address("https://x.example/v1?api-version=1").ending_with(end);
        assert_eq!(kept.as_str(), "https://x.example/v1/chat/completions?api-version=1");
    }

    #[test]
    fn a_query_is_not_shown() {
        assert_eq!(format!("{:?}", address("https://x.example/a?code=secret")), "https://x.example/a");
    }
}
