//! Writes messages for channels that do not draw Markdown: reads the finished text again, and writes it in the channel's
//! markup.

mod chat;
mod drawing;
mod markdown;
mod marks;
mod table;
#[cfg(test)]
mod tests;

pub(super) use chat::{blocks, draw};
pub(super) use drawing::{Drawing, Drawn, message, native, units};
pub(super) use markdown::{Piece, address, pieces};
pub(super) use marks::{Marks, PLAIN, Quote, Tables, escaped};
pub(super) use table::padded;
