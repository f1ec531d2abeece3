//! The address of a Redis or Valkey server, as `bus.url` names it.

use std::fmt;
use std::str::FromStr;

use redis::{ConnectionAddr, IntoConnectionInfo as _, ProtocolVersion, RedisConnectionInfo};

/// Where the bus is, and with which name and password it is used.
#[derive(Clone)]
pub struct BusAddress {
    settings: RedisConnectionInfo,
    place: (String, u16),
    /// Without the password.
    shown: String,
}

/// A URL that names no bus. The message does not repeat it, because it may contain a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a bus URL has the form redis://USER:PASSWORD@HOST:PORT, or rediss:// for TLS, where % escapes special characters"
)]
pub struct InvalidBusAddress;

impl FromStr for BusAddress {
    type Err = InvalidBusAddress;

    fn from_str(url: &str) -> Result<Self, InvalidBusAddress> {
        let url = url::Url::parse(url).map_err(|_| InvalidBusAddress)?;
        let is_known = ["redis", "rediss"].contains(&url.scheme());
        if !is_known || url.query().is_some() || url.fragment().is_some() {
            return Err(InvalidBusAddress);
        }
        let host = url.host_str().ok_or(InvalidBusAddress)?;
        let user = if url.username().is_empty() { String::new() } else { format!("{}@", url.username()) };
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let shown = format!("{}://{user}{host}{port}", url.scheme());
        let connection = url.into_connection_info().map_err(|_| InvalidBusAddress)?;
        // With the third version of the protocol, one connection both publishes and hears.
        let settings = connection.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
        let (ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. }) = connection.addr() else {
            return Err(InvalidBusAddress);
        };
        let place = (host.clone(), *port);
        Ok(Self { settings, place, shown })
    }
}

impl BusAddress {
    /// Whether TLS is used.
    pub(super) fn is_encrypted(&self) -> bool {
        self.shown.starts_with("rediss:")
    }

    /// The host and the port.
    pub(super) fn place(&self) -> (String, u16) {
        self.place.clone()
    }

    /// As whom and how it is used.
    pub(super) fn settings(&self) -> &RedisConnectionInfo {
        &self.settings
    }
}

impl fmt::Display for BusAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for BusAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_not_shown() {
        for (url, shown) in [
            ("redis://me:hunter2@bus:7000/2", "redis://me@bus:7000"),
            ("rediss://:hunter2@[::1]", "rediss://[::1]"),
            ("redis://bus", "redis://bus"),
        ] {
            let address: BusAddress = url.parse().expect("an address");
            assert_eq!((address.to_string(), format!("{address:?}")), (shown.to_owned(), shown.to_owned()));
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_repeating_it() {
        for url in [
            "hunter2",
            "redis:hunter2",
            "http://:hunter2@bus",
            "redis://:hunter2@bus:port",
            "redis://:hunter2@bus/x",
            "redis://:hunter2@bus?protocol=resp2",
            "rediss://:hunter2@bus#insecure",
            "redis://:hunter2@0.0.0.0",
        ] {
            let error = url.parse::<BusAddress>().expect_err(url).to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
