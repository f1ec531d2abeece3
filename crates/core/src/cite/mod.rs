//! Answer to cited text: markers found, numbered, rewritten; the model's own links made harmless.
//!
//! [`cite()`] is the door for whole answers, [`Incremental`] for those that arrive piece by piece. Both read with `read`,
//! decide with `decide` and write with `write`, so that they cannot disagree.

mod bibliography;
#[expect(clippy::module_inception, reason = "the file is named after the function it holds")]
mod cite;
mod cited_text;
mod decide;
mod definition;
mod fence;
mod html;
mod incremental;
mod marker;
mod number;
mod pass;
mod place;
mod position;
mod read;
mod resolve;
mod rewrite;
mod rules;
mod shorten;
#[cfg(test)]
mod tests;
mod write;

pub use cite::{cite, make_harmless};
pub use cited_text::{CitedPlace, CitedSource, CitedText};
pub use incremental::Incremental;
pub use position::Position;
pub use rules::{LiteralNumbers, Numbering, Pages, Rules};
pub use shorten::shorten;

pub(crate) use self::fence::Fence;
pub use crate::url::Tracking;

/// Reads a text, and panics where what was read does not hold a character of it: for fuzzing. How many leaves it has.
#[cfg(any(test, feature = "cover"))]
#[doc(hidden)]
pub fn cover(text: &str) -> usize {
    read::cover(text, &decide::is_marker_label)
}
