//! Assistants as models of an OpenAI-compatible API (`docs/reference/chat-completions.md`).

mod attached;
mod chunks;
mod create;
mod error;
mod models;
mod request;
mod task;
mod writing;

pub(super) use create::{__path_create_completion, complete, create_completion};
pub use error::CompletionError;
pub(super) use models::{__path_list_models, __path_read_model, list_models, read_model};
