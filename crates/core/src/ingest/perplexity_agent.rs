//! [Perplexity's agent](https://docs.perplexity.ai/api-reference/responses-post): responses in which `[n]` is the id of
//! a search result, not its place.

use super::Provider;
use super::format::Format;
use super::openai_responses::{flavour_of, kind};
use super::responses::{self, Flavour, RESPONSE_MEMBERS};
use super::responses_events::ResponsesEvents;

pub(super) const FORMAT: Format = Format {
    provider: Provider::PerplexityAgent,
    sign: "`search_results` in `output`",
    members: &[RESPONSE_MEMBERS],
    is_whole: |members| flavour_of(members) == Some(Flavour::Perplexity),
    is_event: |members| {
        let item = members.get("item").and_then(|item| item["type"].as_str());
        kind(members) == "response.reasoning.search_results"
            || kind(members).starts_with("response.") && item == Some("search_results")
    },
    parse: |body| responses::parse(body, Some(Flavour::Perplexity)),
    reader: || Box::new(ResponsesEvents::new(Some(Flavour::Perplexity))),
};

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::ingest;
    use crate::answer::{Answer, MarkerGrammar};

    fn results(ids: &[u64]) -> Value {
        let results: Vec<Value> =
            ids.iter().map(|id| json!({"id": id, "url": format!("https://x/{id}"), "title": null})).collect();
        json!({"type": "search_results", "queries": null, "results": results})
    }

    fn message(text: &str) -> Value {
        json!({"type": "message", "content": [{"type": "output_text", "text": text, "annotations": []}]})
    }

    fn stream(events: &[Value]) -> Answer {
        let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        ingest(body.as_bytes(), None).expect("an answer")
    }

    #[test]
    fn a_number_is_the_id_of_a_result_and_never_its_place() {
        let body =
            json!({"object": "response", "output": [results(&[3]), results(&[7]), message("a[7] b[1] c[3, 7]")]});
        let answer = ingest(body.to_string().as_bytes(), None).expect("an answer");
        let ids: Vec<_> = answer.sources.iter().filter_map(|source| source.id.as_deref()).collect();
        assert_eq!((ids, answer.grammar), (vec!["3", "7"], MarkerGrammar::BRACKETED_IDS));
        assert_eq!(answer.sources[1].pointer, "/output/1/results/0");
    }

    #[test]
    fn the_results_of_a_stream_come_while_it_thinks_and_again_at_its_end() {
        let created = json!({"type": "response.created", "response": {"model": "x/y"}});
        let mut found = results(&[3, 7]);
        found["type"] = json!("response.reasoning.search_results");
        let delta = json!({"type": "response.output_text.delta", "delta": "a[7]"});
        let end = json!({"type": "response.completed", "response": {"status": "completed", "output": [results(&[3, 7]), message("a[7]")]}});
        let events = [created, found, delta, end];
        for (events, pointer, complete) in
            [(&events[..], "/3/response/output/0/results/1", true), (&events[..3], "/1/results/1", false)]
        {
            let answer = stream(events);
            assert_eq!((answer.text.as_str(), answer.sources.len(), answer.complete), ("a[7]", 2, complete));
            assert_eq!((answer.sources[1].pointer.as_str(), answer.sources[1].id.as_deref()), (pointer, Some("7")));
            assert_eq!((answer.grammar, answer.tools_invoked), (MarkerGrammar::BRACKETED_IDS, Some(true)));
        }
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let body = json!({"output": [{"type": "search_results", "results": [{"id": {}}]}, message("a")]}).to_string();
        assert_eq!(ingest(body.as_bytes(), None).expect_err("no id").pointer(), Some("/output/0/results/0/id"));
    }
}
