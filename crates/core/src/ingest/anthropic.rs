//! [Claude Messages](https://docs.anthropic.com/en/docs/build-with-claude/citations): the text comes in blocks, and the
//! citations of a block cover all of its text.

use serde::Deserialize;
use serde_json::Value;

use super::annotated::{Annotated, each_once};
use super::anthropic_citation::WireCitation;
use super::anthropic_pages::FoundPages;
use super::event::{Event, ReadEvents, StreamEvent};
use super::finish_reason::odd_reason;
use super::format::{Format, Members, is_something, is_text};
use super::json::{self, entries};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, SourceIndex};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::Anthropic,
    sign: "`content` and `stop_reason`",
    members: &[&[
        "container",
        "content",
        "context_management",
        "id",
        "model",
        "role",
        "stop_details",
        "stop_reason",
        "stop_sequence",
        "type",
        "usage",
    ]],
    is_whole: |members| {
        members.get("content").is_some_and(Value::is_array)
            && (is_text(members, "type", "message") || is_something(members, "stop_reason"))
    },
    is_event,
    parse,
    reader: || Box::new(ClaudeAnswer::default()),
};

fn is_event(members: &Members) -> bool {
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    matches!(
        kind,
        "message_start"
            | "content_block_start"
            | "content_block_delta"
            | "content_block_stop"
            | "message_delta"
            | "message_stop"
    )
}

#[derive(Deserialize)]
struct Message {
    content: Option<Vec<Option<Block>>>,
    stop_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    citations: Vec<WireCitation>,
    /// The results of a tool, or its error.
    content: Option<Value>,
}

#[derive(Deserialize)]
struct WireEvent {
    #[serde(rename = "type")]
    kind: Option<String>,
    content_block: Option<Box<Block>>,
    delta: Option<Delta>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
    citation: Option<Box<WireCitation>>,
    stop_reason: Option<String>,
}

/// The state of an answer while it is read, whole or as a stream.
#[derive(Debug, Default)]
struct ClaudeAnswer {
    annotated: Annotated,
    /// The block that has not ended.
    open: Option<Open>,
    /// Pages that tools found. Those that nothing cites stand behind the others (rule N-02).
    found: FoundPages,
    tools_invoked: bool,
}

#[derive(Debug)]
struct Open {
    part: usize,
    cited: Vec<SourceIndex>,
}

/// Stop reasons of a normal end. They cause no note.
const USUAL: [&str; 3] = ["end_turn", "stop_sequence", "tool_use"];

fn parse(body: &str) -> Result<Answer, IngestError> {
    let Message { content, stop_reason } = json::read(body)?;
    let blocks =
        content.ok_or_else(|| IngestError::member("/content", "missing; the blocks of the answer are required"))?;
    let mut answer = Answer { grammar: MarkerGrammar::NONE, complete: true, ..Answer::default() };
    let mut claude = ClaudeAnswer::default();
    for (at, block) in blocks.into_iter().enumerate() {
        let text = claude.begin(block.unwrap_or_default(), &format!("/content/{at}"), &mut answer.warnings);
        answer.text.push_str(&text.unwrap_or_default());
        claude.end();
    }
    answer.warnings.extend(odd_reason(stop_reason, &USUAL, || "/stop_reason".to_owned()));
    Box::new(claude).finish(&mut answer);
    Ok(answer)
}

impl ClaudeAnswer {
    /// Begins a block. Returns the text in its start event, if any.
    fn begin(&mut self, block: Block, pointer: &str, warnings: &mut Vec<Entry>) -> Option<String> {
        let Block { kind, text, citations, content } = block;
        match kind.as_deref() {
            Some("text") => {}
            Some("server_tool_use" | "mcp_tool_use") => {
                self.tools_invoked = true;
                return None;
            }
            Some("web_search_tool_result" | "web_fetch_tool_result") => {
                self.tools_invoked = true;
                self.found.add(&content.unwrap_or_default(), &format!("{pointer}/content"), warnings);
                return None;
            }
            // Thinking is not part of the text, and unknown blocks are skipped.
            _ => return None,
        }
        self.open = Some(Open { part: self.annotated.begin_part(), cited: Vec::new() });
        for (at, citation) in citations.into_iter().enumerate() {
            self.cite(citation, format!("{pointer}/citations/{at}"), warnings);
        }
        text.and_then(|text| self.text(text))
    }

    fn text(&mut self, text: String) -> Option<String> {
        self.annotated.grow(text.len());
        Some(text).filter(|text| !text.is_empty())
    }

    /// Adds a citation to the open block. It may come before or after the text of the block.
    fn cite(&mut self, citation: WireCitation, pointer: String, warnings: &mut Vec<Entry>) {
        let Some(source) = citation.cite(&mut self.annotated.sources, &mut self.found, pointer, warnings) else {
            return;
        };
        let annotated = &mut self.annotated;
        let open = self.open.get_or_insert_with(|| Open { part: annotated.begin_part(), cited: Vec::new() });
        open.cited.push(source);
    }

    /// Ends the open block. Returns the sources that it cites; `None` without any.
    fn end(&mut self) -> Option<Vec<SourceIndex>> {
        let Open { part, cited } = self.open.take()?;
        let cited = each_once(cited);
        self.annotated.block(part, cited.clone());
        Some(cited).filter(|cited| !cited.is_empty())
    }

    /// Ends the open block, and adds its new sources and its citation to `said`.
    fn end_block(&mut self, said: &mut Vec<StreamEvent>) {
        let Some(cited) = self.end() else { return };
        let new = self.annotated.sources.new_ones();
        said.extend(Some(new).filter(|new| !new.is_empty()).map(StreamEvent::Sources));
        said.push(StreamEvent::Cited(cited));
    }
}

impl ReadEvents for ClaudeAnswer {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::NONE
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let WireEvent { kind, content_block, delta, error } = json::read(json)?;
        let place = || event.pointer();
        match kind.as_deref().unwrap_or_default() {
            "content_block_start" => {
                self.end_block(said);
                let block = content_block.map(|block| *block).unwrap_or_default();
                let text = self.begin(block, &format!("{}/content_block", place()), notes);
                said.extend(text.map(StreamEvent::Text));
            }
            "content_block_delta" => {
                let Some(delta) = delta else { return Ok(()) };
                match delta.kind.as_deref().unwrap_or_default() {
                    "text_delta" => {
                        let text = delta.text.and_then(|text| self.text(text));
                        said.extend(text.map(StreamEvent::Text));
                    }
                    "citations_delta" => {
                        if let Some(citation) = delta.citation {
                            self.cite(*citation, format!("{}/delta/citation", place()), notes);
                        }
                    }
                    _ => {}
                }
            }
            "content_block_stop" => self.end_block(said),
            "message_delta" => {
                let reason = delta.and_then(|delta| delta.stop_reason);
                notes.extend(odd_reason(reason, &USUAL, || format!("{}/delta/stop_reason", place())));
            }
            "message_stop" => {
                self.end_block(said);
                said.push(StreamEvent::Done);
            }
            "error" => said.push(StreamEvent::Error(json::provider_error(&error.unwrap_or_default()))),
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, answer: &mut Answer) {
        // A stream that breaks off may have sent citations of its last block.
        self.end();
        answer.tools_invoked = self.tools_invoked.then_some(true);
        for page in self.found.into_uncited() {
            self.annotated.sources.page(page);
        }
        self.annotated.finish(answer);
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "JSON that is made for a call reads better without borrowing")]
mod tests {
    use serde_json::json;

    use super::super::annotated::cited;
    use super::super::{AnswerStream, ingest};
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn page(url: &str) -> Value {
        json!({"type": "web_search_result_location", "url": url, "title": null, "cited_text": "passage "})
    }

    fn document(index: Value) -> Value {
        json!({"type": "char_location", "document_index": index, "document_title": "D", "file_id": null})
    }

    #[test]
    fn a_block_is_cited_up_to_its_last_word_by_each_source_once() {
        let body = json!({"type": "message", "role": null, "content": [
            {"type": "thinking", "thinking": "[1]"},
            {"type": "web_search_tool_result", "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}},
            {"type": "web_search_tool_result", "content": [
                {"type": "web_search_result", "url": "https://X.example/a", "page_age": "May 2, 2025"}, null]},
            {"type": "text", "text": "Plain [1]. ", "citations": null},
            {"type": "text", "text": "First. \n", "citations": [page("https://x.example/a#b"), document(json!(2)),
                {"type": "new_location", "url": "https://x.example/new"}, page("https://x.example/a"), null]},
            {"type": "text", "text": "Second.", "citations": [
                document(json!("2")), {"type": "search_result_location", "source": "handbook", "title": "H"},
                {"type": "search_result_location", "source": "handbook", "cited_text": "more"}]},
            {"type": "fancy", "text": "unknown"},
            null,
        ], "stop_reason": "max_tokens"});
        let answer = answer(&body);
        assert_eq!(answer.text, "Plain [1]. First. \nSecond.");
        assert_eq!(cited(&answer), [("First.", vec![0, 1]), ("Second.", vec![1, 2])]);
        let [page, document, handbook] = &answer.sources[..] else { panic!("three sources") };
        assert_eq!((page.modified.as_deref(), page.content.as_deref()), (Some("May 2, 2025"), Some("passage ")));
        assert_eq!((document.id.as_deref(), document.title.as_deref()), (Some("2"), Some("D")));
        assert_eq!((handbook.filepath.as_deref(), handbook.content.as_deref()), (Some("handbook"), Some("more")));
        assert_eq!(document.pointer, "/content/4/citations/1");
        assert_eq!((answer.grammar, answer.tools_invoked), (MarkerGrammar::NONE, Some(true)));
        let odd: Vec<_> = answer.warnings.iter().map(|entry| entry.code).collect();
        assert_eq!(odd, ["tool-error", "finish-reason", "same-document", "sources-unread"]);
    }

    #[test]
    fn pages_that_nothing_cites_stand_behind_the_cited_ones() {
        let found = |url: &str, title: &str| json!({"type": "web_search_result", "url": url, "title": title});
        let body = json!({"type": "message", "content": [
            {"type": "web_search_tool_result", "content": [
                found("https://x.example/1", "One"), found("https://x.example/2", "Two"), {"title": "no address"}]},
            {"type": "web_search_tool_result", "content": [found("https://X.example/1#a", "One")]},
            {"type": "web_fetch_tool_result", "content": {"type": "web_fetch_result", "url": "https://x.example/3",
                "content": {"type": "document", "title": "Three"}}},
            {"type": "web_fetch_tool_result", "content": {"type": "web_fetch_tool_error", "error_code": "url_not_accessible"}},
            {"type": "text", "text": "Two.", "citations": [page("https://x.example/2")]}]});
        let answer = answer(&body);
        let sources = answer.sources.iter().map(|source| (source.title.as_deref(), source.pointer.as_str()));
        let wanted =
            [("Two", "/content/4/citations/0"), ("One", "/content/0/content/0"), ("Three", "/content/2/content")];
        assert_eq!(sources.collect::<Vec<_>>(), wanted.map(|(title, pointer)| (Some(title), pointer)));
        assert_eq!(cited(&answer), [("Two.", vec![0])]);
        assert_eq!((answer.shown, answer.attested), (None, vec![]));
        let codes: Vec<_> = answer.warnings.iter().map(|entry| entry.code).collect();
        assert_eq!(codes, ["tool-error"]);
    }

    #[test]
    fn a_document_is_the_fetched_page_that_has_its_title() {
        let fetched = |url: &str, title: &str| {
            json!({"type": "web_fetch_tool_result", "content": {"type": "web_fetch_result", "url": url,
                "content": {"type": "document", "title": title}}})
        };
        let cited = json!({"type": "text", "text": "Yes.", "citations": [document(json!(0))]});
        let urls = |blocks: Value| -> Vec<Option<String>> {
            let sources = answer(&json!({"type": "message", "content": blocks})).sources;
            sources.into_iter().map(|source| source.url.map(|url| url.as_str().to_owned())).collect()
        };
        let (one, two) = (Some("https://x.example/1".to_owned()), Some("https://x.example/2".to_owned()));
        assert_eq!(urls(json!([fetched("https://x.example/1", "D"), cited])), std::slice::from_ref(&one));
        assert_eq!(urls(json!([fetched("https://x.example/1", "E"), cited])), [None, one.clone()]);
        let both = json!([fetched("https://x.example/1", "D"), fetched("https://x.example/2", "D"), cited]);
        assert_eq!(urls(both), [None, one, two]);
    }

    fn stream(events: &[Value]) -> String {
        events.iter().map(|event| format!("event: x\ndata: {event}\n\n")).collect()
    }

    fn start(block: Value) -> Value {
        json!({"type": "content_block_start", "content_block": block})
    }

    fn delta(delta: Value) -> Value {
        json!({"type": "content_block_delta", "delta": delta})
    }

    #[test]
    fn citations_may_come_before_behind_and_with_the_text_of_their_block() {
        let text = |text: &str| delta(json!({"type": "text_delta", "text": text}));
        let cite = |citation: Value| delta(json!({"type": "citations_delta", "citation": citation}));
        let stop = json!({"type": "content_block_stop"});
        let (one, two) = (page("https://x.example/1"), document(json!(0)));
        let block = json!({"type": "text", "text": "", "citations": []});
        let end =
            [json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}), json!({"type": "message_stop"})];
        let whole = answer(&json!({"type": "message", "content": [
            {"type": "text", "text": "One two.", "citations": [one, two]}, {"type": "text", "text": " Three."}]}));
        let orders = [
            vec![start(block.clone()), cite(one.clone()), cite(two.clone()), text("One "), text("two."), stop.clone()],
            vec![start(block.clone()), text("One "), cite(one.clone()), text("two."), cite(two.clone()), stop.clone()],
            vec![start(block), text("One two."), cite(one.clone()), cite(two.clone())],
            vec![start(json!({"type": "text", "text": "One", "citations": [one, two]})), text(" two."), stop],
        ];
        for mut events in orders {
            events.extend([start(json!({"type": "text"})), text(" Three."), json!({"type": "ping"})]);
            events.extend(end.clone());
            let mut streamed = ingest(stream(&events).as_bytes(), None).expect("a stream");
            for (source, whole) in streamed.sources.iter_mut().zip(&whole.sources) {
                source.pointer.clone_from(&whole.pointer);
            }
            assert_eq!(streamed, whole, "{events:?}");
        }
    }

    #[test]
    fn a_block_is_cited_where_it_ends_with_its_sources_before() {
        let cite = delta(json!({"type": "citations_delta", "citation": page("https://x.example/1")}));
        let events = [
            start(json!({"type": "text"})),
            cite,
            delta(json!({"type": "text_delta", "text": "One."})),
            delta(json!({"type": "thinking_delta", "thinking": "hm"})),
            json!({"type": "content_block_stop"}),
        ];
        let said = AnswerStream::new(None).push(stream(&events).as_bytes()).expect("events");
        let [StreamEvent::Text(text), StreamEvent::Sources(sources), StreamEvent::Cited(cited)] = &said[..] else {
            panic!("{said:?}")
        };
        assert_eq!((text.as_str(), sources.len(), &cited[..]), ("One.", 1, &[SourceIndex(0)][..]));
    }

    #[test]
    fn an_error_keeps_what_had_arrived_and_what_it_cites() {
        let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        let begun = start(json!({"type": "text", "text": "Half", "citations": [page("https://x.example/1")]}));
        let answer = ingest(stream(&[begun, error]).as_bytes(), None).expect("a part");
        assert_eq!((answer.text.as_str(), answer.complete, cited(&answer)), ("Half", false, vec![("Half", vec![0])]));
        assert_eq!(answer.error.expect("an error").to_string(), "overloaded_error: Overloaded");
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: Value| ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        let body = json!({"content": [{"type": "text", "text": 5}], "stop_reason": "end_turn"});
        assert_eq!(refused(body), "/content/0/text: invalid type: integer `5`, expected a string");
        let body = json!({"type": "message", "content": [{"citations": [{"cited_text": []}]}]});
        assert_eq!(refused(body), "/content/0/citations/0/cited_text: invalid type: sequence, expected a string");
    }
}
