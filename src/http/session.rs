//! `POST /page/session`: starts a conversation for the page and returns its token.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

use super::convert::json;
use super::embed::{title, wished_assistant};
use super::error::{EmbedError, SessionError};
use super::{ApiError, HttpOptions, PublicUrl, State, address, body};
use crate::activity::ConversationId;
use crate::channels::direct_line::Owner;
use crate::text::echo;

/// A request for a chat session of the page.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the shape: the member is read by hand, to name what is wrong with it")]
struct PageSessionRequest {
    /// The name of the assistant that answers; the assistant of the page when absent.
    assistant: Option<String>,
}

/// A chat session of the page.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageSession<'a> {
    /// A token for Direct Line and for `POST /page/answers`.
    token: &'a str,
    #[schema(value_type = String)]
    conversation_id: &'a ConversationId,
    user_id: &'a str,
    /// The lifetime of the token, in seconds.
    #[serde(rename = "expires_in")]
    expires_in: u32,
    /// The name of the assistant for readers. Null if its settings have none.
    title: Option<String>,
    /// Whether a bot or an assistant answers messages.
    answered: bool,
    /// Whether visitors can send files: true if a bot is connected.
    takes_files: bool,
    /// Whether the page may send answers to `POST /page/answers`.
    takes_answers: bool,
}

/// Start a conversation for the page.
#[utoipa::path(
    post, path = "/page/session", tag = "page", operation_id = "startPageSession",
    request_body(content = Option<PageSessionRequest>),
    responses(
        (status = 200, description = "The token of a new conversation", body = PageSession),
        (status = 400, description = "The request body is invalid"),
        (status = 403, description = "The request does not come from the page of this server, or the assistant is not `shared`"),
        (status = 413, description = "The request body is too large"),
        (status = 429, description = "Too many sessions from this IP address; retry after `Retry-After`"),
    )
)]
pub(crate) async fn start_session(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    if !is_same_origin(&state.options, &request) {
        return Err(SessionError.into());
    }
    state.limits.session(state.options.trusted_proxies.client(&request))?;
    let limit = state.direct_line.options().max_activity_bytes;
    let body = body::read(&request, payload, limit, state.options.body_timeout).await?;
    let owner = owner(&state, wished_assistant(&body)?)?;
    let (grant, user) = state.direct_line.start_page(&owner).await?;
    // The bot hears the conversations of the channel; in others their assistants answer.
    let has_bot = state.bot.is_some() && owner == Owner::CHANNEL;
    let session = PageSession {
        token: &grant.token,
        conversation_id: &grant.conversation_id,
        user_id: &user,
        expires_in: grant.expires_in,
        title: title(&state, &owner),
        answered: has_bot || state.assistants.answering(&owner).is_some(),
        takes_files: has_bot,
        takes_answers: state.options.page_answers,
    };
    let mut builder = HttpResponse::Ok();
    builder.insert_header(("cache-control", "no-store"));
    json(builder, &session)
}

/// The owner of the conversation: the channel, or an assistant that visitors may choose.
fn owner(state: &State, wished: Option<String>) -> Result<Owner, EmbedError> {
    let of_channel = state.assistants.answering(&Owner::CHANNEL).filter(|_| state.bot.is_none());
    let is_other = |name: &String| of_channel.is_none_or(|assistant| assistant.name() != name);
    let Some(name) = wished.filter(is_other) else { return Ok(Owner::CHANNEL) };
    state.assistants.shared(&name).ok_or_else(|| EmbedError::NotOffered(echo(&name).into_owned()))
}

/// Whether the request comes from a page of this very server. Browsers send at least one of the two headers with every
/// POST, and scripts cannot forge them.
fn is_same_origin(options: &HttpOptions, request: &HttpRequest) -> bool {
    let header = |name| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
    if header("sec-fetch-site").is_some_and(|site| site != "same-origin") {
        return false;
    }
    match header("origin") {
        Some(origin) => {
            let authority = origin.split_once("://").map(|(_, authority)| authority);
            let public = options.public_url.as_ref().map(PublicUrl::authority);
            authority.is_some()
                && (authority == address::client_host(options, request) || authority == public.as_deref())
        }
        None => header("sec-fetch-site").is_some(),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::secret::Secret;

    fn is_same(headers: &[(&'static str, &'static str)]) -> bool {
        let request = TestRequest::post().insert_header(("host", "localhost:3978"));
        let request = headers.iter().fold(request, |request, header| request.insert_header(*header));
        let secret = Secret::parse("sixteen-or-more-characters").expect("a secret");
        let mut options = HttpOptions::new("127.0.0.1:0".parse().expect("an address"), secret.clone(), secret);
        options.public_url = "https://bot.example/chat".parse().ok();
        is_same_origin(&options, &request.to_http_request())
    }

    #[test]
    fn the_page_itself_is_let_in() {
        assert!(is_same(&[("origin", "http://localhost:3978"), ("sec-fetch-site", "same-origin")]));
        assert!(is_same(&[("origin", "http://localhost:3978")]));
        assert!(is_same(&[("sec-fetch-site", "same-origin")]));
        assert!(is_same(&[("origin", "https://bot.example"), ("sec-fetch-site", "same-origin")]), "through a tunnel");
    }

    #[test]
    fn others_are_not() {
        assert!(!is_same(&[]));
        assert!(!is_same(&[("origin", "null")]));
        assert!(!is_same(&[("origin", "http://localhost:9999")]));
        assert!(!is_same(&[("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")]));
        assert!(!is_same(&[("origin", "http://localhost:3978"), ("sec-fetch-site", "same-site")]));
    }
}
