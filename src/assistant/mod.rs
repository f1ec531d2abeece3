//! Those who answer in conversations: a back end, what it is told, and how its answers are shown.

mod answering;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod assistant;
mod assistants;
mod audience;
mod behind_azure;
mod cause;
mod documentation;
mod downloads;
mod history;
mod lines;
mod links;
mod open;
mod options;
mod plan;

pub use answering::Answering;
pub use assistant::Assistant;
pub use assistants::{Assistants, Team};
pub use audience::Audience;
pub use behind_azure::BehindAzure;
pub use cause::Case;
pub use downloads::Downloads;
pub use open::{DOCS, OpenError, Opening, open};
pub use options::{AssistantOptions, LinkMode, UnknownLinkMode};
pub use plan::{AssistantPlan, BackEnd, DocumentsPlan};
