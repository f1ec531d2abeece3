//! What a back end says when it refuses, fit to be shown to an operator.

use serde_json::Value;

use crate::secret::Secret;

/// The most that is repeated of a back end's words, in characters.
const LONGEST_MESSAGE: usize = 300;

/// So many bytes of a refusal are read.
pub(super) const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// The words of a refusal in one line, without the keys that were sent; empty where there are none. A page has none.
pub(super) fn message(body: &[u8], secrets: &[Secret]) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    fit_to_be_shown(words(&body).unwrap_or_default(), secrets)
}

/// `{"error": {"message"}}`, `{"error": "…"}`, `{"message"}`, `{"detail"}`, `{"title"}`, and a list of one of these.
fn words(body: &Value) -> Option<&str> {
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
    let told = |name: &str| error.get(name).or_else(|| body.get(name)).and_then(Value::as_str);
    let direct = error.as_str();
    direct.or_else(|| ["message", "detail", "title", "msg"].into_iter().find_map(told))
}

/// One line of at most 300 characters without these secrets.
pub(super) fn fit_to_be_shown(text: &str, secrets: &[Secret]) -> String {
    let mut text = text.to_owned();
    for secret in secrets {
        text = text.replace(secret.expose(), "****");
    }
    let words = text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    let cut = line.char_indices().nth(LONGEST_MESSAGE).map(|(at, _)| format!("{}…", &line[..at]));
    cut.unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(body: &Value) -> String {
        message(body.to_string().as_bytes(), &[Secret::issued("sk-1234").expect("a secret")])
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
        assert_eq!(message(b"<html>No.</html>", &[]), "");
    }

    #[test]
    fn words_are_one_short_line_without_the_key() {
        assert_eq!(shown(&json!({"error": "bad\r\nkey\u{1b}[2J sk-1234\u{7}"})), "bad key [2J ****");
        assert_eq!(shown(&json!({"error": "ä".repeat(1000)})).chars().count(), LONGEST_MESSAGE + 1);
    }
}
