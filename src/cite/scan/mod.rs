//! Markers found while the text is read from its beginning, once, and written as it goes (policies P-01 to P-12).
//!
//! `line` tells blocks apart, `cursor` walks the text of one block, `construct` reads code, tags, addresses and math,
//! `inline` and `bracket` decide, `scanner` drives them and hands what is decided to the writer. Nothing here looks further
//! ahead than [`LOOK_AHEAD`] bytes, which is what makes a stream and a whole answer the same.

mod anchor;
mod bracket;
mod commit;
mod construct;
mod cursor;
mod definitions;
mod drawn;
mod enumeration;
mod footnote;
mod html;
mod inline;
mod label;
mod line;
mod linked;
mod node;
mod place;
mod scanner;
mod tag;

pub(super) use commit::MAX_EMPHASIS;
pub(super) use line::{line_end, next_line};
#[cfg(any(debug_assertions, feature = "rooms"))]
pub(super) use place::first_open;
pub(super) use place::place;
#[cfg(any(debug_assertions, feature = "rooms"))]
pub(super) use place::written_at;
pub(super) use scanner::{BYTE_ORDER_MARK, Input, Scanner};

/// How many bytes a decision may wait for. What is not decided by then is text, and is written so that every engine takes
/// it for text.
pub(super) const LOOK_AHEAD: usize = 4 * 1024;
