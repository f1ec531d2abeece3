//! The embedded Direct Line channel, as its clients see it: rules DL-01 to DL-08 (`docs/inside/policies.md`), a file each, and
//! then the same with the real client.

mod authentication;
mod browser;
mod polling;
mod posting;
mod real_client;
mod resuming;
mod starting;
mod stream;
mod upload;
