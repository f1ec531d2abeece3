//! [xAI](https://docs.x.ai/developers/tools/citations): responses and chat completions with `[[n]](url)` in the
//! text, and `citations`, a list of all pages that the model saw.

use super::chat::{CHAT_MEMBERS, ChatKind};
use super::deferred_format::DeferredFormat;
use super::event::ReadEvents;
use super::format::{Format, Members, is_something};
use super::openai_chat::{self, ChatEvents};
use super::openai_responses::{flavour_of, kind};
use super::responses::{self, Flavour, RESPONSE_MEMBERS, is_grok};
use super::responses_events::ResponsesEvents;
use super::{IngestError, Provider, json};
use crate::answer::{Answer, MarkerGrammar};

pub(super) const FORMAT: Format = Format {
    provider: Provider::Xai,
    sign: "`citations`",
    members: &[CHAT_MEMBERS, RESPONSE_MEMBERS, &["citations", "search_queries"]],
    is_whole: |members| ChatKind::Xai.is_whole(members) || flavour_of(members) == Some(Flavour::Xai),
    is_event: |members| {
        let model = members.get("response").and_then(|response| response["model"].as_str());
        ChatKind::of(members) == Some(ChatKind::Xai) || kind(members).starts_with("response.") && is_grok(model)
    },
    parse,
    reader: || Box::new(DeferredFormat::new(MarkerGrammar::NONE, reader)),
};

fn parse(body: &str) -> Result<Answer, IngestError> {
    let members: Members = json::read(body)?;
    if is_something(&members, "choices") {
        openai_chat::parse(body, true)
    } else {
        responses::parse(body, Some(Flavour::Xai))
    }
}

fn reader(members: &Members) -> Box<dyn ReadEvents> {
    if members.contains_key("choices") {
        Box::new(ChatEvents::new(true))
    } else {
        Box::new(ResponsesEvents::new(Some(Flavour::Xai)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{AnswerStream, StreamEvent, ingest};
    use super::*;
    use crate::answer::SourceIndex;

    const TEXT: &str = "Süß[[1]](https://x/a) und[[7]](https://new/) aus[[2]](https://y/).";

    fn read(value: &Value) -> Answer {
        ingest(value.to_string().as_bytes(), None).expect("an answer")
    }

    fn stream(events: &[Value]) -> Answer {
        let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        ingest(body.as_bytes(), None).expect("an answer")
    }

    fn cited(answer: &Answer) -> Vec<(&str, usize)> {
        let mut citations = answer.citations.clone();
        citations.sort_by_key(|citation| citation.span);
        citations.iter().map(|citation| (&answer.text[citation.span.range()], citation.sources[0].0)).collect()
    }

    fn addresses(answer: &Answer) -> Vec<&str> {
        answer.sources.iter().filter_map(|source| source.url.as_ref()).map(crate::url::WebUrl::as_str).collect()
    }

    fn annotations() -> Value {
        json!([{"type": "url_citation", "url": "https://y/", "title": 2, "start_index": 48, "end_index": 65}])
    }

    const EXPECTED: [(&str, usize); 3] =
        [("[[1]](https://x/a)", 1), ("[[7]](https://new/)", 2), ("[[2]](https://y/)", 0)];

    #[test]
    fn a_marker_is_resolved_by_its_address_and_never_by_its_number() {
        let chat = json!({"model": "grok-4", "choices": [{"message": {"content": TEXT, "annotations": annotations()}}],
            "citations": ["https://z/", "https://x/a"]});
        let response = json!({"object": "response", "model": "x-ai/Grok-4", "citations": ["https://z/", "https://x/a"],
            "output": [{"type": "message", "content": [{"type": "output_text", "text": TEXT, "annotations": annotations()}]}]});
        for body in [chat, response] {
            let answer = read(&body);
            assert_eq!(cited(&answer), EXPECTED);
            // Used pages stand before pages that were only seen.
            assert_eq!(addresses(&answer), ["https://y/", "https://x/a", "https://new/", "https://z/"]);
            assert_eq!((answer.sources[0].title.as_deref(), &answer.shown), (None, &None));
        }
    }

    #[test]
    fn streams_are_read_as_whole_answers() {
        let chunk = |content: &str| json!({"model": "grok-4", "choices": [{"delta": {"content": content}}]});
        let (first, rest) = TEXT.split_at(8);
        let mut last = json!({"model": "grok-4", "citations": ["https://z/", "https://x/a"],
            "choices": [{"delta": {"annotations": annotations()}, "finish_reason": "stop"}]});
        let chat = stream(&[chunk(first), chunk(rest), last.clone()]);
        last["citations"] = json!(null);
        let delta = |text: &str| json!({"type": "response.output_text.delta", "delta": text});
        let created = json!({"type": "response.created", "response": {"model": "grok-4", "output": []}});
        let output = json!([{"type": "message", "content": [{"type": "output_text", "text": TEXT, "annotations": annotations()}]}]);
        let end = json!({"type": "response.completed", "response": {"model": "grok-4", "status": "completed",
            "output": output, "citations": ["https://z/", "https://x/a"]}});
        let response = stream(&[created, delta(first), delta(rest), end]);
        for answer in [chat, response] {
            assert_eq!(cited(&answer), EXPECTED);
            assert!(answer.complete);
        }
        let said = AnswerStream::new(None).push(format!("data: {}\n\n", chunk(first)).as_bytes()).expect("events");
        assert_eq!(said, [StreamEvent::Late, StreamEvent::Text(first.to_owned())]);
        assert_eq!(stream(&[chunk(first), last]).sources.len(), 1);
    }

    #[test]
    fn annotated_pages_without_a_place_are_shown_and_others_are_not() {
        let body = json!({"model": "grok-4", "citations": ["https://z/"], "choices": [{"message": {"content": "a",
            "annotations": [{"type": "url_citation", "url": "https://x/", "title": "https://x/", "start_index": 0, "end_index": 0}]}}]});
        let answer = read(&body);
        assert_eq!((answer.sources.len(), answer.shown), (2, Some(vec![SourceIndex(0)])));
        assert_eq!(answer.sources[0].title, None);
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let body = json!({"model": "grok-4", "choices": [{"message": {"content": "a"}}], "citations": [5]}).to_string();
        assert_eq!(ingest(body.as_bytes(), None).expect_err("a number is no address").pointer(), Some("/citations/0"));
    }
}
