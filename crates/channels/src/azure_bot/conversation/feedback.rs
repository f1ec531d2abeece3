//! Feedback of users on an answer, thumbs and text: the invoke `message/submitAction` (`docs/guides/teams.md`).

use serde_json::Value;

/// The `value` of a `message/submitAction` that is feedback.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubmittedFeedback {
    /// `like` or `dislike`.
    pub reaction: Option<String>,
    /// The user's words.
    pub text: Option<String>,
    /// The other values of the form, in the channel's own words.
    pub details: Option<Value>,
}

/// Where the form of Teams puts what the user wrote.
const TEXT: &str = "feedbackText";

impl SubmittedFeedback {
    /// The name of the invoke.
    pub const INVOKE: &str = "message/submitAction";

    /// Reads the value of the invoke; `None` when it is about something else. `feedback` is a string of JSON; Agents Playground
    /// sends an empty one when nothing was written. A string that is no JSON is what the user wrote.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        if value.get("actionName").and_then(Value::as_str) != Some("feedback") {
            return None;
        }
        let submitted = value.get("actionValue").unwrap_or(&Value::Null);
        let reaction = submitted.get("reaction").and_then(Value::as_str).filter(|reaction| !reaction.is_empty());
        let form = match submitted.get("feedback").unwrap_or(&Value::Null) {
            Value::String(text) if text.trim().is_empty() => Value::Null,
            Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
            form @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                form.clone()
            }
        };
        let (text, details) = match form {
            Value::Null => (None, None),
            Value::String(text) => (Some(text), None),
            Value::Object(mut form) => {
                let text = match form.remove(TEXT) {
                    Some(Value::String(text)) => Some(text),
                    Some(other) => {
                        form.insert(TEXT.to_owned(), other);
                        None
                    }
                    None => None,
                };
                (text, (!form.is_empty()).then_some(Value::Object(form)))
            }
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_)) => (None, Some(other)),
        };
        let text = text.filter(|text| !text.trim().is_empty());
        Some(Self { reaction: reaction.map(str::to_owned), text, details })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(reaction: &Value, feedback: &Value) -> (Option<String>, Option<String>, Option<Value>) {
        let value = json!({"actionName": "feedback", "actionValue": {"reaction": reaction, "feedback": feedback}});
        let SubmittedFeedback { reaction, text, details } = SubmittedFeedback::read(&value).expect("feedback");
        (reaction, text, details)
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn the_form_of_teams_is_a_string_of_json_and_that_of_the_playground_an_empty_string() {
        assert_eq!(read(&json!("like"), &json!(r#"{"feedbackText":"Great!"}"#)), (some("like"), some("Great!"), None));
        assert_eq!(read(&json!("dislike"), &json!("")), (some("dislike"), None, None));
        assert_eq!(read(&json!("dislike"), &json!(r#"{"feedbackText":" "}"#)), (some("dislike"), None, None));
    }

    #[test]
    fn a_form_of_another_shape_is_kept() {
        let form = r#"{"feedbackText":"No","why":["old"]}"#;
        assert_eq!(read(&json!("dislike"), &json!(form)), (some("dislike"), some("No"), Some(json!({"why": ["old"]}))));
        assert_eq!(read(&json!(5), &json!("{not json")), (None, some("{not json"), None));
        assert_eq!(read(&json!(""), &json!({"feedbackText": 7})), (None, None, Some(json!({"feedbackText": 7}))));
        assert_eq!(read(&json!("like"), &json!([1])), (some("like"), None, Some(json!([1]))));
    }

    #[test]
    fn what_is_about_something_else_is_no_feedback() {
        for value in
            [json!(null), json!({}), json!({"actionName": "other"}), json!({"actionName": 5}), json!("feedback")]
        {
            assert_eq!(SubmittedFeedback::read(&value), None, "{value}");
        }
        let bare = SubmittedFeedback::read(&json!({"actionName": "feedback"}));
        assert_eq!(bare, Some(SubmittedFeedback::default()));
    }
}
