mod agents;
mod channel;
mod keys;
mod malformed;
pub(crate) mod publisher;
pub(crate) mod scene;
pub(crate) mod signing;
