//! Mappings that are proposed for invented formats, and what they read.

use std::sync::Arc;

use citewire::answer::Answer;
use citewire::cite::{Rules, cite};
use citewire::ingest::{Mapping, MappingOptions, ingest, propose};

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
        // What is cut off before the end sign is not complete.
        let cut = body.trim_end().rfind("\n\n").or_else(|| body.trim_end().rfind('\n')).expect("events");
        let mapping = Arc::new(Mapping::new("proposed", &options).expect("a mapping"));
        assert!(!ingest(&body.as_bytes()[..cut], mapping).expect("an answer").complete, "{body}");
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
        "\u{0}",
    ] {
        assert_eq!(propose(body.as_bytes()), None, "{body}");
    }
}
