//! What a back end says when something is wrong, fit to be shown to an operator.

use serde_json::Value;

use crate::secret::Unsaid;

/// The most that is repeated of a back end's words, in characters.
pub(super) const LONGEST_MESSAGE: usize = 300;

/// So many bytes of a refusal are read.
pub(super) const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// The words of a refusal in one line, without what is not to be repeated; empty where there are none. A page has none.
pub(super) fn message(body: &[u8], unsaid: Unsaid<'_>) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    unsaid.line(words(&body).unwrap_or_default(), LONGEST_MESSAGE)
}

/// `{"error": {"message"}}`, `{"error": "…"}`, `{"message"}`, `{"detail"}`, `{"title"}`, and a list of one of these.
fn words(body: &Value) -> Option<&str> {
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
    let told = |name: &str| error.get(name).or_else(|| body.get(name)).and_then(Value::as_str);
    let direct = error.as_str();
    direct.or_else(|| ["message", "detail", "title", "msg"].into_iter().find_map(told))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::secret::Secret;

    fn shown(body: &Value) -> String {
        message(body.to_string().as_bytes(), Unsaid::default())
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
        assert_eq!(message(b"<html>No.</html>", Unsaid::default()), "");
    }

    #[test]
    fn words_are_one_short_line_without_what_was_sent() {
        let secrets = [Secret::issued("sk-1234").expect("a secret")];
        let body = json!({"error": format!("Leave?\r\nsk-1234 {}", "ä".repeat(1000))}).to_string();
        let shown = message(body.as_bytes(), Unsaid { secrets: &secrets, said: "Leave?" });
        assert!(shown.starts_with("**** **** ää") && shown.chars().count() == LONGEST_MESSAGE + 1, "{shown}");
    }
}
