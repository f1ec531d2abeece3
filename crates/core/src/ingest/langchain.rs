//! [LangChain](https://docs.langchain.com/oss/python/langchain/rag): the output of a retrieval chain, with the documents that
//! it put into the prompt, or messages of a model or a graph (`langchain_run`). By convention the model writes `[N]`, which
//! counts the documents from 1. Messages may carry additional citations.

use serde::Deserialize;
use serde_json::Value;

use super::annotated::Annotated;
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members, is_something};
use super::json::{self, entries};
use super::langchain_document::Document;
use super::langchain_message::{MESSAGE_MEMBERS, MessageContent};
use super::langchain_run::{Run, is_about_messages, is_list_of_messages};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::LangChain,
    sign: "`answer` or `result`, and `context` or `source_documents`, or messages",
    members: &[
        &["answer", "chat_history", "context", "input", "query", "question", "result", "source_documents"],
        &["messages", "metadata", "output", "structured_response", "values"],
        MESSAGE_MEMBERS,
    ],
    is_whole: |members| (is_chain(members) || is_about_messages(members)) && !is_response(members),
    is_event: |members| {
        members.get("answer").is_some_and(Value::is_string)
            || has_documents(members)
            || is_about_messages(members)
            || of_node(members).is_some()
    },
    parse,
    reader: || Box::new(LangChainEvents::default()),
};

/// Whether a list is an event of this format.
pub(super) fn is_list_event(list: &[Value]) -> bool {
    is_list_of_messages(list)
}

/// Whether a body is a response of JSON-RPC, which has a `result`, too.
fn is_response(members: &Members) -> bool {
    members.contains_key("jsonrpc") && members.get("result").is_some_and(Value::is_object)
}

/// Whether a body is the output of a chain.
fn is_chain(members: &Members) -> bool {
    has_text(members) && has_documents(members)
}

fn has_text(members: &Members) -> bool {
    ["answer", "result"].iter().any(|name| is_something(members, name))
}

fn has_documents(members: &Members) -> bool {
    ["context", "source_documents"].iter().any(|name| members.get(*name).is_some_and(Value::is_array))
}

/// The output of a chain, or a chunk of its stream.
#[derive(Deserialize)]
struct Output {
    answer: Option<Value>,
    result: Option<Value>,
    #[serde(default, deserialize_with = "entries")]
    context: Vec<Document>,
    #[serde(default, deserialize_with = "entries")]
    source_documents: Vec<Document>,
}

/// The state of an answer while it is read, whole or as a stream.
#[derive(Debug, Default)]
struct ChainAnswer {
    documents: Vec<Source>,
    content: MessageContent,
}

/// Reads the events of a chain or of a graph.
#[derive(Debug, Default)]
struct LangChainEvents {
    chain: ChainAnswer,
    run: Run,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::BRACKETED_NUMBERS, ..Answer::default() };
    let members: Members = json::read(body)?;
    if !is_chain(&members) && is_about_messages(&members) {
        let mut run = Run::default();
        run.read(members.into(), String::new(), &mut Vec::new())?;
        if !run.has_answer() {
            return Err(IngestError::member(
                "",
                "no message of the model has text; the text of the answer is required",
            ));
        }
        run.conclude(&mut answer);
        answer.complete = true;
        return Ok(answer);
    }
    let mut chain = ChainAnswer::default();
    let output: Output = json::read(body)?;
    if output.answer.is_none() && output.result.is_none() {
        return Err(IngestError::member("/answer", "missing; the text of the answer is required"));
    }
    chain.add(output, "", &mut answer.warnings)?;
    chain.finish(&mut answer);
    Ok(answer)
}
impl ChainAnswer {
    /// Adds documents and text. Returns the text.
    fn add(
        &mut self,
        output: Output,
        place: &str,
        warnings: &mut Vec<Entry>,
    ) -> Result<(Vec<Source>, String), IngestError> {
        let Output { answer, result, context, source_documents, .. } = output;
        let lists = [("context", context), ("source_documents", source_documents)];
        let mut new = Vec::new();
        // Some chains return the same documents under both names.
        if let Some((name, documents)) = lists.into_iter().find(|(_, documents)| !documents.is_empty()) {
            for (at, document) in documents.into_iter().enumerate() {
                // Markers count documents, so equal ones are not merged.
                new.push(document.into_source(format!("{place}/{name}/{at}"), warnings));
            }
        }
        // The values of a graph repeat the documents with each step.
        let is_known = self.documents.len() == new.len() && self.documents.iter().zip(&new).all(is_repeated);
        if is_known {
            new.clear();
        }
        self.documents.extend_from_slice(&new);
        let (name, content) = match (answer, result) {
            (Some(answer), _) => ("answer", answer),
            (None, result) => ("result", result.unwrap_or_default()),
        };
        let content = MessageContent::of(content, format!("{place}/{name}"))?;
        Ok((new, self.content.append(content)))
    }

    fn finish(self, answer: &mut Answer) {
        let mut annotated = Annotated::default();
        for document in self.documents {
            annotated.sources.entry(document);
        }
        answer.text = self.content.text();
        self.content.annotate(&mut annotated, &mut answer.warnings);
        annotated.finish(answer);
        // The format has no end sign, so an answer that ends without an error is complete (rule N-12), if one has begun.
        answer.complete = answer.error.is_none() && !answer.text.is_empty();
    }
}

/// Whether a document came once more.
fn is_repeated((known, new): (&Source, &Source)) -> bool {
    let facts =
        |source: &Source| (source.id.clone(), source.url.clone(), source.content.clone(), source.metadata.clone());
    facts(known) == facts(new)
}

/// The output of a node of a graph, `{"generate": {"answer": …}}`, with the name of the node.
fn of_node(members: &Members) -> Option<(&String, &Members)> {
    let (node, inner) = members.iter().next().filter(|_| members.len() == 1)?;
    let inner = inner.as_object()?;
    (inner.get("answer").is_some_and(Value::is_string) || has_documents(inner)).then_some((node, inner))
}

impl ReadEvents for LangChainEvents {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::BRACKETED_NUMBERS
    }

    fn takes_lists(&self) -> bool {
        true
    }

    /// A run without a result ends with `null`.
    fn passes_over(&self, data: &str) -> bool {
        data == "null"
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let value: Value = json::read(json)?;
        let Value::Object(members) = value else { return self.run.read(value, event.pointer(), said) };
        if let Some(error) = members.get("error").filter(|error| json::is_error(error)) {
            // The server of LangGraph names the error in `error` and describes it in `message`.
            let described = members.get("message").filter(|message| error.is_string() && message.is_string());
            said.push(StreamEvent::Error(json::provider_error(described.unwrap_or(error))));
            return Ok(());
        }
        if is_about_messages(&members) {
            return self.run.read(members.into(), event.pointer(), said);
        }
        let (place, output): (String, Output) = match of_node(&members) {
            Some((node, inner)) => {
                let place = format!("{}/{}", event.pointer(), node.replace('~', "~0").replace('/', "~1"));
                let output = json::member(inner.clone().into(), &format!("/{node}"))?;
                (place, output)
            }
            None => (event.pointer(), json::read(json)?),
        };
        let (new, text) = self.chain.add(output, &place, notes)?;
        let sources = Some(new).filter(|new| !new.is_empty()).map(StreamEvent::Sources);
        said.extend(sources.into_iter().chain(Some(text).filter(|text| !text.is_empty()).map(StreamEvent::Text)));
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        if self.run.has_answer() {
            self.run.conclude(answer);
            answer.complete = answer.error.is_none();
        } else {
            self.chain.finish(answer);
        }
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
        let cited = |at: usize| (&answer.text[answer.citations[at].span.range()], answer.citations[at].sources[0].0);
        // A citation without offsets cites its block.
        assert_eq!((cited(0), cited(1)), (("Süß ist gut.", 2), ("Süß", 1)));
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
    fn the_steps_of_a_graph_are_the_whole_answer_as_updates_and_as_values() {
        let documents = json!([{"lc": 1, "type": "constructor", "id": ["langchain_core", "documents", "Document"],
            "kwargs": {"pageContent": "p", "metadata": {"source": "a.md", "loc": {"pageNumber": 4}}}}]);
        let whole = answer(&json!({"question": "q", "context": documents, "answer": "x [1]"}));
        assert_eq!((whole.sources[0].page.map(u32::from), &*whole.sources[0].pointer), (Some(4), "/context/0/kwargs"));
        let updates = json!([{"retrieve": {"context": documents}}, {"generate": {"answer": "x [1]"}}]);
        let values = json!([{"question": "q"}, {"question": "q", "context": documents},
            {"question": "q", "context": documents, "answer": "x [1]"}]);
        for steps in [updates, values] {
            let mut streamed = answer(&steps);
            streamed.sources[0].pointer.clone_from(&whole.sources[0].pointer);
            assert_eq!(streamed, whole, "{steps}");
        }
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
