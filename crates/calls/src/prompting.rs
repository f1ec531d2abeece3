//! Sources to a prompt.

use serde_json::{Value, json};

use crate::error::CallError;
use crate::ingest::{Retrieved, retrieved};
use crate::prompt::{Budget, Options, Style, build, inject};
use crate::request::{EnvelopeError, PromptRequest};

/// The text between a system prompt and the context.
const BETWEEN: &str = "\n\n";

/// Writes the prompt with numbered sources, the messages with that text in them, and the number of each source.
///
/// # Errors
/// When an option is wrong, or the sources or messages cannot be read.
pub fn prompt(request: &PromptRequest<'_>) -> Result<Vec<u8>, CallError> {
    let PromptRequest { answer, at, options } = request;
    let member = |name: &str, reason: String| EnvelopeError::Member { pointer: format!("/options/{name}"), reason };
    let style = options.style.as_deref().unwrap_or("numbered").parse::<Style>();
    let style = style.map_err(|error| member("style", error.to_string()))?;
    let budget = match (options.max_bytes, options.max_tokens) {
        (Some(_), Some(_)) => return Err(member("max_tokens", "give max_bytes or max_tokens, not both".into()).into()),
        (Some(bytes), None) => Budget::Bytes(bytes),
        (None, Some(tokens)) => Budget::Tokens(tokens),
        (None, None) => Budget::Unlimited,
    };
    let found = retrieved(answer).map_err(|source| CallError::Convert { source: source.into(), at })?;
    let Retrieved { sources, messages, .. } = found;
    let mut wanted = Options::new(style);
    wanted.instructions = !options.sources_only.unwrap_or_default();
    wanted.budget = budget.beside(BETWEEN);
    let prompt = build(&sources, &wanted);
    let mut messages = messages.unwrap_or_default();
    inject(&mut messages, &prompt.text, options.system.as_deref())
        .map_err(|error| EnvelopeError::Member { pointer: format!("{at}/messages"), reason: error.to_string() })?;
    let sources = prompt.sources.iter().enumerate();
    let sources: Vec<Value> = sources
        .map(|(at, source)| json!({"place": at + 1, "number": source.number, "listed": source.listed}))
        .collect();
    Ok(serde_json::to_vec(&json!({"text": prompt.text, "messages": messages, "sources": sources}))?)
}
