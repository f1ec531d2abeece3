//! The other side of an answer: what a model is given, so that it cites by numbers which can be resolved.
//!
//! [`build`] lists sources for a model, with the rules of citing, in one of three [`Style`]s and within a [`Budget`];
//! [`inject`] puts the outcome into the messages of a chat. Whatever stands in a title or in a passage cannot pose as
//! another source: `shape` says what a line looks like to a reader who is easily deceived, `passage` and `name` act on it.
//!
//! ```
//! use citewire_core::ingest::retrieved;
//! use citewire_core::prompt::{Budget, Options, Style, build};
//!
//! let found = retrieved(br#"[{ "title": "Leave policy", "content": "Leave is 30 days." }]"#)?;
//! let mut options = Options::new(Style::Numbered);
//! options.budget = Budget::Tokens(2_000);
//! let prompt = build(&found.sources, &options);
//! assert!(prompt.text.ends_with("Sources:\n\n[1] (Source: \"Leave policy\")\nLeave is 30 days."));
//! # Ok::<(), citewire_core::ingest::IngestError>(())
//! ```

mod budget;
#[cfg(test)]
mod forgery;
mod identity;
mod instructions;
mod messages;
mod name;
mod passage;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod prompt;
mod shape;
mod style;
mod visible;

pub use budget::{Budget, estimate_tokens};
pub use messages::{InjectError, inject};
pub use passage::passage;
pub use prompt::{Numbered, Options, Prompt, build};
pub use style::{Style, UnknownStyle};
