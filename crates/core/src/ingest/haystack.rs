//! [Haystack](https://docs.haystack.deepset.ai/docs/answerbuilder): the answers of a pipeline as `to_dict` writes them.
//!
//! `[N]` is the `source_index` of a document, which counts the documents that the model was given. An `AnswerBuilder` may keep
//! only the documents that the text refers to, so their places in the list say nothing.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members};
use super::json::{self, entries, filled, text_or_number};
use super::location::{Located, location};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source, SourceKind};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::Haystack,
    sign: "`data` and `documents`, or `answers` with them",
    members: &[&["answer_builder", "answers", "meta", "query"]],
    is_whole: |members| place_of(members).is_some(),
    is_event: |members| place_of(members).is_some(),
    parse,
    reader: || Box::new(PipelineAnswer::default()),
};

/// The way to the first answer of an output: none for the answer alone, else `answers`, alone or in a component's output.
fn place_of(members: &Members) -> Option<Vec<String>> {
    let is_answer = |value: &Value| value["data"].is_string() && value["documents"].is_array();
    let has_answers = |value: &Value| value["answers"].get(0).is_some_and(is_answer);
    let of_list = || vec!["answers".to_owned(), "0".to_owned()];
    if members.get("data").is_some_and(Value::is_string) && members.get("documents").is_some_and(Value::is_array) {
        return Some(Vec::new());
    }
    if members.get("answers").and_then(|list| list.get(0)).is_some_and(is_answer) {
        return Some(of_list());
    }
    let (name, _) = members.iter().find(|(_, output)| has_answers(output))?;
    Some([vec![name.clone()], of_list()].concat())
}

#[derive(Deserialize)]
struct GeneratedAnswer {
    data: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    documents: Vec<Document>,
}

#[derive(Default, Deserialize)]
struct Document {
    #[serde(default, deserialize_with = "text_or_number")]
    id: Option<String>,
    content: Option<String>,
    meta: Option<Map<String, Value>>,
    score: Option<f64>,
}

/// The answer of the newest output.
#[derive(Debug, Default)]
struct PipelineAnswer {
    text: String,
    sources: Vec<Source>,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::BRACKETED_IDS, ..Answer::default() };
    let mut pipeline = PipelineAnswer::default();
    pipeline.take(json::read(body)?, "", &mut answer.warnings)?;
    Box::new(pipeline).finish(&mut answer);
    Ok(answer)
}

impl PipelineAnswer {
    fn take(&mut self, members: Members, place: &str, warnings: &mut Vec<Entry>) -> Result<(), IngestError> {
        let missing = || IngestError::member("/data", "missing; the text of the answer is required");
        let way = place_of(&members).ok_or_else(missing)?;
        let below: String = way.iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect();
        let output = Value::Object(members);
        let found = output.pointer(&below).cloned().unwrap_or_default();
        let GeneratedAnswer { data, documents } = json::member(found, &below)?;
        self.text = data.unwrap_or_default();
        let documents = documents.into_iter().enumerate();
        let source = |(at, document): (usize, Document)| {
            document.into_source(at, format!("{place}{below}/documents/{at}"), warnings)
        };
        self.sources = documents.map(source).collect();
        Ok(())
    }
}

impl Document {
    fn into_source(self, at: usize, pointer: String, warnings: &mut Vec<Entry>) -> Source {
        let metadata = self.meta.unwrap_or_default();
        let index = metadata.get("source_index").and_then(Value::as_u64);
        let address = ["url", "source", "file_path"].into_iter().find_map(|name| text_of(&metadata, name));
        let Located { url, filepath, address } = location(address, || format!("{pointer}/meta/url"), warnings);
        let mut metadata = metadata;
        metadata.extend(self.id.map(|id| ("id".to_owned(), id.into())));
        let page = metadata.get("page_number").and_then(Value::as_u64).and_then(|page| u32::try_from(page).ok());
        Source {
            id: Some(index.unwrap_or(at as u64 + 1).to_string()),
            title: text_of(&metadata, "title").or_else(|| text_of(&metadata, "name")),
            kind: Some(SourceKind::Document),
            url,
            address,
            filepath: filepath.or_else(|| text_of(&metadata, "file_name")),
            page: page.and_then(std::num::NonZeroU32::new),
            content: filled(self.content),
            score: self.score.filter(|score| (0.0..=1.0).contains(score)),
            metadata,
            pointer,
            ..Source::default()
        }
    }
}

fn text_of(metadata: &Map<String, Value>, name: &str) -> Option<String> {
    filled(metadata.get(name).and_then(Value::as_str).map(str::to_owned))
}

impl ReadEvents for PipelineAnswer {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::BRACKETED_IDS
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let members: Members = json::read(json)?;
        // Outputs of other components come between.
        if place_of(&members).is_some() {
            self.take(members, &event.pointer(), notes)?;
            said.push(StreamEvent::Sources(self.sources.clone()));
            said.push(StreamEvent::Text(self.text.clone()));
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        // The format has no end sign, so an answer that ends without an error is complete (rule N-12).
        answer.complete = answer.error.is_none();
        answer.text = self.text;
        answer.sources = self.sources;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;

    #[test]
    fn a_number_is_the_source_index_of_a_document_wherever_the_answer_stands() {
        let document = |n: u8| {
            json!({"id": format!("k{n}"), "content": "p", "score": 0.9,
                "meta": {"url": format!("https://x.example/{n}"), "title": format!("T{n}"), "source_index": n}})
        };
        let found =
            json!({"data": "Süß [2]. 年 [4].", "query": "q", "documents": [document(2), document(4)], "meta": {}});
        for (body, at) in [
            (found.clone(), "/documents/0"),
            (json!({"answers": [found]}), "/answers/0/documents/0"),
            (json!({"answer_builder": {"answers": [found]}}), "/answer_builder/answers/0/documents/0"),
            (
                json!([{"retriever": {"documents": []}}, {"answer_builder": {"answers": [found]}}]),
                "/1/answer_builder/answers/0/documents/0",
            ),
        ] {
            let answer = ingest(body.to_string().as_bytes(), None).expect("an answer");
            let ids: Vec<_> = answer.sources.iter().filter_map(|source| source.id.as_deref()).collect();
            assert_eq!(
                (answer.text.as_str(), ids, answer.complete),
                ("Süß [2]. 年 [4].", vec!["2", "4"], true),
                "{body}"
            );
            assert_eq!((answer.sources[0].pointer.as_str(), answer.grammar), (at, MarkerGrammar::BRACKETED_IDS));
        }
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let body = json!({"answers": [{"data": "x", "documents": [{"content": 5}]}]}).to_string();
        let error = ingest(body.as_bytes(), None).expect_err("unusable").to_string();
        assert_eq!(error, "/answers/0/documents/0/content: invalid type: integer `5`, expected a string");
    }
}
