//! Reads error responses of back ends for the operator's log.

use crate::egress::{ErrorForms, RawRemoteError};
use crate::secret::Redaction;

/// The bytes of a refusal that are read.
pub(super) const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// Where back ends put their words.
const ERROR_FORMS: &ErrorForms = &[
    ("", "/error"),
    ("", "/error/message"),
    ("", "/message"),
    ("", "/error/detail"),
    ("", "/detail"),
    ("", "/error/title"),
    ("", "/title"),
    ("", "/error/msg"),
    ("", "/msg"),
];

/// The words of a refusal in one line, without what is not to be repeated; empty where there are none. A page has none.
pub(super) fn message(body: &[u8], redaction: Redaction<'_>) -> String {
    RawRemoteError::read(body, ERROR_FORMS).without(redaction).message.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::egress::RemoteError;
    use crate::secret::Secret;

    fn shown(body: &Value) -> String {
        message(body.to_string().as_bytes(), Redaction::default())
    }

    #[test]
    fn every_providers_words_are_found() {
        for body in [
            json!({"error": {"message": "No.", "code": 401}}),
            json!({"error": "No."}),
            json!({"type": "error", "error": {"type": "x", "message": "No."}}),
            json!([{"error": {"code": 400, "message": "No.", "status": "INVALID_ARGUMENT"}}]),
            json!({"detail": "No."}),
            json!({"error": null, "message": "No."}),
            json!({"title": "No."}),
        ] {
            assert_eq!(shown(&body), "No.", "{body}");
        }
        for body in [json!(null), json!({}), json!([]), json!({"error": {}}), json!({"message": 5})] {
            assert_eq!(shown(&body), "", "{body}");
        }
        assert_eq!(message(b"<html>No.</html>", Redaction::default()), "");
    }

    #[test]
    fn words_are_one_short_line_without_what_was_sent() {
        let secrets = [Secret::issued("sk-1234").expect("a secret")];
        let body = json!({"error": format!("Leave?\r\nsk-1234 {}", "ä".repeat(1000))}).to_string();
        let shown = message(body.as_bytes(), Redaction { secrets: &secrets, said: "Leave?" });
        assert!(
            shown.starts_with("**** **** ää") && shown.chars().count() == RemoteError::LONGEST_MESSAGE + 1,
            "{shown}"
        );
    }
}
