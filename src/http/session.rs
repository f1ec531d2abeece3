//! `POST /page/session`: starts a conversation for the page and returns its token.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

use super::convert::json;
use super::error::SessionError;
use super::{ApiError, HttpOptions, PublicUrl, State, address};
use crate::activity::ConversationId;
use crate::channels::direct_line::Owner;

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
    responses(
        (status = 200, description = "The token of a new conversation", body = PageSession),
        (status = 403, description = "The request does not come from the page of this server"),
        (status = 429, description = "Too many sessions from this IP address; retry after `Retry-After`"),
    )
)]
pub(crate) async fn start_session(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    if !is_same_origin(&state.options, &request) {
        return Err(SessionError.into());
    }
    state.limits.session(state.options.trusted_proxies.client(&request))?;
    let (grant, user) = state.direct_line.start_page().await?;
    let session = PageSession {
        token: &grant.token,
        conversation_id: &grant.conversation_id,
        user_id: &user,
        expires_in: grant.expires_in,
        answered: state.bot.is_some() || state.assistants.answering(&Owner::CHANNEL).is_some(),
        takes_files: state.bot.is_some(),
        takes_answers: state.options.page_answers,
    };
    let mut builder = HttpResponse::Ok();
    builder.insert_header(("cache-control", "no-store"));
    json(builder, &session)
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
