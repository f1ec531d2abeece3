//! Assistants: a back end, its instructions, and how its answers are shown.

mod answering;
mod assistant;
mod assistants;
mod audience;
mod azure_responder;
mod azure_sink;
mod channel_choice;
mod converse;
mod documentation;
mod downloads;
mod entered_keys;
mod failure;
mod history;
mod links;
mod losses;
mod manager;
mod open;
mod options;
mod plan;
#[cfg(test)]
mod refresh_tests;
mod retrieving;
mod revision;
mod sink;
mod stopping;
mod trying;
mod web_chat_sink;

pub use answering::Answering;
pub use assistant::Assistant;
pub use assistants::{AssistantRegistry, Assistants};
pub use audience::Audience;
pub use azure_responder::AzureResponder;
pub use channel_choice::ChannelChoice;
pub use documentation::{documentation_file, documentation_pages};
pub use downloads::Downloads;
pub use entered_keys::KeyInfo;
pub use failure::Case;
pub use manager::{
    AssistantInfo, AssistantManager, ConfigureError, Configured, ManageError, NamedAssistant, Origin, ReadSettings,
};
pub use open::{DOCS, OpenError, Opening, open};
pub use options::{AssistantOptions, LinkMode, UnknownLinkMode};
pub use plan::{AssistantPlan, BackEnd, DocumentsPlan, DocumentsSource, Faults};
pub use revision::Revision;
pub use trying::{Trial, Trying};
