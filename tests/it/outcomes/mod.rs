mod conversations;
mod failures;
pub(crate) mod log;
mod scene;
mod scores;
