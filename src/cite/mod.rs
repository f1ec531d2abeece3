//! Answer to cited text: markers found, numbered, rewritten; the model's own links made harmless.
//!
//! [`cite()`] is the door for whole answers, [`Incremental`] for those that arrive piece by piece. Behind both stands one
//! scanner, so that they cannot disagree; everything that reads Markdown is in `scan`.

mod bibliography;
#[expect(clippy::module_inception, reason = "the file is named after the function it holds")]
mod cite;
mod cited_text;
mod definition;
mod html;
mod incremental;
mod marker;
mod number;
mod position;
mod resolve;
#[cfg(any(debug_assertions, feature = "rooms"))]
pub mod rooms;
mod rules;
mod scan;
mod shorten;
mod table;
mod writer;

pub use cite::{cite, make_harmless};
pub use cited_text::{CitedPlace, CitedSource, CitedText};
pub use incremental::Incremental;
pub use position::Position;
#[cfg(feature = "cover")]
pub use rooms::cover;
pub use rules::{LiteralNumbers, Numbering, Pages, Rules};
pub use shorten::shorten;

pub use crate::url::Tracking;
