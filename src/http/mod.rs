//! The HTTP server of citewire.
//!
//! A handler extracts, calls one function of the layers below, and wraps. Errors travel as [`ApiError`] and get their
//! status and their words in `problem/error_response.rs` alone. Routes stand in `routes.rs`, and which of them are open to
//! everybody in `paths.rs`.

mod address;
mod admin;
mod admission;
mod answers;
mod api_error;
mod assistant_documents;
mod assistant_key;
mod assistant_trial;
mod assistants;
mod audit;
mod auth;
mod body;
mod check;
mod completions;
mod connector;
mod conversations;
mod convert;
mod direct_line;
mod docs;
mod documents;
mod embed;
mod embed_options;
mod empty_search;
mod envelope;
mod error;
mod feedback;
mod health;
mod help;
mod help_pages;
mod help_search;
mod llms;
mod manifest;
mod markdown;
mod mcp;
mod messages;
mod metrics;
mod openapi;
mod options;
mod outputs;
mod page;
mod passages;
mod paths;
mod playing;
mod previews;
mod problem;
mod query;
mod ranges;
mod records;
mod routes;
mod samples;
mod sending;
mod server;
mod session;
mod socket;
mod state;
mod support;
mod tasks;
mod ticket;
mod token_parameters;
mod upload;
mod users;
mod visitor_answer;
mod web_chat;

pub use admission::{
    ApiKey, HostError, HostNames, InvalidHosts, InvalidProxies, InvalidScope, LimitError, LimitOptions, Scope,
    TrustedProxies,
};
pub use api_error::ApiError;
pub use auth::Access;
pub use completions::CompletionError;
pub use embed_options::{EmbedOptions, EmbedOrigins, InvalidOrigin};
pub use error::{EmbedError, MessagesError};
pub use openapi::document;
pub use options::{HttpOptions, InvalidPublicUrl, PublicUrl};
pub use paths::OPEN;
pub use routes::{ROUTES, RouteEntry, UNDOCUMENTED};
pub use server::{Server, ServerError, build};
pub use state::State;
