//! Answers that appear in the embedded channel while they are written (`docs/reference/streaming.md`).
//!
//! [`Live`] begins a [`LiveAnswer`] in a conversation. That follows the body of an answer and shows it as it grows, at a pace
//! that readers can follow, and ends with the message that the whole answer gives.

mod answer;
mod follow;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod live;
mod options;
mod outcome;
#[cfg(test)]
mod tests;

pub use answer::LiveAnswer;
pub use live::Live;
pub use options::LiveOptions;
pub use outcome::{Followed, LiveError, Unanswered};
