//! The pipeline as one function; the library's front door.

#[expect(clippy::module_inception, reason = "the file is named after the function it holds")]
mod convert;

pub use convert::{Conversion, ConvertError, Converted, Grounding, Options, convert, convert_answer};
