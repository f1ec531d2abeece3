//! The options of outgoing connections.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use std::time::Duration;

use url::{Host, Url};

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

/// Names and addresses that may be called even if they are not public, each at one port or at every port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedHosts(BTreeMap<String, BTreeSet<Option<u16>>>);

/// The text is not a host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "hosts are names or IP addresses, each with or without a port (bot.internal:8443, [fd00::1]:80), without scheme, separated by commas"
)]
pub struct InvalidHost;

impl FromStr for AllowedHosts {
    type Err = InvalidHost;

    /// Reads hosts separated by commas; nothing is no host. IPv6 addresses may stand in brackets, and do before a port.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut hosts = Self::default();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (host, port) = parse(entry)?;
            hosts.0.entry(key(&host)).or_default().insert(port);
        }
        Ok(hosts)
    }
}

impl AllowedHosts {
    /// Adds a host at all its ports.
    pub fn add(&mut self, host: &Host<&str>) {
        self.0.entry(key(host)).or_default().insert(None);
    }

    /// Adds the host of an address that the configuration writes out, at its port. An IP address and `localhost` are meant as they
    /// stand; another name is judged by where it leads.
    pub fn add_written(&mut self, url: &Url) {
        if let Some(host @ (Host::Ipv4(_) | Host::Ipv6(_) | Host::Domain("localhost"))) = url.host() {
            self.0.entry(key(&host)).or_default().insert(url.port_or_known_default());
        }
    }

    /// Whether this host is one of them, at some port.
    #[must_use]
    pub fn contains(&self, host: &Host<&str>) -> bool {
        self.0.contains_key(&key(host))
    }

    /// Whether this host is one of them at this port.
    #[must_use]
    pub fn contains_at(&self, host: &Host<&str>, port: Option<u16>) -> bool {
        self.0.get(&key(host)).is_some_and(|ports| ports.contains(&None) || ports.contains(&port))
    }
}

fn parse(entry: &str) -> Result<(Host, Option<u16>), InvalidHost> {
    if let Ok(address) = entry.parse() {
        return Ok((Host::Ipv6(address), None));
    }
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let (host, port) = match entry.rsplit_once(':').filter(|(_, port)| is_port(port)) {
        Some((host, port)) => (host, Some(port.parse().map_err(|_| InvalidHost)?)),
        None => (entry, None),
    };
    Ok((Host::parse(host).map_err(|_| InvalidHost)?, port))
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

    /// A host was allowed on every port, so that a redirect could lead from a site to another service of its machine.
    #[test]
    fn a_host_with_a_port_is_allowed_at_that_port_alone() {
        let hosts: AllowedHosts = "bot.example:8443, [fd00::1]:80, 10.0.0.7".parse().expect("hosts");
        for (url, expected) in [
            ("https://bot.example:8443", true),
            ("https://bot.example", false),
            ("http://[fd00::1]", true),
            ("http://[fd00::1]:81", false),
            ("http://10.0.0.7:1", true),
        ] {
            let url = Url::parse(url).expect("a URL");
            let host = url.host().expect("a host");
            assert!(hosts.contains(&host));
            assert_eq!(hosts.contains_at(&host, url.port_or_known_default()), expected, "{url}");
        }
        let mut hosts = AllowedHosts::default();
        for (url, port, expected) in [("http://localhost:3979/x", 3979, true), ("http://localhost:3979/x", 3980, false)]
        {
            hosts.add_written(&Url::parse(url).expect("a URL"));
            assert_eq!(hosts.contains_at(&Host::Domain("localhost"), Some(port)), expected, "{port}");
        }
        hosts.add_written(&Url::parse("https://intranet.example").expect("a URL"));
        assert!(!hosts.contains(&Host::Domain("intranet.example")), "a name is judged");
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for bad in [
            "https://bot.example",
            "bot.example:",
            "bot.example:65536",
            ":80",
            "a b",
            "bot.example/x",
            "[::1",
            "1.2.3.4.5",
        ] {
            assert_eq!(bad.parse::<AllowedHosts>(), Err(InvalidHost), "{bad}");
        }
    }
}
