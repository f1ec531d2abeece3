mod conversations;
mod failures;
mod limits;
pub(crate) mod log;
mod scene;
mod scores;
