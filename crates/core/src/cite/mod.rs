//! Turns an answer into cited text: finds markers, numbers their sources, replaces markers by badges, and makes the model's
//! own links harmless.
//!
//! [`cite()`] takes whole answers, [`Incremental`] answers that arrive in pieces. Both run the same three stages (`read`
//! parses, `decide` gives meaning, `write` produces the output), so that their results are equal.

mod bibliography;
mod cite;
mod cited_text;
mod counting;
mod decide;
mod definition;
mod fence;
mod html;
mod incremental;
mod loose;
mod marker;
mod number;
mod pass;
mod place;
mod position;
mod read;
mod resolve;
mod rewrite;
mod rules;
mod script;
mod shorten;
#[cfg(test)]
mod tests;
mod told;
mod write;

pub use cite::{cite, make_harmless};
pub use cited_text::{CitedPlace, CitedSource, CitedText, Opaque, OpaqueKind};
pub use incremental::Incremental;
pub use position::Position;
pub use rewrite::CLAIMS_LIMIT;
pub use rules::{LiteralNumbers, Numbering, Rules};
pub use shorten::shorten;

pub(crate) use self::fence::Fence;
pub use crate::answer::Pages;
pub use crate::url::Tracking;

/// Parses a text, and panics when no token covers one of its characters. Returns the number of leaves. For tests and
/// fuzzing.
#[cfg(any(test, feature = "cover"))]
#[doc(hidden)]
pub fn cover(text: &str) -> usize {
    read::cover(text, &decide::is_marker_label)
}
