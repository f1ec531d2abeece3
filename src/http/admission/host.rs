//! The host names that this server serves.
//!
//! A web site whose name suddenly points at this server (DNS rebinding) has a visitor's browser talk to it as if it were that
//! site. The browser then names the site in `Host`, which no script can change.

use std::net::IpAddr;

use actix_web::HttpRequest;
use actix_web::http::Version;
use actix_web::http::header::{FORWARDED, HeaderName, ORIGIN, VIA, X_FORWARDED_FOR, X_FORWARDED_HOST};

use crate::host_names::LONGEST_NAME;
use crate::http::{HttpOptions, PublicUrl, address, paths};

/// The request has a host name that this server does not serve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{named}; {ADVICE}")]
pub struct HostError {
    named: String,
}

const ADVICE: &str = "set public_url (CITEWIRE_PUBLIC_URL) to the address that people use, or add the name to allowed_hosts \
                      (CITEWIRE_ALLOWED_HOSTS)";

impl HostError {
    fn new(host: &str) -> Self {
        let named = if host.is_empty() {
            "the request names no host".to_owned()
        } else {
            let host: String = host.chars().take(LONGEST_NAME).collect();
            format!("this server does not serve the host name {host}")
        };
        Self { named }
    }
}

/// Refuses requests for hosts that this server is not.
///
/// Where no credential is asked for, as for the page, the name decides whose page a visitor's browser believes to see: only
/// `localhost`, literal addresses, the public URL and the allowed hosts are served. Other routes ask for a credential, which
/// another site does not have, and take every name; on loopback, without proxies, they take the same names as the page.
///
/// Behind a proxy both names are judged, `Host` and what the proxy says: a script of another site can say the second, when its
/// visitor is in the network of the proxies.
pub(crate) fn guard(options: &HttpOptions, request: &HttpRequest) -> Result<(), HostError> {
    if !paths::is_page(request.path()) && !is_alone(options) {
        return Ok(());
    }
    let names = [address::host(request), address::client_host(options, request)].map(Option::unwrap_or_default);
    match names.map(without_port).into_iter().find(|name| !is_allowed(options, name)) {
        Some(name) => Err(HostError::new(name)),
        None => Ok(()),
    }
}

/// Whether only programs on this machine call, each by itself.
pub(crate) fn is_alone(options: &HttpOptions) -> bool {
    options.bind.ip().is_loopback() && options.trusted_proxies.is_empty()
}

/// Whether the call comes from a program on this machine, the caller says that this machine is where it calls, and
/// nothing says that it calls for another client: a proxy here may put the name of this machine in place of the one
/// that was called, and speaks HTTP/1.0 unless it is told otherwise; a browser names the site that has it call.
pub(crate) fn is_local(request: &HttpRequest) -> bool {
    const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
    let headers = request.headers();
    let is_passed_on = [FORWARDED, VIA, X_FORWARDED_FOR, X_FORWARDED_HOST, ORIGIN, FETCH_SITE]
        .iter()
        .any(|name| headers.contains_key(name));
    let is_from_here = request.peer_addr().is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    is_from_here
        && !is_passed_on
        && request.version() >= Version::HTTP_11
        && address::host(request).is_some_and(|authority| is_loopback(without_port(authority)))
}

fn is_allowed(options: &HttpOptions, host: &str) -> bool {
    let public = options.public_url.as_ref().map(PublicUrl::authority);
    let is_public = public.is_some_and(|authority| without_port(&authority).eq_ignore_ascii_case(host));
    // A literal address cannot be made to point elsewhere.
    let is_literal = if is_alone(options) { is_loopback(host) } else { is_loopback(host) || literal(host).is_some() };
    is_literal || is_public || options.allowed_hosts.has(host)
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || literal(host).is_some_and(|ip| ip.is_loopback())
}

fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port))
            if port.bytes().all(|b| b.is_ascii_digit()) && (!host.contains(':') || host.ends_with(']')) =>
        {
            host
        }
        Some(_) | None => authority,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::secret::Secret;

    fn options(bind: &str) -> HttpOptions {
        let secret = Secret::parse("sixteen-or-more-characters").expect("a secret");
        HttpOptions::new(bind.parse().expect("an address"), secret.clone(), secret)
    }

    fn is_served(options: &HttpOptions, path: &str, host: &str) -> bool {
        let request = TestRequest::with_uri(path).peer_addr("127.0.0.1:4000".parse().expect("a peer"));
        guard(options, &request.insert_header(("host", host)).to_http_request()).is_ok()
    }

    #[test]
    fn on_loopback_only_loopback_names_and_the_public_url_are_served() {
        let mut options = options("127.0.0.1:3978");
        options.public_url = "https://bot.example".parse().ok();
        options.allowed_hosts = "other.example".parse().expect("hosts");
        for path in ["/", "/v1/models"] {
            for good in [
                "localhost",
                "LOCALHOST:3978",
                "127.0.0.1:1",
                "127.9.9.9",
                "[::1]:80",
                "[::1]",
                "bot.example",
                "other.example:1",
            ] {
                assert!(is_served(&options, path, good), "{good}");
            }
            for bad in ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "10.0.0.1"] {
                assert!(!is_served(&options, path, bad), "{bad}");
            }
        }
    }

    /// Off loopback every name was served: a web site could have its name point here, take a session of the page in a
    /// visitor's browser, and read what the assistant knows.
    #[test]
    fn elsewhere_the_page_is_served_only_under_addresses_and_names_that_are_set() {
        let open = options("0.0.0.0:80");
        for page in ["/", "/page/session", "/page/answers", "/page/page.js"] {
            for good in ["localhost:80", "192.0.2.7", "[2001:db8::1]:80"] {
                assert!(is_served(&open, page, good), "{page} {good}");
            }
            for bad in ["evil.example", "bot.example", ""] {
                assert!(!is_served(&open, page, bad), "{page} {bad}");
            }
        }
        for host in ["citewire:3978", "bot.example", "10.0.0.1"] {
            assert!(is_served(&open, "/v1/models", host), "a credential is asked for: {host}");
        }
        let named = HttpOptions { allowed_hosts: "*.contoso.example, a.example".parse().expect("hosts"), ..open };
        for good in ["chat.Contoso.example:80", "a.b.contoso.example", "A.example"] {
            assert!(is_served(&named, "/", good), "{good}");
        }
        for bad in ["contoso.example", "evilcontoso.example", "b.a.example", ".contoso.example"] {
            assert!(!is_served(&named, "/", bad), "{bad}");
        }
    }

    #[test]
    fn behind_a_proxy_the_name_that_the_client_called_is_judged() {
        let public = HttpOptions {
            trusted_proxies: "127.0.0.1".parse().expect("proxies"),
            public_url: "https://bot.example/chat".parse().ok(),
            ..options("127.0.0.1:3978")
        };
        let is_served = |host: &str, forwarded: &str, peer: &str| {
            let request = TestRequest::with_uri("/page/session").peer_addr(peer.parse().expect("a peer"));
            let request = request.insert_header(("host", host)).insert_header(("x-forwarded-host", forwarded));
            guard(&public, &request.to_http_request()).is_ok()
        };
        assert!(is_served("localhost", "bot.example", "127.0.0.1:1"));
        assert!(!is_served("localhost", "evil.example", "127.0.0.1:1"));
        assert!(is_served("localhost", "evil.example", "192.0.2.7:1"), "what somebody else says does not count");
        assert!(!is_served("evil.example", "bot.example", "127.0.0.1:1"), "a script said the second name");
    }

    #[test]
    fn the_refusal_names_the_host_and_the_setting() {
        let request = TestRequest::with_uri("/").insert_header(("host", "chat.example:80")).to_http_request();
        let words = guard(&options("0.0.0.0:80"), &request).expect_err("refused").to_string();
        assert!(words.contains("the host name chat.example;") && words.contains("CITEWIRE_ALLOWED_HOSTS"), "{words}");
    }

    /// nginx speaks HTTP/1.0 to a server behind it and says nothing of the client unless it is told to; a browser says which
    /// site has it call.
    #[test]
    fn a_call_is_local_by_its_host_unless_somebody_has_passed_it_on() {
        let from = |peer: &str| TestRequest::default().peer_addr(peer.parse().expect("a peer"));
        let request = || from("127.0.0.1:4000");
        for (host, expected) in
            [("localhost:3978", true), ("[::1]:1", true), ("bot.example", false), ("10.0.0.1", false)]
        {
            let request = request().insert_header(("host", host)).to_http_request();
            assert_eq!(is_local(&request), expected, "{host}");
        }
        for passed_on in ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "origin", "sec-fetch-site"] {
            let request = request().insert_header(("host", "localhost")).insert_header((passed_on, "x"));
            assert!(!is_local(&request.to_http_request()), "{passed_on}");
        }
        let old = request().insert_header(("host", "localhost")).version(Version::HTTP_10);
        assert!(!is_local(&old.to_http_request()));
        assert!(!is_local(&request().to_http_request()));
        for (peer, expected) in [("[::1]:4000", true), ("[::ffff:127.0.0.1]:4000", true), ("192.0.2.7:4000", false)] {
            let request = from(peer).insert_header(("host", "localhost"));
            assert_eq!(is_local(&request.to_http_request()), expected, "{peer}");
        }
    }
}
