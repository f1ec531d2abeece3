//! Injects the context into the messages of a chat.

use serde_json::{Map, Value, json};

/// The error when the system message cannot take the context.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InjectError {
    /// Its content is neither a string, a list of parts, nor null.
    #[error(
        "/messages/{message}/content: the content of the system message is {found}; text or a list of parts is required"
    )]
    Content {
        /// Index of the message, counted from 0.
        message: usize,
        /// The JSON type of the content, for example `a number`.
        found: &'static str,
    },
}

/// Adds the context to the messages of a chat (rule AH-10).
///
/// The context is appended to the first message with the role `system` or `developer`, the newer name of that role: behind a
/// blank line in a string, or as another part in a list of parts. Without such a message, a system message of `system` and
/// the context is inserted at the front. There is always one system message, because many models take only one. An empty
/// context changes no existing message.
///
/// Returns whether `system` was used: it was given, and no system message existed.
///
/// # Errors
///
/// When the content of the system message is neither a string, a list of parts, nor null. The messages are unchanged then.
pub fn inject(
    messages: &mut Vec<Map<String, Value>>,
    context: &str,
    system: Option<&str>,
) -> Result<bool, InjectError> {
    let is_system = |message: &Map<String, Value>| {
        message.get("role").and_then(Value::as_str).is_some_and(|role| matches!(role, "system" | "developer"))
    };
    let Some(at) = messages.iter().position(is_system) else {
        let content = joined(system.unwrap_or_default(), context);
        if !content.is_empty() {
            let message = [("role".to_owned(), json!("system")), ("content".to_owned(), json!(content))];
            messages.insert(0, message.into_iter().collect());
        }
        return Ok(system.is_some());
    };
    if context.is_empty() {
        return Ok(false);
    }
    let found = |found| Err(InjectError::Content { message: at, found });
    match messages[at].entry("content").or_insert(Value::Null) {
        Value::String(text) => *text = joined(text, context),
        Value::Array(parts) => {
            // Responses name a text part `input_text`, chat completions `text`.
            let is_input = |part: &Value| part["type"] == "input_text";
            let kind = if parts.iter().any(is_input) { "input_text" } else { "text" };
            parts.push(json!({ "type": kind, "text": context }));
        }
        content @ Value::Null => *content = json!(context),
        Value::Bool(_) => return found("true or false"),
        Value::Number(_) => return found("a number"),
        Value::Object(_) => return found("an object"),
    }
    Ok(false)
}

/// Joins two texts with a blank line; an empty one is left out.
fn joined(first: &str, second: &str) -> String {
    let first = first.trim_end();
    let between = if first.is_empty() || second.is_empty() { "" } else { BETWEEN };
    format!("{first}{between}{second}")
}

/// The separator between a system prompt and the context.
const BETWEEN: &str = "\n\n";

#[cfg(test)]
mod tests {
    use super::*;

    fn injected(messages: Value, context: &str, system: Option<&str>) -> (Value, Result<bool, InjectError>) {
        let mut messages: Vec<Map<String, Value>> = serde_json::from_value(messages).expect("messages");
        let outcome = inject(&mut messages, context, system);
        (json!(messages), outcome)
    }

    #[test]
    fn the_context_goes_after_the_existing_system_message() {
        let messages =
            json!([{"role": "system", "content": "Be kind.\n", "name": "x"}, {"role": "user", "content": "Leave?"}]);
        let expected = json!([{"role": "system", "content": "Be kind.\n\nSources", "name": "x"}, {"role": "user", "content": "Leave?"}]);
        assert_eq!(injected(messages, "Sources", Some("unused")), (expected, Ok(false)));
    }

    #[test]
    fn the_context_goes_after_the_configured_prompt_where_no_message_is_the_systems() {
        let user = json!({"role": "user", "content": "Leave?"});
        let expected = json!([{"role": "system", "content": "Be kind.\n\nSources"}, user]);
        assert_eq!(injected(json!([user]), "Sources", Some("Be kind.")), (expected, Ok(true)));
        let expected = json!([{"role": "system", "content": "Sources"}, user]);
        assert_eq!(injected(json!([user]), "Sources", None), (expected, Ok(false)));
        assert_eq!(injected(json!([]), "", Some("Be kind.")).0, json!([{"role": "system", "content": "Be kind."}]));
    }

    #[test]
    fn parts_get_another_part_of_their_kind() {
        for kind in ["text", "input_text"] {
            let messages = json!([{"role": "developer", "content": [{"type": kind, "text": "Be kind."}]}]);
            let (messages, _) = injected(messages, "Sources", None);
            assert_eq!(messages[0]["content"][1], json!({"type": kind, "text": "Sources"}));
        }
        assert_eq!(injected(json!([{"role": "system"}]), "Sources", None).0[0]["content"], "Sources");
    }

    #[test]
    fn an_empty_context_changes_nothing() {
        let messages = json!([{"role": "system", "content": "Be kind.\n"}]);
        assert_eq!(injected(messages.clone(), "", Some("x")), (messages, Ok(false)));
        assert_eq!(injected(json!([]), "", None), (json!([]), Ok(false)));
    }

    #[test]
    fn a_content_that_is_no_text_is_named() {
        let messages = json!([{"role": "user"}, {"role": "system", "content": 5}]);
        let (after, outcome) = injected(messages.clone(), "Sources", None);
        assert_eq!(after, messages);
        let words =
            "/messages/1/content: the content of the system message is a number; text or a list of parts is required";
        assert_eq!(outcome.expect_err("a number").to_string(), words);
    }
}
