//! Trusted proxies, and the client address that they forward.

use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderName, X_FORWARDED_FOR};
use ipnet::IpNet;

/// The networks of the proxies whose `X-Forwarded-…` headers are trusted; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

/// The text is not a list of addresses and networks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither an address nor a network; write 10.0.0.7 or 10.0.0.0/8, separated by commas")]
pub struct InvalidProxies(String);

impl FromStr for TrustedProxies {
    type Err = InvalidProxies;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let network = |part: &str| {
            let parsed = part.parse::<IpNet>().or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
            parsed.map_err(|_| InvalidProxies(part.to_owned()))
        };
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(network).collect::<Result<_, _>>().map(Self)
    }
}

impl TrustedProxies {
    /// Proxies on this machine and in private networks (RFC 1918, RFC 4193).
    #[must_use]
    pub fn nearby() -> Self {
        let networks = ["127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];
        Self(networks.iter().filter_map(|network| network.parse().ok()).collect())
    }

    /// Whether no proxy is believed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The value of a header of a proxy, if the request comes from a trusted one.
    pub(crate) fn said<'r>(&self, request: &'r HttpRequest, name: &HeaderName) -> Option<&'r str> {
        if !self.trusts(peer(request)?) {
            return None;
        }
        // Proxies append: the first is nearest to the client.
        request.headers().get(name)?.to_str().ok()?.split(',').next().map(str::trim)
    }

    /// The address of the client: that of the connection, or the last in `X-Forwarded-For` that is no believed proxy. The ones
    /// before it may be made up by the client.
    pub(crate) fn client(&self, request: &HttpRequest) -> IpAddr {
        let Some(mut client) = peer(request) else { return IpAddr::V4(Ipv4Addr::UNSPECIFIED) };
        let lines: Vec<&str> =
            request.headers().get_all(X_FORWARDED_FOR).filter_map(|line| line.to_str().ok()).collect();
        let mut hops = lines.iter().rev().flat_map(|line| line.rsplit(','));
        while self.trusts(client) {
            match hops.next().and_then(address) {
                Some(hop) => client = hop,
                None => break,
            }
        }
        client
    }
}

fn peer(request: &HttpRequest) -> Option<IpAddr> {
    request.peer_addr().map(|peer| peer.ip().to_canonical())
}

/// An address as proxies write it: alone, with a port, in brackets.
fn address(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let ip = hop.parse().or_else(|_| hop.parse().map(|socket: std::net::SocketAddr| socket.ip()));
    let ip = ip.or_else(|_| hop.trim_start_matches('[').trim_end_matches(']').parse());
    ip.ok().map(|ip: IpAddr| ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn client(proxies: &str, peer: &str, forwarded: &[&str]) -> String {
        let request = TestRequest::default().peer_addr(format!("{peer}:4000").parse().expect("a peer"));
        let add = |request: TestRequest, line: &&str| request.append_header(("x-forwarded-for", *line));
        let request = forwarded.iter().fold(request, add).to_http_request();
        proxies.parse::<TrustedProxies>().expect("proxies").client(&request).to_string()
    }

    /// Without this, a client could take another address for each call by making the header up.
    #[test]
    fn the_client_is_the_last_address_that_no_believed_proxy_has() {
        assert_eq!(client("", "192.0.2.7", &["203.0.113.1"]), "192.0.2.7", "nobody is believed");
        assert_eq!(client("10.0.0.0/8", "192.0.2.7", &["203.0.113.1"]), "192.0.2.7", "not a proxy");
        assert_eq!(client("10.0.0.0/8", "10.1.1.1", &["203.0.113.1"]), "203.0.113.1");
        assert_eq!(client("10.0.0.0/8", "10.1.1.1", &["8.8.8.8, 203.0.113.1, 10.2.2.2"]), "203.0.113.1");
        assert_eq!(client("10.0.0.0/8", "10.1.1.1", &["8.8.8.8", "203.0.113.1:1234"]), "203.0.113.1");
        assert_eq!(client("127.0.0.1", "[::ffff:127.0.0.1]", &["[2001:db8::1]:80"]), "2001:db8::1");
        assert_eq!(client("127.0.0.1", "127.0.0.1", &["unknown"]), "127.0.0.1");
    }

    #[test]
    fn a_header_counts_only_from_a_believed_proxy() {
        let name = HeaderName::from_static("x-forwarded-host");
        let said = |peer: &str| {
            let request = TestRequest::default().peer_addr(peer.parse().expect("a peer"));
            let request = request.insert_header(("x-forwarded-host", "bot.example, inner")).to_http_request();
            TrustedProxies::nearby().said(&request, &name).map(str::to_owned)
        };
        assert_eq!(said("192.168.1.1:80").as_deref(), Some("bot.example"));
        assert_eq!(said("8.8.8.8:80"), None);
    }

    #[test]
    fn a_network_that_is_none_is_named() {
        let error = "10.0.0.0/8, nginx".parse::<TrustedProxies>().expect_err("refused").to_string();
        assert!(error.contains("`nginx`"), "{error}");
    }
}
