//! The tests carry the number of the point of the conformance checklist (`docs/reference/direct-line.md`) that they prove.

mod authentication;
mod browser;
mod polling;
mod posting;
mod real_client;
mod resuming;
mod starting;
mod stream;
mod upload;
