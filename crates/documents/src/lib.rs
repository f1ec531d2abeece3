//! The text of documents, by page. A function of its arguments: nothing is fetched, nothing is written.
//!
//! ```
//! use citewire_documents::{Format, Limits, extract};
//!
//! let format = Format::of_name("prices.csv").expect("a known ending");
//! let extracted = extract(b"item;price\ntea;3", format, &Limits::default())?;
//! assert_eq!(extracted.pages[0].text, "| item | price |\n| --- | --- |\n| tea | 3 |\n");
//! # Ok::<(), citewire_documents::Unreadable>(())
//! ```

mod archive;
mod counted;
mod csv;
mod docx;
mod encoding;
mod epub;
#[cfg(test)]
mod example;
mod extract;
mod extracted;
mod format;
mod html;
mod html_table;
mod html_tree;
mod limits;
mod loss;
mod markdown;
mod number_format;
mod pdf;
mod picture;
mod pptx;
mod relationships;
mod script;
mod title;
mod unread;
mod unreadable;
mod xlsx;
mod xml;

pub use encoding::text_of;
pub use extract::extract;
pub use extracted::{Extracted, LeftOut, LeftOutReason, LossyPage, Markup, PageText, Rectangle, Word};
pub use format::Format;
pub use limits::{FREE_TEXT_BYTES, Limits};
pub use loss::Loss;
pub use unread::{Unread, UnreadKind};
pub use unreadable::Unreadable;
