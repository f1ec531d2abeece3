//! Tests of what mappings read, as whole answers and as streams.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::annotated::cited;
use super::super::{AnswerFormat, AnswerStream, IngestError, ingest};
use super::*;
use crate::answer::Answer;

fn mapping(options: Value) -> Mapping {
    let options: MappingOptions = serde_json::from_value(options).expect("options");
    Mapping::new("wiki", &options).expect("a mapping")
}

fn read(options: Value, body: &[u8]) -> Result<Answer, IngestError> {
    ingest(body, Arc::new(mapping(options)))
}

fn answer(options: Value, body: &Value) -> Answer {
    read(options, body.to_string().as_bytes()).expect("an answer")
}

fn refused(options: Value, body: &str) -> String {
    read(options, body.as_bytes()).expect_err("unusable").to_string()
}

fn notes(answer: &Answer) -> Vec<(&str, &str)> {
    answer.warnings.iter().map(|entry| (entry.code, entry.message.as_str())).collect()
}

fn wiki() -> Value {
    json!({"text": "$.data.result.answer", "sources": "$.data.docs[*]",
        "source": {"id": "@.nr", "title": "@.meta.title", "url": "@.meta.link", "content": ["@.hits[*]", "@.body"],
            "page": "@.page", "score": "@.rank", "label": "@.class"}})
}

#[test]
fn a_nested_answer_is_read_with_exact_pointers() {
    let body = json!({"data": {"result": {"answer": "30 Tage 😀 [1]."}, "docs": [
        {"nr": 7, "meta": {"title": "Urlaub", "link": "https://wiki.example/u"}, "hits": ["a", "b"], "page": "3", "rank": 0.5,
            "class": "Intern"},
        {"meta": {"title": null, "link": "hr/b.pdf"}, "body": "c", "rank": 12.5},
        null]}});
    let answer = answer(wiki(), &body);
    assert_eq!((answer.provider, answer.complete, answer.text.as_str()), (Some("wiki"), true, "30 Tage 😀 [1]."));
    let pointers: Vec<&str> = answer.sources.iter().map(|source| source.pointer.as_str()).collect();
    assert_eq!(pointers, ["/data/docs/0", "/data/docs/1", "/data/docs/2"]);
    let [first, second, _] = &answer.sources[..] else { panic!("three sources") };
    assert_eq!((first.id.as_deref(), first.title.as_deref(), first.score), (Some("7"), Some("Urlaub"), Some(0.5)));
    assert_eq!((first.content.as_deref(), first.page.map(u32::from)), (Some("a\n\nb"), Some(3)));
    assert_eq!(first.label.as_ref().and_then(|label| label.name.as_deref()), Some("Intern"));
    assert_eq!(
        (second.filepath.as_deref(), second.content.as_deref(), second.score),
        (Some("hr/b.pdf"), Some("c"), None)
    );
    assert_eq!(notes(&answer), []);
}

#[test]
fn sources_may_be_addresses_and_an_object_may_list_them_by_id() {
    let options = json!({"text": "$.a", "sources": ["$.links[*]", "$.docs.*"], "source": {"title": "@.t"}});
    let body =
        json!({"a": "x [1] [d9]", "links": ["https://x.example/a"], "docs": {"d8": {"t": "A"}, "d9": {"t": "B"}}});
    let answer = answer(options, &body);
    let ids: Vec<_> = answer.sources.iter().map(|source| source.id.as_deref()).collect();
    assert_eq!(ids, [None, Some("d8"), Some("d9")]);
}

#[test]
fn spans_cite_by_id_by_place_and_by_where_they_stand() {
    let text = "Süß 😀 fein. Gut.";
    let sources = json!([{"id": "A", "t": "a"}, {"id": "B", "t": "b"}]);
    let spans = |more: Value| {
        let mut options = json!({"text": "$.a", "sources": "$.s[*]", "source": {"id": "@.id", "title": "@.t"},
            "spans": {"each": "$.c[*]", "start": "@.s", "end": "@.e"}});
        for (name, value) in more.as_object().expect("members") {
            options["spans"][name] = value.clone();
        }
        options
    };
    let by_id = answer(
        spans(json!({"sources": "@.ids[*]", "names": "ids"})),
        &json!({"a": text, "s": sources, "c": [{"s": 0, "e": 5, "ids": ["B", "A", "C"]}, {"s": "6", "e": 10, "ids": ["A"]}]}),
    );
    assert_eq!(cited(&by_id), [("Süß 😀", vec![0, 1]), ("fein", vec![0])]);
    assert_eq!(notes(&by_id), [("annotation-source", "no source has the id \"C\"")]);
    let from_0 = answer(
        spans(json!({"sources": "@.n", "names": "places-from-0", "unit": "utf16"})),
        &json!({"a": text, "s": sources, "c": [{"s": 0, "e": 6, "n": 1}, {"s": 0, "e": 3, "n": 2}]}),
    );
    assert_eq!(cited(&from_0), [("Süß 😀", vec![1])]);
    let bytes = answer(
        spans(json!({"sources": "@.n", "unit": "utf8"})),
        &json!({"a": text, "s": sources, "c": [{"s": 0, "e": 5, "n": 2}, {"s": 90, "e": 95, "n": 1}, {"s": -1, "e": 1.5, "n": 1}]}),
    );
    assert_eq!(cited(&bytes), [("Süß", vec![1])]);
    assert_eq!(bytes.warnings.iter().filter(|entry| entry.code == "annotation-unanchored").count(), 2);
    let enclosing = answer(
        json!({"text": "$.a", "sources": "$.s[*]", "source": {"title": "@.t"},
            "spans": {"each": "$.s[*].places[*]", "text": "@.quote"}}),
        &json!({"a": text, "s": [{"t": "a"}, {"t": "b", "places": [{"quote": "Gut"}, {"quote": "fehlt"}]}]}),
    );
    assert_eq!(cited(&enclosing), [("Gut", vec![1])]);
    let inside = answer(
        json!({"text": "$.a", "sources": "$.c[*].from[*]", "source": {"title": "@.t"},
            "spans": {"each": "$.c[*]", "start": "@.s", "length": "@.n"}}),
        &json!({"a": text, "c": [{"s": 0, "n": 3, "from": [{"t": "a"}, {"t": "b"}]}]}),
    );
    assert_eq!(cited(&inside), [("Süß", vec![0, 1])]);
}

#[test]
fn offsets_count_in_the_part_beside_which_they_stand() {
    let options = json!({"text": "$.parts[*].text", "sources": "$.parts[*].cites[*]", "source": {"title": "@.t"},
        "spans": {"each": "$.parts[*].cites[*]", "start": "@.s", "end": "@.e"}});
    let body =
        json!({"parts": [{"text": "One. ", "cites": []}, {"text": "Two.", "cites": [{"t": "a", "s": 0, "e": 3}]}]});
    assert_eq!(cited(&answer(options, &body)), [("Two", vec![0])]);
}

#[test]
fn strings_that_hold_json_are_opened() {
    let options = json!({"json_in": "$.body", "text": "$.body.answer", "sources": "$.body.s[*]"});
    let body = json!({"body": json!({"answer": "x", "s": ["https://x.example"]}).to_string()});
    let answer = answer(options, &body);
    assert_eq!((answer.text.as_str(), answer.sources[0].pointer.as_str()), ("x", "/body/s/0"));
}

#[test]
fn a_path_that_finds_nothing_or_the_wrong_thing_says_what_is_there() {
    let body = r#"{"data": {"result": {"text": "x"}, "docs": {}}}"#;
    let told = "the document: `text` ($.data.result.answer) of the mapping wiki finds nothing: /data/result has `text`";
    assert_eq!(refused(wiki(), body), told);
    let options = |text: &str| json!({"text": text, "sources": "$.nothing[*]", "source": {"title": "@.t"}});
    let told = refused(options("$.data.result"), body);
    assert_eq!(
        told,
        "/data/result: `text` ($.data.result) finds no string here: it has `text`; name the member of it that is the text"
    );
    let told = refused(options("$.a"), r#"{"a": ["x"]}"#);
    assert!(told.ends_with("it is a list of 1; write `$.a[*]` for its entries"), "{told}");
    let without = answer(options("$.a"), &json!({"a": "x"}));
    assert_eq!(notes(&without), [("mapping-empty", "`sources` ($.nothing[*]) finds nothing: the top has `a`")]);
    let error = json!({"text": "$.a", "error": "$.failure"});
    let told = refused(error.clone(), r#"{"failure": {"code": 429, "message": "slow"}}"#);
    assert!(told.contains("reports an error instead of an answer (429: slow)"), "{told}");
    assert!(answer(error, &json!({"a": "x", "failure": false})).complete);
    assert!(refused(options("$.a"), "data: {}\n\n").contains("the mapping wiki has no [stream]"));
    assert!(refused(options("$.a"), "{\"a\":").starts_with("not JSON: "));
}

#[test]
fn of_several_paths_one_that_leads_somewhere_is_enough() {
    let options =
        json!({"text": ["$.c.text", "$.c.text[*].t"], "sources": ["$.p[*]", "$.q.r[*]"], "source": {"title": "@.t"}});
    let parts = answer(options.clone(), &json!({"c": {"text": [{"t": "a "}, {"t": "[1]"}]}, "p": [{"t": "A"}]}));
    assert_eq!((parts.text.as_str(), parts.sources.len(), notes(&parts)), ("a [1]", 1, vec![]));
    for nothing in [json!({"c": {"text": "a"}, "q": {}}), json!({"c": {"text": "a"}, "p": []})] {
        assert_eq!(notes(&answer(options.clone(), &nothing)), [], "{nothing}");
    }
    let nowhere = answer(options.clone(), &json!({"c": {"text": "a"}}));
    assert_eq!(nowhere.warnings.iter().filter(|entry| entry.code == "mapping-empty").count(), 2);
    let told = refused(options, r#"{"c": {"text": {"de": "a"}}}"#);
    assert!(told.contains("`text` ($.c.text) finds no string here: it has `de`"), "{told}");
}

#[test]
fn an_error_may_have_a_condition() {
    let options = json!({"text": "$.data.answer", "error": {"when": "@.code != 0", "path": "$.message"}});
    let good = answer(options.clone(), &json!({"code": 0, "message": "success", "data": {"answer": "a"}}));
    assert!(good.complete && good.error.is_none());
    let told = refused(options, r#"{"code": 102, "message": "You don't own the chat"}"#);
    assert!(told.contains("You don't own the chat"), "{told}");
}

#[test]
fn reasoning_is_no_text_and_offsets_count_it() {
    let spans = json!({"each": "$.c[*]", "start": "@.s", "end": "@.e", "sources": "@.n"});
    let options = json!({"text": "$.a", "sources": "$.s[*]", "source": {"title": "@.t"}, "spans": spans,
        "stream": {"text": "$.d", "skip": {"from": "$.thinks", "to": "$.thought"}}});
    let (sources, cites) = (json!([{"t": "A"}]), json!([{"s": 22, "e": 25, "n": 1}, {"s": 7, "e": 9, "n": 1}]));
    let whole = answer(options.clone(), &json!({"a": "<think>Hm [1]</think>\nYes.", "s": sources, "c": cites}));
    assert_eq!((whole.text.as_str(), cited(&whole)), ("Yes.", vec![("Yes", vec![0])]));
    assert_eq!(notes(&whole).len(), 1, "a span in the reasoning cites nothing");
    let lines =
        format!("{{\"d\":\"<think>Hm [1]</th\"}}\n{{\"d\":\"ink>\\nYes.\"}}\n{{\"s\":{sources},\"c\":{cites}}}\n");
    let streamed = read(options.clone(), lines.as_bytes()).expect("an answer");
    assert_eq!((streamed.text.as_str(), cited(&streamed)), ("Yes.", vec![("Yes", vec![0])]));
    let skipped = "{\"thinks\":true,\"d\":\"a\"}\n{\"d\":\"b\"}\n{\"thought\":true,\"d\":\"c\"}\n{\"d\":\"Yes\"}\n\
        {\"thinks\":true}\n{\"d\":\"d\"}\n";
    assert_eq!(read(options, skipped.as_bytes()).expect("an answer").text, "Yes");
}

#[test]
fn an_address_is_read_without_what_stands_before_it() {
    let options =
        json!({"text": "$.a", "sources": "$.s[*]", "source": {"url": "@.u", "strip": ["link://", "file:///inner/"]}});
    let body = json!({"a": "x", "s": [{"u": "link://https://x.example/a"}, {"u": "file:///inner/b.pdf"}, {"u": "https://x.example/c"}]});
    let answer = answer(options, &body);
    let urls: Vec<_> =
        answer.sources.iter().map(|source| source.url.as_ref().map(crate::url::WebUrl::as_str)).collect();
    assert_eq!(urls, [Some("https://x.example/a"), None, Some("https://x.example/c")]);
    assert_eq!((answer.sources[1].filepath.as_deref(), notes(&answer)), (Some("b.pdf"), vec![]));
}

#[test]
fn odd_sources_are_counted_and_named_once() {
    let options = json!({"text": "$.a", "sources": "$.s[*]", "source": {"title": "@.t", "page": "@.p"}});
    let body = json!({"a": "x", "s": [{"x": 1}, {"x": 2}, true, {"t": {"de": "A"}}, {"t": "B", "p": "iv"}]});
    let answer = answer(options, &body);
    assert_eq!(answer.sources.len(), 5);
    let told = notes(&answer);
    let has = |words: &str| told.iter().any(|(_, message)| message.contains(words));
    assert!(has("where the mapping looks: it has `x`; 2 times, here first"), "{told:?}");
    assert!(has("`sources` finds no source here: it is true or false"), "{told:?}");
    assert!(has("`source.title` (@.t) finds no text here: it has `de`"), "{told:?}");
    assert!(has("`source.page` finds no page number here"), "{told:?}");
}

#[test]
fn ten_thousand_sources_and_spans_are_read() {
    let options = json!({"text": "$.a", "sources": "$..docs[*]", "source": {"id": "@.id", "title": ["@.x", "@.t"]},
        "spans": {"each": "$..spans[*]", "start": "@.s", "end": "@.e", "sources": "@.id", "names": "ids"}});
    let docs: Vec<Value> = (0..10_000).map(|n| json!({"id": format!("d{n}"), "t": "x", "wrong": {"y": n}})).collect();
    let spans: Vec<Value> = (0..10_000).map(|n| json!({"s": n, "e": n + 5, "id": format!("d{n}")})).collect();
    let body = json!({"a": "word ".repeat(3_000), "docs": docs, "spans": spans}).to_string();
    let answer = read(options, body.as_bytes()).expect("an answer");
    assert_eq!((answer.sources.len(), answer.citations.len()), (10_000, 10_000));
}

/// A stream with named events, and the mapping for it.
fn named_events() -> (Value, &'static str) {
    let options = json!({"text": "$.answer", "sources": "$.docs[*]", "source": {"id": "@.id", "title": "@.t"},
        "spans": {"each": "$.spans[*]", "start": "@.s", "end": "@.e", "sources": "@.id"},
        "stream": {"text": {"event": "token", "path": "$.t"}, "sources": {"event": "found", "path": "$[*]"},
            "end": {"event": "done"}, "error": {"event": "error", "path": "$.message"}}});
    let body = "event: found\ndata: [{\"id\":\"A\",\"t\":\"a\"},{\"id\":\"B\",\"t\":\"b\"}]\n\n: ping\n\n\
        event: token\ndata: {\"t\":\"Süß 😀 \"}\n\nevent: thought\ndata: {\"t\":\"hm\"}\n\n\
        event: token\ndata: {\"t\":\"[2].\"}\n\nevent: found\ndata: [{\"id\":\"B\",\"t\":\"b\"}]\n\n\
        event: end\ndata: {\"spans\":[{\"s\":0,\"e\":3,\"id\":\"A\"}]}\n\nevent: done\ndata: {}\n\n";
    (options, body)
}

fn without_pointers(mut answer: Answer) -> Answer {
    answer.sources.iter_mut().for_each(|source| source.pointer.clear());
    answer
}

#[test]
fn a_stream_of_named_events_is_the_whole_answer_wherever_it_is_cut() {
    let (options, body) = named_events();
    let whole = json!({"answer": "Süß 😀 [2].", "docs": [{"id": "A", "t": "a"}, {"id": "B", "t": "b"}],
        "spans": [{"s": 0, "e": 3, "id": "A"}]});
    let whole = without_pointers(answer(options.clone(), &whole));
    assert!(whole.complete && whole.citations.len() == 1);
    for body in [body.to_owned(), body.replace('\n', "\r\n"), body.replace('\n', "\r")] {
        let expected = read(options.clone(), body.as_bytes()).expect("an answer");
        assert_eq!(expected.sources[1].pointer, "/0/1");
        assert_eq!(without_pointers(expected.clone()), whole);
        for cut in 0..=body.len() {
            let mut stream = AnswerStream::new(Arc::new(mapping(options.clone())));
            stream.push(&body.as_bytes()[..cut]).expect("a beginning");
            stream.push(&body.as_bytes()[cut..]).expect("an end");
            assert_eq!(stream.finish().expect("an answer"), expected, "cut at {cut}");
        }
    }
}

#[test]
fn json_lines_and_lists_of_events_are_streams() {
    let options = json!({"text": "$.answer", "stream": {"text": {"when": "@.kind == 'delta'", "path": "$.text"},
        "sources": {"when": "@.kind == 'docs'", "path": "$.docs[*]"}, "end": "$.finished"}});
    let lines = "{\"kind\":\"docs\",\"docs\":[\"https://x.example/a\"]}\n{\"kind\":\"delta\",\"text\":\"a \"}\n\
        {\"kind\":\"note\",\"text\":\"no\"}\n{\"kind\":\"delta\",\"text\":\"[1]\",\"finished\":true}\n";
    let list = format!("[{}]", lines.trim().replace('\n', ","));
    let read_lines = read(options.clone(), lines.as_bytes()).expect("lines");
    assert_eq!((read_lines.text.as_str(), read_lines.complete), ("a [1]", true));
    assert_eq!(read(options.clone(), list.as_bytes()).expect("a list"), read_lines);
    let cut = lines.replace(",\"finished\":true", "");
    assert!(!read(options.clone(), cut.as_bytes()).expect("an answer").complete);
    let told = refused(options, "{\"kind\":\"x\"}\n{\"kind\":\"y\"}\n");
    assert!(
        told.ends_with("`stream.text` ($.text) of the mapping wiki finds nothing: the first event has `kind`"),
        "{told}"
    );
}

#[test]
fn events_may_repeat_the_text_and_the_sources_so_far_and_be_plain_text() {
    let options =
        json!({"text": "$.a", "sources": "$.s[*]", "stream": {"text": "$.a", "text_so_far": true, "end": "[DONE]"}});
    let body = "data: {\"a\":\"x\",\"s\":[\"https://x.example/a\"]}\n\n\
        data: {\"a\":\"x [2]\",\"s\":[\"https://x.example/a\",\"https://x.example/b\"]}\n\ndata: [DONE]\n\n";
    let so_far = read(options.clone(), body.as_bytes()).expect("an answer");
    assert_eq!((so_far.text.as_str(), so_far.sources.len(), so_far.complete), ("x [2]", 2, true));
    assert!(!read(options.clone(), body.replace("data: [DONE]", "").as_bytes()).expect("an answer").complete);
    let mut auto = options.clone();
    auto["stream"]["text_so_far"] = json!("auto");
    let both = |body: &str| read(auto.clone(), body.as_bytes()).expect("an answer").text;
    assert_eq!((both(body), both(&body.replace("x [2]", "y [2]"))), ("x [2]".to_owned(), "xy [2]".to_owned()));
    let plain = json!({"stream": {"text": {"event": "token", "path": "$"}}});
    let body = "event: token\ndata: Hello\n\nevent: token\ndata:  world\n\nevent: log\ndata: x\n\n";
    assert_eq!(read(plain, body.as_bytes()).expect("an answer").text, "Hello world");
}

#[test]
fn an_error_in_a_stream_keeps_what_had_arrived() {
    let (options, body) = named_events();
    let (before, _) = body.split_once("event: done").expect("the end");
    let broken =
        read(options, format!("{before}event: error\ndata: {{\"message\":\"busy\"}}\n\n").as_bytes()).expect("text");
    assert!(!broken.complete);
    assert_eq!(broken.error.expect("an error").to_string(), "busy");
}

#[test]
fn auto_chooses_a_mapping_that_recognizes_a_body_or_a_stream_before_other_formats() {
    let (mut options, body) = named_events();
    options["recognize"] = json!(["$.answer", "$.docs"]);
    options["stream"]["recognize"] = json!({"event": "token", "path": "$.t"});
    let mappings: Mappings = [mapping(options)].into_iter().collect();
    let auto = || AnswerFormat::Detected(mappings.clone());
    let whole = json!({"answer": "x", "docs": [{"t": "a"}]}).to_string();
    assert_eq!(ingest(whole.as_bytes(), auto()).expect("an answer").provider, Some("wiki"));
    let streamed = ingest(body.as_bytes(), auto()).expect("an answer");
    // The event with the sources came before the one that tells the format.
    assert_eq!((streamed.provider, streamed.sources.len()), (Some("wiki"), 2));
    let other = json!({"text": "a"}).to_string();
    assert_eq!(ingest(other.as_bytes(), auto()).expect("an answer").provider, Some("citewire"));
    let unknown = AnswerFormat::named("wikki", &mappings).expect_err("no such name").to_string();
    assert!(unknown.contains("unknown format \"wikki\"") && unknown.ends_with("; mappings: wiki"), "{unknown}");
}
