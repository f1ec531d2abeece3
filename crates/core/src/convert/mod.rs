//! The pipeline as one function, and the same for an answer that arrives piece by piece; the library's front door.

mod brackets;
#[expect(clippy::module_inception, reason = "the file is named after the function it holds")]
mod convert;
mod grounding;
mod options;
mod outgoing;
mod shown;
mod spacing;
mod streaming;

pub use convert::{Conversion, ConvertError, Converted, convert, convert_answer};
pub use grounding::grounded;
pub use options::{Grounding, Options};
pub use outgoing::{Outgoing, OutgoingForm, UnknownOutgoingForm};
pub use streaming::{Streamed, Streaming, Update};
