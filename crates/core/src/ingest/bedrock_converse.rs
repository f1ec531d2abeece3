//! [Amazon Bedrock, Converse](https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html): the text
//! comes in blocks, and the citations of a block cover all of its text.

use serde::Deserialize;
use serde_json::Value;

use super::annotated::{Annotated, each_once};
use super::bedrock::{AWS_MEMBERS, answer_of_events, exception, wraps_events};
use super::bedrock_citation::WireCitation;
use super::event::{Event, ReadEvents, StreamEvent};
use super::finish_reason::odd_reason;
use super::format::{Format, Members, is_something};
use super::json::{self, entries, number_or_text};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, SourceIndex};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::BedrockConverse,
    sign: "`output.message`",
    members: &[
        AWS_MEMBERS,
        &[
            "additionalModelResponseFields",
            "metrics",
            "output",
            "performanceConfig",
            "serviceTier",
            "stopReason",
            "stream",
            "trace",
            "usage",
        ],
    ],
    is_whole: |members| has_message(members) || wraps_events(members, is_event),
    is_event,
    parse,
    reader: || Box::new(ConverseAnswer::default()),
};

fn has_message(members: &Members) -> bool {
    let output = members.get("output").and_then(Value::as_object);
    output.is_some_and(|output| is_something(output, "message"))
}

fn is_event(members: &Members) -> bool {
    let names = ["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"];
    names.iter().any(|name| is_something(members, name))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    output: Option<Output>,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Output {
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default, deserialize_with = "entries")]
    content: Vec<Block>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block {
    text: Option<String>,
    citations_content: Option<CitationsContent>,
}

#[derive(Deserialize)]
struct CitationsContent {
    #[serde(default, deserialize_with = "entries")]
    content: Vec<Piece>,
    #[serde(default, deserialize_with = "entries")]
    citations: Vec<WireCitation>,
}

#[derive(Default, Deserialize)]
struct Piece {
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireEvent {
    content_block_start: Option<BlockEvent>,
    content_block_delta: Option<BlockEvent>,
    content_block_stop: Option<BlockEvent>,
    message_stop: Option<MessageStop>,
    message_start: Option<Value>,
    metadata: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockEvent {
    #[serde(default, deserialize_with = "number_or_text")]
    content_block_index: Option<u32>,
    delta: Option<Delta>,
}

#[derive(Deserialize)]
struct Delta {
    text: Option<String>,
    citation: Option<WireCitation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageStop {
    stop_reason: Option<String>,
}

/// The state of an answer while it is read, whole or as a stream.
#[derive(Debug, Default)]
struct ConverseAnswer {
    annotated: Annotated,
    open: Option<Open>,
}

/// The block that has not ended.
#[derive(Debug)]
struct Open {
    index: u32,
    part: usize,
    /// The citations with their pointers. Later deltas may add members to the last one.
    citations: Vec<(String, WireCitation)>,
}

/// Stop reasons of a normal end. They cause no note.
const USUAL: [&str; 3] = ["end_turn", "stop_sequence", "tool_use"];

fn parse(body: &str) -> Result<Answer, IngestError> {
    let Response { output, stop_reason } = json::read(body)?;
    let Some(message) = output.and_then(|output| output.message) else {
        return answer_of_events(body, &FORMAT, "/output/message");
    };
    let mut answer = Answer { grammar: MarkerGrammar::NONE, complete: true, ..Answer::default() };
    let mut converse = ConverseAnswer::default();
    for (index, block) in (0..).zip(message.content) {
        let pointer = format!("/output/message/content/{index}");
        answer.text.extend(block.text.and_then(|text| converse.text(index, text)));
        if let Some(CitationsContent { content, citations }) = block.citations_content {
            for text in content.into_iter().filter_map(|piece| piece.text) {
                answer.text.extend(converse.text(index, text));
            }
            let open = converse.open(index);
            let named = |(at, citation)| (format!("{pointer}/citationsContent/citations/{at}"), citation);
            open.citations.extend(citations.into_iter().enumerate().map(named));
        }
        converse.end(&mut answer.warnings);
    }
    answer.warnings.extend(odd_reason(stop_reason, &USUAL, || "/stopReason".to_owned()));
    Box::new(converse).finish(&mut answer);
    Ok(answer)
}

impl ConverseAnswer {
    fn open(&mut self, index: u32) -> &mut Open {
        let annotated = &mut self.annotated;
        self.open.get_or_insert_with(|| Open { index, part: annotated.begin_part(), citations: Vec::new() })
    }

    fn text(&mut self, index: u32, text: String) -> Option<String> {
        self.open(index);
        self.annotated.grow(text.len());
        Some(text).filter(|text| !text.is_empty())
    }

    /// Ends the open block. Returns the sources that it cites; `None` without any.
    fn end(&mut self, warnings: &mut Vec<Entry>) -> Option<Vec<SourceIndex>> {
        let Open { part, citations, .. } = self.open.take()?;
        let sources = &mut self.annotated.sources;
        let cited = citations.into_iter().map(|(pointer, citation)| citation.cite(sources, pointer, warnings));
        let cited = each_once(cited.collect());
        self.annotated.block(part, cited.clone());
        Some(cited).filter(|cited| !cited.is_empty())
    }

    /// Ends the open block, and adds its new sources and its citation to `said`.
    fn end_block(&mut self, said: &mut Vec<StreamEvent>, notes: &mut Vec<Entry>) {
        let Some(cited) = self.end(notes) else { return };
        let new = self.annotated.sources.new_ones();
        said.extend(Some(new).filter(|new| !new.is_empty()).map(StreamEvent::Sources));
        said.push(StreamEvent::Cited(cited));
    }

    fn delta(&mut self, event: BlockEvent, place: &str, said: &mut Vec<StreamEvent>, notes: &mut Vec<Entry>) {
        let index = event.content_block_index.unwrap_or_default();
        if self.open.as_ref().is_some_and(|open| open.index != index) {
            self.end_block(said, notes);
        }
        let Some(Delta { text, citation }) = event.delta else { return };
        said.extend(text.and_then(|text| self.text(index, text)).map(StreamEvent::Text));
        if let Some(citation) = citation {
            let known = &mut self.open(index).citations;
            match known.last_mut() {
                Some((_, last)) if last.goes_on_with(&citation) => last.append(citation),
                _ => known.push((format!("{place}/contentBlockDelta/delta/citation"), citation)),
            }
        }
    }
}

impl ReadEvents for ConverseAnswer {
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
        let WireEvent {
            content_block_start: start,
            content_block_delta: delta,
            content_block_stop: stop,
            message_stop: end,
            message_start,
            metadata,
        } = json::read(json)?;
        let place = event.pointer();
        let is_known = delta.is_some() || end.is_some() || message_start.is_some() || metadata.is_some();
        if start.is_some() || stop.is_some() {
            self.end_block(said, notes);
        } else if !is_known {
            said.extend(exception(json)?.map(StreamEvent::Error));
        }
        if let Some(delta) = delta {
            self.delta(delta, &place, said, notes);
        }
        if let Some(MessageStop { stop_reason }) = end {
            self.end_block(said, notes);
            notes.extend(odd_reason(stop_reason, &USUAL, || format!("{place}/messageStop/stopReason")));
            said.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, answer: &mut Answer) {
        // A stream that breaks off may have sent citations of its last block.
        self.end(&mut answer.warnings);
        self.annotated.finish(answer);
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "JSON that is made for a call reads better without borrowing")]
mod tests {
    use serde_json::json;

    use super::super::annotated::cited;
    use super::super::ingest;
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn document(index: Value) -> Value {
        json!({"title": "D", "location": {"documentPage": {"documentIndex": index, "start": 2, "end": 3}},
            "sourceContent": [{"text": "one "}, {"text": "two"}, null]})
    }

    fn web() -> Value {
        json!({"source": "x.example", "location": {"web": {"url": "https://x.example/a", "domain": "x.example"}}})
    }

    fn whole() -> Value {
        json!({"output": {"message": {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "hm [1]"}}},
            {"text": "So: "},
            {"citationsContent": {"content": [{"text": "one "}, {"text": "claim. "}],
                "citations": [document(json!(0)), web(), document(json!("0"))]}},
            null,
            {"citationsContent": {"content": null, "citations": null}},
            {"citationsContent": {"content": [{"text": "Another."}], "citations": [
                {"title": "S", "location": {"searchResultLocation": {"searchResultIndex": 1}}}, web()]}},
        ]}}, "stopReason": "end_turn"})
    }

    #[test]
    fn a_block_rests_on_its_citations_each_once() {
        let answer = answer(&whole());
        assert_eq!(answer.text, "So: one claim. Another.");
        assert_eq!(cited(&answer), [("one claim.", vec![0, 1]), ("Another.", vec![1, 2])]);
        let [document, _, result] = &answer.sources[..] else { panic!("three sources") };
        assert_eq!((document.id.as_deref(), document.page.map(u32::from)), (Some("0"), Some(2)));
        assert_eq!((document.content.as_deref(), result.title.as_deref()), (Some("one two"), Some("S")));
        assert_eq!(document.pointer, "/output/message/content/2/citationsContent/citations/0");
        assert_eq!(answer.grammar, MarkerGrammar::NONE);
    }

    #[test]
    fn a_stream_is_the_whole_answer_in_any_order_and_in_pieces() {
        let delta =
            |index: u32, delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}});
        let cite = |index: u32, citation: Value| delta(index, json!({"citation": citation}));
        let stop = |index: u32| json!({"contentBlockStop": {"contentBlockIndex": index}});
        let place = document(json!(0))["location"].clone();
        let events = [
            json!({"messageStart": {"role": "assistant"}}),
            delta(0, json!({"reasoningContent": {"text": "hm"}})),
            stop(0),
            delta(1, json!({"text": "So: "})),
            // The next block ends this one.
            cite(2, json!({"title": "D", "sourceContent": [{"text": "one "}]})),
            delta(2, json!({"text": "one "})),
            cite(2, json!({"sourceContent": [{"text": "two"}], "location": place})),
            cite(2, web()),
            delta(2, json!({"text": "claim. "})),
            stop(2),
            delta(4, json!({"text": "Another."})),
            cite(4, json!({"title": "S", "location": {"searchResultLocation": {"searchResultIndex": "1"}}})),
            cite(4, web()),
            json!({"messageStop": {"stopReason": "end_turn"}}),
            json!({"metadata": {"usage": {}}}),
        ];
        let mut whole = answer(&whole());
        let lines: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let streamed = ingest(lines.as_bytes(), None).expect("a stream");
        for mut streamed in [streamed, answer(&json!(events)), answer(&json!({"stream": events}))] {
            for source in streamed.sources.iter_mut().chain(&mut whole.sources) {
                source.pointer.clear();
            }
            for answer in [&mut streamed, &mut whole] {
                assert!(answer.warnings.iter().all(|entry| entry.code == "same-document"));
                answer.warnings.clear();
            }
            assert_eq!(streamed, whole);
        }
        let cut = answer(&json!(events[..8]));
        assert_eq!((cut.complete, cited(&cut)), (false, vec![("one", vec![0, 1])]));
    }

    #[test]
    fn an_exception_keeps_what_had_arrived() {
        let events = json!([{"contentBlockDelta": {"delta": {"text": "Half"}}}, {"modelStreamErrorException": {"message": "gone"}}]);
        let answer = answer(&events);
        assert_eq!((answer.text.as_str(), answer.complete), ("Half", false));
        assert_eq!(answer.error.expect("an error").to_string(), "modelStreamErrorException: gone");
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place_and_a_cut_answer_is_noted() {
        let body = json!({"output": {"message": {"content": [{"citationsContent": {"citations": [{"title": 5}]}}]}}});
        let error = ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        let place = "/output/message/content/0/citationsContent/citations/0/title";
        assert_eq!(error, format!("{place}: invalid type: integer `5`, expected a string"));
        let body = json!({"output": {"message": {"content": [{"text": "a"}]}}, "stopReason": "max_tokens"});
        assert_eq!(answer(&body).warnings[0].code, "finish-reason");
    }
}
