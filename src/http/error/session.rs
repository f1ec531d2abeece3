//! Why the page gets no session.

/// The session was asked for from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only the page that this server serves gets a session, and browsers say where they are")]
pub struct SessionError;
