//! Errors of outgoing calls.

use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;

use super::AddressKind;

/// The reason why a call got no complete response.
#[derive(Debug, thiserror::Error)]
pub enum EgressError {
    /// The client cannot be built; most likely the system has no certificates.
    #[error("no connections can be made from this system")]
    Setup(#[source] reqwest::Error),
    /// The address is neither http nor https.
    #[error("only http and https addresses can be called")]
    Scheme,
    /// The host leads only to addresses to which citewire does not connect without being told to.
    #[error("{host} leads to {address}, a {kind} address; to allow calls to it, add the host to egress.allow_hosts")]
    Refused {
        /// The host that was to be called.
        host: String,
        /// The first of its addresses.
        address: IpAddr,
        /// The purpose of that address, for which it is not public.
        kind: AddressKind,
    },
    /// The host is allowed, but at other ports.
    #[error(
        "calls to the port {port} of {host} are not allowed; to allow them, add {host}:{port} to egress.allow_hosts"
    )]
    Port {
        /// The host that was to be called.
        host: String,
        /// The port.
        port: u16,
    },
    /// The name leads nowhere.
    #[error("the name {host} cannot be found")]
    UnknownHost {
        /// The host that was to be called.
        host: String,
    },
    /// There is no connection: nothing was sent.
    #[error("cannot connect to {host}: {}", innermost(cause))]
    Connect {
        /// The host that was to be called.
        host: String,
        /// The error of the library, of which only the system's words are shown.
        cause: reqwest::Error,
    },
    /// The answer did not come in time.
    #[error("{host} did not answer in time")]
    Timeout {
        /// The host that was called.
        host: String,
    },
    /// The connection ended before the answer did.
    #[error("the connection to {host} broke off: {}", innermost(cause))]
    Broken {
        /// The host that was called.
        host: String,
        /// The error of the library, of which only the system's words are shown.
        cause: reqwest::Error,
    },
    /// The answer is longer than wanted.
    #[error("the answer of {host} is longer than {limit} bytes")]
    TooLong {
        /// The host that was called.
        host: String,
        /// The longest answer that is read, in bytes.
        limit: usize,
    },
    /// An answer that is read while it arrives did not go on.
    #[error("{host} sent nothing for {} s", silence.as_secs_f32())]
    Silent {
        /// The host that was called.
        host: String,
        /// For how long.
        silence: Duration,
    },
    /// The answer is compressed, which was not asked for.
    #[error("the answer of {host} has the encoding {encoding}; citewire reads only answers without encoding")]
    Encoded {
        /// The host that was called.
        host: String,
        /// The encoding that its answer names.
        encoding: String,
    },
}

/// The last link of a chain of errors: the system's own words, without those of every layer above.
fn innermost(error: &reqwest::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

impl EgressError {
    /// Whether it is certain that the other side saw nothing of the call.
    #[must_use]
    pub fn nothing_was_sent(&self) -> bool {
        match self {
            Self::Setup(_)
            | Self::Scheme
            | Self::Refused { .. }
            | Self::Port { .. }
            | Self::UnknownHost { .. }
            | Self::Connect { .. } => true,
            Self::Timeout { .. }
            | Self::Broken { .. }
            | Self::TooLong { .. }
            | Self::Silent { .. }
            | Self::Encoded { .. } => false,
        }
    }

    /// Whether there was a connection, but no answer in time.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. } | Self::Silent { .. })
    }

    /// Whether the same call can end otherwise when it is made again.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Setup(_) | Self::Scheme | Self::Refused { .. } | Self::Port { .. } | Self::Encoded { .. } => false,
            Self::UnknownHost { .. }
            | Self::Connect { .. }
            | Self::Timeout { .. }
            | Self::Broken { .. }
            | Self::TooLong { .. }
            | Self::Silent { .. } => true,
        }
    }
}
