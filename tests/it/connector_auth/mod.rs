mod agents;
mod channel;
mod keys;
mod log;
mod malformed;
pub(crate) mod publisher;
pub(crate) mod scene;
pub(crate) mod signing;
