//! [Mistral conversations](https://docs.mistral.ai/agents/tools/built-in/websearch): references to tool results,
//! each behind the text chunk that it supports.

use serde::Deserialize;
use serde_json::Value;

use super::chat::{CHAT_MEMBERS, ChatKind, Content};
use super::deferred_format::DeferredFormat;
use super::event::ReadEvents;
use super::format::{Format, Members, is_something};
use super::json::{self, list};
use super::mistral_chat::{self, MistralChatEvents};
use super::mistral_events::MistralEvents;
use super::mistral_outputs::{Outputs, is_tool};
use super::openai_responses::kind;
use super::responses::kind_of;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar};

pub(super) const FORMAT: Format = Format {
    provider: Provider::Mistral,
    sign: "`outputs`",
    members: &[CHAT_MEMBERS, &["conversation_id", "outputs", "guardrails"]],
    is_whole: |members| is_conversation(members) || ChatKind::Mistral.is_whole(members),
    is_event: |members| {
        let kind = kind(members);
        ["conversation.response.", "message.output.", "tool.execution."].iter().any(|start| kind.starts_with(start))
            || ChatKind::of(members) == Some(ChatKind::Mistral)
    },
    parse,
    reader: || Box::new(DeferredFormat::new(MarkerGrammar::NONE, reader)),
};

fn is_conversation(members: &Members) -> bool {
    let object = members.get("object").and_then(Value::as_str);
    members.get("outputs").is_some_and(Value::is_array)
        && (is_something(members, "conversation_id") || object == Some("conversation.response"))
}

fn reader(members: &Members) -> Box<dyn ReadEvents> {
    if members.contains_key("choices") {
        Box::new(MistralChatEvents::default())
    } else {
        Box::new(MistralEvents::default())
    }
}

#[derive(Deserialize)]
struct Conversation {
    #[serde(default, deserialize_with = "list")]
    outputs: Vec<Value>,
}

#[derive(Deserialize)]
struct WireMessage {
    content: Option<Content>,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let members: Members = json::read(body)?;
    if is_something(&members, "choices") {
        return mistral_chat::parse(body);
    }
    let conversation: Conversation = json::read(body)?;
    let mut answer = Answer { grammar: MarkerGrammar::NONE, complete: true, ..Answer::default() };
    let mut outputs = Outputs::default();
    let mut has_message = false;
    for (at, output) in conversation.outputs.into_iter().enumerate() {
        let kind = kind_of(&output).unwrap_or_default();
        outputs.used_tools |= is_tool(&kind);
        if kind != "message.output" {
            continue;
        }
        has_message = true;
        let message: WireMessage = json::member(output, &format!("/outputs/{at}"))?;
        let pointer = format!("/outputs/{at}/content");
        match message.content {
            Some(Content::Text(text)) => {
                answer.text += &outputs.take(Value::String(text), "", &pointer, &mut answer.warnings)?;
            }
            Some(Content::Chunks(chunks)) => {
                for (at, chunk) in chunks.into_iter().enumerate() {
                    let pointer = format!("{pointer}/{at}");
                    answer.text += &outputs.take(chunk, "", &pointer, &mut answer.warnings)?;
                }
            }
            None => {}
        }
    }
    if !has_message {
        return Err(IngestError::member("/outputs", "holds no message; the text of the answer is required"));
    }
    outputs.finish(&mut answer);
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{AnswerStream, StreamEvent, ingest};
    use super::*;
    use crate::answer::SourceIndex;

    fn page(n: usize) -> Value {
        json!({"type": "tool_reference", "tool": "web_search", "title": n.to_string(), "url": format!("https://x/{n}")})
    }

    fn conversation(content: &Value) -> Answer {
        let body = json!({"conversation_id": "c", "outputs": [{"type": "message.output", "content": content}]});
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn delta(content: &Value) -> Value {
        json!({"type": "message.output.delta", "output_index": 0, "content": content})
    }

    fn body(events: &[Value]) -> String {
        events.iter().map(|event| format!("data: {event}\n\n")).collect()
    }

    fn stream(events: &[Value]) -> Answer {
        ingest(body(events).as_bytes(), None).expect("an answer")
    }

    #[test]
    fn references_at_one_place_are_cited_once_and_ascending_exactly_there() {
        let content = json!([{"type": "text", "text": "Süß "}, page(1), {"type": "thinking", "thinking": []}, null,
            {"type": "text", "text": "b"}, page(2), page(1), page(2)]);
        let answer = conversation(&content);
        let found: Vec<_> = answer.citations.iter().map(|c| (c.span.range(), c.sources.clone())).collect();
        assert_eq!(found, [(6..6, vec![SourceIndex(0)]), (7..7, vec![SourceIndex(0), SourceIndex(1)])]);
        assert_eq!(answer.sources[1].pointer, "/outputs/0/content/5");
    }

    #[test]
    fn a_text_may_be_plain_and_a_file_that_a_tool_made_is_no_source() {
        assert_eq!(conversation(&json!("a")).text, "a");
        let answer = conversation(&json!([{"type": "text", "text": "a"},
            {"type": "tool_file", "tool": "image_generation", "file_id": "i", "file_name": "i.png"},
            {"type": "tool_file", "tool": "document_library", "file_id": 7, "file_name": "f.pdf"}]));
        assert_eq!((answer.sources.len(), answer.sources[0].id.as_deref()), (1, Some("7")));
        assert_eq!(answer.sources[0].file_name().as_deref(), Some("f.pdf"));
        assert_eq!(conversation(&json!("a")).tools_invoked, Some(false));
    }

    #[test]
    fn a_stream_cites_as_soon_as_the_text_goes_on() {
        let events =
            [delta(&json!("a.")), delta(&page(1)), delta(&page(2)), delta(&json!([{"type": "text", "text": "b"}]))];
        let said = AnswerStream::new(None).push(body(&events).as_bytes()).expect("events");
        assert_eq!(said[0], StreamEvent::Text("a.".into()));
        assert!(matches!(&said[1], StreamEvent::Sources(sources) if sources.len() == 2));
        assert_eq!(
            said[2..],
            [StreamEvent::Cited(vec![SourceIndex(0), SourceIndex(1)]), StreamEvent::Text("b".into())]
        );
        let answer = stream(&events);
        assert_eq!((answer.text.as_str(), answer.sources.len(), answer.complete), ("a.b", 2, false));
        let done = json!({"type": "conversation.response.done"});
        assert!(stream(&[delta(&json!("a")), done]).complete);
    }

    #[test]
    fn an_error_keeps_the_text() {
        let error = json!({"type": "conversation.response.error", "code": 500, "message": "x"});
        let answer = stream(&[delta(&json!("a")), error, delta(&json!("b"))]);
        assert_eq!((answer.text.as_str(), answer.complete), ("a", false));
        assert_eq!(answer.error.expect("an error").to_string(), "500: x");
    }

    #[test]
    fn a_chat_refers_by_id_whole_and_as_a_stream() {
        let content = json!([{"type": "text", "text": "a"}, {"type": "reference", "reference_ids": [1, "0", 1]}]);
        let whole = json!({"choices": [{"message": {"content": content}}]}).to_string();
        let chunk = json!({"choices": [{"delta": {"content": content}, "finish_reason": "stop"}]});
        for answer in [ingest(whole.as_bytes(), None).expect("an answer"), stream(&[chunk])] {
            let ids: Vec<_> = answer.sources.iter().filter_map(|source| source.id.as_deref()).collect();
            assert_eq!((answer.text.as_str(), ids, answer.complete), ("a", vec!["1", "0"], true));
            assert_eq!(answer.citations[0].span.range(), 1..1);
        }
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: String| ingest(body.as_bytes(), None).expect_err("unusable").to_string();
        let url = "invalid type: integer `5`, expected a string";
        let body_of = |content: &Value| json!({"conversation_id": 1, "outputs": [{"type": "message.output", "content": content}]});
        let wrong = body_of(&json!([{"type": "tool_reference", "url": 5}])).to_string();
        assert_eq!(refused(wrong), format!("/outputs/0/content/0/url: {url}"));
        assert_eq!(refused(body(&[delta(&json!(5))])), format!("event 1 at line 1: /content: {url}"));
        let none = json!({"conversation_id": 1, "outputs": []}).to_string();
        assert_eq!(refused(none), "/outputs: holds no message; the text of the answer is required");
    }
}
