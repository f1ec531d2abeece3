//! Which hosts this server answers for.

use actix_web::HttpRequest;
use actix_web::http::header::{FORWARDED, VIA, X_FORWARDED_FOR, X_FORWARDED_HOST};

use super::{HttpOptions, address};

/// The request names a host that this server is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("on a loopback address citewire answers only for localhost, loopback addresses and its public URL")]
pub struct HostError;

/// On loopback, refuses requests for other hosts. A web site whose name suddenly points at 127.0.0.1 could otherwise
/// have the browser talk to this server as if it were that site.
pub(crate) fn guard(options: &HttpOptions, request: &HttpRequest) -> Result<(), HostError> {
    if is_allowed(options, address::host(request).unwrap_or_default()) { Ok(()) } else { Err(HostError) }
}

/// Whether the call comes from this machine, the caller says that this machine is where it calls, and no proxy says that it
/// calls for somebody else: a proxy here may put the name of this machine in place of the one that was called.
pub(crate) fn is_local(request: &HttpRequest) -> bool {
    let headers = request.headers();
    let is_passed_on =
        [FORWARDED, VIA, X_FORWARDED_FOR, X_FORWARDED_HOST].iter().any(|name| headers.contains_key(name));
    let is_from_here = request.peer_addr().is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    is_from_here
        && !is_passed_on
        && address::host(request).is_some_and(|authority| is_loopback(without_port(authority)))
}

fn is_allowed(options: &HttpOptions, authority: &str) -> bool {
    if !options.bind.ip().is_loopback() || options.trust_forwarded {
        return true;
    }
    let public = options.public_url.as_ref().is_some_and(|url| url.authority().eq_ignore_ascii_case(authority));
    public || is_loopback(without_port(authority))
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
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
    use super::*;
    use crate::secret::Secret;

    fn options(bind: &str) -> HttpOptions {
        let secret = Secret::parse("sixteen-or-more-characters").expect("a secret");
        HttpOptions::new(bind.parse().expect("an address"), secret.clone(), secret)
    }

    #[test]
    fn on_loopback_only_loopback_names_and_the_public_url_are_served() {
        let mut options = options("127.0.0.1:3978");
        options.public_url = "https://bot.example".parse().ok();
        for good in ["localhost", "LOCALHOST:3978", "127.0.0.1:1", "127.9.9.9", "[::1]:80", "[::1]", "bot.example"] {
            assert!(is_allowed(&options, good), "{good}");
        }
        for bad in ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "10.0.0.1"] {
            assert!(!is_allowed(&options, bad), "{bad}");
        }
    }

    #[test]
    fn a_call_is_local_by_its_host_unless_somebody_has_passed_it_on() {
        let from = |peer: &str| actix_web::test::TestRequest::default().peer_addr(peer.parse().expect("a peer"));
        let request = || from("127.0.0.1:4000");
        for (host, expected) in
            [("localhost:3978", true), ("[::1]:1", true), ("bot.example", false), ("10.0.0.1", false)]
        {
            let request = request().insert_header(("host", host)).to_http_request();
            assert_eq!(is_local(&request), expected, "{host}");
        }
        for passed_on in ["forwarded", "via", "x-forwarded-for", "x-forwarded-host"] {
            let request = request().insert_header(("host", "localhost")).insert_header((passed_on, "x"));
            assert!(!is_local(&request.to_http_request()), "{passed_on}");
        }
        assert!(!is_local(&request().to_http_request()));
        for (peer, expected) in [("[::1]:4000", true), ("[::ffff:127.0.0.1]:4000", true), ("192.0.2.7:4000", false)] {
            let request = from(peer).insert_header(("host", "localhost"));
            assert_eq!(is_local(&request.to_http_request()), expected, "{peer}");
        }
    }

    #[test]
    fn elsewhere_every_name_is_served() {
        assert!(is_allowed(&options("0.0.0.0:80"), "bot.example"));
    }
}
