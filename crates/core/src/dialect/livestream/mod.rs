//! [A livestream](https://github.com/microsoft/BotFramework-WebChat/blob/main/docs/LIVESTREAMING.md), an answer that
//! readers see while it is written: the activities of a stream and their times (`docs/reference/streaming.md`).

#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod livestream;
mod stamps;

pub use livestream::{Answering, Livestream, Waiting};
pub use stamps::Stamps;
