//! How an activity must look to one channel.

#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod dialect;

pub use dialect::{Dialect, UnknownDialect};
