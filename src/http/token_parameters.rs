//! The body of token and start requests: `TokenParameters` of Direct Line.

use serde_json::{Map, Value};

use crate::activity::{ChannelAccount, Role};

/// The body is no `TokenParameters`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParametersError {
    /// The body is not JSON.
    #[error("the body is not JSON")]
    NotJson(#[source] serde_json::Error),
    /// A member has the wrong type.
    #[error("{pointer}: {wanted} is wanted here")]
    Member {
        /// JSON pointer of the member; empty for the whole.
        pointer: &'static str,
        /// What belongs there.
        wanted: &'static str,
    },
}

/// The user that the body names. Names of members are matched without case, because Microsoft's own samples write
/// `User` and `Id`; everything else in the body is accepted and left alone.
pub(crate) fn user(body: &[u8]) -> Result<Option<ChannelAccount>, ParametersError> {
    if body.trim_ascii().is_empty() {
        return Ok(None);
    }
    let parameters = match serde_json::from_slice(body).map_err(ParametersError::NotJson)? {
        Value::Object(parameters) => parameters,
        Value::Null => return Ok(None),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(ParametersError::Member { pointer: "", wanted: "an object" });
        }
    };
    let user = match member(&parameters, "user") {
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

/// The language tag that the body names, for a bot that greets its user. Nothing depends on it here, so a body that is
/// none, or names something else, names none.
pub(crate) fn locale(body: &[u8]) -> Option<String> {
    let parameters: Map<String, Value> = serde_json::from_slice(body).ok()?;
    member(&parameters, "locale")?.as_str().filter(|locale| !locale.is_empty()).map(str::to_owned)
}

fn member<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    object.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(body: &str) -> Option<String> {
        user(body.as_bytes()).expect("parameters").and_then(|user| user.id)
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
        assert_eq!(locale(br#"{"user":{},"locale":"de-DE"}"#).as_deref(), Some("de-DE"));
        for body in ["", "{", "[]", r#"{"locale":""}"#, r#"{"locale":5}"#] {
            assert_eq!(locale(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn what_has_the_wrong_type_is_refused() {
        for body in ["[]", "5", r#"{"user":"dl_1"}"#, r#"{"user":{"id":5}}"#, "{"] {
            assert!(user(body.as_bytes()).is_err(), "{body}");
        }
    }
}
