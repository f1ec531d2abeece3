//! Prompts with sources: the input of a model, written so that it cites by numbers which citewire can resolve.
//!
//! [`build`] lists sources with instructions for citing, in one of three [`Style`]s and within a [`Budget`]. [`inject`] adds
//! the list to the messages of a chat. No title or passage can imitate another source: `shape` detects text that looks like a
//! heading, a separator or a tag, and `passage` and `name` make it harmless.
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
mod prompt;
mod shape;
mod style;
mod visible;

pub use budget::{Budget, estimate_tokens};
pub use messages::{InjectError, inject};
pub use passage::passage;
pub use prompt::{Numbered, Options, Prompt, build};
pub use style::{Style, UnknownStyle};
