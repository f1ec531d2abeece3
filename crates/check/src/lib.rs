//! Checks activities against the real behavior of Web Chat and Teams: what they refuse, drop, or show wrongly.
//!
//! [`check`] reads a document, and tells in plain words the effect for users, the affected versions and the fix. It is a
//! pure function: it fetches and writes nothing.

mod action;
mod activity;
mod activity_type;
mod address;
mod agreement;
mod blank_nodes;
mod channel;
mod claim;
mod claim_members;
mod code;
mod color;
mod container;
mod context;
mod conversation;
mod definition;
mod definition_rules;
mod delta;
mod document;
#[cfg(test)]
mod example;
mod expand;
mod feedback;
mod finding;
mod findings;
mod formula;
mod input;
mod interpreter;
mod joined;
mod label;
mod link_label;
mod linked_data;
mod lost_claim;
mod lost_text;
mod markdown;
mod mend;
mod message;
mod message_text;
mod misplaced;
mod newer;
mod place;
mod plain_markup;
mod pointer;
mod profile;
mod profile_rules;
mod provider_marker;
mod raw_html;
mod repetition;
pub mod report;
mod root_claim;
mod stream;
mod stream_info;
mod stream_order;
mod suggested_actions;
mod teams;
mod terms;
mod text;
mod time;
mod unread;
mod wrapped;

pub use channel::{Channel, UnknownChannel};
pub use code::{Rule, rules};
pub use document::{check, check_profile};
pub use finding::{Finding, Severity};
pub use input::{MAX_DOCUMENT_BYTES, MAX_INPUT_BYTES, Unreadable, read};
pub use mend::{Change, Mended, NotAnActivity, mend};
pub use profile::{Profile, UnknownProfile};
