//! What can be set about outgoing connections.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::time::Duration;

use url::Host;

/// The options of outgoing connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressOptions {
    /// Hosts to which citewire may connect wherever their names lead.
    pub allow: AllowedHosts,
    /// How long it may take until a connection stands.
    pub connect_timeout: Duration,
    /// How long a call may take altogether, from the look-up of the name to the last byte of the answer.
    pub total_timeout: Duration,
    /// The longest answer that is read, in bytes.
    pub max_answer_bytes: usize,
}

impl Default for EgressOptions {
    fn default() -> Self {
        Self {
            allow: AllowedHosts::default(),
            connect_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(30),
            max_answer_bytes: 16 * 1024 * 1024,
        }
    }
}

/// Names and addresses that are not judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedHosts(BTreeSet<String>);

/// The text is no host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("hosts are names or IP addresses, without scheme and port, separated by commas")]
pub struct InvalidHost;

impl FromStr for AllowedHosts {
    type Err = InvalidHost;

    /// Reads hosts separated by commas; nothing is no host. IPv6 addresses may stand in brackets.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(|entry| parse(entry).map(|host| key(&host))).collect::<Result<_, _>>().map(Self)
    }
}

impl AllowedHosts {
    /// Adds the host of a URL.
    pub fn add(&mut self, host: &Host<&str>) {
        self.0.insert(key(host));
    }

    /// Whether this host is one of them.
    #[must_use]
    pub fn contains(&self, host: &Host<&str>) -> bool {
        self.0.contains(&key(host))
    }
}

fn parse(entry: &str) -> Result<Host, InvalidHost> {
    match entry.parse() {
        Ok(address) => Ok(Host::Ipv6(address)),
        Err(_) => Host::parse(entry).map_err(|_| InvalidHost),
    }
}

/// One spelling for each host: a dot at the end of a name means nothing here.
fn key<S: AsRef<str>>(host: &Host<S>) -> String {
    match host {
        Host::Domain(name) => name.as_ref().trim_end_matches('.').to_ascii_lowercase(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn contains(hosts: &str, url: &str) -> bool {
        let url = Url::parse(url).expect("a URL");
        hosts.parse::<AllowedHosts>().expect("hosts").contains(&url.host().expect("a host"))
    }

    #[test]
    fn a_host_is_allowed_however_it_is_spelled() {
        let hosts = "Bot.Example, 10.0.0.7, [fd00::1], ::1, bücher.example";
        for url in [
            "https://bot.example/x",
            "https://BOT.example.:8443",
            "http://10.0.0.7",
            "http://0x0a000007",
            "http://[fd00:0::1]:80",
            "http://[::1]",
            "https://bücher.example",
        ] {
            assert!(contains(hosts, url), "{url}");
        }
        for url in ["https://www.bot.example", "https://example", "http://10.0.0.8", "http://[fd00::2]"] {
            assert!(!contains(hosts, url), "{url}");
        }
        assert!(!contains("", "https://bot.example"));
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for bad in ["https://bot.example", "bot.example:80", "a b", "bot.example/x", "[::1", "1.2.3.4.5"] {
            assert_eq!(bad.parse::<AllowedHosts>(), Err(InvalidHost), "{bad}");
        }
    }
}
