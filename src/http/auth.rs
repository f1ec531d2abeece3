//! Authentication of requests.
//!
//! Every route needs a credential unless it is named in [`OPEN`]. What a handler learns of the caller, it
//! gets from here, after the check.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::AUTHORIZATION;
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, web};

use super::address::origin;
use super::admission::{ApiKey, Scope};
use super::audit::KeyName;
use super::documents::{self, DownloadReader};
use super::error::AuthError;
use super::paths::{
    BOT_FRAMEWORK, DIRECT_LINE, DOWNLOAD, MCP, METRICS, OPEN, OPENAI, PAGE_ANSWERS, PAGE_PREVIEWS, PASSAGE,
};
use super::query::Query;
use super::ticket::ConnectorTicket;
use super::{ApiError, State, body, metrics};
use crate::activity::ConversationId;
use crate::channels::direct_line::{Caller, Claims, DirectLineError};

/// The credential that a route requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No credential, or one that the handler checks itself: the routes of [`OPEN`].
    Open,
    /// A key with this scope.
    Key(Scope),
    /// The Direct Line secret or a Direct Line token.
    DirectLine,
    /// A token of the page.
    Page,
    /// A key with the scope `answer` or a Direct Line token; or none, where the handler judges the address.
    Download,
    /// The secret of the bot, or a ticket for the conversation.
    Bot,
    /// A key with the scope `metrics`; or none, from this machine, where no other machine reaches the server.
    Metrics,
}

/// The claims of a page token.
#[derive(Clone, Debug)]
pub(crate) struct PageCaller(pub(crate) Claims);

impl Access {
    /// The credential that the route with this pattern asks for.
    #[must_use]
    pub fn of(pattern: &str) -> Self {
        if OPEN.contains(&pattern) {
            Self::Open
        } else if pattern.starts_with(DIRECT_LINE) {
            Self::DirectLine
        } else if pattern.starts_with(BOT_FRAMEWORK) {
            Self::Bot
        } else if [PAGE_ANSWERS, PAGE_PREVIEWS].contains(&pattern) {
            Self::Page
        } else if pattern == DOWNLOAD || pattern == PASSAGE {
            Self::Download
        } else if pattern == METRICS {
            Self::Metrics
        } else {
            Self::Key(scope(pattern))
        }
    }
}

/// The part of the API to which a route belongs. A route without an entry needs the widest scope.
fn scope(pattern: &str) -> Scope {
    const CONVERT: [&str; 7] = [
        "/v1/activities",
        "/v1/records",
        "/v1/support",
        "/v1/open-webui",
        "/v1/assistanthub",
        "/v1/prompt",
        "/v1/check",
    ];
    let is_answer = OPENAI.iter().any(|prefix| pattern.starts_with(prefix))
        || pattern == MCP
        || pattern.ends_with("/answers")
        || pattern.ends_with("/tokens");
    if CONVERT.contains(&pattern) {
        Scope::Convert
    } else if is_answer {
        Scope::Answer
    } else if pattern.starts_with("/v1/conversations") || pattern.starts_with("/v1/users") {
        Scope::Conversations
    } else {
        Scope::Admin
    }
}

/// Passes a request to its handler, with the caller that the credential shows, or refuses it.
pub(crate) async fn authenticate(
    access: Access,
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    match check(access, &request) {
        Ok(()) => next.call(request).await.map(ServiceResponse::map_into_left_body),
        Err(fault) => {
            body::discard(request.take_payload()).await;
            Ok(request.error_response(fault).map_into_right_body())
        }
    }
}

fn check(access: Access, request: &ServiceRequest) -> Result<(), ApiError> {
    if access == Access::Open {
        return Ok(());
    }
    let state = request.app_data::<web::Data<State>>().expect("the server registers its state");
    if access == Access::Bot {
        return check_bot(request, state);
    }
    let bearer = match bearer(request) {
        Err(AuthError::Missing)
            if access == Access::Download && documents::is_signed(&Query::of(request.request())) =>
        {
            request.extensions_mut().insert(DownloadReader::Unknown);
            return Ok(());
        }
        Err(AuthError::Missing) if access == Access::Metrics && metrics::is_open_to(state, request) => return Ok(()),
        bearer => bearer?,
    };
    match access {
        // Both are dealt with above.
        Access::Open | Access::Bot => {}
        Access::Download => {
            let reader = match state.options.key(bearer) {
                Some(key) => {
                    let_in(request, key, Scope::Answer)?;
                    DownloadReader::Trusted
                }
                None => DownloadReader::Of(token(state, request, bearer)?.conv),
            };
            request.extensions_mut().insert(reader);
        }
        Access::Key(scope) => {
            let_in(request, state.options.key(bearer).ok_or(AuthError::WrongKey)?, scope)?;
        }
        Access::Metrics => {
            let_in(request, state.options.key(bearer).ok_or(AuthError::WrongKey)?, Scope::Metrics)?;
        }
        Access::DirectLine => {
            let caller = match state.owner_of_secret(bearer) {
                Some(owner) => Caller::Secret(owner),
                None => Caller::Token(token(state, request, bearer)?),
            };
            request.extensions_mut().insert(caller);
        }
        Access::Page => {
            let claims = state.direct_line.authenticate_page(bearer).map_err(DirectLineError::from)?;
            request.extensions_mut().insert(PageCaller(claims));
        }
    }
    Ok(())
}

/// The claims of a token of Direct Line, where pages of the calling site may use it.
fn token(state: &State, request: &ServiceRequest, bearer: &str) -> Result<Claims, DirectLineError> {
    let claims = state.direct_line.authenticate(bearer)?;
    if claims.is_good_from(origin(request.request())) { Ok(claims) } else { Err(DirectLineError::ForeignOrigin) }
}

/// Notes which key a caller has, and whether it opens this part of the API.
fn let_in(request: &ServiceRequest, key: &ApiKey, scope: Scope) -> Result<(), AuthError> {
    request.extensions_mut().insert(KeyName(key.name.clone()));
    if key.opens(scope) { Ok(()) } else { Err(AuthError::LacksScope(scope)) }
}

/// A bot shows its secret, or its `serviceUrl` shows a ticket; then it may show credentials for other channels as well,
/// which are nobody's business here.
fn check_bot(request: &ServiceRequest, state: &State) -> Result<(), ApiError> {
    let bearer = bearer(request);
    let extensions = request.extensions();
    let ticket = extensions.get::<ConnectorTicket>().map(|ticket| ticket.0.clone());
    drop(extensions);
    let id = conversation_of(request);
    let bot = state.bot.as_ref();
    let caller = bot.and_then(|bot| bot.authenticate(bearer.ok(), ticket.as_deref(), id.as_ref()));
    match (caller, bearer) {
        (Some(caller), _) => {
            request.extensions_mut().insert(caller);
            Ok(())
        }
        (None, Err(error)) if ticket.is_none() => Err(error.into()),
        (None, _) => Err(AuthError::NotTheBot.into()),
    }
}

/// The conversation in the path.
fn conversation_of(request: &ServiceRequest) -> Option<ConversationId> {
    request.match_info().get("id")?.parse().ok()
}

/// The credential of `Authorization: Bearer …` (RFC 6750, section 2.1; the scheme is matched without case).
fn bearer(request: &ServiceRequest) -> Result<&str, AuthError> {
    let header = request.headers().get(AUTHORIZATION).ok_or(AuthError::Missing)?;
    let (scheme, credential) =
        header.to_str().ok().and_then(|text| text.split_once(' ')).ok_or(AuthError::Malformed)?;
    let credential = credential.trim();
    if !scheme.eq_ignore_ascii_case("bearer") || credential.is_empty() {
        return Err(AuthError::Malformed);
    }
    Ok(credential)
}
