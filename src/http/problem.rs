//! Every fault becomes a status and words here, and nowhere else.
//!
//! One map, three renderers: RFC 9457 (`application/problem+json`) for citewire's own routes, the Bot Framework's
//! `{"error":{"code","message"}}` for the routes of Direct Line and of the Connector, and OpenAI's
//! `{"error":{"message","type","code","param"}}` for the routes that its clients call.

use std::time::{Duration, Instant};

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, web};
use serde::Serialize;

use super::auth::AuthError;
use super::body::{BodyError, Held};
use super::check::CheckError;
use super::completions::CompletionError;
use super::documents::DocumentError;
use super::embed::EmbedError;
use super::envelope::EnvelopeError;
use super::messages::MessagesError;
use super::routes::{BOT_FRAMEWORK, DIRECT_LINE, MESSAGES, OPENAI, Reached};
use super::token_parameters::ParametersError;
use super::upload::UploadError;
use super::{Fault, HttpOptions, State, audit, door, ticket};
use crate::channels::DeliveryError;
use crate::channels::azure_bot::auth::UnauthorizedKind;
use crate::channels::azure_bot::{InboundError, LaterError, ReceiveError, Refusal, RefusalCause, RefusalKind};
use crate::channels::direct_line::bot::ConnectorError;
use crate::channels::direct_line::{ActivityError, DirectLineError, TokenError};
use crate::channels::direct_line_client::{CallError, PostError, SERVER_NAME};
use crate::convert::ConvertError;
use crate::document::DownloadError;
use crate::ingest::{EventPlace, IngestError};
use crate::store::StoreError;
use crate::upstream::UpstreamError;

/// What is said to who has no good credential.
const UNAUTHENTICATED: &str = "Bearer";

/// What is said to the bearer of a token that is good for something else (RFC 6750, section 3.1).
const INSUFFICIENT: &str = "Bearer error=\"insufficient_scope\"";

/// The name under which a request is found in the log, and which a 500 tells the client.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What is said of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) status: StatusCode,
    /// For programs, on citewire's own routes.
    code: &'static str,
    /// For programs, on the routes of Direct Line.
    bot_code: &'static str,
    title: &'static str,
    /// JSON pointer of the fault in the body of the request.
    pointer: Option<String>,
    /// The event at fault, where the body is a stream.
    place: Option<EventPlace>,
    /// In seconds.
    retry_after: Option<u32>,
    /// What credential is wanted: the header `WWW-Authenticate`.
    challenge: Option<&'static str>,
}

impl Verdict {
    const fn new(status: StatusCode, code: &'static str, bot_code: &'static str, title: &'static str) -> Self {
        Self { status, code, bot_code, title, pointer: None, place: None, retry_after: None, challenge: None }
    }

    /// The credential is missing or not good.
    fn unauthorized(code: &'static str, title: &'static str) -> Self {
        let verdict = Self::new(StatusCode::UNAUTHORIZED, code, "Unauthorized", title);
        Self { challenge: Some(UNAUTHENTICATED), ..verdict }
    }

    fn at(self, pointer: impl Into<String>) -> Self {
        Self { pointer: Some(pointer.into()), ..self }
    }
}

/// When the keys of Azure cannot be had, a sender may come again after so many seconds.
const NO_KEYS_RETRY_SECONDS: u32 = 5;

/// The same when too much waits.
const FULL_RETRY_SECONDS: u32 = 2;

const BAD: StatusCode = StatusCode::BAD_REQUEST;

/// What is said of this fault.
pub(crate) fn verdict(fault: &Fault) -> Verdict {
    match fault {
        Fault::Auth(error) => auth(*error),
        Fault::Body(error) => body(error),
        Fault::Envelope(error) => envelope(error),
        Fault::Convert { source, at } => convert(source, at),
        Fault::Completion(error) => completion(error),
        Fault::Check(CheckError::NotJson(_)) => not_json(),
        Fault::Check(CheckError::Channel(_)) => unknown_channel(),
        Fault::Check(CheckError::Member { pointer, .. }) => wrong_member(pointer),
        Fault::Document(error) => document(*error),
        Fault::Delivery(DeliveryError::UnknownConversation) => unknown_conversation(),
        Fault::Delivery(DeliveryError::NoMessage) => internal(),
        Fault::Delivery(DeliveryError::Elsewhere(error)) => elsewhere(error),
        Fault::Delivery(DeliveryError::Later(error)) => later(error),
        Fault::Delivery(DeliveryError::Store(error)) | Fault::Store(error) => store(error),
        Fault::DirectLine(error) => direct_line(error),
        Fault::Connector(error) => connector(error),
        Fault::Messages(error) => messages(error),
        Fault::Parameters(ParametersError::NotJson(_)) => not_json(),
        Fault::Parameters(ParametersError::Member { pointer, .. }) => wrong_member(pointer),
        Fault::Upload(UploadError::Template(error)) => activity(error),
        Fault::Upload(UploadError::Parts(_) | UploadError::TooManyParts | UploadError::Empty) => {
            Verdict::new(BAD, "invalid_upload", "BadArgument", "The upload cannot be read")
        }
        Fault::Watermark(_) => Verdict::new(BAD, "invalid_watermark", "BadArgument", "The watermark cannot be read"),
        Fault::Parameter(_) => {
            Verdict::new(BAD, "invalid_parameter", "BadArgument", "A parameter of the URL cannot be read")
        }
        Fault::Session(_) => {
            Verdict::new(StatusCode::FORBIDDEN, "wrong_origin", "BadArgument", "The page is somewhere else")
        }
        Fault::Embed(error) => embed(error),
        Fault::Host(_) => Verdict::new(
            StatusCode::MISDIRECTED_REQUEST,
            "wrong_host",
            "BadArgument",
            "This server does not answer for that host",
        ),
        Fault::Limit(error) => Verdict {
            retry_after: Some(error.retry_after()),
            ..Verdict::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", "TooManyRequests", "Too many requests")
        },
        Fault::NoPageAnswers => {
            Verdict::new(StatusCode::FORBIDDEN, "no_page_answers", "Forbidden", "The page takes no answers")
        }
        Fault::NotAWebSocket => {
            Verdict::new(StatusCode::BAD_REQUEST, "not_a_websocket", "BadArgument", "An upgrade is needed")
        }
        Fault::NoWebChat => Verdict::new(StatusCode::NOT_FOUND, "no_web_chat", "NotFound", "Web Chat is not installed"),
        Fault::ShuttingDown => shutting_down(),
        Fault::UnknownRoute => {
            Verdict::new(StatusCode::NOT_FOUND, "unknown_route", "NotFound", "There is nothing here")
        }
        Fault::WrongMethod => Verdict::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "wrong_method",
            "MethodNotAllowed",
            "This method is not offered here",
        ),
        Fault::Cancelled(_) | Fault::Unwritable(_) => internal(),
    }
}

fn embed(error: &EmbedError) -> Verdict {
    let forbidden = |code, title| Verdict::new(StatusCode::FORBIDDEN, code, "Forbidden", title);
    match error {
        EmbedError::Off => {
            Verdict::new(StatusCode::NOT_FOUND, "embed_off", "NotFound", "Other pages cannot have the chat")
        }
        EmbedError::NotAnonymous => forbidden("embed_needs_token", "The chat needs a token"),
        EmbedError::ForeignOrigin(_) => forbidden("wrong_origin", "This page may not use the chat"),
        EmbedError::NotOffered(_) => forbidden("assistant_not_offered", "This assistant is not offered"),
    }
}

fn internal() -> Verdict {
    Verdict::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "ServiceError", "Something went wrong on our side")
}

fn shutting_down() -> Verdict {
    let title = "The server is shutting down";
    Verdict {
        retry_after: Some(5),
        ..Verdict::new(StatusCode::SERVICE_UNAVAILABLE, "shutting_down", "ServiceUnavailable", title)
    }
}

fn not_json() -> Verdict {
    Verdict::new(BAD, "not_json", "BadArgument", "The body is not JSON")
}

fn wrong_member(pointer: &str) -> Verdict {
    Verdict::new(BAD, "invalid_member", "BadArgument", "A member of the body is missing or wrong").at(pointer)
}

fn unknown_channel() -> Verdict {
    Verdict::new(BAD, "unknown_channel", "BadArgument", "The channel is not known")
}

fn unknown_conversation() -> Verdict {
    Verdict::new(StatusCode::NOT_FOUND, "unknown_conversation", "NotFound", "There is no such conversation")
}

fn auth(error: AuthError) -> Verdict {
    let title = "A credential is needed";
    match error {
        AuthError::Missing => Verdict::unauthorized("unauthenticated", title),
        AuthError::Malformed => Verdict::unauthorized("malformed_credential", title),
        AuthError::NotTheBot => Verdict::unauthorized("not_the_bot", title),
        AuthError::WrongKey => Verdict::unauthorized("wrong_key", title),
        AuthError::LacksScope(_) => Verdict {
            challenge: Some(INSUFFICIENT),
            ..Verdict::new(StatusCode::FORBIDDEN, "lacks_scope", "Forbidden", "The key is for something else")
        },
    }
}

fn document(error: DocumentError) -> Verdict {
    let forbidden = |code, title| Verdict::new(StatusCode::FORBIDDEN, code, "Forbidden", title);
    match error {
        DocumentError::Unknown => {
            Verdict::new(StatusCode::NOT_FOUND, "unknown_document", "NotFound", "There is no such document")
        }
        DocumentError::NotPublic => forbidden("document_not_public", "The document is not public"),
        DocumentError::Address(DownloadError::Expired) => forbidden("address_expired", "The address has expired"),
        DocumentError::Address(DownloadError::Forged) => forbidden("address_forged", "The address is not good"),
    }
}

fn body(error: &BodyError) -> Verdict {
    match error {
        BodyError::TooLong { .. } => {
            Verdict::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_long", "MessageSizeTooBig", "The body is too long")
        }
        BodyError::TooSlow { .. } => Verdict::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_too_slow",
            "RequestTimeout",
            "The body did not arrive in time",
        ),
        BodyError::Broken(_) => Verdict::new(BAD, "broken_body", "BadArgument", "The body could not be read"),
    }
}

fn envelope(error: &EnvelopeError) -> Verdict {
    match error {
        EnvelopeError::Provider(_) => Verdict::new(BAD, "unknown_format", "BadArgument", "The format is not known"),
        EnvelopeError::Channel(_) => unknown_channel(),
        EnvelopeError::Events(_) => {
            Verdict::new(BAD, "unknown_events", "BadArgument", "The form of events is not known")
        }
        EnvelopeError::UnknownMember { name, .. } => {
            wrong_member(&format!("/{}", name.replace('~', "~0").replace('/', "~1")))
        }
        EnvelopeError::Member { pointer, .. } => wrong_member(pointer),
    }
}

fn convert(error: &ConvertError, at: &str) -> Verdict {
    let ungrounded = StatusCode::UNPROCESSABLE_ENTITY;
    match error {
        ConvertError::Ingest(error) => {
            let pointer = error.pointer().map_or_else(|| at.to_owned(), |pointer| format!("{at}{pointer}"));
            let place = error.place();
            if let IngestError::EventTooLong { .. } = error {
                let (status, title) = (StatusCode::PAYLOAD_TOO_LARGE, "An event of the stream is too long");
                return Verdict { place, ..Verdict::new(status, "event_too_long", "MessageSizeTooBig", title).at(at) };
            }
            let title = "The answer is not what its format promises";
            // A pointer leads into the body, and a stream is no JSON: there, the place says which event it begins at.
            let pointer = if place.is_some() { at.to_owned() } else { pointer };
            Verdict { place, ..Verdict::new(BAD, "invalid_answer", "BadArgument", title).at(pointer) }
        }
        ConvertError::GroundingNoTools => {
            Verdict::new(ungrounded, "grounding_no_tools", "BadArgument", "The answer is not grounded")
        }
        ConvertError::GroundingNoCitations => {
            Verdict::new(ungrounded, "grounding_no_citations", "BadArgument", "The answer is not grounded")
        }
    }
}

fn completion(error: &CompletionError) -> Verdict {
    let gateway = StatusCode::BAD_GATEWAY;
    let (status, title) = match error {
        CompletionError::NotJson(_) => (BAD, "The body is not JSON"),
        CompletionError::Member { .. } | CompletionError::NoQuestion | CompletionError::Form(_) => {
            (BAD, "A member of the body is missing or wrong")
        }
        CompletionError::UnknownModel { .. } => (StatusCode::NOT_FOUND, "There is no such model"),
        CompletionError::Upstream(error) => (upstream(error), "The back end did not answer"),
        CompletionError::Unusable(_) => (gateway, "The back end gave no usable answer"),
        CompletionError::Reported | CompletionError::BrokenOff => (gateway, "The back end failed"),
        CompletionError::ShuttingDown => return shutting_down(),
    };
    let retry_after = match error {
        CompletionError::Upstream(UpstreamError::Status { retry_after, .. }) => {
            retry_after.map(|wait| u32::try_from(wait.as_secs().max(1)).unwrap_or(u32::MAX))
        }
        CompletionError::Upstream(UpstreamError::NoTurn { .. }) => Some(FULL_RETRY_SECONDS),
        CompletionError::NotJson(_)
        | CompletionError::Member { .. }
        | CompletionError::NoQuestion
        | CompletionError::Form(_)
        | CompletionError::UnknownModel { .. }
        | CompletionError::Upstream(_)
        | CompletionError::Unusable(_)
        | CompletionError::Reported
        | CompletionError::BrokenOff
        | CompletionError::ShuttingDown => None,
    };
    Verdict { retry_after, ..Verdict::new(status, error.code(), "ServiceError", title) }
}

fn upstream(error: &UpstreamError) -> StatusCode {
    match error {
        UpstreamError::Egress(error) if error.is_timeout() => StatusCode::GATEWAY_TIMEOUT,
        UpstreamError::Stalled { .. } => StatusCode::GATEWAY_TIMEOUT,
        UpstreamError::Status { status: 429, .. } | UpstreamError::NoTurn { .. } => StatusCode::TOO_MANY_REQUESTS,
        UpstreamError::Egress(_)
        | UpstreamError::Status { .. }
        | UpstreamError::ContentType { .. }
        | UpstreamError::TooLong { .. }
        | UpstreamError::Search(_) => StatusCode::BAD_GATEWAY,
    }
}

fn store(error: &StoreError) -> Verdict {
    match error {
        StoreError::Full { .. } => Verdict {
            retry_after: Some(60),
            ..Verdict::new(StatusCode::TOO_MANY_REQUESTS, "store_full", "TooManyRequests", "The store is full")
        },
        StoreError::ConversationFull { .. } => Verdict::new(
            StatusCode::TOO_MANY_REQUESTS,
            "conversation_full",
            "TooManyRequests",
            "The conversation is full",
        ),
        StoreError::EmptyBatch => internal(),
        StoreError::Busy => Verdict {
            retry_after: Some(1),
            ..Verdict::new(StatusCode::TOO_MANY_REQUESTS, "store_busy", "TooManyRequests", "The store is busy")
        },
        StoreError::Closed => shutting_down(),
        StoreError::NoSpace { .. } => Verdict {
            retry_after: Some(60),
            ..Verdict::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "store_no_space",
                "ServiceUnavailable",
                "The store has no room on its disk",
            )
        },
        StoreError::Failed { .. } => Verdict {
            retry_after: Some(10),
            ..Verdict::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "store_failed",
                "ServiceUnavailable",
                "The store cannot do this at present",
            )
        },
    }
}

fn direct_line(error: &DirectLineError) -> Verdict {
    let forbidden = StatusCode::FORBIDDEN;
    match error {
        DirectLineError::Token(TokenError::Expired) => {
            Verdict::new(forbidden, "token_expired", "TokenExpired", "The token has expired")
        }
        DirectLineError::Token(TokenError::Invalid(_) | TokenError::WrongKind)
        | DirectLineError::SecretRequired
        | DirectLineError::TokenRequired
        | DirectLineError::ForeignConversation
        | DirectLineError::ForeignOrigin => {
            Verdict::new(forbidden, "bad_token", "BadToken", "The token is not good for this")
        }
        DirectLineError::Token(TokenError::Sign(_)) => internal(),
        DirectLineError::UnknownConversation => unknown_conversation(),
        DirectLineError::Activity(error) => activity(error),
        DirectLineError::UserId { pointer, .. } => wrong_member(pointer),
        DirectLineError::NoSender => wrong_member("/from/id"),
        DirectLineError::NoDlId => {
            Verdict::new(BAD, "invalid_user", "BadArgument", "The id of the user cannot be used")
        }
        DirectLineError::HubFull(_) => Verdict {
            retry_after: Some(10),
            ..Verdict::new(StatusCode::TOO_MANY_REQUESTS, "too_many_sockets", "TooManyRequests", "Too many sockets")
        },
        DirectLineError::Store(error) => store(error),
    }
}

fn activity(error: &ActivityError) -> Verdict {
    match error {
        ActivityError::NotJson(_) => not_json(),
        ActivityError::NotAnObject => wrong_member(""),
        ActivityError::NoType => wrong_member("/type"),
        ActivityError::Member { pointer, .. } => wrong_member(pointer),
    }
}

fn connector(error: &ConnectorError) -> Verdict {
    match error {
        ConnectorError::UnknownConversation => unknown_conversation(),
        ConnectorError::UnknownMember => {
            Verdict::new(StatusCode::NOT_FOUND, "unknown_member", "NotFound", "There is no such member")
        }
        ConnectorError::Activity(error) => activity(error),
        ConnectorError::Manifest(_) => wrong_member("/channelData/citewire"),
        ConnectorError::Parameters { pointer, .. } => wrong_member(pointer),
        ConnectorError::Unsupported => Verdict::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "unsupported_by_channel",
            "MethodNotAllowed",
            "The channel does not offer this",
        ),
        ConnectorError::SecretRequired => {
            Verdict::new(StatusCode::FORBIDDEN, "secret_required", "Forbidden", "This needs the secret of the bot")
        }
        ConnectorError::Store(error) => store(error),
    }
}

fn messages(error: &MessagesError) -> Verdict {
    match error {
        MessagesError::NotSet => {
            Verdict::new(StatusCode::NOT_FOUND, "no_azure_bot", "NotFound", "There is no bot of Azure here")
        }
        MessagesError::MediaType => Verdict::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "UnsupportedMediaType",
            "The body is not JSON by its media type",
        ),
        MessagesError::Inbound(InboundError::NotJson(_)) => not_json(),
        MessagesError::Inbound(InboundError::NotAnObject) => wrong_member(""),
        MessagesError::Inbound(InboundError::NoType) => wrong_member("/type"),
        MessagesError::Inbound(InboundError::NoConversation) => wrong_member("/conversation/id"),
        MessagesError::Receive(error) => receive(error),
    }
}

fn receive(error: &ReceiveError) -> Verdict {
    let unavailable = |code, title, seconds| Verdict {
        retry_after: Some(seconds),
        ..Verdict::new(StatusCode::SERVICE_UNAVAILABLE, code, "ServiceUnavailable", title)
    };
    match error {
        ReceiveError::Unauthorized(kind) => match kind {
            UnauthorizedKind::Unauthenticated => Verdict::unauthorized("unauthenticated", "A good token is needed"),
            UnauthorizedKind::Forbidden => Verdict {
                challenge: Some(INSUFFICIENT),
                ..Verdict::new(StatusCode::FORBIDDEN, "forbidden", "Forbidden", "The caller may not do this")
            },
            UnauthorizedKind::Unavailable => {
                unavailable("no_keys", "No token can be checked at the moment", NO_KEYS_RETRY_SECONDS)
            }
        },
        ReceiveError::UntrustedServiceUrl => wrong_member("/serviceUrl"),
        ReceiveError::UnknownInvoke => Verdict::new(
            StatusCode::NOT_IMPLEMENTED,
            "unknown_invoke",
            "NotImplemented",
            "Nobody knows an invoke of this name",
        ),
        ReceiveError::Full => unavailable("queue_full", "Too much waits already", FULL_RETRY_SECONDS),
        ReceiveError::Ending => shutting_down(),
        ReceiveError::Store(error) => store(error),
    }
}

fn elsewhere(error: &PostError) -> Verdict {
    let gateway = StatusCode::BAD_GATEWAY;
    let unreachable = "The other Direct Line cannot be reached";
    match error {
        PostError::TooLong { .. } => Verdict::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "activity_too_long",
            "MessageSizeTooBig",
            "The message is longer than a Direct Line takes",
        ),
        PostError::ChannelData => internal(),
        PostError::Conversation(_) => unknown_conversation(),
        PostError::Failed { cause, .. } => match cause {
            CallError::Refused { .. } => {
                Verdict::new(gateway, "direct_line_refused", "ServiceError", "The other Direct Line has refused")
            }
            CallError::Misunderstood { .. } => Verdict::new(
                gateway,
                "direct_line_misunderstood",
                "ServiceError",
                "The other Direct Line answered in an unknown way",
            ),
            CallError::NoAnswer { cause, .. } if cause.is_timeout() => {
                Verdict::new(StatusCode::GATEWAY_TIMEOUT, "direct_line_timeout", "ServiceError", unreachable)
            }
            CallError::NoAnswer { .. } => Verdict::new(gateway, "direct_line_unreachable", "ServiceError", unreachable),
        },
    }
}

fn later(error: &LaterError) -> Verdict {
    let conflict = |code, title| Verdict::new(StatusCode::CONFLICT, code, "BadArgument", title);
    match error {
        LaterError::NoBot => conflict("no_azure_bot", "There is no bot behind Azure Bot Service"),
        LaterError::Gone => unknown_conversation(),
        LaterError::NoServiceUrl => conflict("no_service_url", "The conversation cannot be called"),
        LaterError::Untrusted(_) => untrusted(),
        LaterError::Reference(_) | LaterError::Conversation(_) => {
            conflict("unreadable_reference", "Where the conversation is cannot be read")
        }
        LaterError::Nothing => Verdict::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "empty_answer",
            "BadArgument",
            "The answer says nothing, and the channel takes no such message",
        ),
        LaterError::Refused(refusal) => refused(refusal),
        LaterError::Store(error) => store(error),
    }
}

fn untrusted() -> Verdict {
    let title = "The service of the conversation is not trusted";
    Verdict::new(StatusCode::CONFLICT, "service_url_untrusted", "BadArgument", title)
}

/// What the service of a conversation has refused.
fn refused(refusal: &Refusal) -> Verdict {
    let verdict = match &refusal.cause {
        RefusalCause::Untrusted(_) => untrusted(),
        RefusalCause::NoToken(_) => Verdict::new(
            StatusCode::BAD_GATEWAY,
            "connector_no_token",
            "ServiceError",
            "The login service gives no token for the Connector",
        ),
        RefusalCause::NoAnswer { error, .. } if error.is_timeout() => Verdict::new(
            StatusCode::GATEWAY_TIMEOUT,
            "connector_timeout",
            "ServiceError",
            "The Connector did not answer in time",
        ),
        RefusalCause::Answered { .. }
        | RefusalCause::NoAnswer { .. }
        | RefusalCause::Id { .. }
        | RefusalCause::HandedOver
        | RefusalCause::Gone => refused_as(refusal.kind),
    };
    let seconds = |wait: Duration| u32::try_from(wait.as_secs().max(1)).unwrap_or(u32::MAX);
    Verdict { retry_after: refusal.retry_after.map(seconds).or(verdict.retry_after), ..verdict }
}

fn refused_as(kind: RefusalKind) -> Verdict {
    let gateway = |code, title| Verdict::new(StatusCode::BAD_GATEWAY, code, "ServiceError", title);
    match kind {
        RefusalKind::Throttled => Verdict {
            retry_after: Some(10),
            ..Verdict::new(
                StatusCode::TOO_MANY_REQUESTS,
                "connector_busy",
                "TooManyRequests",
                "The Connector wants to be left alone for a while",
            )
        },
        RefusalKind::TooLarge => Verdict::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "activity_too_long",
            "MessageSizeTooBig",
            "The message is longer than its channel takes",
        ),
        RefusalKind::Unavailable => gateway("connector_unavailable", "The Connector cannot be reached"),
        // Whoever goes by the code must not send it again: readers may have it.
        RefusalKind::Lost => gateway("connector_doubtful", "Nobody knows whether the Connector has taken the answer"),
        RefusalKind::OutOfOrder
        | RefusalKind::NoStreams
        | RefusalKind::TimeOver
        | RefusalKind::Cancelled
        | RefusalKind::Completed
        | RefusalKind::Changed
        | RefusalKind::Malformed
        | RefusalKind::Faulty
        | RefusalKind::Unsupported
        | RefusalKind::Denied => gateway("connector_refused", "The Connector has refused"),
    }
}

/// A problem as RFC 9457 has it. There is no `type`, which means `about:blank`: the code says more than a URL would.
#[derive(Serialize)]
struct Problem<'a> {
    title: &'a str,
    status: u16,
    code: &'a str,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

#[derive(Serialize)]
struct BotError<'a> {
    error: BotErrorBody<'a>,
}

#[derive(Serialize)]
struct BotErrorBody<'a> {
    code: &'a str,
    message: &'a str,
}

/// An error as clients of OpenAI read it.
#[derive(Serialize)]
struct OpenAiError<'a> {
    error: OpenAiErrorBody<'a>,
}

#[derive(Serialize)]
struct OpenAiErrorBody<'a> {
    message: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    code: &'a str,
    param: Option<&'a str>,
}

/// Who reads the errors of a route.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    Citewire,
    BotFramework,
    OpenAi,
}

impl Reader {
    fn of(path: &str) -> Self {
        if path.starts_with(BOT_FRAMEWORK) || path == MESSAGES {
            Self::BotFramework
        } else if OPENAI.iter().any(|prefix| path.starts_with(prefix)) {
            Self::OpenAi
        } else {
            Self::Citewire
        }
    }

    fn media_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Citewire => "application/problem+json",
            Self::BotFramework | Self::OpenAi => "application/json",
        })
    }
}

/// Gives every request a name, and every fault its body. All that is done for every route is done here: a layer of its own
/// would cost each request more than what it does.
pub(crate) async fn render(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let begun = Instant::now();
    ticket::take(&mut request);
    let held = Held::of(&mut request);
    let state = request.app_data::<web::Data<State>>().expect("the server registers its state");
    let id = state.ids.fresh().simple().to_string();
    let direct_line = request.path().starts_with(DIRECT_LINE);
    let reader = Reader::of(request.path());
    let mut response = match door::host::guard(&state.options, request.request()) {
        Ok(()) => next.call(request).await?.map_into_boxed_body(),
        Err(error) => request.error_response(Fault::from(error)),
    };
    let state = response.request().app_data::<web::Data<State>>().expect("the server registers its state").clone();
    let rendered = response.response().error().map(|error| {
        let is_failed = error.as_error::<Fault>().is_some_and(Fault::is_failed_credential);
        let client = || state.options.trusted_proxies.client(response.request());
        let limited = if is_failed { state.limits.failure(client()).err() } else { None };
        let limited = limited.map(|limit| Error::from(Fault::from(limit)));
        let error = limited.as_ref().unwrap_or(error);
        if let Some(Fault::Limit(error)) = error.as_error::<Fault>() {
            state.metrics.limited(error.limit);
        }
        let (verdict, detail) = judge(error, &id);
        let param = error.as_error::<Fault>().and_then(param);
        let body = write(&verdict, &detail, param, reader);
        (verdict, body)
    });
    match &rendered {
        Some((verdict, _)) => audit::refused(&state, response.request(), &id, verdict.status, verdict.code),
        None => audit::done(&state, response.request(), &id, response.status()),
    }
    let status = rendered.as_ref().map_or(response.status(), |(verdict, _)| verdict.status);
    let route = response.request().extensions().get::<Reached>().map(|Reached(pattern)| *pattern);
    state.metrics.request(response.request().method().as_str(), route, status.as_u16(), begun.elapsed());
    if let Some((verdict, body)) = rendered {
        *response.response_mut().status_mut() = verdict.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, reader.media_type());
        if let Some(seconds) = verdict.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(challenge) = verdict.challenge {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        response = response.map_body(|_, _| BoxBody::new(body));
    }
    if direct_line {
        // By this a client knows that the bearer of the secret may speak as a bot here.
        response.headers_mut().insert(header::SERVER, HeaderValue::from_static(SERVER_NAME));
    }
    protect(&state.options, response.headers_mut());
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    Ok(match held {
        Some(body) => body.until_sent(response),
        None => response,
    })
}

/// Headers that every answer has unless it has said otherwise: browsers do not guess what it is; JSON, which may carry a token
/// or what people said, is kept nowhere; and whoever was here by `https` comes by `https` again.
fn protect(options: &HttpOptions, headers: &mut HeaderMap) {
    let is_json = |value: &HeaderValue| value.to_str().is_ok_and(|text| text.starts_with("application/json"));
    let is_json = headers.get(header::CONTENT_TYPE).is_some_and(is_json);
    let mut set = |name, value| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    if is_json {
        set(header::CACHE_CONTROL, "no-store");
    }
    if options.public_url.as_ref().is_some_and(|url| url.as_str().starts_with("https:")) {
        set(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
}

fn judge(error: &Error, id: &str) -> (Verdict, String) {
    let (verdict, detail) = match error.as_error::<Fault>() {
        Some(fault) => (verdict(fault), fault.to_string()),
        None => foreign(error),
    };
    if verdict.status == StatusCode::INTERNAL_SERVER_ERROR {
        tracing::error!(request.id = id, error = %detail, "a request failed on our side");
        return (verdict, format!("The request was {id}."));
    }
    tracing::debug!(request.id = id, status = verdict.status.as_u16(), code = verdict.code, "a request was refused");
    (verdict, detail)
}

/// What the web framework itself refuses, before a handler of ours sees it.
fn foreign(error: &Error) -> (Verdict, String) {
    let status = error.as_response_error().status_code();
    let verdict = if status.is_client_error() {
        Verdict::new(status, "bad_request", "BadArgument", "The request cannot be understood")
    } else {
        internal()
    };
    (verdict, error.to_string())
}

/// The member of a question that is at fault, as clients of OpenAI name it.
fn param(fault: &Fault) -> Option<&str> {
    if let Fault::Completion(error) = fault { error.param() } else { None }
}

/// What clients of OpenAI call an error of this kind.
fn kind(status: StatusCode) -> &'static str {
    match status {
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_client_error() => "invalid_request_error",
        _ => "server_error",
    }
}

fn write(verdict: &Verdict, detail: &str, param: Option<&str>, reader: Reader) -> Vec<u8> {
    let Verdict { status, code, bot_code, title, pointer, place, .. } = verdict;
    let written = match reader {
        Reader::BotFramework => {
            serde_json::to_vec(&BotError { error: BotErrorBody { code: bot_code, message: detail } })
        }
        Reader::OpenAi => serde_json::to_vec(&OpenAiError {
            error: OpenAiErrorBody { message: detail, kind: kind(*status), code, param },
        }),
        Reader::Citewire => serde_json::to_vec(&Problem {
            title,
            status: status.as_u16(),
            code,
            detail,
            pointer: pointer.as_deref(),
            event: place.map(|place| place.event),
            line: place.map(|place| place.line),
        }),
    };
    written.expect("text and numbers can be written as JSON")
}
