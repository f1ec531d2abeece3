//! The chat in other people's pages: its script, and sessions for visitors who do not sign in.

use std::str::FromStr;

use actix_web::http::header::{CACHE_CONTROL, HeaderName};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::Value;
use url::Url;
use utoipa::ToSchema;

use super::convert::json;
use super::error::{Asking, EmbedError};
use super::schema::EmbedSessionRequest;
use super::token_parameters::ParametersError;
use super::{Fault, State, address, body, web_chat};
use crate::activity::ConversationId;
use crate::channels::direct_line::Owner;

const SCRIPT: &str = include_str!("../../web/embed.js");

/// Lets pages load the file that have switched cross-origin isolation on (`Cross-Origin-Embedder-Policy`).
const RESOURCE_POLICY: (HeaderName, &str) = (HeaderName::from_static("cross-origin-resource-policy"), "cross-origin");

/// What other people's pages may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmbedOptions {
    /// The web sites whose pages may have the chat; none switches it off.
    pub origins: EmbedOrigins,
    /// Whether visitors of these sites get a session without a token of the site.
    pub anonymous: bool,
    /// Assistants that such visitors may choose, besides the one of the channel.
    pub assistants: Vec<String>,
}

impl EmbedOptions {
    fn is_on(&self) -> bool {
        !self.origins.0.is_empty()
    }
}

/// Origins of web sites as browsers write them into `Origin`: `https://www.contoso.example`, without a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmbedOrigins(Vec<String>);

/// The text is no origin of a web site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no origin: {mend}")]
pub struct InvalidOrigin {
    text: String,
    mend: String,
}

impl FromStr for EmbedOrigins {
    type Err = InvalidOrigin;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(origin).collect::<Result<_, _>>().map(Self)
    }
}

impl EmbedOrigins {
    /// Each of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether none is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The origin as browsers write it: in lower case, without the port that the scheme implies.
fn origin(text: &str) -> Result<String, InvalidOrigin> {
    let invalid = |mend: String| InvalidOrigin { text: text.to_owned(), mend };
    if text.contains('*') {
        return Err(invalid("there are no wildcards; name each site, https://www.contoso.example".to_owned()));
    }
    let Some((scheme, _)) = text.split_once("://") else {
        return Err(invalid(format!("it begins with a scheme; write https://{text}")));
    };
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(url) = url else {
        return Err(invalid(format!("`{scheme}://…` is no web site; write https://www.contoso.example")));
    };
    let exact = url.origin().ascii_serialization();
    // A parsed address has a path always, so only the text tells whether one was written.
    if text.matches('/').count() > 2 || text.contains(['?', '#', '@', '\\']) {
        return Err(invalid(format!("it has no path, query or user; write {exact}")));
    }
    Ok(exact)
}

/// Error texts repeat at most so many characters of what a caller sends.
const SHOWN: usize = 100;

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// A conversation of a visitor of another site.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EmbedSession<'a> {
    /// Good for Direct Line, from pages of the site that asked.
    token: &'a str,
    #[schema(value_type = String)]
    conversation_id: &'a ConversationId,
    user_id: &'a str,
    /// In seconds.
    #[serde(rename = "expires_in")]
    expires_in: u32,
    /// Whether somebody answers what is typed: a bot or an assistant.
    answered: bool,
    /// Whether somebody looks at files: a bot.
    takes_files: bool,
}

/// The script for other people's pages.
pub(crate) async fn script(state: Data<State>) -> Result<HttpResponse, Fault> {
    if !state.options.embed.is_on() {
        return Err(EmbedError::Off.into());
    }
    let mut response = HttpResponse::Ok();
    response.content_type("text/javascript; charset=utf-8").insert_header((CACHE_CONTROL, "no-cache"));
    Ok(response.insert_header(RESOURCE_POLICY).body(SCRIPT))
}

/// Web Chat for these pages, also where the page of this server is off.
pub(crate) async fn embedded_web_chat(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, Fault> {
    if !state.options.embed.is_on() {
        return Err(EmbedError::Off.into());
    }
    let mut response = web_chat::web_chat(state, request).await?;
    let (name, value) = RESOURCE_POLICY;
    response.headers_mut().insert(name, actix_web::http::header::HeaderValue::from_static(value));
    Ok(response)
}

/// Start a conversation for a visitor of a page of another site.
#[utoipa::path(
    post, path = "/embed/session", tag = "embed", operation_id = "startEmbedSession",
    request_body(content = Option<EmbedSessionRequest>),
    responses(
        (status = 200, description = "A token of a conversation of its own, for pages of that site only", body = EmbedSession),
        (status = 400, description = "The body is unusable"),
        (status = 403, description = "The site or the assistant is not listed, or sessions need a token"),
        (status = 404, description = "The chat is not offered to other pages"),
        (status = 413, description = "The body is too long"),
        (status = 429, description = "Too many sessions from this address"),
    )
)]
pub(crate) async fn start_session(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Fault> {
    let embed = &state.options.embed;
    if !embed.is_on() {
        return Err(EmbedError::Off.into());
    }
    let asking = address::origin(&request);
    let Some(origin) = embed.origins.iter().find(|origin| Some(*origin) == asking) else {
        return Err(EmbedError::ForeignOrigin(Asking(asking.map(shown))).into());
    };
    if !embed.anonymous {
        return Err(EmbedError::NotAnonymous.into());
    }
    state.limits.session(state.options.trusted_proxies.client(&request))?;
    let limit = state.direct_line.options().max_activity_bytes;
    let body = body::read(&request, payload, limit, state.options.body_timeout).await?;
    let owner = owner(&state, wished_assistant(&body)?)?;
    let (grant, user) = state.direct_line.start_embedded(&owner, origin).await?;
    // The bot hears the conversations of the channel; in others their assistants answer.
    let has_bot = state.bot.is_some() && owner == Owner::CHANNEL;
    let session = EmbedSession {
        token: &grant.token,
        conversation_id: &grant.conversation_id,
        user_id: &user,
        expires_in: grant.expires_in,
        answered: has_bot || state.assistants.answering(&owner).is_some(),
        takes_files: has_bot,
    };
    json(HttpResponse::Ok(), &session)
}

/// The assistant that the body of the request names.
fn wished_assistant(body: &[u8]) -> Result<Option<String>, ParametersError> {
    if body.trim_ascii().is_empty() {
        return Ok(None);
    }
    let body: Value = serde_json::from_slice(body).map_err(ParametersError::NotJson)?;
    let Value::Object(members) = body else {
        return Err(ParametersError::Member { pointer: "", wanted: "an object" });
    };
    match members.get("assistant") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(name.clone()).filter(|name| !name.is_empty())),
        Some(_) => Err(ParametersError::Member { pointer: "/assistant", wanted: "the name of an assistant" }),
    }
}

/// To whom the conversation belongs. The assistant that answers on the channel need not be listed: it answers whoever chooses
/// none, unless there is a bot, which then does.
fn owner(state: &State, wished: Option<String>) -> Result<Owner, EmbedError> {
    let Some(name) = wished else { return Ok(Owner::CHANNEL) };
    let of_channel = state.assistants.answering(&Owner::CHANNEL).filter(|_| state.bot.is_none());
    if of_channel.is_some_and(|assistant| assistant.name() == name) {
        return Ok(Owner::CHANNEL);
    }
    let is_offered = state.options.embed.assistants.contains(&name) && state.assistants.get(&name).is_some();
    let owner = name.parse().ok().filter(|_| is_offered);
    owner.ok_or_else(|| EmbedError::NotOffered(shown(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins(text: &str) -> Result<Vec<String>, String> {
        text.parse::<EmbedOrigins>().map(|origins| origins.0).map_err(|error| error.to_string())
    }

    #[test]
    fn origins_are_as_browsers_write_them() {
        let text = "https://WWW.contoso.example, http://127.0.0.1:8080 ,https://shop.example:443,";
        let expected = ["https://www.contoso.example", "http://127.0.0.1:8080", "https://shop.example"];
        assert_eq!(origins(text), Ok(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn what_is_no_exact_origin_is_refused_with_the_right_one() {
        for (text, mend) in [
            ("www.contoso.example", "write https://www.contoso.example"),
            ("https://www.contoso.example/shop", "no path, query or user; write https://www.contoso.example"),
            ("https://www.contoso.example/", "no path, query or user; write https://www.contoso.example"),
            ("https://ann@www.contoso.example", "no path, query or user; write https://www.contoso.example"),
            ("https://*.contoso.example", "there are no wildcards"),
            ("*", "there are no wildcards"),
            ("ftp://www.contoso.example", "`ftp://…` is no web site"),
            ("https://", "`https://…` is no web site"),
        ] {
            let refused = origins(text).expect_err(text);
            assert!(refused.starts_with(&format!("`{text}` is no origin")) && refused.contains(mend), "{refused}");
        }
    }
}
