//! The error of a page session.

/// The session request does not come from the page of this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only the page of this server gets a session: the headers Origin and Sec-Fetch-Site do not name this server")]
pub struct SessionError;
