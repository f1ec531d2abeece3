//! What programs want of an answer instead of an activity: pure functions of the canonical answer.
//!
//! They follow the rules of their readers, not the policies of channels: the text stays as the model wrote it but for its
//! markers, and nothing is made harmless, because nothing here is drawn.

mod assistanthub;
mod domain;
mod open_webui;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod output;
mod records;
mod redirect;

pub use assistanthub::{AssistantHub, assistanthub};
pub use open_webui::{OpenWebUi, open_webui};
pub use output::{Output, UnknownOutput};
pub use records::{Record, Records, records};
