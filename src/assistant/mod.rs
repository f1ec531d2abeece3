//! Those who answer in conversations: a back end, what it is told, and how its answers are shown.

#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod assistant;
mod assistants;
mod links;
mod options;

pub use assistant::Assistant;
pub use assistants::Assistants;
pub use options::{AssistantOptions, LinkMode, UnknownLinkMode};
