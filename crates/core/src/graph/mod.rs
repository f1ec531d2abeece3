//! The schema.org JSON-LD graph of an activity: a Message with its Claims, built from structs.

mod action;
mod build;
mod card;
mod card_elements;
mod claim;
mod claim_review;
mod document;
mod icon;
mod labels;
mod message;
mod node_id;
mod rules;
mod software;
mod teams_claim;
mod usage_info;

pub use action::Action;
pub use build::build;
pub use claim::{Claim, ClaimPosition, Project};
pub use claim_review::ClaimReview;
pub use document::DigitalDocument;
pub use icon::{ICONS, ImageObject};
pub use message::Message;
pub use node_id::{BlankNodeId, InvalidBlankNodeId};
pub use rules::{AiMark, GraphRules, KeywordLimits, LabelForm, Members};
pub use software::SoftwareSourceCode;
pub use usage_info::{DefinedTermSet, SensitivityNode, UsageInfo};
