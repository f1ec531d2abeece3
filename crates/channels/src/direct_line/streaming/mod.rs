//! Answers that appear in the embedded channel while they are written (`docs/reference/streaming.md`).
//!
//! [`StreamingAnswers`] begins a [`StreamingAnswer`] in a conversation. That follows the body of an answer and shows it as it grows, at a pace
//! that readers can follow, and ends with the message that the whole answer gives.

mod answer;
mod follow;
mod options;
mod outcome;
mod stop;
mod streaming_answers;
#[cfg(test)]
mod tests;

pub use answer::StreamingAnswer;
pub use options::StreamingOptions;
pub use outcome::{Followed, StreamingError, Unanswered};
pub use stop::Stop;
pub use streaming_answers::StreamingAnswers;
