//! Resolves host names, and checks each address directly before a connection is made.

use std::io;
use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

use super::{AllowedHosts, EgressError, kind_of};

/// Resolves names, and removes the addresses to which citewire does not connect.
#[derive(Clone, Debug)]
pub(super) struct JudgingResolver {
    allow: AllowedHosts,
}

impl JudgingResolver {
    pub(super) fn new(allow: AllowedHosts) -> Self {
        Self { allow }
    }
}

impl Resolve for JudgingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allow = self.allow.clone();
        Box::pin(async move {
            let host = name.as_str();
            // The port is the caller's affair; 0 stands for "the usual one".
            let found: io::Result<Vec<SocketAddr>> = tokio::net::lookup_host((host, 0)).await.map(Iterator::collect);
            let found = found.map_err(|_| EgressError::UnknownHost { host: host.to_owned() })?;
            let admitted = admit(&allow, &Host::Domain(host), found)?;
            Ok(Box::new(admitted.into_iter()) as Addrs)
        })
    }
}

/// The addresses among those of a host to which citewire connects.
pub(super) fn admit(
    allow: &AllowedHosts,
    host: &Host<&str>,
    found: Vec<SocketAddr>,
) -> Result<Vec<SocketAddr>, EgressError> {
    if allow.contains(host) {
        return Ok(found);
    }
    let first = found.first().copied();
    let public: Vec<_> = found.into_iter().filter(|address| kind_of(address.ip()).is_public()).collect();
    match first {
        _ if !public.is_empty() => Ok(public),
        Some(first) => {
            Err(EgressError::Refused { host: host.to_string(), address: first.ip(), kind: kind_of(first.ip()) })
        }
        None => Err(EgressError::UnknownHost { host: host.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::egress::AddressKind;

    fn found(addresses: &[&str]) -> Vec<SocketAddr> {
        let address = |text: &&str| SocketAddr::new(text.parse::<IpAddr>().expect("an address"), 0);
        addresses.iter().map(address).collect()
    }

    fn admitted(allow: &str, host: &str, addresses: &[&str]) -> Result<Vec<SocketAddr>, EgressError> {
        admit(&allow.parse().expect("hosts"), &Host::Domain(host), found(addresses))
    }

    #[test]
    fn only_the_public_addresses_of_a_name_are_used() {
        let given = ["10.0.0.1", "1.1.1.1", "::1", "2606:4700:4700::1111"];
        let kept = admitted("", "bot.example", &given).expect("two are public");
        assert_eq!(kept, found(&["1.1.1.1", "2606:4700:4700::1111"]));
    }

    #[test]
    fn a_name_that_leads_inside_is_refused_unless_it_is_allowed() {
        let refused = admitted("other.example", "bot.example", &["169.254.169.254", "127.0.0.1"]);
        let Err(EgressError::Refused { host, kind, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!((host.as_str(), kind), ("bot.example", AddressKind::LinkLocal));
        let allowed = admitted("bot.example", "bot.example", &["10.0.0.1"]).expect("it is allowed");
        assert_eq!(allowed, found(&["10.0.0.1"]));
    }

    #[test]
    fn a_name_without_addresses_is_unknown() {
        assert!(matches!(admitted("", "bot.example", &[]), Err(EgressError::UnknownHost { .. })));
    }
}
