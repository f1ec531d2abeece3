//! [A livestream](https://github.com/microsoft/BotFramework-WebChat/blob/main/docs/LIVESTREAMING.md), an answer that
//! readers see while it is written: the activities of a stream and their times (`docs/reference/streaming.md`).

mod livestream;
mod stamps;

pub use livestream::{Answering, Livestream, Waiting};
pub use stamps::Stamps;
