//! Assistants: a back end, its instructions, and how its answers are shown.

mod answering;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod assistant;
mod assistants;
mod audience;
mod azure_responder;
mod azure_sink;
mod converse;
mod documentation;
mod downloads;
mod failure;
mod history;
mod links;
mod losses;
mod manager;
mod open;
mod options;
mod plan;
mod retrieving;
mod revision;
mod sink;
mod stopping;
mod web_chat_sink;

pub use answering::Answering;
pub use assistant::Assistant;
pub use assistants::{AssistantRegistry, Assistants};
pub use audience::Audience;
pub use azure_responder::AzureResponder;
pub use downloads::Downloads;
pub use failure::Case;
pub use manager::{
    AssistantInfo, AssistantManager, ConfigureError, Configured, ManageError, NamedAssistant, Origin, ReadSettings,
};
pub use open::{DOCS, OpenError, Opening, open};
pub use options::{AssistantOptions, LinkMode, UnknownLinkMode};
pub use plan::{AssistantPlan, BackEnd, DocumentsPlan, DocumentsSource, Faults};
pub use revision::Revision;
