//! The error type of all handlers.

use std::error::Error;

use super::admission::{HostError, LimitError};
use super::body::BodyError;
use super::completions::CompletionError;
use super::error::{AssistantError, AuthError, DocumentError, EmbedError, MessagesError, SessionError, UploadError};
use super::query::ParameterError;
use super::token_parameters::ParametersError;
use crate::activity::InvalidWatermark;
use crate::calls::{CallError, CheckError, EnvelopeError};
use crate::channels::DeliveryError;
use crate::channels::azure_bot::ReceiveError;
use crate::channels::azure_bot::auth::UnauthorizedKind;
use crate::channels::direct_line::bot::ConnectorError;
use crate::channels::direct_line::{DirectLineError, TokenError};
use crate::document::DownloadError;
use crate::store::StoreError;

/// An error of a request. `problem/error_response.rs` maps it to a status and a title.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// The caller is not allowed to do this.
    #[error(transparent)]
    Auth(#[from] AuthError),
    /// The body could not be taken in.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// An answer or an activity could not be converted, read or checked.
    #[error(transparent)]
    Call(#[from] CallError),
    /// There is no completion.
    #[error(transparent)]
    Completion(#[from] CompletionError),
    /// An assistant cannot be read or changed.
    #[error(transparent)]
    Assistant(#[from] AssistantError),
    /// A document cannot be downloaded.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The answer could not be delivered.
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    /// The Direct Line channel refused.
    #[error(transparent)]
    DirectLine(#[from] DirectLineError),
    /// A call of the bot was refused.
    #[error(transparent)]
    Connector(#[from] ConnectorError),
    /// An activity from Azure or from another agent was not taken in.
    #[error(transparent)]
    Messages(#[from] MessagesError),
    /// The body of a token or start request is wrong.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    /// An upload cannot be taken apart.
    #[error(transparent)]
    Upload(#[from] UploadError),
    /// The watermark cannot be read.
    #[error(transparent)]
    Watermark(#[from] InvalidWatermark),
    /// A parameter of the URL cannot be read.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The page's session was asked for from elsewhere.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A page of another site gets no chat.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The request names a host that this server is not.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The caller comes too often.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The stream was asked for without an upgrade to WebSocket.
    #[error("this route is a WebSocket: connect with the header Upgrade: websocket")]
    NotAWebSocket,
    /// No Web Chat bundle is configured or inside the program, or the configured one cannot be read.
    #[error("no Web Chat bundle: set CITEWIRE_WEBCHAT_JS to the file dist/webchat.js of botframework-webchat")]
    NoWebChat,
    /// The page takes no answers to convert.
    #[error(
        "the page may not send answers; set page_answers (CITEWIRE_PAGE_ANSWERS) to true, or use /v1 with an API key"
    )]
    NoPageAnswers,
    /// All connections that there may be are open.
    #[error("the server has as many connections as it may have; try again soon")]
    NoPlace,
    /// The server is shutting down.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// A percent-encoded name in the path is no text.
    #[error("a percent-encoded name in the address is not UTF-8: encode the bytes of its UTF-8 form")]
    PathNotUtf8,
    /// There is nothing here.
    #[error("nothing exists at this address")]
    UnknownRoute,
    /// There is something here, but not for this method.
    #[error("this route does not accept this method")]
    WrongMethod,
    /// A worker thread ended early.
    #[error("the work was cancelled")]
    Cancelled(#[from] actix_web::error::BlockingError),
    /// The answer could not be written.
    #[error("the answer could not be written as JSON")]
    Unwritable(#[source] Box<dyn Error + Send + Sync>),
}

impl From<EnvelopeError> for ApiError {
    fn from(error: EnvelopeError) -> Self {
        Self::Call(error.into())
    }
}

impl From<CheckError> for ApiError {
    fn from(error: CheckError) -> Self {
        Self::Call(error.into())
    }
}

impl ApiError {
    /// Whether the caller has shown a credential that is not good. One that is missing or has only expired is no attempt.
    pub(crate) fn is_failed_credential(&self) -> bool {
        matches!(
            self,
            Self::Auth(AuthError::WrongKey | AuthError::NotTheBot)
                | Self::DirectLine(DirectLineError::Token(TokenError::Invalid(_)))
                | Self::Document(DocumentError::Address(DownloadError::Forged))
                | Self::Messages(MessagesError::Receive(ReceiveError::Unauthorized(UnauthorizedKind::Unauthenticated)))
        )
    }
}
