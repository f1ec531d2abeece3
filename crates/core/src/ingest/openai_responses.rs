//! [OpenAI Responses](https://platform.openai.com/docs/api-reference/responses/object): annotations in the parts of the
//! messages in `output`.

use serde_json::Value;

use super::format::{Format, Members, is_addresses, is_something, is_text};
use super::responses::{self, Flavour, RESPONSE_MEMBERS, is_grok};
use super::responses_events::ResponsesEvents;
use super::{Provider, azsearch_demo};

pub(super) const FORMAT: Format = Format {
    provider: Provider::OpenAiResponses,
    sign: "`output`",
    members: &[RESPONSE_MEMBERS],
    is_whole: |members| flavour_of(members) == Some(Flavour::OpenAi),
    is_event: |members| {
        let kind = kind(members);
        // An event of kind `error` has the members of the error at its top level.
        let is_ours = kind.starts_with("response.") && kind != azsearch_demo::CONTEXT_EVENT;
        is_ours || kind == "error" && is_something(members, "message")
    },
    parse: |body| responses::parse(body, Some(Flavour::OpenAi)),
    // These events may also come from xAI or Perplexity; later events tell.
    reader: || Box::new(ResponsesEvents::new(None)),
};

/// The `type` of an event, or an empty string.
pub(super) fn kind(members: &Members) -> &str {
    members.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The provider whose layout a whole response has; `None` when the body is no response.
pub(super) fn flavour_of(members: &Members) -> Option<Flavour> {
    let output = members.get("output")?.as_array()?;
    let is_kind = |item: &Value, kind: &str| item["type"].as_str() == Some(kind);
    let holds = |kind: &str| output.iter().any(|item| is_kind(item, kind));
    // Without `object`, a response is known by its messages. Its `text` is never a string: it is an object with options.
    let is_unnamed = || holds("message") && !members.get("text").is_some_and(Value::is_string);
    if !is_text(members, "object", "response") && !is_unnamed() {
        return None;
    }
    Some(if holds("search_results") || holds("fetch_url_results") {
        Flavour::Perplexity
    } else if members.get("citations").is_some_and(is_addresses)
        || is_grok(members.get("model").and_then(Value::as_str))
    {
        Flavour::Xai
    } else {
        Flavour::OpenAi
    })
}
#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;
    use crate::answer::Answer;

    fn whole(text: &str, annotations: &Value) -> Value {
        json!({"object": "response", "status": "completed", "output": [
            {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "thinking"}]},
            {"type": "web_search_call", "action": {"type": "search"}},
            {"type": "message", "content": [{"type": "output_text", "text": text, "annotations": annotations}]}]})
    }

    fn read(value: &Value) -> Answer {
        ingest(value.to_string().as_bytes(), None).expect("an answer")
    }

    fn stream(events: &[Value]) -> Answer {
        let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        ingest(body.as_bytes(), None).expect("an answer")
    }

    fn cited(answer: &Answer) -> Vec<&str> {
        answer.citations.iter().map(|citation| &answer.text[citation.span.range()]).collect()
    }

    fn delta(text: &str) -> Value {
        json!({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": text})
    }

    #[test]
    fn a_span_counted_in_utf16_is_read_in_utf16() {
        let answer = read(&whole(
            "😀 a ([x](https://x)).",
            &json!([
            {"type": "url_citation", "start_index": 5, "end_index": 21, "url": "https://x"}]),
        ));
        assert_eq!(cited(&answer), ["([x](https://x))"]);
    }

    #[test]
    fn parts_are_joined_and_count_for_themselves_and_reasoning_is_no_text() {
        let mut response = whole("Süß. ", &json!(null));
        let more = json!({"type": "message", "content": [null, {"type": "refusal", "refusal": "No "},
            {"type": "output_text", "text": "a b", "annotations": [
                {"type": "file_citation", "file_id": 7, "filename": "a.pdf", "index": 1},
                {"type": "file_path", "file_id": "z", "index": 1}]}, {"type": "output_audio", "text": {}}]});
        response["output"].as_array_mut().expect("a list").push(more);
        let answer = read(&response);
        assert_eq!(answer.text, "Süß. No a b");
        assert_eq!(answer.citations[0].span.start(), "Süß. No a".len());
        assert_eq!((answer.sources.len(), answer.sources[0].id.as_deref()), (1, Some("7")));
        assert_eq!(answer.sources[0].pointer, "/output/3/content/2/annotations/0");
    }

    #[test]
    fn an_annotation_without_a_place_lists_its_source() {
        let answer = read(&whole("a", &json!([{"type": "url_citation", "url": "https://x", "start_index": null}])));
        assert_eq!((answer.citations.len(), answer.sources.len()), (0, 1));
        assert_eq!(answer.shown.as_deref().map(<[_]>::len), Some(1));
        assert_eq!(answer.warnings[0].code, "annotation-unanchored");
    }

    #[test]
    fn a_page_cited_twice_is_one_source_and_the_attributes_of_a_file_are_its_metadata() {
        let mut response = whole(
            "a b c",
            &json!([
            {"type": "url_citation", "start_index": 0, "end_index": 1, "url": "https://x/?utm_source=openai"},
            {"type": "url_citation", "start_index": 2, "end_index": 3, "url": "https://x/", "title": "X"},
            {"type": "container_file_citation", "file_id": "f", "container_id": "c", "start_index": 4, "end_index": 5}]),
        );
        let search = json!({"type": "file_search_call", "results": [
            {"file_id": "f", "filename": "f.pdf", "score": 0.5, "text": "first", "attributes": {"label": "Secret"}},
            {"file_id": "f", "text": "second", "attributes": null}, {"file_id": "g"}]});
        response["output"].as_array_mut().expect("a list").insert(0, search);
        let answer = read(&response);
        assert_eq!(answer.sources.len(), 2);
        assert_eq!(answer.sources[0].title.as_deref(), Some("X"));
        let file = &answer.sources[1];
        assert_eq!(
            (file.content.as_deref(), file.score, &file.metadata["label"]),
            (Some("first"), Some(0.5), &json!("Secret"))
        );
        assert_eq!(answer.tools_invoked, Some(true));
    }

    #[test]
    fn tools_are_told_by_their_calls() {
        let mut response = whole("a", &json!([]));
        assert_eq!(read(&response).tools_invoked, Some(true));
        response["output"].as_array_mut().expect("a list").remove(1);
        assert_eq!(read(&response).tools_invoked, Some(false));
    }

    #[test]
    fn a_stream_without_its_last_event_is_gathered_from_the_others() {
        let annotation =
            json!({"type": "url_citation", "start_index": 2, "end_index": 16, "url": "https://x", "title": "X"});
        let added = json!({"type": "response.output_text.annotation.added", "output_index": 1, "content_index": 0, "annotation": annotation});
        let events = [
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "web_search_call"}}),
            json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "thinking"}),
            delta("a [x](https"),
            added,
            delta("://x) b"),
        ];
        let answer = stream(&events);
        assert_eq!((answer.text.as_str(), answer.complete), ("a [x](https://x) b", false));
        assert_eq!(cited(&answer), ["[x](https://x)"]);
        assert_eq!(answer.sources[0].pointer, "/3/annotation");
        assert_eq!(answer.tools_invoked, Some(true));
        let mut ended = events.to_vec();
        ended.push(json!({"type": "response.completed", "response": {"status": "completed", "output": []}}));
        let ended = stream(&ended);
        assert!(ended.complete);
        assert_eq!(ended.citations, answer.citations);
    }

    #[test]
    fn the_response_at_the_end_overrules_what_came_before() {
        let annotations = json!([{"type": "url_citation", "start_index": 0, "end_index": 1, "url": "https://x"}]);
        let done = json!({"type": "response.completed", "response": whole("abc", &annotations)});
        for events in [vec![done.clone()], vec![delta("ab"), done.clone()], vec![delta("abc"), done.clone()]] {
            let answer = stream(&events);
            assert_eq!((answer.text.as_str(), answer.complete), ("abc", true));
            assert_eq!(cited(&answer), ["abc"], "a span ends where its word does");
            assert_eq!(answer.warnings, []);
            assert!(answer.sources[0].pointer.ends_with("/response/output/2/content/0/annotations/0"));
        }
        let differs = stream(&[delta("xyz"), done]);
        assert_eq!((differs.text.as_str(), differs.warnings[0].code), ("abc", "text-differs"));
    }

    #[test]
    fn other_ends_keep_the_text() {
        let error = json!({"code": "boom", "message": "x"});
        for end in [
            json!({"type": "response.failed", "response": {"status": "failed", "error": error}}),
            json!({"type": "error", "code": "boom", "message": "x", "param": null}),
            json!({"type": "error", "error": error}),
        ] {
            let answer = stream(&[delta("a"), end.clone(), delta("b")]);
            assert_eq!((answer.text.as_str(), answer.complete), ("a", false), "{end}");
            assert_eq!(answer.error.expect("an error").to_string(), "boom: x", "{end}");
        }
        let incomplete = json!({"status": "incomplete", "output": []});
        let cut = stream(&[delta("a"), json!({"type": "response.incomplete", "response": incomplete})]);
        assert_eq!((cut.complete, cut.error, cut.warnings[0].code), (false, None, "finish-reason"));
        let mut cut = whole("a", &json!([]));
        cut["status"] = json!("incomplete");
        assert!(!read(&cut).complete);
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: &str| ingest(body.as_bytes(), None).expect_err(body).to_string();
        let mut response = whole("a", &json!([{"type": "url_citation", "url": 5}]));
        let pointer = "/output/2/content/0/annotations/0/url";
        assert_eq!(refused(&response.to_string()), format!("{pointer}: invalid type: integer `5`, expected a string"));
        response["output"] = json!([{"type": "message", "content": "a"}]);
        assert_eq!(
            refused(&response.to_string()),
            "/output/0/content: invalid type: string \"a\", expected a sequence"
        );
        response["output"] = json!([{"type": "reasoning"}]);
        assert_eq!(refused(&response.to_string()), "/output: holds no message; the text of the answer is required");
        let event =
            format!("data: {}\n\ndata: {{\"type\":\"response.output_text.delta\",\"delta\":5}}\n\n", delta("a"));
        assert_eq!(refused(&event), "event 2 at line 3: /delta: invalid type: integer `5`, expected a string");
    }
}
