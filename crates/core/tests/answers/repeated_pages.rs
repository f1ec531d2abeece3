use citewire_core::convert::convert;
use citewire_core::dialect::Dialect;
use citewire_core::ingest::{ingest, source_objects};
use citewire_core::output::{
    AssistantHubOptions, ChatOptions, OpenWebUiOptions, WebUiCitations, assistanthub, chat, open_webui, records,
};
use serde_json::{Value, json};

use crate::samples::to_message;

/// Two numbers of a list for one page, the second with what the first does not say.
fn pages() -> Value {
    json!([
        {"url": "https://x.example/a", "title": null, "snippet": null},
        {"url": "https://x.example/b", "title": "B", "snippet": "b"},
        {"url": "https://x.example/a?utm_source=s#top", "title": "A", "snippet": "a"},
    ])
}

/// One list of pages from Perplexity: whole, as a stream, and from its agent, whose markers are ids.
fn bodies(text: &str) -> [Vec<u8>; 3] {
    let (first, rest) = text.split_at(text.len().min(3));
    let whole =
        json!({"search_results": pages(), "choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
    let chunk = |delta: &str, end: Option<&str>| {
        let chunk =
            json!({"search_results": pages(), "choices": [{"delta": {"content": delta}, "finish_reason": end}]});
        format!("data: {chunk}\n\n")
    };
    let mut results = pages();
    for (at, page) in results.as_array_mut().expect("a list").iter_mut().enumerate() {
        page["id"] = json!(at + 1);
    }
    let said = json!({"type": "message", "content": [{"type": "output_text", "text": text, "annotations": []}]});
    let agent = json!({"object": "response", "status": "completed",
        "output": [{"type": "search_results", "results": results}, said]});
    let stream = chunk(first, None) + &chunk(rest, None) + &chunk("", Some("stop"));
    [whole.to_string().into_bytes(), stream.into_bytes(), agent.to_string().into_bytes()]
}

/// Each of the two numbers had a card of its own in Open WebUI, and both stood in the list of `records`.
#[test]
fn one_page_under_two_numbers_is_one_source_in_the_list_and_both_markers_lead_to_it() {
    for body in bodies("One [1]. Two [2]. Three [3].") {
        let answer = ingest(&body, None).expect("an answer");
        let records = json!(records(&answer, &source_objects(&body, &answer.sources)));
        assert_eq!((&records["cited"], &records["shown"]), (&json!([1, 2]), &json!([1, 2])));
        assert_eq!((&records["text"], &records["unresolved"]), (&json!("One [1]. Two [2]. Three [1]."), &json!([])));
        assert_eq!(records["sources"].as_array().map(Vec::len), Some(3), "the provider's list stays whole");

        let web_ui = json!(open_webui(&answer, &OpenWebUiOptions::default()));
        assert_eq!(web_ui["content"], "One [1]. Two [2]. Three [1].");
        let chat = chat(&answer, &ChatOptions::default());
        for events in [&web_ui["events"], &json!(chat.events)] {
            let cards: Vec<_> = events.as_array().expect("events").iter().map(|event| &event["data"]).collect();
            let names: Vec<_> = cards.iter().map(|card| &card["source"]["name"]).collect();
            assert_eq!(names, ["A", "B"]);
            assert_eq!(cards[0]["document"], json!(["a"]));
        }
        assert_eq!(chat.citations.expect("citations").sources.len(), 2);

        let links = OpenWebUiOptions { citations: WebUiCitations::Links(Default::default()), ..Default::default() };
        let links = open_webui(&answer, &links);
        assert_eq!(links.events.len(), 2);
        assert!(links.content.ends_with("Three [[doc1]](https://x.example/a)."), "{}", links.content);

        let hub = json!(assistanthub(&answer, &AssistantHubOptions::default()));
        assert_eq!(hub["citations"]["referenced_indices"], json!([1, 2]));
        let message = convert(&body, &to_message(Dialect::WebChat)).expect("an activity");
        let message = json!(message.activities[0]);
        assert_eq!(message["entities"][0]["citation"].as_array().map(Vec::len), Some(2));
        let text = message["text"].as_str().expect("a text");
        assert!(text.starts_with("One [1]. Two [2]. Three [1].\n\n[1]: https://x.example/a \"A\""), "{text}");
    }
}

#[test]
fn where_nothing_is_cited_each_page_is_listed_once() {
    for body in bodies("Nothing is cited.") {
        let answer = ingest(&body, None).expect("an answer");
        let records = records(&answer, &source_objects(&body, &answer.sources));
        assert_eq!((records.cited, records.shown), (vec![], vec![1, 2]));
        assert_eq!(open_webui(&answer, &OpenWebUiOptions::default()).events.len(), 2);
        assert_eq!(chat(&answer, &ChatOptions::default()).events.len(), 2);
        let hub = assistanthub(&answer, &AssistantHubOptions::default()).citations.expect("citations");
        assert_eq!(hub.referenced_indices.len(), 2);
    }
}

/// Chunks of a document have one address, and each has a passage of its own.
#[test]
fn chunks_of_one_document_stay_apart() {
    let body = json!({"text": "a [1] b [2]", "sources": [
        {"url": "https://x.example/a.pdf", "content": "one"}, {"url": "https://x.example/a.pdf", "content": "two"}]});
    let body = body.to_string().into_bytes();
    let answer = ingest(&body, None).expect("an answer");
    assert_eq!(records(&answer, &source_objects(&body, &answer.sources)).shown, [1, 2]);
    assert_eq!(open_webui(&answer, &OpenWebUiOptions::default()).events.len(), 2);
}
