//! Assistants as models: a back end that acts by a script, behind a real server.

mod client;
mod failures;
mod open_webui;
pub(crate) mod scripted;
mod shapes;
mod streamed;
mod support;
mod usage;
mod whole;
