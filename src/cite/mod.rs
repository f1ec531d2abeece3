//! Answer to cited text: markers found, numbered, rewritten; the model's own links made harmless.
//!
//! [`cite()`] is the one door. Behind it, `rewrite` is a function of a text and of the rules for it;
//! everything that reads Markdown is on its side of that line.

mod bibliography;
#[expect(clippy::module_inception, reason = "the file is named after the function it holds")]
mod cite;
mod cited_text;
mod clean;
mod definition;
mod html;
mod incremental;
mod limit;
mod mark;
mod marker;
mod number;
mod position;
mod resolve;
mod rewrite;
mod rules;
mod separate;
mod shorten;
mod structure;
mod writer;

pub use cite::cite;
pub use cited_text::{CitedSource, CitedText};
pub use clean::make_harmless;
pub use incremental::Incremental;
pub use position::Position;
pub use rules::{LiteralNumbers, Numbering, Pages, Rules};
pub use shorten::shorten;
