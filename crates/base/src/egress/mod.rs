//! Outgoing connections: the one HTTP client, and the addresses to which it connects.
//!
//! Where citewire connects to is often other people's input: a name in a configuration file, a `serviceUrl`, a link. A
//! name says nothing about where it leads, so addresses are judged when connecting, after the name was looked up.

mod address;
mod backoff;
mod client;
mod error;
mod judging;
mod options;
mod remote_error;
mod resolver;
mod retry;
mod streaming;

pub use address::{AddressKind, is_this_machine, kind_of};
pub use backoff::retry_after;
pub use client::{Client, Fetched};
pub use error::EgressError;
pub use options::{AllowedHosts, EgressOptions, InvalidHost};
pub use remote_error::{ErrorForms, RawRemoteError, RemoteError, shown};
pub use retry::{LongWait, Retry, RetryBudget, by_status, later};
pub use streaming::{StreamLimits, Streamed, StreamedBody};
