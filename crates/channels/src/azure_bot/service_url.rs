//! Trusted service URLs. A `serviceUrl` comes with the request, and a server that receives the bot's token can act as the bot,
//! so citewire sends the token only to trusted hosts.

use std::fmt;
use std::fmt::Write as _;

use url::{Host, Url};

use crate::egress::{AllowedHosts, InvalidHost, is_this_machine};

/// The hosts of the public cloud, each with what is below it. The two of Graph and the storage hosts that SDKs list as well are
/// no services of conversations.
pub const PUBLIC_HOSTS: &[&str] = &["botframework.com", "smba.trafficmanager.net", "teams.microsoft.com"];

/// The hosts of the cloud of the US Government.
pub const US_GOV_HOSTS: &[&str] = &["botframework.us", "botframework.azure.us", "teams.microsoft.us"];

/// The hosts of the cloud that 21Vianet operates in China.
pub const CHINA_HOSTS: &[&str] = &["botframework.azure.cn"];

/// Which services may be called.
///
/// A host is trusted when it is one of the list or below one of it, over https at the usual port; below names of
/// `trafficmanager.net`, where every customer of Azure may have names, nothing is. A host that the configuration
/// adds may have any port. Nothing else is: not an address with a user, a query or a fragment, not a name with a dot at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedHosts {
    /// In lower case, without a dot at the end.
    names: Vec<String>,
    /// Those that the configuration adds.
    added: Vec<Host>,
    /// Emulators on this machine, by http.
    loopback: bool,
}

/// A service URL that the bot may call.
#[derive(Clone, PartialEq, Eq)]
pub struct TrustedServiceUrl(Url);

/// The reason why a service URL is not trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UntrustedServiceUrl {
    /// It is no absolute address.
    #[error("the serviceUrl is not an absolute URL")]
    NoAddress,
    /// It is not https.
    #[error("the serviceUrl is not https")]
    NotHttps,
    /// It has a user, a query or a fragment.
    #[error("the serviceUrl has parts other than a host and a path")]
    Decorated,
    /// The host is nobody's who may have the token.
    #[error("the host {host} of the serviceUrl is not trusted; to trust it, add it to azure_bot.service_hosts")]
    Host {
        /// The host.
        host: String,
    },
    /// The port is not the usual one.
    #[error("the port {port} of the serviceUrl is not trusted; to trust it, add {host} to azure_bot.service_hosts")]
    Port {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
}

impl TrustedHosts {
    /// These names and what is below them: [`PUBLIC_HOSTS`], [`US_GOV_HOSTS`], [`CHINA_HOSTS`].
    #[must_use]
    pub fn new(names: &[&str]) -> Self {
        let names = names.iter().map(|name| name.trim_end_matches('.').to_ascii_lowercase()).collect();
        Self { names, added: Vec::new(), loopback: false }
    }

    /// Also these, names or addresses separated by commas: `service_hosts` of the configuration.
    ///
    /// # Errors
    /// When one of them is no host.
    pub fn with(mut self, hosts: &str) -> Result<Self, InvalidHost> {
        for entry in hosts.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let host = match entry.parse() {
                Ok(address) => Host::Ipv6(address),
                Err(_) => Host::parse(entry).map_err(|_| InvalidHost)?,
            };
            self.added.push(host);
        }
        Ok(self)
    }

    /// Also emulators on this machine, over http and at any port: for development.
    #[must_use]
    pub fn and_loopback(self) -> Self {
        Self { loopback: true, ..self }
    }

    /// Adds what `egress` has to connect to wherever it leads: what the configuration names, and this machine in development.
    pub fn admit(&self, allow: &mut AllowedHosts) {
        for host in &self.added {
            allow.add(&borrowed(host));
        }
        if self.loopback {
            for host in ["127.0.0.1", "localhost", "[::1]"] {
                if let Ok(host) = Host::parse(host) {
                    allow.add(&borrowed(&host));
                }
            }
        }
    }

    /// The service at this address, if it may be called.
    ///
    /// # Errors
    /// When it may not.
    pub fn check(&self, service_url: &str) -> Result<TrustedServiceUrl, UntrustedServiceUrl> {
        let url = Url::parse(service_url).map_err(|_| UntrustedServiceUrl::NoAddress)?;
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(UntrustedServiceUrl::NoAddress);
        };
        let loopback = self.loopback && is_this_machine(&host);
        match url.scheme() {
            "https" => {}
            "http" if loopback => {}
            _ => return Err(UntrustedServiceUrl::NotHttps),
        }
        // The parser drops an empty user, so the text itself is looked at.
        let authority = service_url.split_once("//").map_or("", |(_, rest)| rest);
        let authority = authority.split(['/', '\\', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') || url.query().is_some() || url.fragment().is_some() {
            return Err(UntrustedServiceUrl::Decorated);
        }
        if loopback || self.added.iter().any(|added| is_below(&host, added)) {
            return Ok(TrustedServiceUrl(url));
        }
        let known = match host {
            Host::Domain(name) => self.names.iter().any(|trusted| is_name_below(name, trusted)),
            Host::Ipv4(_) | Host::Ipv6(_) => false,
        };
        match (known, port) {
            (true, 443) => Ok(TrustedServiceUrl(url)),
            (true, port) => Err(UntrustedServiceUrl::Port { host: host.to_string(), port }),
            (false, _) => Err(UntrustedServiceUrl::Host { host: host.to_string() }),
        }
    }
}

fn borrowed(host: &Host) -> Host<&str> {
    match host {
        Host::Domain(name) => Host::Domain(name),
        Host::Ipv4(address) => Host::Ipv4(*address),
        Host::Ipv6(address) => Host::Ipv6(*address),
    }
}

fn is_below(host: &Host<&str>, trusted: &Host) -> bool {
    match (host, trusted) {
        (Host::Domain(name), Host::Domain(trusted)) => is_name_below(name, trusted.trim_end_matches('.')),
        (host, trusted) => *host == borrowed(trusted),
    }
}

/// Whether the name is this one, or ends with it behind a dot. The parser has written both in lower case and in ASCII.
fn is_name_below(name: &str, trusted: &str) -> bool {
    let may_have_more = !trusted.ends_with(SHARED);
    name.strip_suffix(trusted).is_some_and(|before| before.is_empty() || may_have_more && before.ends_with('.'))
}

/// Here each customer of Azure may have names, perhaps also names below those of others. A name in it is trusted as it stands,
/// and nothing below it.
const SHARED: &str = ".trafficmanager.net";

impl TrustedServiceUrl {
    /// The address as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The address of a call: these parts of a path below the service, whatever stands in them. `None` when one of them cannot
    /// stand in a path at all, because every reader of addresses takes it for a step through folders.
    #[must_use]
    pub(super) fn call(&self, parts: &[&str]) -> Option<Url> {
        let mut text = self.0.as_str().trim_end_matches('/').to_owned();
        for part in parts {
            if part.is_empty() || matches!(*part, "." | "..") {
                return None;
            }
            text.push('/');
            escape(part, &mut text);
        }
        Url::parse(&text).ok()
    }
}

/// Appends a part of a path with everything escaped that could mean something in it.
fn escape(part: &str, out: &mut String) {
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

impl fmt::Display for TrustedServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for TrustedServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TrustedServiceUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public() -> TrustedHosts {
        TrustedHosts::new(PUBLIC_HOSTS)
    }

    #[test]
    fn the_services_of_each_cloud_are_trusted_and_those_of_another_are_not() {
        for (hosts, own, other) in [
            (PUBLIC_HOSTS, "https://smba.trafficmanager.net/emea/", "https://x.botframework.azure.cn/"),
            (PUBLIC_HOSTS, "https://webchat.botframework.com/", "https://api.botframework.us/"),
            (US_GOV_HOSTS, "https://smba.infra.gov.teams.microsoft.us/teams", "https://smba.trafficmanager.net/"),
            (US_GOV_HOSTS, "https://webchat.botframework.azure.us/", "https://botframework.azure.cn/"),
            (CHINA_HOSTS, "https://webchat.botframework.azure.cn/", "https://webchat.botframework.com/"),
        ] {
            let hosts = TrustedHosts::new(hosts);
            assert_eq!(hosts.check(own).map(|url| url.as_str().to_owned()), Ok(own.to_owned()));
            assert!(matches!(hosts.check(other), Err(UntrustedServiceUrl::Host { .. })), "{other}");
        }
    }

    #[test]
    fn point_07_look_alikes_of_trusted_hosts_are_refused() {
        for bad in [
            "https://botframework.com.evil.test/",
            "https://evilbotframework.com/",
            "https://botframework.com@evil.test/",
            "https://botframework.com:443@evil.test/",
            "https://evil.test/botframework.com",
            "https://evil.test\\.botframework.com/",
            "https://evil.test?.botframework.com",
            "https://evil.test#.botframework.com",
            "https://botframework.com./",
            "https://botframework。com.evil.test/",
            "https://evil.smba.trafficmanager.net/",
            "https://user:word@smba.trafficmanager.net/",
            "https://@smba.trafficmanager.net/",
            "https://smba.trafficmanager.net:8443/",
            "https://smba.trafficmanager.net/?x=1",
            "https://smba.trafficmanager.net/#x",
            "http://smba.trafficmanager.net/",
            "ftp://smba.trafficmanager.net/",
            "https://[::1]/",
            "https://[2606:4700::1111]/",
            "https://20.1.2.3/",
            "https://2130706433/",
            "http://localhost:3978/",
            "https://localhost/",
            "//smba.trafficmanager.net/",
            "smba.trafficmanager.net",
            "",
            "javascript:alert(1)",
            "data:text/plain,botframework.com",
        ] {
            assert!(public().check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn point_07_the_spelling_of_a_trusted_host_does_not_matter() {
        for good in [
            "HTTPS://SMBA.TrafficManager.NET/teams",
            "https://smba.trafficmanager.net:443/",
            "https://ｓmba.trafficmanager.net/",
        ] {
            assert!(public().check(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn a_host_that_the_configuration_adds_is_trusted_at_every_port_and_below_it_but_over_https_only() {
        let hosts = public().with("agents.example, 10.0.0.7,fd00::1").expect("hosts");
        for good in
            ["https://agents.example:8443/x", "https://a.agents.example", "https://10.0.0.7/", "https://[fd00::1]:1/"]
        {
            assert!(hosts.check(good).is_ok(), "{good}");
        }
        for bad in ["http://agents.example/", "https://evilagents.example/", "https://10.0.0.8/"] {
            assert!(hosts.check(bad).is_err(), "{bad}");
        }
        assert_eq!(public().with("https://agents.example"), Err(InvalidHost));
        let mut allow = AllowedHosts::default();
        hosts.admit(&mut allow);
        assert!(allow.contains(&Host::Domain("agents.example")) && !allow.contains(&Host::Domain("localhost")));
    }

    #[test]
    fn emulators_on_this_machine_are_trusted_in_development_only() {
        for local in ["http://localhost:56150/_connector", "http://127.0.0.1:1/", "http://[::1]:1", "https://localhost"]
        {
            assert!(public().check(local).is_err(), "{local}");
            assert!(public().and_loopback().check(local).is_ok(), "{local}");
        }
        assert!(public().and_loopback().check("http://10.0.0.1/").is_err());
        assert!(public().and_loopback().check("http://localhost.evil.test/").is_err());
    }

    #[test]
    fn point_08_no_id_can_change_the_path() {
        let service = public().check("https://smba.trafficmanager.net/emea/").expect("trusted");
        let call = |parts: &[&str]| service.call(parts).map(|url| url.as_str().to_owned());
        assert_eq!(
            call(&["v3", "conversations", "19:a@thread.tacv2;messageid=1", "activities", "c|0/..?#%2F\u{fc}"])
                .as_deref(),
            Some(
                "https://smba.trafficmanager.net/emea/v3/conversations/19%3Aa%40thread.tacv2%3Bmessageid%3D1/activities/\
                 c%7C0%2F..%3F%23%252F%C3%BC"
            )
        );
        assert_eq!([call(&["v3", ".."]), call(&["."]), call(&[""])], [None, None, None]);
        let bare = public().check("https://smba.trafficmanager.net").expect("trusted");
        assert_eq!(
            bare.call(&["v3"]).map(|url| url.to_string()).as_deref(),
            Some("https://smba.trafficmanager.net/v3")
        );
    }
}
