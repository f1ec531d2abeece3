//! Maps every error to a status and a response body.
//!
//! One map, three renderers: RFC 9457 (`application/problem+json`) for citewire's own routes, the Bot Framework's
//! `{"error":{"code","message"}}` for the routes of Direct Line and of the Connector, and OpenAI's
//! `{"error":{"message","type","code","param"}}` for the routes that its clients call.

mod error_response;
mod render;
pub(crate) mod table;

pub(super) use render::{BotError, CompletionProblem, ErrorFormat, Problem, in_words, render};
