//! An answer as the calls of a [Slack stream](https://docs.slack.dev/reference/methods/chat.startStream): `chat.startStream`,
//! `chat.appendStream`, `chat.stopStream`. citewire makes none of them (`docs/guides/chats.md`).

use serde_json::{Value, json};

use super::{Conversion, ConvertError, Streamed, Streaming, TextFormat, Update};
use crate::activity::{Activity, Entity};
use crate::answer::{Answer, MarkerGrammar};
use crate::dialect::Dialect;
use crate::graph::{Claim, Message};
use crate::ingest::StreamEvent;
use crate::report::Report;
use crate::text::one_line;

/// The longest text of one chunk (<https://docs.slack.dev/reference/methods/chat.appendStream>).
const MAX_CHUNK_UTF16: usize = 12_000;

/// The calls of a Slack stream for an answer that has come whole, each as `method` and `arguments`, with its report.
///
/// # Errors
/// When the answer cannot be converted.
pub fn slack_calls(answer: Answer, conversion: &Conversion) -> Result<(Vec<Value>, Report), ConvertError> {
    SlackStream::new(conversion).end(answer)
}

/// The calls for one answer. The text is Markdown without HTML, in which each number is that of a source; the last call has the
/// sources.
#[derive(Debug)]
pub(super) struct SlackStream {
    streaming: Streaming,
    /// The length of the text that is given out.
    given: usize,
    has_begun: bool,
}

impl SlackStream {
    pub(super) fn new(conversion: &Conversion) -> Self {
        // Of all channels, Teams has the stream that Slack has: text that only grows, with its sources at the end.
        let mut conversion = Conversion { to: Dialect::Teams, in_parts: true, ..conversion.clone() };
        conversion.options.text_format = TextFormat::Extended;
        Self { streaming: Streaming::new(conversion), given: 0, has_begun: false }
    }

    /// Takes the next events; returns the calls that can be made now.
    pub(super) fn take(&mut self, events: Vec<StreamEvent>, grammar: MarkerGrammar) -> Vec<Value> {
        let Some(Update::Text(text)) = self.streaming.take(events, grammar) else { return Vec::new() };
        let text = text.to_owned();
        self.grow(&text)
    }

    /// Ends the stream with the answer that the events made.
    pub(super) fn end(mut self, answer: Answer) -> Result<(Vec<Value>, Report), ConvertError> {
        let streaming = std::mem::replace(&mut self.streaming, Streaming::new(Conversion::to(Dialect::Teams)));
        let Streamed { message, report, .. } = streaming.end_with(answer)?;
        let mut calls = self.grow(message.text.as_deref().unwrap_or_default());
        let claims = claims(&message);
        let listed: Vec<String> = claims.iter().filter(|claim| claim.appearance.url.is_none()).map(line).collect();
        if !listed.is_empty() {
            calls.extend(self.say(&format!("\n\n{}", listed.join("\n\n"))));
        }
        if self.has_begun {
            let sources: Vec<Value> = claims.iter().filter_map(source).collect();
            let chunks = json!([{"type": "task_update", "id": "sources", "title": "Sources", "status": "complete", "sources": sources}]);
            let arguments = if sources.is_empty() { json!({}) } else { json!({"chunks": chunks}) };
            calls.push(json!({"method": "chat.stopStream", "arguments": arguments}));
        }
        Ok((calls, report))
    }

    /// Gives out what a text has beyond that which is given out.
    fn grow(&mut self, text: &str) -> Vec<Value> {
        let Some(new) = text.get(self.given..).filter(|new| !new.is_empty()) else { return Vec::new() };
        let calls = self.say(new);
        self.given = text.len();
        calls
    }

    fn say(&mut self, text: &str) -> Vec<Value> {
        let chunks = chunks(text);
        chunks
            .into_iter()
            .map(|text| {
                let method =
                    if std::mem::replace(&mut self.has_begun, true) { "chat.appendStream" } else { "chat.startStream" };
                json!({"method": method, "arguments": {"chunks": [{"type": "markdown_text", "text": text}]}})
            })
            .collect()
    }
}

/// A text in pieces that Slack takes. An invisible character keeps `<!channel>` and `<@U1>` from calling anybody.
fn chunks(text: &str) -> Vec<String> {
    let mut chunks = vec![String::new()];
    let mut room = MAX_CHUNK_UTF16;
    for (at, c) in text.char_indices() {
        let calls = c == '<' && text[at + 1..].starts_with(['@', '!', '#']);
        let units = c.len_utf16() + usize::from(calls);
        if units > room {
            chunks.push(String::new());
            room = MAX_CHUNK_UTF16;
        }
        room -= units;
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(c);
            chunk.extend(calls.then_some('\u{200b}'));
        }
    }
    chunks
}

fn claims(message: &Activity) -> Vec<Claim> {
    let thing = message.entities.iter().flatten().find_map(|entity| match entity {
        Entity::Message(thing) => Some(&**thing),
        Entity::Other(_) | Entity::Odd(_) => None,
    });
    thing.map(|Message { citation, .. }| citation.clone()).unwrap_or_default()
}

/// A source without an address, as a line of the text.
fn line(claim: &Claim) -> String {
    let document = &claim.appearance;
    let passage = document.summary.as_deref().filter(|passage| *passage != document.name);
    let words = match passage {
        Some(passage) => format!("{}: {}", document.name, one_line(passage)),
        None => document.name.clone(),
    };
    let is_special = |c: char| "\\`*_[]<>~#|&$".contains(c);
    let mut escaped = format!("[{}] ", claim.position.position());
    for c in words.chars() {
        escaped.extend(is_special(c).then_some('\\'));
        escaped.push(c);
    }
    escaped
}

/// A source with an address.
fn source(claim: &Claim) -> Option<Value> {
    let url = claim.appearance.url.as_deref()?;
    let text = format!("[{}] {}", claim.position.position(), claim.appearance.name);
    Some(json!({"type": "url", "url": url, "text": text}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_goes_out_in_pieces_and_calls_nobody() {
        let text = format!("<!channel> {}", "😀".repeat(6_000));
        let chunks = chunks(&text);
        assert_eq!(chunks.len(), 2);
        assert!(chunks.iter().all(|chunk| chunk.encode_utf16().count() <= MAX_CHUNK_UTF16));
        assert_eq!(chunks.concat().replace('\u{200b}', ""), text);
        assert!(chunks[0].starts_with("<\u{200b}!channel>"));
    }
}
