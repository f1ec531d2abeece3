//! One answer on its way through the Connector: streamed where the channel takes streams, whole where it does not, and by
//! another way when the service refuses.
//!
//! `refusal_policy` is the table of what comes next after a refusal, `Pacing` what channels allow; both are data. The rest acts on them.

mod answer;
mod content;
mod ending;
mod follow;
mod outcome;
mod progress;
mod refusal_policy;
#[cfg(test)]
mod refusal_tests;
#[cfg(test)]
mod tests;
mod texts;

pub use answer::ConnectorAnswer;
pub use outcome::{Answered, Ended, Failed, Followed, Unanswered};
pub(super) use progress::NotedAnswer;
pub use progress::Progress;
pub use texts::ConnectorTexts;
