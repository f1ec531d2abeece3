//! The schema.org JSON-LD graph of an activity: a Message with its Claims, built from plain structs.

mod action;
mod build;
mod claim;
#[cfg(feature = "check")]
pub(crate) mod context;
mod document;
#[cfg(feature = "check")]
pub(crate) mod expand;
mod message;
mod node_id;
mod usage_info;

pub use action::Action;
pub use build::{GraphRules, build};
pub use claim::{Claim, ClaimPosition, Project};
pub use document::DigitalDocument;
pub use message::Message;
pub use node_id::{BlankNodeId, InvalidBlankNodeId};
pub use usage_info::{DefinedTermSet, SensitivityNode, UsageInfo};
