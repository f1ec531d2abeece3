//! What a back end says when something is wrong, fit to be shown to an operator.

use serde_json::Value;

use crate::secret::Secret;

/// The most that is repeated of a back end's words, in characters.
const LONGEST_MESSAGE: usize = 300;

/// So many bytes of a refusal are read.
pub(super) const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// A question of fewer letters tells nobody anything, and taking it out would leave holes in the words.
const SHORTEST_QUESTION: usize = 5;

/// What is not to be repeated.
#[derive(Clone, Copy)]
pub(super) struct Unsaid<'a> {
    /// The keys that were sent.
    pub(super) secrets: &'a [Secret],
    /// What the user asked.
    pub(super) question: &'a str,
}

/// The words of a refusal in one line, without what is not to be repeated; empty where there are none. A page has none.
pub(super) fn message(body: &[u8], unsaid: Unsaid<'_>) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    fit_to_be_shown(words(&body).unwrap_or_default(), unsaid)
}

/// `{"error": {"message"}}`, `{"error": "…"}`, `{"message"}`, `{"detail"}`, `{"title"}`, and a list of one of these.
fn words(body: &Value) -> Option<&str> {
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
    let told = |name: &str| error.get(name).or_else(|| body.get(name)).and_then(Value::as_str);
    let direct = error.as_str();
    direct.or_else(|| ["message", "detail", "title", "msg"].into_iter().find_map(told))
}

/// One line of at most 300 characters without what is not to be repeated.
pub(super) fn fit_to_be_shown(text: &str, Unsaid { secrets, question }: Unsaid<'_>) -> String {
    let mut text = text.to_owned();
    for secret in secrets {
        text = text.replace(secret.expose(), "****");
    }
    let question = question.trim();
    if question.chars().nth(SHORTEST_QUESTION - 1).is_some() {
        text = text.replace(question, "****");
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
        let secrets = [Secret::issued("sk-1234").expect("a secret")];
        message(body.to_string().as_bytes(), Unsaid { secrets: &secrets, question: " How long is leave? " })
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
        assert_eq!(message(b"<html>No.</html>", Unsaid { secrets: &[], question: "" }), "");
    }

    #[test]
    fn words_are_one_short_line_without_the_key() {
        assert_eq!(shown(&json!({"error": "bad\r\nkey\u{1b}[2J sk-1234\u{7}"})), "bad key [2J ****");
        assert_eq!(shown(&json!({"error": "ä".repeat(1000)})).chars().count(), LONGEST_MESSAGE + 1);
    }

    #[test]
    fn the_question_is_not_repeated_unless_it_says_nothing() {
        let long = format!("{} not: How long is leave? sk-1234", "x".repeat(290));
        assert!(!shown(&json!({"error": long})).contains("How"), "not even where it is cut");
        assert_eq!(shown(&json!({"error": "Filtered: How long is leave?!"})), "Filtered: ****!");
        let kept = fit_to_be_shown("a bad one", Unsaid { secrets: &[], question: "a" });
        assert_eq!(kept, "a bad one");
    }
}
