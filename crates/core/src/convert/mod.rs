//! The library's entry points: [`convert()`] for whole answers, [`Streaming`] for answers that arrive in pieces.

mod brackets;
mod conversion;
mod convert;
mod earlier;
mod error;
mod grounding;
mod message;
mod options;
mod outgoing;
mod shown;
mod slack_stream;
mod spacing;
mod streaming;
mod support;
mod support_mark;

pub use crate::cite::Pages;
pub use crate::claims::Support;
pub use conversion::{Conversion, Stopwatch};
pub use convert::convert;
pub use earlier::EarlierAnswers;
pub use error::ConvertError;
pub use grounding::grounded;
pub use message::{Converted, convert_answer, empty_text};
pub use options::{Grounding, Options, References, TextFormat};
pub use outgoing::{Ended, Outgoing, OutgoingForm, UnknownOutgoingForm};
pub use slack_stream::slack_calls;
pub use streaming::{Streamed, Streaming, Update};
pub use support::{judged, refuse_conflicts, supported};
