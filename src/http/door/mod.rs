//! The door: the checks of all routes before a handler gets the request.
//!
//! Which host names are served ([`host`]), which proxies are believed and who calls through them ([`proxies`]), and how often
//! a caller may come ([`limits`]), how many connections there may be ([`places`]), what a key opens ([`keys`]), and what is
//! taken in and given out at one time ([`uploads`], [`downloads`]). `auth.rs` asks the keys. `docs/operate/security.md` has
//! the rules.

pub(crate) mod downloads;
pub(crate) mod host;
pub(crate) mod keys;
pub(crate) mod limits;
pub(crate) mod places;
pub(crate) mod proxies;
pub(crate) mod uploads;

pub use crate::host_names::{AllowedHosts, InvalidHosts};
pub use host::HostError;
pub use keys::{ApiKey, InvalidScope, Scope};
pub use limits::{LimitError, LimitOptions};
pub use proxies::{InvalidProxies, TrustedProxies};
