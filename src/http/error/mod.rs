//! The error types of the HTTP layer, which are parts of [`ApiError`](super::ApiError).
//!
//! They stand apart from the handlers that meet them, so that a handler imports the fault, and the fault no handler.

mod assistant;
mod auth;
mod document;
mod embed;
mod messages;
mod session;
pub(super) mod upload;

pub(super) use assistant::AssistantError;
pub(super) use auth::AuthError;
pub(super) use document::DocumentError;
pub(super) use embed::Asking;
pub use embed::EmbedError;
pub use messages::MessagesError;
pub(super) use session::SessionError;
pub(super) use upload::UploadError;
