//! The response bodies of a Direct Line.

use serde::Deserialize;
use serde_json::Value;

use super::credential::Renewed;
use super::{Misunderstood, outgoing};
use crate::activity::ActivityId;
use crate::egress::{ErrorForms, RawRemoteError, RemoteError};
use crate::secret::{Redaction, Secret};

const ERROR_FORMS: &ErrorForms = &[("/error/code", "/error/message")];

/// Code and words of a refusal. The credential is masked, since some servers repeat what they were sent.
pub(super) fn refusal(body: &[u8], bearer: &Secret) -> RemoteError {
    let redaction = Redaction { secrets: std::slice::from_ref(bearer), said: "" };
    RawRemoteError::read(body, ERROR_FORMS).without(redaction)
}

/// The id under which a posted activity comes back.
pub(super) fn posted(body: &[u8]) -> Result<ActivityId, Misunderstood> {
    let body: Value = serde_json::from_slice(body).map_err(|_| Misunderstood::Shape)?;
    id(&body).ok_or(Misunderstood::NoId)
}

fn id(value: &Value) -> Option<ActivityId> {
    value.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()).map(|id| ActivityId::from(id.to_owned()))
}

#[derive(Deserialize)]
struct TokenBody {
    token: String,
    #[serde(default = "half_an_hour")]
    expires_in: u32,
}

/// How long tokens hold according to the documentation of Direct Line.
fn half_an_hour() -> u32 {
    1800
}

/// A new token.
pub(super) fn renewed(body: &[u8]) -> Result<Renewed, Misunderstood> {
    let body: TokenBody = serde_json::from_slice(body).map_err(|_| Misunderstood::NoToken)?;
    let bearer = Secret::parse(&body.token).map_err(|_| Misunderstood::NoToken)?;
    Ok(Renewed { bearer, expires_in: body.expires_in })
}

/// Part of a conversation. Watermarks of other servers are opaque.
#[derive(Debug, Deserialize)]
pub(super) struct Piece {
    #[serde(default)]
    activities: Vec<Value>,
    #[serde(default)]
    pub(super) watermark: Option<String>,
}

impl Piece {
    pub(super) fn parse(body: &[u8]) -> Result<Self, Misunderstood> {
        serde_json::from_slice(body).map_err(|_| Misunderstood::Shape)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.activities.is_empty()
    }

    /// The id of the activity that we sent under this name.
    pub(super) fn echo(&self, send_id: &str) -> Option<ActivityId> {
        let is_ours = |activity: &&Value| outgoing::send_id_of(activity) == Some(send_id);
        self.activities.iter().filter(is_ours).find_map(id)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bearer() -> Secret {
        Secret::parse("the-secret-of-the-bot").expect("a secret")
    }

    fn shown(body: &Value) -> (Option<String>, Option<String>) {
        let RemoteError { code, message, .. } = refusal(body.to_string().as_bytes(), &bearer());
        (code, message)
    }

    #[test]
    fn the_words_of_others_are_made_fit_to_be_shown() {
        let body =
            json!({"error": {"code": "Bad\u{1b}[2JToken", "message": "line\r\nline\tthe-secret-of-the-bot\u{7}"}});
        let (code, message) = shown(&body);
        assert_eq!((code.as_deref(), message.as_deref()), (Some("Bad [2JToken"), Some("line line ****")));
        let (_, long) = shown(&json!({"error": {"message": "ä".repeat(1000)}}));
        assert_eq!(long.map(|text| text.chars().count()), Some(RemoteError::LONGEST_MESSAGE + 1));
    }

    #[test]
    fn a_body_of_another_shape_has_no_words() {
        for body in
            [json!(null), json!([]), json!({"error": "no"}), json!({"error": {}}), json!({"error": {"code": ""}})]
        {
            assert_eq!(shown(&body), (None, None), "{body}");
        }
        assert_eq!(refusal(b"<html>", &bearer()), RemoteError::default());
    }

    #[test]
    fn an_id_is_text_and_not_empty() {
        assert_eq!(posted(br#"{"id":"c1|0000004"}"#).map(|id| id.to_string()), Ok("c1|0000004".to_owned()));
        for body in ["{}", r#"{"id":""}"#, r#"{"id":5}"#, "null", "[]"] {
            assert_eq!(posted(body.as_bytes()), Err(Misunderstood::NoId), "{body}");
        }
        for body in ["", "<html>", "{"] {
            assert_eq!(posted(body.as_bytes()), Err(Misunderstood::Shape), "{body}");
        }
    }

    #[test]
    fn an_echo_is_found_by_our_name_for_it() {
        let activities = json!({"watermark": "AB-7", "activities": [
            {"id": "1", "text": "hi"}, {"id": "2", "channelData": {"citewire": {"sendId": "other"}}},
            {"id": "3", "channelData": {"clientActivityID": "x", "citewire": {"sendId": "ours"}}}, 5]});
        let piece = Piece::parse(activities.to_string().as_bytes()).expect("a piece");
        assert_eq!(piece.echo("ours").map(|id| id.to_string()), Some("3".to_owned()));
        assert_eq!((piece.echo("nobody's"), piece.watermark.as_deref()), (None, Some("AB-7")));
    }

    #[test]
    fn a_token_that_cannot_stand_in_a_header_is_none() {
        assert_eq!(renewed(br#"{"token":"the-next-token-of-all"}"#).map(|new| new.expires_in).ok(), Some(1800));
        for body in ["{}", r#"{"token":"a\nb-and-so-on-and-on"}"#, "x"] {
            assert_eq!(renewed(body.as_bytes()).err(), Some(Misunderstood::NoToken), "{body}");
        }
    }
}
