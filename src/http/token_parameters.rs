//! The body of token and start requests: `TokenParameters` of Direct Line.

use serde_json::{Map, Value};
use url::Url;
use utoipa::ToSchema;

use crate::activity::{ChannelAccount, Role};
use crate::channels::direct_line::TokenRequest;

/// The parameters of a token.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the shape: names of members are matched without case")]
pub(crate) struct TokenParameters {
    user: Option<TokenUser>,
}

/// The user of a token.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the shape: names of members are matched without case")]
struct TokenUser {
    /// The user id. The server sets it as the sender of every activity that is posted with the token.
    #[schema(example = "dl_ann")]
    id: Option<String>,
    name: Option<String>,
}

/// The body is not a `TokenParameters` object.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParametersError {
    /// The body is not JSON.
    #[error("the body is not JSON")]
    NotJson(#[source] serde_json::Error),
    /// A member has the wrong type.
    #[error("{pointer}: {wanted} is required")]
    Member {
        /// JSON pointer of the member; empty for the whole.
        pointer: &'static str,
        /// The expected kind of value.
        wanted: &'static str,
    },
}

/// Reads a body. Names of members are matched without case, because Microsoft's own samples write `User` and `Id`;
/// members that have no meaning here are accepted and left alone.
pub(crate) fn read(body: &[u8]) -> Result<TokenRequest, ParametersError> {
    if body.trim_ascii().is_empty() {
        return Ok(TokenRequest::default());
    }
    let parameters = match serde_json::from_slice(body).map_err(ParametersError::NotJson)? {
        Value::Object(parameters) => parameters,
        Value::Null => return Ok(TokenRequest::default()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(ParametersError::Member { pointer: "", wanted: "an object" });
        }
    };
    // Nothing here depends on the language, so a value that is no text counts as none.
    let locale = member(&parameters, "locale").and_then(Value::as_str).filter(|locale| !locale.is_empty());
    Ok(TokenRequest { user: user(&parameters)?, origins: origins(&parameters)?, locale: locale.map(str::to_owned) })
}

fn user(parameters: &Map<String, Value>) -> Result<Option<ChannelAccount>, ParametersError> {
    let user = match member(parameters, "user") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(user)) => user,
        Some(_) => return Err(ParametersError::Member { pointer: "/user", wanted: "an object" }),
    };
    let text = |name, pointer| match member(user, name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
        Some(_) => Err(ParametersError::Member { pointer, wanted: "text" }),
    };
    let name = text("name", "/user/name")?;
    Ok(text("id", "/user/id")?.map(|id| {
        let mut user = ChannelAccount::new(id, Role::User);
        user.name = name;
        user
    }))
}

/// The web sites that `trustedOrigins` names, as browsers write them into `Origin`.
fn origins(parameters: &Map<String, Value>) -> Result<Vec<String>, ParametersError> {
    const WRONG: ParametersError = ParametersError::Member {
        pointer: "/trustedOrigins",
        wanted: "a list of at most 16 origins of web sites, such as https://contoso.example,",
    };
    let sites = match member(parameters, "trustedOrigins") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(sites)) if sites.len() <= MOST_ORIGINS => sites,
        Some(_) => return Err(WRONG),
    };
    let origin = |site: &Value| {
        let origin = Url::parse(site.as_str()?).ok()?.origin();
        origin.is_tuple().then(|| origin.ascii_serialization())
    };
    sites.iter().map(|site| origin(site).ok_or(WRONG)).collect()
}

/// Origins stand in the token, which goes along with each call.
const MOST_ORIGINS: usize = 16;

fn member<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    object.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(body: &str) -> Option<String> {
        read(body.as_bytes()).expect("parameters").user.and_then(|user| user.id)
    }

    #[test]
    fn the_user_is_found_whatever_the_case() {
        assert_eq!(id(r#"{"User":{"Id":"dl_1","Name":"Ann"},"trustedOrigins":[]}"#).as_deref(), Some("dl_1"));
        assert_eq!(id(r#"{"user":{"id":"dl_1"}}"#).as_deref(), Some("dl_1"));
    }

    #[test]
    fn a_user_may_be_missing_in_every_way() {
        for body in ["", "  ", "{}", "null", r#"{"user":{}}"#, r#"{"user":null}"#, r#"{"user":{"id":""}}"#] {
            assert_eq!(id(body), None, "{body:?}");
        }
    }

    #[test]
    fn the_language_is_found_where_there_is_one() {
        let locale = |body: &str| read(body.as_bytes()).expect("parameters").locale;
        assert_eq!(locale(r#"{"user":{},"locale":"de-DE"}"#).as_deref(), Some("de-DE"));
        for body in ["", "null", r#"{"locale":""}"#, r#"{"locale":5}"#] {
            assert_eq!(locale(body), None, "{body}");
        }
    }

    #[test]
    fn what_has_the_wrong_type_is_refused() {
        for body in ["[]", "5", r#"{"user":"dl_1"}"#, r#"{"user":{"id":5}}"#, "{"] {
            assert!(read(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn origins_are_those_of_the_sites_that_are_named() {
        let origins =
            |body: &str| read(body.as_bytes()).map(|wished| wished.origins).map_err(|error| error.to_string());
        let named = origins(r#"{"trustedOrigins": ["https://Good.example/", "http://localhost:3000/page"]}"#);
        assert_eq!(named, Ok(vec!["https://good.example".to_owned(), "http://localhost:3000".to_owned()]));
        assert_eq!(origins(r#"{"trustedorigins": null}"#), Ok(Vec::new()));
        for wrong in [r#""https://a.example""#, "[5]", r#"["good.example"]"#, r#"["data:x"]"#, r#"["*"]"#] {
            let refused = origins(&format!("{{\"trustedOrigins\": {wrong}}}")).expect_err(wrong);
            assert!(refused.starts_with("/trustedOrigins: a list"), "{refused}");
        }
    }
}
