//! Lists of sources that gateways put beside chat completions, read and cited.

#![expect(clippy::needless_pass_by_value, reason = "JSON that is made for a call reads better without borrowing")]

use std::num::NonZeroU32;

use citewire_core::answer::Answer;
use citewire_core::cite::{Rules, cite};
use citewire_core::ingest::ingest;
use serde_json::{Value, json};

fn whole(text: &str, message: Value, body: Value) -> Answer {
    let mut all = json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
    merge(&mut all["choices"][0]["message"], message);
    merge(&mut all, body);
    ingest(all.to_string().as_bytes(), None).expect("an answer")
}

fn merge(object: &mut Value, more: Value) {
    let more = more.as_object().cloned().unwrap_or_default();
    object.as_object_mut().expect("an object").extend(more);
}

fn stream(chunks: &[(&str, Value, Value)]) -> Answer {
    let mut body = String::new();
    for (at, (text, delta, more)) in chunks.iter().enumerate() {
        let end = (at + 1 == chunks.len()).then_some("stop");
        let mut chunk = json!({"choices": [{"delta": {"content": text}, "finish_reason": end}]});
        merge(&mut chunk["choices"][0]["delta"], delta.clone());
        merge(&mut chunk, more.clone());
        body.push_str(&format!("data: {chunk}\n\n"));
    }
    ingest(body.as_bytes(), None).expect("an answer")
}

/// The text with numbers, and the titles of the sources.
fn read(answer: &Answer) -> (String, Vec<&str>) {
    let titles = answer.sources.iter().map(|source| source.title.as_deref().unwrap_or_default());
    (cite(answer, &Rules::numbered()).text, titles.collect())
}

#[test]
fn each_list_is_counted_as_its_service_counts() {
    let pages = json!([{"title": "A", "url": "https://x/a", "index": 3, "refer": "ref_7"},
        {"title": "B", "url": "https://x/b", "index": 5, "refer": "ref_9"}]);
    let cases = [
        ("x [2]", json!({"citations": pages}), json!({})),
        ("x [^2]", json!({"references": pages}), json!({})),
        ("x [2]", json!({}), json!({"references": pages})),
        ("x [ref_9]", json!({}), json!({"web_search": pages})),
        ("x [5]", json!({}), json!({"search_info": {"search_results": pages}})),
        ("x [2]", json!({}), json!({"venice_parameters": {"web_search_citations": pages}})),
        ("x [ID:1]", json!({"reference": pages}), json!({})),
        ("x [ID:1]", json!({"reference": {"chunks": pages, "total": 2}}), json!({})),
    ];
    for (text, message, body) in cases {
        let answer = whole(text, message.clone(), body.clone());
        assert_eq!(read(&answer), ("x [2]".to_owned(), vec!["A", "B"]), "{text} {message} {body}");
        let late = stream(&[(text, json!({}), json!({})), ("", message.clone(), body.clone())]);
        assert_eq!(read(&late), read(&answer), "{text} {message} {body}");
        let early = stream(&[("", message.clone(), body.clone()), (text, message.clone(), body.clone())]);
        assert_eq!(read(&early), read(&answer), "a repeated list is one: {text} {message} {body}");
    }
}

#[test]
fn an_object_of_chunks_is_counted_by_its_names() {
    let chunks =
        json!({"481": {"document_name": "a.pdf", "positions": [[3, 1, 2, 3, 4]]}, "7": {"document_name": "b.pdf"}});
    let answer = whole("x [ID:481], y [ID:7].", json!({"reference": {"chunks": chunks, "doc_aggs": {}}}), json!({}));
    let (text, titles) = read(&answer);
    let place = |title: &str| titles.iter().position(|known| *known == title).expect("a source") + 1;
    assert_eq!(text, format!("x [{}], y [{}].", place("a.pdf"), place("b.pdf")));
    let first = answer.sources.iter().find(|source| source.title.as_deref() == Some("a.pdf")).expect("a source");
    assert_eq!(first.pointer, "/choices/0/message/reference/chunks/481");
    assert_eq!(first.page, NonZeroU32::new(3));
}

#[test]
fn lists_that_repeat_each_other_are_one_and_what_was_only_found_comes_last() {
    let message = json!({"search_results": [{"title": "A", "url": "https://x/a"}], "citations": ["https://x/a", "https://x/b"],
        "executed_tools": [{"search_results": {"results": [{"title": "C", "url": "https://x/c"}]}}],
        "annotations": [{"type": "url_citation", "url_citation": {"url": "https://x/b", "title": "B", "start_index": 0, "end_index": 3}}]});
    let answer = whole("One. Two [1].", message, json!({}));
    assert_eq!(read(&answer), ("One[2]. Two [1].".to_owned(), vec!["A", "B", "C"]));
}

#[test]
fn a_list_may_grow_and_each_delta_may_have_its_own_part() {
    let tool = |name: &str| json!({"executed_tools": [{"browser_results": [{"title": name, "url": format!("https://x/{name}")}]}]});
    let answer = stream(&[("a", tool("A"), json!({})), ("b", tool("B"), json!({})), ("c", tool("A"), json!({}))]);
    assert_eq!(read(&answer), ("abc".to_owned(), vec!["A", "B"]));
    let list =
        |names: &[&str]| json!({"citations": names.iter().map(|name| json!({"title": name})).collect::<Vec<_>>()});
    let answer = stream(&[("a [2]", list(&["A"]), json!({})), ("b", list(&["A", "B"]), json!({}))]);
    assert_eq!(read(&answer), ("a [2]b".to_owned(), vec!["A", "B"]));
}

#[test]
fn an_answer_that_cites_nothing_lists_what_was_used_and_not_what_was_found() {
    let shown = |answer: &Answer| answer.used().iter().map(|source| source.0).collect::<Vec<_>>();
    let pages = json!([{"title": "A"}, {"title": "B"}]);
    assert_eq!(shown(&whole("x", json!({"reference": pages}), json!({}))), [0, 1]);
    assert!(shown(&whole("x", json!({}), json!({"web_search": pages}))).is_empty());
    let claude = json!({"provider_specific_fields": {"citations": [[{"type": "char_location", "document_index": 0,
        "document_title": "A", "cited_text": "a"}]]}});
    let older = whole("x", claude, json!({}));
    assert_eq!((shown(&older), older.attested.len()), (vec![0], 1), "without a place it is attested");
}

#[test]
fn strange_values_are_no_sources_and_fail_nothing() {
    for strange in [json!(null), json!(7), json!("x"), json!({}), json!([]), json!([[1]]), json!({"a": 1}), json!(true)]
    {
        for name in
            ["reference", "executed_tools", "provider_specific_fields", "vertex_ai_grounding_metadata", "references"]
        {
            let answer = whole("x [1]", json!({name: strange}), json!({name: strange}));
            assert!(answer.sources.is_empty(), "{name} {strange} {:?}", answer.sources);
        }
    }
}

#[test]
fn a_document_that_groq_cites_is_a_source() {
    let annotation = json!({"type": "document_citation",
        "document_citation": {"document_id": "d7", "start_index": 0, "end_index": 4}});
    let answer = whole("One. Two.", json!({"annotations": [annotation]}), json!({}));
    assert_eq!(read(&answer), ("One.[1] Two.".to_owned(), vec!["d7"]));
}

#[test]
fn ten_thousand_sources_in_every_chunk_are_read_once() {
    let pages: Vec<Value> = (0..10_000).map(|n| json!({"title": n.to_string()})).collect();
    let chunks: Vec<_> = (0..10).map(|_| ("x", json!({}), json!({"references": pages}))).collect();
    assert_eq!(stream(&chunks).sources.len(), 10_000);
}
