//! [Vercel AI SDK](https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol): the parts of a UI message, streamed
//! or in a whole message. Sources have no place in the text.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::annotated::Sources;
use super::event::{Event, ReadEvents, StreamEvent};
use super::finish_reason::odd_reason;
use super::format::{Format, Members};
use super::json::{self, entries, filled, text_or_number};
use super::location::{Located, location};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, ProviderError, Source, SourceIndex, SourceKind};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::VercelAiSdk,
    sign: "`parts`",
    members: &[&["id", "metadata", "parts", "role"]],
    is_whole: |members| members.get("parts").is_some_and(Value::is_array),
    is_event,
    parse,
    reader: || Box::new(UiMessage::default()),
};

fn is_event(members: &Members) -> bool {
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    let known = ["start", "start-step", "text-start", "text-delta", "text-end", "finish-step", "finish", "abort"];
    let prefixes = ["reasoning-", "source-", "tool-input-", "tool-output-"];
    known.contains(&kind)
        || prefixes.iter().any(|prefix| kind.starts_with(prefix))
        || kind == "error" && members.contains_key("errorText")
}

/// A whole UI message.
#[derive(Deserialize)]
struct Message {
    #[serde(default, deserialize_with = "entries")]
    parts: Vec<Part>,
}

/// A part of a message, or an event of its stream.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(rename = "type")]
    kind: Option<String>,
    /// The whole text of a part.
    text: Option<String>,
    /// The new text in an event.
    delta: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    source_id: Option<String>,
    url: Option<String>,
    title: Option<String>,
    media_type: Option<String>,
    filename: Option<String>,
    provider_metadata: Option<Map<String, Value>>,
    error_text: Option<String>,
    reason: Option<String>,
    finish_reason: Option<String>,
}

/// Reads a message, whole or streamed, and collects its sources.
#[derive(Debug, Default)]
struct UiMessage {
    sources: Sources,
}

/// Finish reasons that get no note.
const USUAL: [&str; 4] = ["stop", "tool-calls", "unknown", "other"];

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::LINKS, complete: true, ..Answer::default() };
    let mut message = UiMessage::default();
    for (at, part) in json::read::<Message>(body)?.parts.into_iter().enumerate() {
        match part.kind.as_deref().unwrap_or_default() {
            "text" => answer.text.extend(part.text),
            kind if is_source(kind) => message.add(part, format!("/parts/{at}"), &mut answer.warnings),
            _ => {}
        }
    }
    Box::new(message).finish(&mut answer);
    Ok(answer)
}

fn is_source(kind: &str) -> bool {
    matches!(kind, "source-url" | "source-document")
}

impl UiMessage {
    fn add(&mut self, part: Part, pointer: String, warnings: &mut Vec<Entry>) {
        let kind = if part.kind.as_deref() == Some("source-url") { SourceKind::Web } else { SourceKind::Document };
        let Located { url, filepath, address } = location(part.url, || format!("{pointer}/url"), warnings);
        let source = Source {
            id: filled(part.source_id),
            title: filled(part.title),
            kind: Some(kind),
            url,
            address,
            filepath: filled(part.filename).or(filepath),
            media_type: filled(part.media_type),
            metadata: part.provider_metadata.unwrap_or_default(),
            pointer,
            ..Source::default()
        };
        match (&source.url, source.id.clone()) {
            (None, Some(id)) => self.sources.known_as(&format!("id {id}"), source),
            (Some(_), _) | (None, None) => self.sources.page(source),
        };
    }
}

impl ReadEvents for UiMessage {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::LINKS
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let part: Part = json::read(json)?;
        let place = event.pointer();
        match part.kind.as_deref().unwrap_or_default() {
            "text-delta" => {
                let text = part.delta.or(part.text).filter(|text| !text.is_empty());
                said.extend(text.map(StreamEvent::Text));
            }
            kind if is_source(kind) => {
                self.add(part, place, notes);
                let new = self.sources.new_ones();
                said.extend(Some(new).filter(|new| !new.is_empty()).map(StreamEvent::Sources));
            }
            "finish" => {
                notes.extend(odd_reason(part.finish_reason, &USUAL, || format!("{place}/finishReason")));
                said.push(StreamEvent::Done);
            }
            "error" => {
                let message = filled(part.error_text).or_else(|| Some("no details".to_owned()));
                said.push(StreamEvent::Error(ProviderError { message, ..ProviderError::default() }));
            }
            "abort" => {
                let (kind, message) = (Some("abort".to_owned()), filled(part.reason));
                said.push(StreamEvent::Error(ProviderError { kind, message, ..ProviderError::default() }));
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        answer.sources = self.sources.into_list();
        answer.attested = (0..answer.sources.len()).map(SourceIndex).collect();
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "JSON that is made for a call reads better without borrowing")]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn page(id: Value, url: &str) -> Value {
        json!({"type": "source-url", "sourceId": id, "url": url, "title": null})
    }

    #[test]
    fn a_stream_and_the_message_that_it_makes_are_one_answer() {
        let document = json!({"type": "source-document", "sourceId": "d", "mediaType": "text/plain", "title": "D",
            "filename": null, "providerMetadata": {"label": "Secret"}});
        let sources = [
            page(json!(1), "https://x.example/a"),
            document.clone(),
            page(json!(2), "https://X.example/a#b"),
            document,
        ];
        let mut events = vec![json!({"type": "start"}), json!({"type": "reasoning-delta", "delta": "hm"})];
        events.push(json!({"type": "text-delta", "id": "t", "delta": "One [1] "}));
        events.extend(sources.clone());
        events.push(json!({"type": "data-new", "data": {}}));
        events.push(json!({"type": "text-delta", "id": "u", "delta": "two."}));
        let cut = answer(&json!(events));
        events.push(json!({"type": "finish"}));
        let mut streamed = answer(&json!(events));
        assert_eq!((cut.complete, streamed.complete), (false, true));
        let mut parts = vec![json!({"type": "reasoning", "text": "hm"}), json!({"type": "text", "text": "One [1] "})];
        parts.extend(sources);
        parts.extend([Value::Null, json!({"type": "text", "text": "two."})]);
        let whole = answer(&json!({"id": "m", "role": "assistant", "parts": parts}));
        assert_eq!((whole.text.as_str(), whole.sources.len(), whole.citations.len()), ("One [1] two.", 2, 0));
        assert_eq!(
            (whole.sources[0].id.as_deref(), &whole.sources[1].metadata["label"]),
            (Some("1"), &json!("Secret"))
        );
        for (source, whole) in streamed.sources.iter_mut().zip(&whole.sources) {
            source.pointer.clone_from(&whole.pointer);
        }
        assert_eq!(streamed, whole);
        assert_eq!(whole.grammar, MarkerGrammar::LINKS);
    }

    #[test]
    fn an_error_and_an_abort_keep_what_had_arrived() {
        let text = json!({"type": "text-delta", "delta": "Half"});
        for (end, message) in [
            (json!({"type": "error", "errorText": "boom"}), "boom"),
            (json!({"type": "abort", "reason": "user"}), "abort: user"),
            (json!({"type": "abort"}), "abort"),
        ] {
            let answer = answer(&json!([text, end]));
            assert_eq!((answer.text.as_str(), answer.complete), ("Half", false));
            assert_eq!(answer.error.expect("an error").to_string(), message);
        }
        let cut = answer(&json!([text, {"type": "finish", "finishReason": "length"}]));
        assert_eq!((cut.complete, cut.warnings[0].code), (true, "finish-reason"));
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: Value| ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        let body = json!({"parts": [{"type": "source-url", "url": 5}]});
        assert_eq!(refused(body), "/parts/0/url: invalid type: integer `5`, expected a string");
        let body = json!([{"type": "text-delta", "delta": {}}]);
        assert_eq!(refused(body), "event 1 at line 1: /delta: invalid type: map, expected a string");
    }
}
