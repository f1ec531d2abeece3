//! Messages for channels that draw no Markdown: the finished text is read once more and written in the channel's own form.

mod chat;
mod drawing;
mod markdown;
mod marks;
mod table;
#[cfg(test)]
mod tests;

pub(super) use chat::draw;
pub(super) use drawing::{Drawing, message, native, units};
pub(super) use markdown::{Piece, address, pieces};
pub(super) use marks::{Marks, PLAIN, Quote, Tables, escaped};
