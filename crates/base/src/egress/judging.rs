//! Judges addresses before anything is called.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::time::timeout;
use url::{Host, Url};

use super::resolver::admit;
use super::{AllowedHosts, EgressError};

/// The longest wait for where a name leads.
const LOOK_UP_WITHIN: Duration = Duration::from_secs(2);

/// Judges an address as far as it says itself where it leads. Names are judged when they are looked up.
pub(super) fn judge(allow: &AllowedHosts, url: &Url) -> Result<(), EgressError> {
    let host = match (url.scheme(), url.host()) {
        ("http" | "https", Some(host)) => host,
        _ => return Err(EgressError::Scheme),
    };
    let port = url.port_or_known_default();
    let is_elsewhere = allow.contains(&host) && !allow.contains_at(&host, port);
    if is_elsewhere {
        return Err(EgressError::Port { host: host.to_string(), port: port.unwrap_or_default() });
    }
    let address = match host {
        Host::Domain(_) => return Ok(()),
        Host::Ipv4(address) => address.into(),
        Host::Ipv6(address) => address.into(),
    };
    admit(allow, &host, vec![SocketAddr::new(address, 0)]).map(drop)
}

impl AllowedHosts {
    /// Judges an address that somebody wrote, as far as it says itself where it leads: IP addresses, `localhost` and names below it.
    ///
    /// # Errors
    /// When calls to it are refused.
    pub fn judge_written(&self, url: &Url) -> Result<(), EgressError> {
        judge(self, url)?;
        match url.host() {
            Some(host @ Host::Domain(name)) if is_localhost(name) => {
                admit(self, &host, vec![SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0)]).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// Looks up where the name of an address leads. A name that is not found, or not in time, may lead somewhere later.
    ///
    /// # Errors
    /// When it leads only to addresses to which citewire does not connect.
    pub async fn look_up(&self, url: &Url) -> Result<(), EgressError> {
        let Some(host @ Host::Domain(name)) = url.host() else { return Ok(()) };
        match timeout(LOOK_UP_WITHIN, tokio::net::lookup_host((name, 0))).await {
            Ok(Ok(found)) => match admit(self, &host, found.collect()) {
                Err(refused @ EgressError::Refused { .. }) => Err(refused),
                _ => Ok(()),
            },
            Ok(Err(_)) | Err(_) => Ok(()),
        }
    }
}

fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_says_where_it_leads_is_judged_as_it_is_written() {
        let judged = |allow: &str, url: &str| {
            let allow: AllowedHosts = allow.parse().expect("hosts");
            allow.judge_written(&Url::parse(url).expect("a URL"))
        };
        for url in
            ["http://127.0.0.1:1234/v1", "http://localhost:1234", "http://Ollama.LocalHost.:1234", "http://[::1]:1234"]
        {
            assert!(matches!(judged("", url), Err(EgressError::Refused { .. })), "{url}");
        }
        assert!(judged("127.0.0.1:1234, localhost", "http://127.0.0.1:1234").is_ok());
        assert!(judged("localhost:1234", "http://localhost:1234").is_ok());
        assert!(matches!(judged("localhost:1234", "http://localhost:1235"), Err(EgressError::Port { port: 1235, .. })));
        for url in ["https://api.openai.com", "https://localhost.example", "https://1.1.1.1"] {
            assert!(judged("", url).is_ok(), "{url}");
        }
    }

    #[tokio::test]
    async fn a_name_is_judged_by_where_it_leads_and_one_that_leads_nowhere_is_not() {
        let none = AllowedHosts::default();
        let url = |text: &str| Url::parse(text).expect("a URL");
        assert!(matches!(none.look_up(&url("http://localhost:1")).await, Err(EgressError::Refused { .. })));
        assert!(none.look_up(&url("https://nowhere.invalid")).await.is_ok());
        assert!(none.look_up(&url("http://127.0.0.1")).await.is_ok(), "it is no name");
    }
}
