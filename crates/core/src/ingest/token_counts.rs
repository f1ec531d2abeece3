//! Token counts that a provider reports, independent of the format.
//!
//! Three families of names are read: `prompt_tokens` (OpenAI chat completions and compatible services), `input_tokens`
//! (Responses, Anthropic, Cohere), and `promptTokenCount` (Gemini). Counts in any other shape are ignored.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::answer::TokenCounts;

/// The members of a document or event that may hold counts.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Envelope<'a> {
    usage: Option<Usage>,
    #[serde(rename = "usageMetadata", alias = "usage_metadata")]
    gemini: Option<Usage>,
    /// In the last event of Responses.
    response: Option<Inner>,
    /// In the first event of Anthropic.
    message: Option<Inner>,
    /// In the last event of Cohere.
    delta: Option<Inner>,
    /// Of Dify; elsewhere it may hold anything.
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Inner {
    usage: Option<Usage>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Usage {
    #[serde(alias = "input_tokens", alias = "promptTokenCount", alias = "prompt_token_count")]
    prompt_tokens: Option<u64>,
    #[serde(alias = "output_tokens", alias = "candidatesTokenCount", alias = "candidates_token_count")]
    completion_tokens: Option<u64>,
    #[serde(alias = "totalTokenCount", alias = "total_token_count")]
    total_tokens: Option<u64>,
    // Anthropic does not include cached tokens in `input_tokens`.
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    // Gemini counts thoughts and tool results separately.
    #[serde(rename = "thoughtsTokenCount", alias = "thoughts_token_count")]
    thoughts: Option<u64>,
    #[serde(rename = "toolUsePromptTokenCount", alias = "tool_use_prompt_token_count")]
    tools: Option<u64>,
    /// Cohere's counts.
    tokens: Option<Tokens>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input_tokens: Option<f64>,
    output_tokens: Option<f64>,
}

/// The beginning of a member with counts. Every event is searched for it.
static USAGE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"usage"));

/// The token counts in a document or event; `None` when it has none.
pub(super) fn token_counts(json: &str) -> Option<TokenCounts> {
    USAGE.find(json.as_bytes())?;
    let Envelope { usage, gemini, response, message, delta, metadata } = serde_json::from_str(json).ok()?;
    let inner = [response, message, delta].into_iter().flatten().find_map(|inner| inner.usage);
    let beside = || serde_json::from_str::<Inner>(metadata?.get()).ok()?.usage;
    let counts = usage.or(gemini).or(inner).or_else(beside)?.counts();
    (counts != TokenCounts::default()).then_some(counts)
}

/// The token counts in a member of Gemini; `None` when it has none.
pub(super) fn gemini_counts(member: &RawValue) -> Option<TokenCounts> {
    let counts = serde_json::from_str::<Usage>(member.get()).ok()?.counts();
    (counts != TokenCounts::default()).then_some(counts)
}

impl Usage {
    fn counts(self) -> TokenCounts {
        let with = |count: Option<u64>, more: [Option<u64>; 2]| {
            count.map(|count| more.into_iter().flatten().fold(count, u64::saturating_add))
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, written as a float")]
        let whole = |count: f64| count.max(0.0) as u64;
        let tokens = self.tokens.unwrap_or_default();
        let cached = [self.cache_creation_input_tokens, self.cache_read_input_tokens];
        let prompt = with(with(self.prompt_tokens, cached), [self.tools, None]);
        TokenCounts {
            prompt: prompt.or(tokens.input_tokens.map(whole)),
            completion: with(self.completion_tokens, [self.thoughts, None]).or(tokens.output_tokens.map(whole)),
            total: self.total_tokens,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn every_family_of_names_is_read() {
        let counted =
            |json: Value| token_counts(&json.to_string()).map(|told| (told.prompt, told.completion, told.total));
        for (given, expected) in [
            (
                json!({"choices": [], "usage": {"prompt_tokens": 1200, "completion_tokens": 28, "total_tokens": 1228}}),
                (Some(1200), Some(28), Some(1228)),
            ),
            (
                json!({"type": "response.completed", "response": {"usage": {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}}}),
                (Some(7), Some(2), Some(9)),
            ),
            (
                json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "cache_read_input_tokens": 90, "output_tokens": 1}}}),
                (Some(97), Some(1), None),
            ),
            (json!({"type": "message_delta", "delta": {}, "usage": {"output_tokens": 15}}), (None, Some(15), None)),
            (
                json!({"usageMetadata": {"promptTokenCount": 5, "toolUsePromptTokenCount": 40, "candidatesTokenCount": 6,
                    "thoughtsTokenCount": 100, "totalTokenCount": 151}}),
                (Some(45), Some(106), Some(151)),
            ),
            (
                json!({"type": "message-end", "delta": {"usage": {"tokens": {"input_tokens": 3.0, "output_tokens": 4}}}}),
                (Some(3), Some(4), None),
            ),
            (
                json!({"event": "message_end", "metadata": {"usage": {"prompt_tokens": 8, "completion_tokens": 2, "total_price": "0.1"}}}),
                (Some(8), Some(2), None),
            ),
            (
                json!({"metadata": {"usage": "much"}, "usage": {"prompt_tokens": 8, "completion_tokens": 2}}),
                (Some(8), Some(2), None),
            ),
        ] {
            assert_eq!(counted(given.clone()), Some(expected), "{given}");
        }
        for silent in [
            json!({"usage": null}),
            json!({"usage": {"prompt_tokens": "many"}}),
            json!({"usage": {}}),
            json!({"delta": "the \"usage\" of leave"}),
        ] {
            assert_eq!(counted(silent.clone()), None, "{silent}");
        }
    }

    #[test]
    fn later_counts_take_the_place_of_earlier_ones_and_leave_the_others() {
        let mut counts = TokenCounts::default();
        for event in [
            r#"{"message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}"#,
            r#"{"usage": {"output_tokens": 15}}"#,
        ] {
            counts.renew(token_counts(event).expect("counts"));
        }
        assert_eq!((counts.prompt, counts.completion), (Some(7), Some(15)));
    }
}
