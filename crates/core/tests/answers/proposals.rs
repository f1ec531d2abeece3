//! Mappings that are proposed for invented formats, and what they read.

use std::sync::Arc;

use citewire_core::answer::Answer;
use citewire_core::cite::{Rules, cite};
use citewire_core::ingest::{Mapping, MappingOptions, ingest, propose};

fn proposed(body: &str) -> (MappingOptions, Answer) {
    let options = propose(body.as_bytes()).unwrap_or_else(|| panic!("nothing is proposed for {body}"));
    let mapping = Mapping::new("proposed", &options).unwrap_or_else(|error| panic!("{error}: {options:?}"));
    let answer = ingest(body.as_bytes(), Arc::new(mapping)).unwrap_or_else(|error| panic!("{error}: {options:?}"));
    (options, answer)
}

/// The text with the places of sources as numbers, and the names of the sources.
fn found(body: &str) -> (String, Vec<String>) {
    let (_, answer) = proposed(body);
    let names = answer.sources.iter().map(|source| source.display_title().unwrap_or_default().into_owned()).collect();
    (cite(&answer, &Rules::numbered()).text, names)
}

const LONG: &str =
    "Employees of all sites get thirty days of leave each year, and five more after ten years in the company.";

#[test]
fn whole_answers_of_many_shapes_are_read() {
    let shapes = [
        (
            r#"{"status": "ok", "data": {"result": {"answer": "Leave is 30 days [1]."}, "docs": [
                {"meta": {"title": "Leave", "link": "https://wiki.example/leave"}, "text": "LONG", "score": 0.8},
                {"meta": {"title": "Travel", "link": "https://wiki.example/travel"}, "text": "LONG", "score": 0.4}]}}"#,
            "Leave is 30 days [1].",
            vec!["Leave", "Travel"],
        ),
        (
            r#"{"reply": "Leave is 30 days [b7].", "question": "How many days of leave do employees get in a year?",
                "passages": [{"doc_id": "a3", "heading": "Travel", "passage": "LONG"}, {"doc_id": "b7", "heading": "Leave", "passage": "LONG"}]}"#,
            "Leave is 30 days [2].",
            vec!["Travel", "Leave"],
        ),
        (
            r#"{"output": {"summary": "Leave is 30 days."}, "evidence": [
                {"begin": 9, "end": 16, "quote": "30 days", "source_ids": ["s2"]}],
                "knowledge": [{"id": "s1", "name": "Travel", "uri": "https://x.example/t"}, {"id": "s2", "name": "Leave", "uri": "https://x.example/l"}]}"#,
            "Leave is 30 days[2].",
            vec!["Travel", "Leave"],
        ),
        (
            r#"[{"output": "Leave is 30 days [1].", "refs": [{"filename": "leave.pdf", "page_number": 4, "chunk_text": "LONG"}]}]"#,
            "Leave is 30 days [1].",
            vec!["leave.pdf"],
        ),
        (
            r#"{"messages": [{"role": "user", "content": "How many days of leave do I get each year?"},
                {"role": "assistant", "content": "30 days [1].", "context": [{"title": "Leave", "url": "https://x.example/l"}]}]}"#,
            "30 days [1].",
            vec!["Leave"],
        ),
        (
            r#"{"answer_text": "Leave is 30 days [2] [1].", "hits": {"total": 2, "items": [
                {"number": 2, "label": "Leave", "href": "https://x.example/l"}, {"number": 1, "label": "Travel", "href": "https://x.example/t"}]}}"#,
            "Leave is 30 days [1] [2].",
            vec!["Leave", "Travel"],
        ),
        (
            r#"{"response": {"body": "Leave is 30 days [1].", "links": ["https://x.example/leave.html"]}, "took_ms": 31}"#,
            "Leave is 30 days [1].",
            vec!["leave.html"],
        ),
        (
            r#"{"completion": "Leave is 30 days.", "attributions": [
                {"title": "Leave", "url": "https://x.example/l", "start_offset": 0, "end_offset": 16}]}"#,
            "Leave is 30 days[1].",
            vec!["Leave"],
        ),
        (
            r#"{"text_response": "Leave is 30 days [d2].", "documents": {"d1": {"name": "Travel", "url": "https://x.example/t"},
                "d2": {"name": "Leave", "url": "https://x.example/l"}}}"#,
            "Leave is 30 days [2].",
            vec!["Travel", "Leave"],
        ),
    ];
    for (body, text, names) in shapes {
        let body = body.replace("LONG", LONG);
        assert_eq!(found(&body), (text.to_owned(), names.into_iter().map(str::to_owned).collect()), "{body}");
    }
}

#[test]
fn streams_of_many_shapes_are_read() {
    let source = r#"[{"title":"Leave","url":"https://x.example/l"}]"#;
    let shapes = [
        format!(
            "event: sources\ndata: {{\"items\":{source}}}\n\nevent: token\ndata: {{\"t\":\"Leave is \"}}\n\n\
             event: token\ndata: {{\"t\":\"30 days [1].\"}}\n\nevent: done\ndata: {{}}\n\n"
        ),
        format!(
            "{{\"type\":\"thinking\",\"text\":\"The user asks for \"}}\n{{\"type\":\"thinking\",\"text\":\"leave.\"}}\n\
             {{\"type\":\"delta\",\"text\":\"Leave is \"}}\n{{\"type\":\"delta\",\"text\":\"30 days [1].\"}}\n\
             {{\"type\":\"end\",\"documents\":{source}}}\n"
        ),
        format!(
            "data: {{\"answer\":\"Leave \",\"refs\":{source}}}\n\ndata: {{\"answer\":\"Leave is 30\",\"refs\":{source}}}\n\n\
             data: {{\"answer\":\"Leave is 30 days [1].\",\"refs\":{source}}}\n\ndata: [DONE]\n\n"
        ),
        format!(
            "data: {{\"chunk\":{{\"content\":\"Leave is \"}},\"finished\":false}}\n\ndata: {{\"chunk\":{{\"content\":\"30 days [1].\"}},\"finished\":false}}\n\n\
             data: {{\"chunk\":{{\"content\":\"\"}},\"docs\":{source},\"finished\":true}}\n\n"
        ),
    ];
    for body in shapes {
        assert_eq!(found(&body), ("Leave is 30 days [1].".to_owned(), vec!["Leave".to_owned()]), "{body}");
        let (options, answer) = proposed(&body);
        assert!(answer.complete && !options.stream.end.is_empty(), "{body}: {options:?}");
        // A stream that is cut off before the end sign is not complete.
        let cut = body.trim_end().rfind("\n\n").or_else(|| body.trim_end().rfind('\n')).expect("events");
        let mapping = Arc::new(Mapping::new("proposed", &options).expect("a mapping"));
        assert!(!ingest(&body.as_bytes()[..cut], mapping).expect("an answer").complete, "{body}");
    }
}

/// Each of these once gave a text or a source that is none of the answer's.
#[test]
fn what_misleads_in_a_body_does_not_mislead_the_proposal() {
    let shapes = [
        (
            "the user's question, and numbers from 0",
            r#"{"payload": {"msgs": [{"who": "user", "body": "Where do I park?"}, {"who": "bot", "body": "On level 2 [0]. Bikes below [2]."}],
                "evidence": {"p1": {"doc": {"caption": "Parking", "href": "https://x.example/p"}, "excerpt": "Cars."},
                "p2": {"doc": {"caption": "Canteen", "href": "https://x.example/c"}, "excerpt": "Lunch."},
                "p3": {"doc": {"caption": "Bikes", "href": "https://x.example/b"}, "excerpt": "Bikes."}}}}"#,
            "On level 2 [1]. Bikes below [3].",
            vec!["Parking", "Canteen", "Bikes"],
        ),
        (
            "a list of messages that is no stream",
            r#"[{"isCreatedByUser": true, "text": "How many days of leave do I get?"}, {"isCreatedByUser": false, "sender": "Agent", "text": "",
                "content": [{"type": "tool_call", "tool_call": {"id": "c1", "name": "search", "output": "LONG"}}, {"type": "text", "text": "Leave is 30 days [1]."}],
                "sources": [{"title": "Leave", "url": "https://x.example/l"}]}]"#,
            "Leave is 30 days [1].",
            vec!["Leave"],
        ),
        (
            "JSON in a string",
            r#"{"job": "77", "data": "{\"antwort\":\"Urlaub sind 30 Tage [2].\",\"quellen\":[{\"titel\":\"Kantine\",\"link\":\"https://x.example/k\",\"auszug\":\"Ab 11:30.\"},{\"titel\":\"Urlaub\",\"link\":\"https://x.example/urlaub.html\",\"auszug\":\"30 Tage.\"}]}"}"#,
            "Urlaub sind 30 Tage [2].",
            vec!["x.example", "urlaub.html"],
        ),
        (
            "HTML beside a plain text, and markers of sources",
            r#"{"reply": {"html": "<p>Leave is 30 days <sup>[a7]</sup>.</p>", "plain": "Leave is 30 days [a7]."},
                "citations": [{"marker": "[a7]", "article": {"id": 881, "subject": "Leave", "permalink": "https://x.example/a/881"}}]}"#,
            "Leave is 30 days [1].",
            vec!["Leave"],
        ),
        (
            "lines of a file",
            r#"{"text": "Leave is 30 days [1].", "chunks": [{"pageContent": "LONG", "metadata": {"source": "https://x.example/l", "title": "Leave", "loc": {"lines": {"from": 1, "to": 9}}}}]}"#,
            "Leave is 30 days [1].",
            vec!["Leave"],
        ),
    ];
    for (name, body, text, names) in shapes {
        let body = body.replace("LONG", LONG);
        let (options, answer) = proposed(&body);
        assert_eq!(
            found(&body),
            (text.to_owned(), names.into_iter().map(str::to_owned).collect()),
            "{name}: {options:?}"
        );
        assert!(answer.citations.is_empty(), "{name}: {options:?}");
    }
}

#[test]
fn a_query_is_no_name_of_a_member() {
    let body = r#"{"response": "Leave is 30 days [1].", "web": {"leave policy": {"organic": [{"title": "Leave", "link": "https://x.example/l"}]}}}"#;
    let (options, _) = proposed(body);
    assert_eq!(options.sources.0, ["$.web.*.organic[*]"], "{options:?}");
}

#[test]
fn the_end_of_a_stream_is_found_where_it_is_not_the_last_event() {
    let source = r#"[{"title":"Leave","url":"https://x.example/l"}]"#;
    for (body, cut) in [
        (
            format!(
                "data: {{\"data\":{{\"answer\":\"Leave \",\"final\":false}}}}\n\ndata: {{\"data\":{{\"answer\":\"is [1].\",\"final\":false}}}}\n\n\
                 data: {{\"data\":{{\"answer\":\"\",\"final\":true,\"refs\":{source}}}}}\n\ndata: {{\"data\":true}}\n\n"
            ),
            "data: {\"data\":{\"answer\":\"\"",
        ),
        (
            format!(
                "data: {{\"out\":{{\"choices\":[{{\"text\":\"Leave \",\"finish_reason\":\"null\"}}],\"refs\":{source}}}}}\n\n\
                 data: {{\"out\":{{\"choices\":[{{\"text\":\"is [1].\",\"finish_reason\":\"null\"}}]}}}}\n\n\
                 data: {{\"out\":{{\"choices\":[{{\"text\":\"\",\"finish_reason\":\"stop\"}}]}}}}\n\n"
            ),
            "data: {\"out\":{\"choices\":[{\"text\":\"\"",
        ),
        (
            format!(
                "{{\"n\":1,\"obj\":{{\"type\":\"docs\",\"docs\":{source}}},\"at\":{{\"turn\":0}}}}\n\
                 {{\"n\":2,\"obj\":{{\"type\":\"delta\",\"content\":\"Leave \"}},\"at\":{{\"turn\":0}}}}\n\
                 {{\"n\":3,\"obj\":{{\"type\":\"delta\",\"content\":\"is [1].\"}},\"at\":{{\"turn\":0}}}}\n\
                 {{\"n\":4,\"obj\":{{\"type\":\"stop\"}},\"at\":{{\"turn\":0}}}}\n"
            ),
            "{\"n\":4",
        ),
    ] {
        let (options, answer) = proposed(&body);
        assert_eq!((answer.text.as_str(), answer.complete), ("Leave is [1].", true), "{options:?}");
        let mapping = Arc::new(Mapping::new("proposed", &options).expect("a mapping"));
        let before = body.split(cut).next().expect("events");
        assert!(!ingest(before.as_bytes(), mapping).expect("an answer").complete, "{options:?}");
    }
}

#[test]
fn nothing_is_proposed_for_a_body_without_a_text() {
    for body in [
        "{}",
        "[]",
        "5",
        "{\"id\": 7, \"ok\": true}",
        "data: 5\n\n",
        "{\"links\": [\"https://x.example\"]}",
        "hello",
        "\"text only, and no answer\"",
        "\u{0}",
    ] {
        assert_eq!(propose(body.as_bytes()), None, "{body}");
    }
}

// Sources whose ids had a name that nobody expects were proposed without them, so that the text cited none.
#[test]
fn ids_are_found_by_the_brackets_of_the_text() {
    let body = r#"{"reply": {"markdown": "Bees dance [ref-b]. Wasps do not [ref-w]."}, "evidence": [
        {"tag": "ref-b", "headline": "Bee dances", "link": "https://insects.example/bees", "rank": "1"},
        {"tag": "ref-w", "headline": "Wasps", "link": "https://insects.example/wasps", "rank": "2"}]}"#;
    assert_eq!(proposed(body).0.source.id.0, ["@.tag"]);
    let names = vec!["Bee dances".to_owned(), "Wasps".to_owned()];
    assert_eq!(found(body), ("Bees dance [1]. Wasps do not [2].".to_owned(), names));
}
