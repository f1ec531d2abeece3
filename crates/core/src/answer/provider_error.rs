//! Errors that a provider reports.

use std::fmt;

use serde::Serialize;

/// An error that a provider reported in place of the rest of an answer (rule N-13).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProviderError {
    /// The code for programs; a number becomes text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The kind of error, if the provider names one beside the code.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The message for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> =
            [&self.code, &self.kind, &self.message].into_iter().flatten().map(String::as_str).collect();
        f.write_str(if known.is_empty() { "no details" } else { "" })?;
        // The text becomes part of one-line messages.
        f.write_str(&known.join(": ").replace(char::is_control, " "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_what_the_provider_named() {
        let code = Some("429".to_owned());
        let error = ProviderError { code, message: Some("slow down".into()), ..ProviderError::default() };
        assert_eq!(error.to_string(), "429: slow down");
        let lines = ProviderError { message: Some("slow\r\ndown".into()), ..ProviderError::default() };
        assert_eq!(lines.to_string(), "slow  down");
        assert_eq!(serde_json::to_string(&error).expect("JSON"), r#"{"code":"429","message":"slow down"}"#);
        assert_eq!(ProviderError::default().to_string(), "no details");
    }
}
