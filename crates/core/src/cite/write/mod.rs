//! The third room: Markdown that every engine reads in one way.
//!
//! What engines disagree about stands here, and only here: how blocks are kept apart ([`gap`](block)), what the lines of containers begin
//! with, what a line of text must not begin with ([`mod@line`]), what stands between two neighbours ([`inline`]) and how a character is
//! written that means nothing. Whatever is plain is copied from the source.

mod address;
mod block;
mod blocks;
mod characters;
mod code;
mod container;
mod copy;
mod html;
mod inline;
mod line;
mod output;
mod table;
mod word;
mod writer;

pub(super) use self::code::FENCED_BY;
pub(super) use self::copy::Copy;
pub(super) use self::output::{Mark, Output};
