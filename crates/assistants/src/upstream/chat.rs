//! The messages of a chat completion.

use serde_json::{Value, json};

use super::turns::alternating;
use super::{ChatMessage, Speaker};

/// The messages in the form of `messages`, behind a system message when there is something to say in one.
pub(super) fn messages(system: &str, turns: &[ChatMessage]) -> Vec<Value> {
    let system =
        Some(system).filter(|system| !system.is_empty()).map(|text| json!({"role": "system", "content": text}));
    let turns = alternating(turns).into_iter().map(|turn| json!({"role": role(turn.speaker), "content": turn.text}));
    system.into_iter().chain(turns).collect()
}

/// The name that OpenAI and Anthropic have for a speaker.
pub(super) fn role(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
    }
}
