//! Maps each error to its problem. No match has a wildcard, so that a new error does not compile without one.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};

use super::table::{self, ProblemType, whole_seconds};
use crate::assistant::ManageError;
use crate::calls::{Code, Fault};
use crate::channels::DeliveryError;
use crate::channels::azure_bot::auth::UnauthorizedKind;
use crate::channels::azure_bot::{InboundError, ProactiveError, ReceiveError, Refusal, RefusalCause, RefusalKind};
use crate::channels::direct_line::bot::ConnectorError;
use crate::channels::direct_line::{ActivityError, DirectLineError, TokenError};
use crate::channels::direct_line_client::{CallError, PostError};
use crate::document::DownloadError;
use crate::http::ApiError;
use crate::http::body::BodyError;
use crate::http::error::{AssistantError, AuthError, DocumentError, EmbedError, MessagesError, UploadError};
use crate::http::ranges::content_range;
use crate::http::token_parameters::ParametersError;
use crate::ingest::EventPlace;
use crate::store::StoreError;

/// The problem of an error, with the place of the error in the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ErrorResponse {
    pub(crate) problem: ProblemType,
    /// JSON pointer of the fault in the body of the request.
    pub(super) pointer: Option<String>,
    /// The event at fault, where the body is a stream.
    pub(super) place: Option<EventPlace>,
}

impl From<ProblemType> for ErrorResponse {
    fn from(problem: ProblemType) -> Self {
        Self { problem, pointer: None, place: None }
    }
}

impl ErrorResponse {
    fn at(self, pointer: impl Into<String>) -> Self {
        Self { pointer: Some(pointer.into()), ..self }
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        error_response(self).problem.status
    }

    /// The status, and the header that belongs to it: the body is written where the request is known, by `problem::render`.
    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        if let Self::Document(DocumentError::OutOfRange { bytes }) = self {
            response.insert_header(content_range(None, *bytes));
        }
        response.finish()
    }
}

/// The response for this fault.
pub(crate) fn error_response(fault: &ApiError) -> ErrorResponse {
    match fault {
        ApiError::Auth(error) => auth(*error).into(),
        ApiError::Body(error) => body(error).into(),
        ApiError::Call(error) => called(error.fault()),
        ApiError::Completion(error) => error.problem().into(),
        ApiError::Assistant(error) => assistant(error),
        ApiError::Document(error) => document(*error).into(),
        ApiError::Delivery(DeliveryError::UnknownConversation) => table::UNKNOWN_CONVERSATION.into(),
        ApiError::Delivery(DeliveryError::NoMessage) => table::INTERNAL.into(),
        ApiError::Delivery(DeliveryError::Elsewhere(error)) => elsewhere(error).into(),
        ApiError::Delivery(DeliveryError::Later(error)) => later(error).into(),
        ApiError::Delivery(DeliveryError::Store(error)) | ApiError::Store(error) => store(error).into(),
        ApiError::DirectLine(error) => direct_line(error),
        ApiError::Connector(error) => connector(error),
        ApiError::Messages(error) => messages(error),
        ApiError::Parameters(ParametersError::NotJson(_)) => table::NOT_JSON.into(),
        ApiError::Parameters(ParametersError::Member { pointer, .. }) => wrong_member(pointer),
        ApiError::Upload(UploadError::Template(error)) => activity(error),
        ApiError::Upload(UploadError::Parts(_) | UploadError::TooManyParts | UploadError::Empty) => {
            table::INVALID_UPLOAD.into()
        }
        ApiError::Watermark(_) => table::INVALID_WATERMARK.into(),
        ApiError::Parameter(_) => table::INVALID_PARAMETER.into(),
        ApiError::Session(_) => table::PAGE_ELSEWHERE.into(),
        ApiError::Embed(error) => embed(error).into(),
        ApiError::Host(_) => table::WRONG_HOST.into(),
        ApiError::Limit(error) => table::TOO_MANY_CALLS.after(error.retry_after()).into(),
        ApiError::NoPageAnswers => table::NO_PAGE_ANSWERS.into(),
        ApiError::NotAWebSocket => table::NOT_A_WEBSOCKET.into(),
        ApiError::NoWebChat => table::NO_WEB_CHAT.into(),
        ApiError::NoPlace => table::TOO_MANY_CONNECTIONS.into(),
        ApiError::ShuttingDown => table::SHUTTING_DOWN.into(),
        ApiError::PathNotUtf8 => table::INVALID_NAME.into(),
        ApiError::UnknownRoute => table::UNKNOWN_ROUTE.into(),
        ApiError::WrongMethod => table::WRONG_METHOD.into(),
        ApiError::Cancelled(_) | ApiError::Unwritable(_) => table::INTERNAL.into(),
    }
}

fn assistant(error: &AssistantError) -> ErrorResponse {
    match error {
        AssistantError::Manage(ManageError::Named(_)) => table::ASSISTANT_NAMED.into(),
        AssistantError::Manage(ManageError::Configured(_)) => table::ASSISTANT_CONFIGURED.into(),
        AssistantError::Manage(ManageError::SecretTaken(_)) => table::SECRET_TAKEN.into(),
        AssistantError::Manage(ManageError::Invalid(faults)) => {
            let key = faults.first().map(|(key, _)| key.as_str()).filter(|key| !key.is_empty());
            let response = ErrorResponse::from(table::INVALID_SETTINGS);
            match key {
                Some(key) => response.at(format!("/{}", key.replace('.', "/"))),
                None => response,
            }
        }
        AssistantError::Manage(ManageError::NoBackEnd) => table::NO_BACK_END.into(),
        AssistantError::Manage(ManageError::KeyNamed) => table::KEY_NAMED.into(),
        AssistantError::Manage(ManageError::NoKey) => ErrorResponse::from(table::INVALID_KEY).at("/key".to_owned()),
        AssistantError::Manage(ManageError::ChannelTaken(_)) => table::PAGE_TAKEN.into(),
        AssistantError::NoKey => table::UNKNOWN_KEY.into(),
        AssistantError::Manage(ManageError::Starting) => table::SHUTTING_DOWN.into(),
        AssistantError::Manage(ManageError::Store(error)) => store(error).into(),
        AssistantError::NotManaged => table::UNKNOWN_ROUTE.into(),
        AssistantError::Unknown => table::UNKNOWN_ASSISTANT.into(),
        AssistantError::Changed => table::ASSISTANT_CHANGED.into(),
        AssistantError::NotJson(_) => table::NOT_JSON.into(),
        AssistantError::NotToml(_) => table::NOT_TOML.into(),
        AssistantError::NotAnObject => table::INVALID_SETTINGS.into(),
        AssistantError::NoDocuments => table::NO_DOCUMENTS.into(),
        AssistantError::UnknownDocument => table::UNKNOWN_DOCUMENT.into(),
        AssistantError::DocumentName => table::INVALID_DOCUMENT_NAME.into(),
        AssistantError::Unsupported { .. } => table::UNSUPPORTED_DOCUMENT.into(),
        AssistantError::TooManyDocuments { .. } => table::TOO_MANY_DOCUMENTS.into(),
        AssistantError::DocumentsTooLarge { .. } => table::DOCUMENTS_TOO_LARGE.into(),
    }
}

fn embed(error: &EmbedError) -> ProblemType {
    match error {
        EmbedError::Off => table::EMBED_OFF,
        EmbedError::NotAnonymous => table::EMBED_NEEDS_TOKEN,
        EmbedError::ForeignOrigin(_) => table::WRONG_ORIGIN,
        EmbedError::NotOffered(_) => table::ASSISTANT_NOT_OFFERED,
    }
}

fn wrong_member(pointer: &str) -> ErrorResponse {
    ErrorResponse::from(table::INVALID_MEMBER).at(pointer)
}

fn auth(error: AuthError) -> ProblemType {
    match error {
        AuthError::Missing => table::UNAUTHENTICATED,
        AuthError::Malformed => table::MALFORMED_CREDENTIAL,
        AuthError::NotTheBot => table::NOT_THE_BOT,
        AuthError::WrongKey => table::WRONG_KEY,
        AuthError::LacksScope(_) => table::LACKS_SCOPE,
    }
}

fn document(error: DocumentError) -> ProblemType {
    match error {
        DocumentError::Unknown => table::UNKNOWN_DOCUMENT,
        DocumentError::NotPublic => table::DOCUMENT_NOT_PUBLIC,
        DocumentError::OutOfRange { .. } => table::OUT_OF_RANGE,
        DocumentError::Address(DownloadError::Expired) => table::ADDRESS_EXPIRED,
        DocumentError::Address(DownloadError::Forged) => table::ADDRESS_FORGED,
    }
}

fn body(error: &BodyError) -> ProblemType {
    match error {
        BodyError::TooLong { .. } => table::BODY_TOO_LONG,
        BodyError::TooSlow { .. } | BodyError::BelowRate { .. } => table::BODY_TOO_SLOW,
        BodyError::Broken(_) => table::BROKEN_BODY,
    }
}

/// The problem of an error that calls in other processes know as well.
fn called(fault: Fault) -> ErrorResponse {
    let Fault { code, pointer, place, .. } = fault;
    let problem = match code {
        Code::NotJson => table::NOT_JSON,
        Code::InvalidMember => table::INVALID_MEMBER,
        Code::InvalidAnswer => table::INVALID_ANSWER,
        Code::UnknownFormat => table::UNKNOWN_FORMAT,
        Code::UnknownChannel => table::UNKNOWN_CHANNEL,
        Code::UnknownEvents => table::UNKNOWN_EVENTS,
        Code::InvalidParameter => table::INVALID_PARAMETER,
        Code::BodyTooLong => table::BODY_TOO_LONG,
        Code::EventTooLong => table::EVENT_TOO_LONG,
        Code::NotAnActivity => table::NOT_AN_ACTIVITY,
        Code::GroundingNoTools => table::GROUNDING_NO_TOOLS,
        Code::GroundingNoCitations => table::GROUNDING_NO_CITATIONS,
        Code::SupportConflict => table::SUPPORT_CONFLICT,
        // Of callers in another process.
        Code::StreamEnded | Code::HalfACharacter | Code::Internal => table::INTERNAL,
    };
    ErrorResponse { problem, pointer, place }
}

fn store(error: &StoreError) -> ProblemType {
    match error {
        StoreError::Full { .. } => table::STORE_FULL,
        StoreError::ConversationFull { .. } => table::CONVERSATION_FULL,
        StoreError::EmptyBatch => table::INTERNAL,
        StoreError::Busy => table::STORE_BUSY,
        StoreError::Superseded => table::STORE_BUSY,
        StoreError::Closed => table::SHUTTING_DOWN,
        StoreError::NoSpace { .. } => table::STORE_NO_SPACE,
        StoreError::Doubtful => table::STORE_DOUBTFUL,
        StoreError::Lost { .. } | StoreError::Failed { .. } => table::STORE_FAILED,
    }
}

fn direct_line(error: &DirectLineError) -> ErrorResponse {
    match error {
        DirectLineError::Token(TokenError::Expired) => table::TOKEN_EXPIRED.into(),
        DirectLineError::Token(TokenError::Invalid(_) | TokenError::WrongKind)
        | DirectLineError::SecretRequired
        | DirectLineError::TokenRequired
        | DirectLineError::ForeignConversation
        | DirectLineError::ForeignOrigin => table::BAD_TOKEN.into(),
        DirectLineError::Token(TokenError::Sign(_)) => table::INTERNAL.into(),
        DirectLineError::UnknownConversation => table::UNKNOWN_CONVERSATION.into(),
        DirectLineError::Activity(error) => activity(error),
        DirectLineError::UserId { pointer, .. } => wrong_member(pointer),
        DirectLineError::NoSender => wrong_member("/from/id"),
        DirectLineError::NoDlId => table::INVALID_USER.into(),
        DirectLineError::HubFull(_) => table::TOO_MANY_SOCKETS.into(),
        DirectLineError::Store(error) => store(error).into(),
    }
}

fn activity(error: &ActivityError) -> ErrorResponse {
    match error {
        ActivityError::NotJson(_) => table::NOT_JSON.into(),
        ActivityError::NotAnObject => wrong_member(""),
        ActivityError::NoType => wrong_member("/type"),
        ActivityError::Member { pointer, .. } => wrong_member(pointer),
    }
}

fn connector(error: &ConnectorError) -> ErrorResponse {
    match error {
        ConnectorError::UnknownConversation => table::UNKNOWN_CONVERSATION.into(),
        ConnectorError::UnknownMember => table::UNKNOWN_MEMBER.into(),
        ConnectorError::Activity(error) => activity(error),
        ConnectorError::Manifest(_) => wrong_member("/channelData/citewire"),
        ConnectorError::Parameters { pointer, .. } => wrong_member(pointer),
        ConnectorError::Unsupported => table::UNSUPPORTED_BY_CHANNEL.into(),
        ConnectorError::SecretRequired => table::SECRET_REQUIRED.into(),
        ConnectorError::Store(error) => store(error).into(),
    }
}

fn messages(error: &MessagesError) -> ErrorResponse {
    match error {
        MessagesError::NotSet => table::NO_BOT_HERE.into(),
        MessagesError::MediaType => table::UNSUPPORTED_MEDIA_TYPE.into(),
        MessagesError::Inbound(InboundError::NotJson(_)) => table::NOT_JSON.into(),
        MessagesError::Inbound(InboundError::NotAnObject) => wrong_member(""),
        MessagesError::Inbound(InboundError::NoType) => wrong_member("/type"),
        MessagesError::Inbound(InboundError::NoConversation) => wrong_member("/conversation/id"),
        MessagesError::Receive(error) => receive(error),
    }
}

fn receive(error: &ReceiveError) -> ErrorResponse {
    match error {
        ReceiveError::Unauthorized(kind) => match kind {
            UnauthorizedKind::Unauthenticated => table::NO_GOOD_TOKEN.into(),
            UnauthorizedKind::Forbidden => table::FORBIDDEN.into(),
            UnauthorizedKind::Unavailable => table::NO_KEYS.into(),
        },
        ReceiveError::UntrustedServiceUrl => wrong_member("/serviceUrl"),
        ReceiveError::UnknownInvoke => table::UNKNOWN_INVOKE.into(),
        ReceiveError::Full => table::QUEUE_FULL.into(),
        ReceiveError::Ending => table::SHUTTING_DOWN.into(),
        ReceiveError::Store(error) => store(error).into(),
    }
}

fn elsewhere(error: &PostError) -> ProblemType {
    match error {
        PostError::TooLong { .. } => table::TOO_LONG_FOR_DIRECT_LINE,
        PostError::ChannelData => table::INTERNAL,
        PostError::Conversation(_) => table::UNKNOWN_CONVERSATION,
        PostError::Failed { cause, .. } => match cause {
            CallError::Refused { .. } => table::DIRECT_LINE_REFUSED,
            CallError::Misunderstood { .. } => table::DIRECT_LINE_MISUNDERSTOOD,
            CallError::NoAnswer { cause, .. } if cause.is_timeout() => table::DIRECT_LINE_TIMEOUT,
            CallError::NoAnswer { .. } => table::DIRECT_LINE_UNREACHABLE,
        },
    }
}

fn later(error: &ProactiveError) -> ProblemType {
    match error {
        ProactiveError::NoBot => table::NO_AZURE_BOT,
        ProactiveError::Gone => table::UNKNOWN_CONVERSATION,
        ProactiveError::NoServiceUrl => table::NO_SERVICE_URL,
        ProactiveError::Untrusted(_) => table::SERVICE_URL_UNTRUSTED,
        ProactiveError::Reference(_) | ProactiveError::Conversation(_) => table::UNREADABLE_REFERENCE,
        ProactiveError::Nothing => table::EMPTY_ANSWER,
        ProactiveError::Refused(refusal) => refused(refusal),
        ProactiveError::Busy => table::CONVERSATION_BUSY,
        ProactiveError::Ending => table::SHUTTING_DOWN,
        ProactiveError::Store(error) => store(error),
    }
}

/// The problem of a message that the service of a conversation has refused.
fn refused(refusal: &Refusal) -> ProblemType {
    let problem = match &refusal.cause {
        RefusalCause::Untrusted(_) => table::SERVICE_URL_UNTRUSTED,
        RefusalCause::NoToken(_) => table::CONNECTOR_NO_TOKEN,
        RefusalCause::NoAnswer { error, .. } if error.is_timeout() => table::CONNECTOR_TIMEOUT,
        RefusalCause::Answered { .. }
        | RefusalCause::NoAnswer { .. }
        | RefusalCause::Id { .. }
        | RefusalCause::HandedOver
        | RefusalCause::Unnoted(_)
        | RefusalCause::Gone => refused_as(refusal.kind),
    };
    match refusal.retry_after {
        Some(wait) => problem.after(whole_seconds(wait)),
        None => problem,
    }
}

fn refused_as(kind: RefusalKind) -> ProblemType {
    match kind {
        RefusalKind::Throttled => table::CONNECTOR_BUSY,
        RefusalKind::TooLarge => table::TOO_LONG_FOR_CHANNEL,
        RefusalKind::Unavailable => table::CONNECTOR_UNAVAILABLE,
        // A client that goes by the code must not send it again: readers may have it.
        RefusalKind::Lost => table::CONNECTOR_DOUBTFUL,
        RefusalKind::OutOfOrder
        | RefusalKind::NoStreams
        | RefusalKind::TimeOver
        | RefusalKind::Cancelled
        | RefusalKind::Completed
        | RefusalKind::Changed
        | RefusalKind::Malformed
        | RefusalKind::Faulty
        | RefusalKind::Unsupported
        | RefusalKind::Denied => table::CONNECTOR_REFUSED,
    }
}
