//! The rules of a valid activity: what Web Chat and Teams really accept, draw, drop or break on.
//!
//! [`check`] reads a document and says, in plain words, what a user would see in which version and how to mend it.
//! It is a function of its arguments: nothing is fetched, nothing is written.

mod action;
mod activity;
mod address;
mod agreement;
mod blank_nodes;
mod channel;
mod claim;
mod code;
mod color;
mod context;
mod conversation;
mod definition;
mod definition_rules;
mod document;
#[cfg(test)]
mod example;
mod expand;
mod finding;
mod findings;
mod interpreter;
mod label;
mod link_label;
mod linked_data;
mod markdown;
mod message;
mod place;
mod pointer;
mod repetition;
pub mod report;
mod stream;
mod stream_info;
mod stream_order;
mod teams;
mod text;
mod time;

pub use channel::{Channel, UnknownChannel};
pub use code::{Rule, rules};
pub use document::check;
pub use finding::{Finding, Severity};
