mod conversations;
mod failures;
mod log;
mod scene;
mod scores;
