//! Admission: the checks of all routes before a handler gets the request.
//!
//! Host names that are served ([`host`]), trusted proxies and the callers behind them ([`proxies`]), rate limits
//! ([`limits`]), slots for connections ([`connections`]), keys and their scopes ([`keys`]), and the bytes that are taken in
//! and given out at one time ([`uploads`], [`downloads`]). `auth.rs` asks the keys. `docs/operate/security.md` has the rules.

pub(crate) mod connections;
pub(crate) mod downloads;
pub(crate) mod host;
pub(crate) mod keys;
pub(crate) mod limits;
pub(crate) mod proxies;
pub(crate) mod uploads;

pub use crate::host_names::{HostNames, InvalidHosts};
pub use host::HostError;
pub use keys::{ApiKey, InvalidScope, Scope};
pub use limits::{LimitError, LimitOptions};
pub use proxies::{InvalidProxies, TrustedProxies};
