//! [Gemini and Vertex AI, `generateContent`](https://ai.google.dev/api/generate-content): claims are spans in bytes, in
//! `candidates[0].groundingMetadata`. Members may be in camel or snake case (rule N-17). Offsets of a whole answer count in
//! their part. Offsets of a stream count in all of the text, because its chunks may split parts anywhere.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::annotated::Annotated;
use super::event::{Event, ReadEvents, StreamEvent};
use super::finish_reason::{gemini_block, gemini_reason, odd_reason};
use super::format::{Format, Members, is_something};
use super::gemini_grounding::Grounding;
use super::gemini_legacy::Legacy;
use super::json::{self, entries, filled};
use super::token_counts::{gemini_counts, token_counts};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, TokenCounts};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::Gemini,
    sign: "`candidates`",
    members: &[&[
        "candidates",
        "createTime",
        "create_time",
        "modelVersion",
        "model_version",
        "promptFeedback",
        "prompt_feedback",
        "responseId",
        "response_id",
        "usageMetadata",
        "usage_metadata",
    ]],
    is_whole: is_response,
    is_event: is_response,
    parse,
    reader: || Box::new(GeminiAnswer::default()),
};

fn is_response(members: &Members) -> bool {
    ["candidates", "promptFeedback", "prompt_feedback"].iter().any(|name| is_something(members, name))
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(default, deserialize_with = "entries")]
    candidates: Vec<Candidate>,
    #[serde(alias = "prompt_feedback", rename = "promptFeedback")]
    prompt_feedback: Option<PromptFeedback>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
    #[serde(borrow, rename = "usageMetadata")]
    usage: Option<&'a RawValue>,
    /// The counts as clients of protocol buffers spell them; a proxy may send both.
    #[serde(borrow)]
    usage_metadata: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct PromptFeedback {
    #[serde(default, alias = "block_reason", rename = "blockReason", deserialize_with = "gemini_block")]
    block_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Candidate {
    index: Option<u64>,
    content: Option<Content>,
    #[serde(default, alias = "finish_reason", rename = "finishReason", deserialize_with = "gemini_reason")]
    finish_reason: Option<String>,
    #[serde(alias = "grounding_metadata", rename = "groundingMetadata")]
    grounding: Option<Box<Grounding>>,
    #[serde(alias = "citation_metadata", rename = "citationMetadata")]
    citations: Option<CitationMetadata>,
}

/// Passages of the text that the model took from other works, with their sources.
#[derive(Deserialize)]
struct CitationMetadata {
    citations: Option<Value>,
    #[serde(alias = "citation_sources", rename = "citationSources")]
    sources: Option<Value>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default, deserialize_with = "entries")]
    parts: Vec<Part>,
}

#[derive(Default, Deserialize)]
struct Part {
    text: Option<String>,
    thought: Option<bool>,
}

/// The state of an answer while it is read, whole or as a stream.
#[derive(Debug, Default)]
pub(super) struct GeminiAnswer {
    annotated: Annotated,
    /// The text part of each content part. Empty in a stream.
    parts: Vec<usize>,
    grounding: Option<Box<Grounding>>,
    citations: Legacy,
    begun: bool,
    /// The token counts of the last event.
    counts: Option<TokenCounts>,
}

pub(super) fn parse(body: &str) -> Result<Answer, IngestError> {
    let response: Response<'_> = json::read(body)?;
    if let Some(reason) = refusal(&response) {
        return Err(IngestError::member("/promptFeedback/blockReason", reason));
    }
    // Only the first candidate is the answer (rule N-09).
    let first = response.candidates.into_iter().enumerate().find(|(_, candidate)| candidate.index.unwrap_or(0) == 0);
    let (at, candidate) =
        first.ok_or_else(|| IngestError::member("/candidates", "empty; the first candidate is the answer"))?;
    let place = format!("/candidates/{at}");
    let mut answer = Answer { grammar: MarkerGrammar::NONE, complete: true, ..Answer::default() };
    let mut gemini = GeminiAnswer::default();
    for part in candidate.content.map(|content| content.parts).unwrap_or_default() {
        gemini.parts.push(gemini.annotated.begin_part());
        let text = part.answer_text().unwrap_or_default();
        gemini.annotated.grow(text.len());
        answer.text.push_str(&text);
    }
    answer.warnings.extend(odd_reason(candidate.finish_reason, &USUAL, || format!("{place}/finishReason")));
    gemini.grounding = candidate.grounding.map(|grounding| Box::new(grounding.found_at(&place, body)));
    gemini.citations = candidate.citations.map(|citations| citations.found_at(&place)).unwrap_or_default();
    Box::new(gemini).finish(&mut answer);
    Ok(answer)
}

impl CitationMetadata {
    fn found_at(self, candidate: &str) -> Legacy {
        let mut legacy = Legacy::default();
        legacy.add_claims(self.citations, &format!("{candidate}/citationMetadata/citations"));
        legacy.add_claims(self.sources, &format!("{candidate}/citationMetadata/citationSources"));
        legacy
    }
}

impl Part {
    /// The text, unless the part is a thought.
    fn answer_text(self) -> Option<String> {
        self.text.filter(|text| self.thought != Some(true) && !text.is_empty())
    }
}

/// An error message if the provider refused the question itself, so that there is no candidate.
fn refusal(response: &Response<'_>) -> Option<String> {
    let reason = response.prompt_feedback.as_ref().and_then(|feedback| filled(feedback.block_reason.clone()));
    let reason = reason.filter(|reason| response.candidates.is_empty() && reason != "BLOCK_REASON_UNSPECIFIED")?;
    Some(format!("the provider refused to answer: {reason:?}"))
}

/// Finish reasons of a normal end. They cause no note.
const USUAL: [&str; 2] = ["STOP", "FINISH_REASON_UNSPECIFIED"];

fn is_end(reason: &str) -> bool {
    !matches!(reason, "" | "FINISH_REASON_UNSPECIFIED")
}

impl ReadEvents for GeminiAnswer {
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
        let response: Response<'_> = json::read(json)?;
        // A gateway may count in members of its own.
        self.counts = response.usage.or(response.usage_metadata).map_or_else(|| token_counts(json), gemini_counts);
        if let Some(error) = &response.error {
            said.push(StreamEvent::Error(json::provider_error(error)));
            return Ok(());
        }
        if let Some(reason) = refusal(&response).filter(|_| !self.begun) {
            said.push(StreamEvent::Error(json::provider_error(&reason.into())));
            return Ok(());
        }
        let candidates = response.candidates.into_iter().enumerate();
        let first = candidates.into_iter().find(|(_, candidate)| candidate.index.unwrap_or(0) == 0);
        let Some((at, Candidate { content, finish_reason: reason, grounding, citations, .. })) = first else {
            return Ok(());
        };
        let place = || format!("{}/candidates/{at}", event.pointer());
        for text in content.into_iter().flat_map(|content| content.parts).filter_map(Part::answer_text) {
            self.annotated.grow(text.len());
            if !std::mem::replace(&mut self.begun, true) {
                // Grounding may come behind the text that it supports, so all text has to be treated as if it will.
                said.push(StreamEvent::Late);
            }
            said.push(StreamEvent::Text(text));
        }
        if let Some(grounding) = grounding {
            let grounding = grounding.found_at(&place(), json);
            match &mut self.grounding {
                Some(known) => known.renew(grounding),
                None => self.grounding = Some(Box::new(grounding)),
            }
        }
        if let Some(citations) = citations {
            self.citations.add_new(citations.found_at(&place()));
        }
        if let Some(reason) = reason.filter(|reason| is_end(reason)) {
            notes.extend(odd_reason(Some(reason), &USUAL, || place() + "/finishReason"));
            said.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn counts_tokens(&self) -> bool {
        true
    }

    fn take_counts(&mut self) -> Option<TokenCounts> {
        self.counts.take()
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        let Self { mut annotated, parts, grounding, citations, .. } = *self;
        // Without grounding, the model did not look anything up.
        answer.tools_invoked = Some(grounding.as_ref().is_some_and(|grounding| grounding.tools_invoked()));
        if let Some(grounding) = grounding {
            grounding.annotate(&parts, &mut annotated, &mut answer.warnings);
        }
        citations.annotate(&parts, &mut annotated, &mut answer.warnings);
        annotated.finish(answer);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::annotated::cited;
    use super::super::ingest;
    use super::*;

    const TEXT: &str = "Das Café öffnet um neun. Eintritt frei.";

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn web(uri: &str) -> Value {
        json!({"web": {"uri": uri, "title": null}})
    }

    #[test]
    fn names_may_be_in_snake_and_camel_case_at_every_level() {
        let mixed = json!({"candidates": [{
            "content": {"parts": [{"text": TEXT}]},
            "grounding_metadata": {
                "webSearchQueries": ["q"],
                "grounding_chunks": [
                    {"retrieved_context": {"uri": "gs://b/a/x.pdf", "documentName": "d", "rag_chunk": {
                        "text": "passage", "pageSpan": {"first_page": 3}, "chunk_id": 7}}},
                    {"retrievedContext": {"uri": "gs://b/a/x.pdf", "text": "other"}},
                ],
                "groundingSupports": [
                    {"segment": {"end_index": "26"}, "grounding_chunk_indices": [0, "1"], "confidenceScores": [0.5, 7]},
                    {"segment": {"startIndex": 27, "end_index": 41}, "groundingChunkIndices": [1, 9]},
                ],
            },
        }]});
        let answer = answer(&mixed);
        assert_eq!(cited(&answer), [("Das Café öffnet um neun.", vec![0, 1]), ("Eintritt frei.", vec![1])]);
        let [first, second] = &answer.sources[..] else { panic!("passages are never merged") };
        assert_eq!((first.filepath.as_deref(), first.id.as_deref()), (Some("a/x.pdf"), Some("d")));
        assert_eq!((first.page.map(u32::from), first.content.as_deref()), (Some(3), Some("passage")));
        assert_eq!((first.score, second.score), (Some(0.5), None));
        assert_eq!(first.pointer, "/candidates/0/grounding_metadata/grounding_chunks/0");
        assert_eq!((answer.warnings.len(), answer.warnings[0].code), (1, "annotation-source"));
    }

    #[test]
    fn offsets_count_in_their_part_and_thoughts_are_no_text() {
        let body = json!({"candidates": [{
            "content": {"parts": [{"text": "Hm [1].", "thought": true}, {"text": "Süß. "}, {"text": "Gut. Fein."}, null]},
            "groundingMetadata": {
                "groundingChunks": [web("https://x.example/a"), null, web("https://X.example/a#b")],
                "groundingSupports": [
                    {"segment": {"partIndex": 2, "startIndex": 5, "endIndex": 10}, "groundingChunkIndices": [0, 2]},
                    {"segment": {"partIndex": 1, "endIndex": 6, "text": "Süß."}, "groundingChunkIndices": [1]},
                    // These offsets count in the whole text, which only the text of the segment reveals.
                    {"segment": {"startIndex": 7, "endIndex": 11, "text": "Gut."}, "groundingChunkIndices": [0]},
                    {"segment": null, "groundingChunkIndices": [0]},
                    null,
                ],
            },
        }]});
        let answer = answer(&body);
        assert_eq!(answer.text, "Süß. Gut. Fein.");
        assert_eq!(cited(&answer), [("Fein.", vec![0]), ("Süß.", vec![1]), ("Gut.", vec![0])]);
        assert_eq!(answer.sources.len(), 2);
        assert_eq!(answer.warnings[0].code, "annotation-unanchored");
    }

    fn chunk(text: &str, more: Value) -> Value {
        let mut candidate = json!({"content": {"parts": [{"text": text}]}});
        if let (Some(candidate), Value::Object(more)) = (candidate.as_object_mut(), more) {
            candidate.extend(more);
        }
        json!({"candidates": [candidate]})
    }

    #[test]
    fn a_stream_and_a_list_of_chunks_are_the_whole_answer_whatever_repeats_or_grows() {
        let queries = json!({"webSearchQueries": ["q"]});
        let supports = json!([{"segment": {"startIndex": 27, "endIndex": 41}, "groundingChunkIndices": [0]}]);
        let one = json!({"groundingChunks": [web("https://x.example/a")]});
        let grown = json!({"groundingChunks": [web("https://x.example/a"), web("https://x.example/b")],
            "groundingSupports": supports});
        let chunks = [
            chunk("Das Café öf", json!({"groundingMetadata": queries})),
            chunk("fnet um neun. ", json!({"groundingMetadata": one})),
            json!({"candidates": [{"index": 1, "content": {"parts": [{"text": "other"}]}, "finishReason": "STOP"}]}),
            chunk("Eintritt frei.", json!({"groundingMetadata": grown, "finishReason": null})),
            chunk("", json!({"groundingMetadata": {}, "finishReason": "STOP"})),
        ];
        let whole = answer(&chunk(TEXT, json!({"groundingMetadata": grown, "finishReason": "STOP"})));
        let events: String = chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect();
        for mut streamed in [ingest(events.as_bytes(), None).expect("a stream"), answer(&json!(chunks))] {
            assert_eq!(streamed.sources[1].pointer, "/3/candidates/0/groundingMetadata/groundingChunks/1");
            for (source, whole) in streamed.sources.iter_mut().zip(&whole.sources) {
                source.pointer.clone_from(&whole.pointer);
            }
            assert_eq!(streamed, whole);
            assert_eq!(cited(&streamed), [("Eintritt frei.", vec![0])]);
        }
        let cut = answer(&json!(chunks[..3]));
        assert_eq!((cut.complete, cut.sources.len(), cut.tools_invoked), (false, 1, Some(true)));
    }

    #[test]
    fn a_stream_counts_tokens_in_its_own_members_and_in_those_of_a_gateway() {
        let counted = |more: Value| {
            let mut event = chunk("Half", json!({}));
            if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
                event.extend(more);
            }
            let counts = answer(&json!([chunk("x", json!({})), event])).token_counts;
            (counts.prompt, counts.completion)
        };
        for (more, expected) in [
            (json!({"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 6}}), (Some(5), Some(6))),
            (json!({"usage_metadata": {"prompt_token_count": 5, "thoughts_token_count": 1}}), (Some(5), None)),
            (json!({"usage": {"prompt_tokens": 8, "completion_tokens": 2}}), (Some(8), Some(2))),
            (json!({"usageMetadata": {"promptTokenCount": "many"}}), (None, None)),
            (json!({"usageMetadata": null}), (None, None)),
            (
                json!({"usageMetadata": {"promptTokenCount": 5}, "usage_metadata": {"promptTokenCount": 6}}),
                (Some(5), None),
            ),
        ] {
            assert_eq!(counted(more.clone()), expected, "{more}");
        }
    }

    #[test]
    fn an_error_keeps_what_had_arrived() {
        let error = json!({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}});
        let answer = answer(&json!([chunk("Half", json!({})), error]));
        assert_eq!((answer.text.as_str(), answer.complete, answer.tools_invoked), ("Half", false, Some(false)));
        assert_eq!(answer.error.expect("an error").to_string(), "503: overloaded");
    }

    #[test]
    fn an_unusable_answer_says_why() {
        for (body, message) in [
            (
                json!({"promptFeedback": {"blockReason": "SAFETY"}}),
                "/promptFeedback/blockReason: the provider refused to answer: \"SAFETY\"",
            ),
            (json!({"candidates": []}), "/candidates: empty; the first candidate is the answer"),
            (
                json!({"candidates": [{"grounding_metadata": {"groundingSupports": [{"segment": {"end_index": []}}]}}]}),
                "/candidates/0/grounding_metadata/groundingSupports/0/segment/end_index: \
                 invalid type: sequence, expected a string or a number",
            ),
        ] {
            assert_eq!(ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string(), message);
        }
        let cut = answer(&chunk("x", json!({"finishReason": "MAX_TOKENS"})));
        assert_eq!(cut.warnings[0].code, "finish-reason");
    }
}
