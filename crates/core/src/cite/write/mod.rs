//! The third stage: writes Markdown that every engine reads alike.
//!
//! Everything on which engines disagree is here, and only here: the separation of blocks ([`gap`](block)), the line prefixes
//! of containers, line beginnings that would begin a block ([`mod@line`]), separators between neighbors ([`inline`]), and
//! escapes. Plain text is copied from the source.

mod address;
mod block;
mod blocks;
mod characters;
mod code;
mod container;
mod copy;
mod finished;
mod html;
mod inline;
mod line;
mod opaque;
mod output;
mod table;
mod word;
mod writer;

pub(super) use self::code::FENCED_BY;
pub(super) use self::copy::Copy;
pub(super) use self::finished::Finished;
pub(super) use self::html::is_harmless;
pub(super) use self::output::{Mark, Output};
