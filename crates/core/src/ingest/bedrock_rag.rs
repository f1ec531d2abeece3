//! [Amazon Bedrock, RetrieveAndGenerate](https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_RetrieveAndGenerate.html):
//! claims are spans with an inclusive end, and the text of the claim corrects the span. Agents (InvokeAgent) send the same
//! citations beside each chunk of text, whose bytes are in base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use super::annotated::Annotated;
use super::bedrock::{AWS_MEMBERS, answer_of_events, exception, wraps_events};
use super::bedrock_reference::Reference;
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members, is_something};
use super::json::{self, entries, number_or_text};
use super::span::Unit;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, SourceIndex};
use crate::report::{Entry, Kind};

pub(super) const FORMAT: Format = Format {
    provider: Provider::BedrockRag,
    sign: "`output.text`",
    members: &[
        AWS_MEMBERS,
        &[
            "chunk",
            "citations",
            "completion",
            "contentType",
            "guardrailAction",
            "memoryId",
            "output",
            "sessionId",
            "stream",
        ],
    ],
    is_whole: |members| has_text(members) || is_chunk(members) || wraps_events(members, is_event),
    is_event,
    parse,
    reader: || Box::new(RagAnswer::default()),
};

/// Whether there is an answer. Other services also put it into `output`, with other members beside the text.
fn has_text(members: &Members) -> bool {
    let output = members.get("output").and_then(Value::as_object);
    let has_sign = ["citations", "sessionId", "guardrailAction"].iter().any(|name| members.contains_key(*name));
    output.is_some_and(|output| is_something(output, "text") && (has_sign || output.len() == 1))
}

fn is_event(members: &Members) -> bool {
    let citation = members.get("citation").and_then(Value::as_object);
    let is_citation = |citation: &Members| {
        ["generatedResponsePart", "retrievedReferences", "citation"].iter().any(|name| citation.contains_key(*name))
    };
    // Events that an agent sends beside its text. Each has only this member.
    let beside =
        ["trace", "returnControl", "files"].iter().any(|name| members.get(*name).is_some_and(Value::is_object));
    has_text(members)
        || citation.is_some_and(is_citation)
        || is_chunk(members)
        || is_something(members, "guardrail")
        || beside && members.len() == 1
}

/// Whether the members are a chunk of an agent's answer.
fn is_chunk(members: &Members) -> bool {
    let chunk = members.get("chunk").and_then(Value::as_object);
    chunk.is_some_and(|chunk| is_something(chunk, "bytes") || is_something(chunk, "attribution"))
}

#[derive(Deserialize)]
struct Response {
    output: Option<Output>,
    #[serde(default, deserialize_with = "entries")]
    citations: Vec<WireCitation>,
    #[serde(rename = "guardrailAction")]
    guardrail: Option<String>,
    /// The whole answer of an agent, if it is short.
    chunk: Option<Chunk>,
}

#[derive(Deserialize)]
struct Output {
    text: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireCitation {
    generated_response_part: Option<GeneratedPart>,
    #[serde(default, deserialize_with = "entries")]
    retrieved_references: Vec<Reference>,
    /// A repetition of these members. Older services send them only here.
    citation: Option<Box<WireCitation>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeneratedPart {
    text_response_part: Option<TextPart>,
}

#[derive(Default, Deserialize)]
struct TextPart {
    text: Option<String>,
    span: Option<WireSpan>,
}

#[derive(Deserialize)]
struct WireSpan {
    #[serde(default, deserialize_with = "number_or_text")]
    start: Option<u32>,
    /// The last character of the span, not the position behind it.
    #[serde(default, deserialize_with = "number_or_text")]
    end: Option<u32>,
}

#[derive(Deserialize)]
struct WireEvent {
    output: Option<Output>,
    citation: Option<WireCitation>,
    guardrail: Option<Guardrail>,
    chunk: Option<Chunk>,
}

/// A part of an agent's answer.
#[derive(Deserialize)]
struct Chunk {
    bytes: Option<String>,
    attribution: Option<Attribution>,
}

#[derive(Deserialize)]
struct Attribution {
    #[serde(default, deserialize_with = "entries")]
    citations: Vec<WireCitation>,
}

#[derive(Deserialize)]
struct Guardrail {
    action: Option<String>,
}

/// The state of an answer while it is read, whole or as a stream.
#[derive(Debug, Default)]
struct RagAnswer {
    annotated: Annotated,
    /// The end of the last citation, in code points. A citation without a span is looked for from here.
    cited_to: usize,
    begun: bool,
    /// The first bytes of a character that the chunks of an agent split.
    cut: Vec<u8>,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let Response { output, citations, guardrail, chunk } = json::read(body)?;
    if let Some(chunk) = chunk {
        return lone_chunk(chunk);
    }
    let Some(text) = output.and_then(|output| output.text) else {
        return answer_of_events(body, &FORMAT, "/output/text");
    };
    let mut answer = Answer { grammar: MarkerGrammar::NONE, text, ..Answer::default() };
    let mut rag = RagAnswer::default();
    rag.annotated.grow(answer.text.len());
    for (at, citation) in citations.into_iter().enumerate() {
        rag.cite(citation, format!("/citations/{at}"), &mut answer.warnings);
    }
    answer.warnings.extend(intervened(guardrail, "/guardrailAction".to_owned()));
    Box::new(rag).finish(&mut answer);
    Ok(answer)
}

/// Reads the answer of an agent that came in one chunk.
fn lone_chunk(chunk: Chunk) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::NONE, ..Answer::default() };
    let (mut rag, mut said) = (RagAnswer::default(), Vec::new());
    rag.chunk(chunk, "", &mut said, &mut answer.warnings)?;
    for event in said {
        if let StreamEvent::Text(text) = event {
            answer.text.push_str(&text);
        }
    }
    Box::new(rag).finish(&mut answer);
    Ok(answer)
}

fn intervened(action: Option<String>, pointer: String) -> Option<Entry> {
    let action = action.filter(|action| action == "INTERVENED")?;
    let message = format!("the guardrail says {action:?}, so the answer may not be that of the model");
    Some(Entry::in_input(Kind::Note, "guardrail", pointer, message))
}

impl RagAnswer {
    /// Adds text.
    fn grow(&mut self, text: String, said: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        self.annotated.grow(text.len());
        if !std::mem::replace(&mut self.begun, true) {
            // Citations may come behind the text that they cite, so all text has to be treated as if they will.
            said.push(StreamEvent::Late);
        }
        said.push(StreamEvent::Text(text));
    }

    /// Decodes the bytes of a chunk. A character that the end of the chunk splits is kept for the next chunk.
    fn decode(&mut self, bytes: &str, pointer: &str) -> Result<String, IngestError> {
        let decoded = STANDARD.decode(bytes.trim());
        let decoded = decoded.map_err(|error| IngestError::member(pointer, format!("not base64: {error}")))?;
        self.cut.extend(decoded);
        match str::from_utf8(&self.cut) {
            Ok(text) => {
                let text = text.to_owned();
                self.cut.clear();
                Ok(text)
            }
            Err(error) if error.error_len().is_none() => {
                let rest = self.cut.split_off(error.valid_up_to());
                let whole = std::mem::replace(&mut self.cut, rest);
                Ok(String::from_utf8(whole).unwrap_or_default())
            }
            Err(_) => Err(IngestError::member(pointer, "the bytes are not UTF-8")),
        }
    }

    fn chunk(
        &mut self,
        chunk: Chunk,
        place: &str,
        said: &mut Vec<StreamEvent>,
        notes: &mut Vec<Entry>,
    ) -> Result<(), IngestError> {
        let text = chunk.bytes.map(|bytes| self.decode(&bytes, "/chunk/bytes")).transpose()?;
        self.grow(text.unwrap_or_default(), said);
        let citations = chunk.attribution.map(|attribution| attribution.citations).unwrap_or_default();
        for (at, citation) in citations.into_iter().enumerate() {
            self.cite(citation, format!("{place}/chunk/attribution/citations/{at}"), notes);
        }
        Ok(())
    }

    fn cite(&mut self, citation: WireCitation, mut pointer: String, warnings: &mut Vec<Entry>) {
        let WireCitation { mut generated_response_part, mut retrieved_references, citation: older } = citation;
        if let Some(older) = older.filter(|_| generated_response_part.is_none() && retrieved_references.is_empty()) {
            (generated_response_part, retrieved_references) =
                (older.generated_response_part, older.retrieved_references);
            pointer.push_str("/citation");
        }
        let TextPart { text, span } =
            generated_response_part.and_then(|part| part.text_response_part).unwrap_or_default();
        let length = text.as_deref().map_or(0, |text| text.chars().count());
        let (start, end) = match span {
            // The text of the claim gives the length of the span. Its end is used only if there is no text.
            Some(WireSpan { start, end }) => {
                let (start, last) =
                    (start.unwrap_or_default() as usize, end.map(|end| (end as usize).saturating_add(1)));
                (start, Some(start.saturating_add(length)).filter(|_| length > 0).or(last))
            }
            // Without a span, the text of the claim is looked for.
            None => (self.cited_to, None),
        };
        self.cited_to = end.unwrap_or(start.saturating_add(length));
        let sources = retrieved_references
            .into_iter()
            .enumerate()
            .map(|(at, reference)| {
                let pointer = format!("{pointer}/retrievedReferences/{at}");
                reference.add_to(&mut self.annotated.sources, pointer, warnings)
            })
            .collect();
        self.annotated.quoted_span(0, (Some(start), end, Unit::Char), text, sources, pointer);
    }
}

impl ReadEvents for RagAnswer {
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
        let place = event.pointer();
        match json::read(json)? {
            WireEvent { output: None, citation: None, guardrail: None, chunk: None } => {
                said.extend(exception(json)?.map(StreamEvent::Error));
            }
            WireEvent { output, citation, guardrail, chunk } => {
                self.grow(output.and_then(|output| output.text).unwrap_or_default(), said);
                if let Some(chunk) = chunk {
                    self.chunk(chunk, &place, said, notes)?;
                }
                if let Some(citation) = citation {
                    self.cite(citation, format!("{place}/citation"), notes);
                }
                let action = guardrail.and_then(|guardrail| guardrail.action);
                notes.extend(intervened(action, format!("{place}/guardrail/action")));
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        // The format has no end sign, so an answer that ends without an error is complete (rule N-12).
        answer.complete = answer.error.is_none();
        self.annotated.finish(answer);
        answer.attested = (0..answer.sources.len()).map(SourceIndex).collect();
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

    fn web(url: &str) -> Value {
        json!({"content": {"type": "TEXT", "text": "passage"}, "location": {"type": "WEB", "webLocation": {"url": url}}})
    }

    fn citation(text: Value, span: Value, references: Value) -> Value {
        json!({"generatedResponsePart": {"textResponsePart": {"text": text, "span": span}}, "retrievedReferences": references})
    }

    #[test]
    fn the_text_of_a_part_has_the_last_word_on_where_it_ends() {
        let one = || json!([web("https://x.example/1")]);
        let body = json!({"output": {"text": "Süß ist süß. Gut 😀 ist gut. Fein."}, "sessionId": 1, "citations": [
            citation(json!("Süß ist süß."), json!({"start": 0, "end": 11}), one()),
            citation(json!("Gut 😀 ist gut."), json!({"start": 13, "end": 26}), one()),
            // A span that is off by some characters, and a citation without a span.
            citation(json!("Gut 😀 ist gut."), json!({"start": 11, "end": 25}), json!([web("https://x.example/2")])),
            citation(json!("Fein."), Value::Null, one()),
            // Without a text, the end is the last character of the span.
            citation(Value::Null, json!({"start": 28, "end": 31}), one()),
            citation(json!("nowhere to be found"), Value::Null, json!([web("https://x.example/3")])),
            citation(json!("Süß"), json!({"start": 0, "end": 2}), json!([])),
            {"retrievedReferences": null}, null]});
        let answer = answer(&body);
        let expected = [
            ("Süß ist süß.", vec![0]),
            ("Gut 😀 ist gut.", vec![0]),
            ("Gut 😀 ist gut.", vec![1]),
            ("Fein.", vec![0]),
            ("Fein", vec![0]),
        ];
        assert_eq!(cited(&answer), expected);
        assert_eq!(answer.sources.len(), 3);
    }

    #[test]
    fn a_reference_is_known_by_where_it_lies() {
        let reference = |location: Value, metadata: Value| json!({"location": location, "metadata": metadata});
        let references = json!([
            reference(
                json!({"type": "S3", "s3Location": {"uri": "s3://b/x/a.pdf"}}),
                json!({"x-amz-bedrock-kb-document-page-number": 2.0, "label": "Secret"})
            ),
            reference(json!({"type": "CUSTOM", "customDocumentLocation": {"id": "c-1"}}), Value::Null),
            reference(json!({"kendraDocumentLocation": {"uri": "https://k.example/a"}}), json!({})),
            reference(Value::Null, json!({"x-amz-bedrock-kb-source-uri": "s3://b/x/a.pdf"})),
            reference(json!({"type": "SQL", "sqlLocation": {"query": "SELECT"}}), Value::Null),
        ]);
        let body = json!({"output": {"text": "All."}, "citations": [citation(json!("All."), json!({}), references)]});
        let answer = answer(&body);
        assert_eq!(cited(&answer), [("All.", vec![0, 1, 2, 3])]);
        let [file, custom, web, _] = &answer.sources[..] else { panic!("four sources") };
        assert_eq!((file.display_title().as_deref(), file.filepath.as_deref()), (Some("a.pdf"), Some("x/a.pdf")));
        assert_eq!((file.page.map(u32::from), &file.metadata["label"]), (Some(2), &json!("Secret")));
        assert_eq!(
            (custom.id.as_deref(), web.url.as_ref().map(crate::url::WebUrl::host)),
            (Some("c-1"), Some("k.example"))
        );
        assert_eq!(file.pointer, "/citations/0/retrievedReferences/0");
    }

    #[test]
    fn a_list_of_events_is_the_whole_answer_and_so_is_what_wraps_it() {
        let (one, two) = (json!([web("https://x.example/1")]), json!([web("https://x.example/2")]));
        let first = citation(json!("One."), json!({"start": 0, "end": 3}), one);
        let second = citation(json!("Two."), json!({"start": 5, "end": 8}), two);
        let whole = answer(&json!({"output": {"text": "One. Two."}, "citations": [first, second]}));
        let events = json!([
            {"output": {"text": "One."}},
            {"citation": {"citation": first}},
            {"guardrail": {"action": "NONE"}},
            {"output": {"text": " Two."}},
            {"citation": second},
        ]);
        let wrapped = answer(&json!({"sessionId": "s", "stream": events}));
        assert_eq!(wrapped.sources[1].pointer, "/stream/4/citation/retrievedReferences/0");
        assert_eq!(wrapped.sources[0].pointer, "/stream/1/citation/citation/retrievedReferences/0");
        for streamed in [answer(&events), wrapped] {
            assert!(streamed.complete);
            assert_eq!((&streamed.text, cited(&streamed)), (&whole.text, cited(&whole)));
        }
    }

    #[test]
    fn an_agent_says_the_same_beside_the_bytes_of_its_text() {
        let base64 = |bytes: &[u8]| STANDARD.encode(bytes);
        let text = "Süß ist süß. Gut.";
        let cited_text =
            citation(json!("Süß ist süß."), json!({"start": 0, "end": 11}), json!([web("https://x.example/1")]));
        // The second chunk begins inside a character.
        let events = json!([
            {"chunk": {"bytes": base64(&text.as_bytes()[..2])}},
            {"trace": {"agentId": "a"}},
            {"chunk": {"bytes": base64(&text.as_bytes()[2..]), "attribution": {"citations": [cited_text]}}},
        ]);
        for (body, pointer) in
            [(events.clone(), "/2"), (json!({"completion": events, "sessionId": "s"}), "/completion/2")]
        {
            let answer = answer(&body);
            assert_eq!((answer.text.as_str(), answer.complete), (text, true));
            assert_eq!(cited(&answer), [("Süß ist süß.", vec![0])]);
            let expected = format!("{pointer}/chunk/attribution/citations/0/retrievedReferences/0");
            assert_eq!(answer.sources[0].pointer, expected);
        }
        let refused = |bytes: &str| {
            let body = json!([{"chunk": {"bytes": bytes}}]).to_string();
            ingest(body.as_bytes(), None).expect_err("no text").to_string()
        };
        assert!(refused("***").starts_with("event 1 at line 1: /chunk/bytes: not base64"));
        assert_eq!(refused(&base64(b"\xff\xfe")), "event 1 at line 1: /chunk/bytes: the bytes are not UTF-8");
    }

    /// With traces on, only the first line was read. A short answer is a single line, and it was refused.
    #[test]
    fn the_events_of_an_agent_may_come_one_a_line_whatever_the_first_is() {
        let chunk = |text: &str| json!({"chunk": {"bytes": STANDARD.encode(text)}});
        let firsts = [
            json!({"trace": {"sessionId": "s", "trace": {"orchestrationTrace": {}}}}),
            json!({"returnControl": {"invocationId": "i", "invocationInputs": []}}),
            json!({"files": {"files": [{"name": "a.csv", "type": "text/csv"}]}}),
        ];
        for from in [None, Some(Provider::BedrockRag)] {
            for first in &firsts {
                let events = [first.clone(), chunk("Hel"), first.clone(), chunk("lo")];
                let lines: Vec<String> = events.iter().map(ToString::to_string).collect();
                for body in [
                    lines.join("\n"),
                    format!("[{}]", lines.join(",")),
                    format!("data: {}\n\n", lines.join("\n\ndata: ")),
                ] {
                    let answer = ingest(body.as_bytes(), from).expect("an answer");
                    assert_eq!(
                        (answer.text.as_str(), answer.complete, answer.provider),
                        ("Hello", true, Some("bedrock-rag"))
                    );
                }
            }
            let mut lone = chunk("Süß.");
            lone["chunk"]["attribution"] = json!({"citations": [citation(json!("Süß."), json!({"start": 0, "end": 3}), json!([web("https://x.example/1")]))]});
            let answer = ingest(format!("{lone}\n").as_bytes(), from).expect("an answer");
            assert_eq!((answer.text.as_str(), answer.complete), ("Süß.", true));
            assert_eq!(cited(&answer), [("Süß.", vec![0])]);
            assert_eq!(answer.sources[0].pointer, "/chunk/attribution/citations/0/retrievedReferences/0");
        }
    }

    #[test]
    fn an_exception_keeps_what_had_arrived() {
        let events = json!([{"output": {"text": "Half"}}, {"throttlingException": {"message": "slow down"}}]);
        let answer = answer(&events);
        assert_eq!((answer.text.as_str(), answer.complete), ("Half", false));
        assert_eq!(answer.error.expect("an error").to_string(), "throttlingException: slow down");
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: &str| ingest(body.as_bytes(), None).expect_err("unusable").to_string();
        let body = r#"{"output": {"text": "a"}, "citations": [{"retrievedReferences": [{"location": 5}]}]}"#;
        assert!(refused(body).starts_with("/citations/0/retrievedReferences/0/location: invalid type"));
        let body = "{\"stream\": [\n{\"output\": {\"text\": \"a\"}},\n{\"output\": {\"text\": 5}}]}";
        assert_eq!(refused(body), "event 2 at line 3: /output/text: invalid type: integer `5`, expected a string");
        let error = ingest(br#"{"output": {"text": null}}"#, Some(Provider::BedrockRag)).expect_err("no text");
        assert_eq!(error.to_string(), "/output/text: missing; the answer of the model is required");
    }
}
