//! [LangChain](https://python.langchain.com/docs/how_to/qa_sources/): the output of a retrieval chain, with the documents
//! that it put into the prompt. By convention the model writes `[N]`, which counts these documents from 1. Content blocks
//! may carry additional citations.

use std::num::NonZeroU32;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::annotated::Annotated;
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members, is_something};
use super::json::{self, Content, entries, filled, number_or_text, text_or_number};
use super::location::{Located, location};
use super::span::Unit;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source, SourceKind};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::LangChain,
    sign: "`answer` or `result`, and `context` or `source_documents`",
    members: &[&["answer", "chat_history", "context", "input", "query", "question", "result", "source_documents"]],
    is_whole: |members| has_text(members) && has_documents(members),
    is_event: |members| members.get("answer").is_some_and(Value::is_string) || has_documents(members),
    parse,
    reader: || Box::new(ChainAnswer::default()),
};

fn has_text(members: &Members) -> bool {
    ["answer", "result"].iter().any(|name| is_something(members, name))
}

fn has_documents(members: &Members) -> bool {
    ["context", "source_documents"].iter().any(|name| members.get(*name).is_some_and(Value::is_array))
}

/// The output of a chain, or a chunk of its stream.
#[derive(Deserialize)]
struct Output {
    answer: Option<Content<Block>>,
    result: Option<Content<Block>>,
    #[serde(default, deserialize_with = "entries")]
    context: Vec<Document>,
    #[serde(default, deserialize_with = "entries")]
    source_documents: Vec<Document>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
struct Document {
    #[serde(default, deserialize_with = "text_or_number")]
    id: Option<String>,
    page_content: Option<String>,
    metadata: Option<Map<String, Value>>,
}

/// A part of a model's message.
#[derive(Default, Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    annotations: Vec<Annotation>,
}

#[derive(Default, Deserialize)]
struct Annotation {
    #[serde(rename = "type")]
    kind: Option<String>,
    url: Option<String>,
    title: Option<String>,
    #[serde(default, deserialize_with = "number_or_text")]
    start_index: Option<u32>,
    #[serde(default, deserialize_with = "number_or_text")]
    end_index: Option<u32>,
    cited_text: Option<String>,
}

/// The state of an answer while it is read, whole or as a stream.
#[derive(Debug, Default)]
struct ChainAnswer {
    annotated: Annotated,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::BRACKETED_NUMBERS, ..Answer::default() };
    let mut chain = ChainAnswer::default();
    let output: Output = json::read(body)?;
    if output.answer.is_none() && output.result.is_none() {
        return Err(IngestError::member("/answer", "missing; the text of the answer is required"));
    }
    answer.text = chain.add(output, "", &mut answer.warnings);
    Box::new(chain).finish(&mut answer);
    Ok(answer)
}

impl ChainAnswer {
    /// Adds documents and citations. Returns the text.
    fn add(&mut self, output: Output, place: &str, warnings: &mut Vec<Entry>) -> String {
        let Output { answer, result, context, source_documents, .. } = output;
        let lists = [("context", context), ("source_documents", source_documents)];
        // Some chains return the same documents under both names.
        if let Some((name, documents)) = lists.into_iter().find(|(_, documents)| !documents.is_empty()) {
            for (at, document) in documents.into_iter().enumerate() {
                // Markers count documents, so equal ones are not merged.
                self.annotated.sources.push(document.into_source(format!("{place}/{name}/{at}"), warnings));
            }
        }
        let (name, content) = match (answer, result) {
            (Some(answer), _) => ("answer", answer),
            (None, result) => ("result", result.unwrap_or_default()),
        };
        let blocks = match content {
            Content::Text(text) => vec![Block { text: Some(text), ..Block::default() }],
            Content::Parts(blocks) => blocks,
        };
        let mut text = String::new();
        for (at, block) in blocks.into_iter().enumerate() {
            text.push_str(&self.add_block(block, &format!("{place}/{name}/{at}"), warnings));
        }
        text
    }

    fn add_block(&mut self, block: Block, pointer: &str, warnings: &mut Vec<Entry>) -> String {
        let Block { kind, text, annotations } = block;
        if kind.is_some_and(|kind| kind != "text") {
            return String::new();
        }
        let text = text.unwrap_or_default();
        let part = self.annotated.begin_part();
        self.annotated.grow(text.len());
        for (at, annotation) in annotations.into_iter().enumerate() {
            let Annotation { kind, url, title, start_index, end_index, cited_text } = annotation;
            if kind.as_deref() != Some("citation") {
                continue;
            }
            let pointer = format!("{pointer}/annotations/{at}");
            let Located { url, filepath, address } = location(url, || format!("{pointer}/url"), warnings);
            let (title, content) = (filled(title), filled(cited_text));
            let source =
                Source { title, url, address, filepath, content, pointer: pointer.clone(), ..Source::default() };
            let source = self.annotated.sources.page(source);
            let offset = |offset: Option<u32>| offset.map(|offset| offset as usize);
            let span = (offset(start_index), offset(end_index), Unit::Char);
            self.annotated.span(part, span, vec![source], pointer);
        }
        text
    }
}

impl Document {
    fn into_source(self, pointer: String, warnings: &mut Vec<Entry>) -> Source {
        let metadata = self.metadata.unwrap_or_default();
        let text = |name: &str| filled(metadata.get(name).and_then(Value::as_str).map(str::to_owned));
        let address = text("source").or_else(|| text("url")).or_else(|| text("file_path"));
        let Located { url, filepath, address } = location(address, || format!("{pointer}/metadata/source"), warnings);
        // Document loaders count pages from 0. `page_label` is the number printed on the page.
        let label = text("page_label").and_then(|label| label.trim().parse().ok());
        let page = || metadata.get("page").and_then(Value::as_u64).and_then(|page| u32::try_from(page).ok());
        Source {
            id: filled(self.id),
            title: text("title"),
            kind: Some(SourceKind::Document),
            url,
            address,
            filepath,
            page: label.or_else(|| page().and_then(|page| page.checked_add(1)).and_then(NonZeroU32::new)),
            content: filled(self.page_content),
            author: text("author"),
            metadata,
            pointer,
            ..Source::default()
        }
    }
}

impl ReadEvents for ChainAnswer {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::BRACKETED_NUMBERS
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let mut output: Output = json::read(json)?;
        if let Some(error) = output.error.take() {
            said.push(StreamEvent::Error(json::provider_error(&error)));
            return Ok(());
        }
        let text = self.add(output, &event.pointer(), notes);
        let new = self.annotated.sources.new_ones();
        let sources = Some(new).filter(|new| !new.is_empty()).map(StreamEvent::Sources);
        said.extend(sources.into_iter().chain(Some(text).filter(|text| !text.is_empty()).map(StreamEvent::Text)));
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        // The format has no end sign, so an answer that ends without an error is complete (rule N-12).
        answer.complete = answer.error.is_none();
        self.annotated.finish(answer);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    #[test]
    fn documents_are_numbered_one_by_one_under_either_name() {
        let document =
            |source: Value| json!({"page_content": "p", "metadata": {"source": source, "page": 0, "label": "Secret"}});
        let documents = json!([document(json!("https://x.example/a")), null, document(json!("https://x.example/a")),
            {"id": 5, "metadata": {"source": "C:\\docs\\b.pdf", "page_label": "iv", "page": 3}}]);
        for (text, list) in [("answer", "context"), ("result", "source_documents")] {
            let answer = answer(&json!({text: "x [1]", list: documents, "query": "q"}));
            assert_eq!((answer.text.as_str(), answer.complete, answer.sources.len()), ("x [1]", true, 4));
            let [first, nothing, _, last] = &answer.sources[..] else { panic!("four sources") };
            assert_eq!((first.page.map(u32::from), &first.metadata["label"]), (Some(1), &json!("Secret")));
            assert_eq!((first.pointer.clone(), nothing.title.clone()), (format!("/{list}/0"), None));
            assert_eq!(
                (last.file_name().as_deref(), last.id.as_deref(), last.page.map(u32::from)),
                (Some("b.pdf"), Some("5"), Some(4))
            );
            assert_eq!(answer.grammar, MarkerGrammar::BRACKETED_NUMBERS);
        }
        let both = answer(&json!({"answer": "x", "context": documents, "source_documents": documents}));
        assert_eq!(both.sources.len(), 4);
    }

    #[test]
    fn content_blocks_carry_citations_of_their_own() {
        let body = json!({"context": [{"page_content": "p"}], "answer": [
            {"type": "reasoning", "reasoning": "hm"},
            {"type": "text", "text": "So. "},
            {"type": "text", "text": "Süß ist gut.", "annotations": [
                {"type": "citation", "url": "https://x.example/a", "start_index": null, "end_index": 3, "cited_text": "c"},
                {"type": "citation", "title": "T"}, {"type": "other"}, null]}, null]});
        let answer = answer(&body);
        assert_eq!((answer.text.as_str(), answer.sources.len()), ("So. Süß ist gut.", 3));
        assert_eq!(&answer.text[answer.citations[0].span.range()], "Süß");
        assert_eq!(answer.citations[0].sources[0].0, 1);
        assert_eq!(answer.warnings[0].code, "annotation-unanchored");
    }

    #[test]
    fn the_pieces_of_a_chain_are_the_whole_answer() {
        let documents = json!([{"page_content": "p", "metadata": {"source": "a.md"}}]);
        let pieces =
            json!([{"input": "q"}, {"context": documents}, {"answer": ""}, {"answer": "x "}, {"answer": "[1]"}]);
        let (mut streamed, whole) = (answer(&pieces), answer(&json!({"answer": "x [1]", "context": documents})));
        streamed.sources[0].pointer.clone_from(&whole.sources[0].pointer);
        assert_eq!(streamed, whole);
        let broken = answer(&json!([{"context": documents}, {"answer": "x"}, {"error": "boom"}]));
        assert_eq!((broken.complete, broken.error.map(|error| error.to_string())), (false, Some("boom".to_owned())));
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: Value| ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        let body = json!({"answer": "x", "context": [{"page_content": 5}]});
        assert_eq!(refused(body), "/context/0/page_content: invalid type: integer `5`, expected a string");
        let error = ingest(br#"{"context": []}"#, Some(Provider::LangChain)).expect_err("no text");
        assert_eq!(error.to_string(), "/answer: missing; the text of the answer is required");
    }
}
