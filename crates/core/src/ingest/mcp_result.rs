//! Reads the result of a tool of the [Model Context
//! Protocol](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result). The protocol has
//! blocks, and no citations. Search services write their findings as JSON into a text, one list or one object a block, and
//! may repeat them as `structuredContent`.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;

use super::annotated::Sources;
use super::document_facts::DocumentFacts;
use super::event::StreamEvent;
use super::finish_reason::odd_reason;
use super::json::{entries, filled};
use super::location::{Located, resource};
use super::passages::{self, Passage};
use crate::answer::{Answer, Citation, IdOf, MarkerGrammar, ProviderError, Source, SourceIndex};
use crate::report::{Entry, Kind};
use crate::text::Span;

/// Markers that servers may write into a text that is an answer. The protocol has no markers.
pub(super) const GRAMMAR: MarkerGrammar = MarkerGrammar::LISTED;

/// A result, from which nothing was taken yet.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolResult {
    content: Option<Blocks>,
    #[serde(default)]
    structured_content: Value,
    is_error: Option<bool>,
    result_type: Option<String>,
}

#[derive(Deserialize)]
struct Blocks(#[serde(deserialize_with = "entries")] Vec<Block>);

/// A text, a link to a resource, or the resource itself, whose members are then in `resource`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block {
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
    uri: Option<String>,
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
    annotations: Option<Hints>,
    resource: Option<Box<Self>>,
}

/// Hints for clients. They cite nothing.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hints {
    last_modified: Option<String>,
}

/// The type of a result that is the whole one.
const COMPLETE: &str = "complete";

/// Members that hold the words of an answer beside a list of its sources.
const ANSWERS: [&str; 3] = ["answer", "response", "text"];

impl ToolResult {
    pub(super) fn is_filled(&self) -> bool {
        self.content.is_some() || !self.structured_content.is_null()
    }

    /// The error of a tool, which its texts tell.
    pub(super) fn failure(&self) -> Option<ProviderError> {
        self.is_error.filter(|is_error| *is_error)?;
        let blocks = self.content.iter().flat_map(|blocks| &blocks.0);
        let told: Vec<&str> = blocks.filter_map(|block| block.text.as_deref()).collect();
        Some(ProviderError { message: filled(Some(told.join(" "))), ..ProviderError::default() })
    }
}

/// The text and the sources of a result.
#[derive(Debug, Default)]
pub(super) struct Found {
    text: String,
    sources: Sources,
    citations: Vec<Citation>,
    /// The JSON of the documents in texts, which structured content repeats.
    documents: HashSet<String>,
    is_open: bool,
}

impl Found {
    /// Reads a result. `place` is its JSON pointer.
    pub(super) fn of(result: ToolResult, place: &str, warnings: &mut Vec<Entry>) -> Self {
        let ToolResult { content, structured_content, result_type, .. } = result;
        let is_open = result_type.as_deref().is_some_and(|kind| kind != COMPLETE);
        warnings.extend(odd_reason(result_type, &[COMPLETE], || format!("{place}/resultType")));
        let mut found = Self { is_open, ..Self::default() };
        let mut resources = Vec::new();
        for (at, block) in content.into_iter().flat_map(|blocks| blocks.0).enumerate() {
            let pointer = format!("{place}/content/{at}");
            match block.kind.as_deref() {
                Some("text") => found.add_text(&block.text.unwrap_or_default(), &format!("{pointer}/text"), warnings),
                Some("resource" | "resource_link") => resources.push(block.into_source(pointer, warnings)),
                Some("audio") => warnings.push(left_out("audio", pointer)),
                Some("image") => warnings.push(left_out("image", pointer)),
                Some(_) | None => {}
            }
        }
        if !found.citations.is_empty() {
            let count = found.citations.len();
            let message =
                format!("passages that the result has as JSON, and that are the paragraphs of the text: {count}");
            warnings.push(Entry::in_input(Kind::Note, "passages", format!("{place}/content"), message));
        }
        found.add_structured(structured_content, &format!("{place}/structuredContent"), warnings);
        resources.into_iter().for_each(|resource| found.mention(resource));
        if found.text.trim().is_empty() {
            found.write_sources();
        }
        found
    }

    /// Adds a text. Findings in JSON become a paragraph each, unless an answer stands beside them.
    fn add_text(&mut self, text: &str, pointer: &str, warnings: &mut Vec<Entry>) {
        let listing = text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(text).ok()).flatten();
        let Some(Listing { answer, documents }) = listing.and_then(Listing::of) else {
            self.add_paragraph(text);
            return;
        };
        if let Some(answer) = &answer {
            self.add_paragraph(answer);
        }
        for document in documents {
            self.documents.insert(document_json(&document));
            let shown = document.shown().to_owned();
            let index = self.entry(into_source(document, pointer, warnings));
            if answer.is_none() {
                self.cite(&shown, index);
            }
        }
    }

    /// Adds structured content. Documents that a text has, too, count once.
    fn add_structured(&mut self, content: Value, pointer: &str, warnings: &mut Vec<Entry>) {
        let Some(Listing { answer, documents }) = Listing::of(content) else { return };
        let is_counted = self.sources.len() == 0;
        for document in documents {
            if self.documents.contains(&document_json(&document)) {
                continue;
            }
            let source = into_source(document, pointer, warnings);
            if is_counted {
                self.entry(source);
            } else {
                self.mention(source);
            }
        }
        if let Some(answer) = answer.filter(|_| self.text.trim().is_empty()) {
            self.add_paragraph(&answer);
        }
    }

    /// Adds a paragraph, and returns where it begins.
    fn add_paragraph(&mut self, paragraph: &str) -> usize {
        if !self.text.is_empty() && !paragraph.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(paragraph);
        self.text.len() - paragraph.len()
    }

    /// Adds a paragraph that cites a source.
    fn cite(&mut self, paragraph: &str, index: SourceIndex) {
        let start = self.add_paragraph(paragraph);
        let span = Span::new(&self.text, start..self.text.len()).ok().filter(|span| span.start() < span.end());
        self.citations.extend(span.map(|span| Citation::new(span, vec![index])));
    }

    /// Writes all sources as the text of a result that has none.
    fn write_sources(&mut self) {
        for index in (0..self.sources.len()).map(SourceIndex) {
            let shown = self.sources.get_mut(index).and_then(|source| {
                let passage = source.content.as_deref().map(|passage| passage.trim().to_owned());
                passage.or_else(|| source.display_title().map(std::borrow::Cow::into_owned))
            });
            self.cite(&shown.unwrap_or_default(), index);
        }
    }

    /// Adds an entry of a list, whose places numbers in the text count.
    fn entry(&mut self, source: Source) -> SourceIndex {
        let key = key(&source);
        let index = self.sources.entry(source);
        if let Some(key) = key {
            self.sources.also_known_as(&key, index);
        }
        index
    }

    /// Adds a document that may be known by its address.
    fn mention(&mut self, source: Source) {
        match key(&source) {
            _ if source.url.is_some() => self.sources.page(source),
            Some(key) => self.sources.known_as(&key, source),
            None => self.sources.push(source),
        };
    }

    /// The forms of marker in the text. In the passages of documents, numbers are those of the documents.
    pub(super) fn grammar(&self) -> MarkerGrammar {
        if self.citations.is_empty() { GRAMMAR } else { MarkerGrammar::NONE }
    }

    /// Tells a stream what was found.
    pub(super) fn say(&mut self, said: &mut Vec<StreamEvent>) {
        if !self.citations.is_empty() {
            said.push(StreamEvent::Late);
        }
        said.push(StreamEvent::Sources(self.sources.new_ones()));
        said.push(StreamEvent::Text(self.text.clone()));
        if !self.is_open {
            said.push(StreamEvent::Done);
        }
    }

    /// Writes text, sources and citations to the answer.
    pub(super) fn finish(self, answer: &mut Answer) {
        answer.grammar = self.grammar();
        answer.complete = answer.error.is_none() && !self.is_open;
        answer.tools_invoked = Some(true);
        (answer.text, answer.citations) = (self.text, self.citations);
        self.sources.finish(answer);
    }
}

fn left_out(kind: &'static str, pointer: String) -> Entry {
    Entry::in_input(Kind::Dropped, kind, pointer, format!("the result has data of kind {kind} here, which is left out"))
}

/// The key of a source whose address is no page: that address, else its id.
fn key(source: &Source) -> Option<String> {
    let address = source.address.as_ref().filter(|_| source.url.is_none()).map(|address| format!("at {address}"));
    address.or_else(|| source.id.as_ref().map(|id| format!("id {id}")))
}

fn document_json(document: &Passage) -> String {
    Value::Object(document.members.clone()).to_string()
}

/// A list of documents in JSON, and the answer beside it.
struct Listing {
    answer: Option<String>,
    documents: Vec<Passage>,
}

impl Listing {
    /// `None` for other JSON. One object alone is a document only if something names it.
    fn of(value: Value) -> Option<Self> {
        let told = ANSWERS.iter().find_map(|name| filled(value.get(*name)?.as_str().map(str::to_owned)));
        let documents = passages::in_value(value)?;
        let is_one = documents.iter().any(|document| document.place.is_empty());
        let is_named = |Passage { id, facts, .. }: &Passage| {
            let DocumentFacts { title, file, address, passage: _ } = facts;
            [id, title, file, address].into_iter().any(Option::is_some)
        };
        (!is_one || documents.iter().all(is_named)).then_some(Self { answer: told.filter(|_| !is_one), documents })
    }
}

fn into_source(document: Passage, pointer: &str, warnings: &mut Vec<Entry>) -> Source {
    let Passage { id, facts, place, members } = document;
    let DocumentFacts { title, mut file, address, passage } = facts;
    // Some services call the address the source or the path.
    let address = address.or_else(|| file.take_if(|file| file.contains("://")));
    let pointer = format!("{pointer}{place}");
    let Located { url, filepath, address } = resource(address, || pointer.clone(), warnings);
    Source {
        id,
        id_of: IdOf::Passage,
        title,
        url,
        address,
        filepath: file.or(filepath),
        content: passage,
        metadata: members,
        pointer,
        ..Source::default()
    }
}

impl Block {
    fn into_source(self, pointer: String, warnings: &mut Vec<Entry>) -> Source {
        let Self { annotations, resource: embedded, .. } = self;
        let (block, pointer) = match embedded {
            Some(embedded) => (*embedded, format!("{pointer}/resource")),
            None => (Self { annotations: None, resource: None, ..self }, pointer),
        };
        let Located { url, filepath, address } = resource(block.uri, || format!("{pointer}/uri"), warnings);
        Source {
            title: filled(block.title).or(filled(block.name)),
            url,
            address,
            filepath,
            content: filled(block.text).or(filled(block.description)),
            media_type: filled(block.mime_type),
            modified: filled(annotations.or(block.annotations).and_then(|hints| hints.last_modified)),
            pointer,
            ..Source::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::annotated::cited;
    use super::super::ingest;
    use super::*;

    fn answer(result: &Value) -> Answer {
        let body = json!({"jsonrpc": "2.0", "id": 1, "result": result});
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn texts(texts: &[&str]) -> Value {
        texts.iter().map(|text| json!({"type": "text", "text": text})).collect()
    }

    fn names(answer: &Answer) -> Vec<String> {
        answer.sources.iter().map(|source| source.display_title().unwrap_or_default().into_owned()).collect()
    }

    #[test]
    fn findings_in_json_are_paragraphs_that_cite_them() {
        let found = json!({"chunks": [{"id": "c1", "content": "三十 days 🏖️", "document_name": "leave.pdf"},
            {"id": "c2", "content": "In writing [1]."}, {"id": "c3", "title": "Form", "contentUrl": "https://x.example/f"}]});
        let read = answer(&json!({"content": texts(&["Results:", &found.to_string()])}));
        assert_eq!(read.text, "Results:\n\n三十 days 🏖️\n\nIn writing [1].\n\nForm");
        assert_eq!(cited(&read), [("三十 days 🏖️", vec![0]), ("In writing [1].", vec![1]), ("Form", vec![2])]);
        // `[1]` is a number of that document.
        assert_eq!((read.grammar, read.sources[2].url.is_some()), (MarkerGrammar::NONE, true));
        assert_eq!(
            (read.sources[1].pointer.as_str(), read.warnings[0].code),
            ("/result/content/1/text/chunks/1", "passages")
        );
    }

    #[test]
    fn a_fetched_document_is_one_and_other_json_stays_text() {
        let page = r#"{"id": "7", "title": "Leave", "text": "30 days", "url": "https://x.example/", "metadata": {}}"#;
        let read = answer(&json!({"content": texts(&[page])}));
        assert_eq!((names(&read), cited(&read)), (vec!["Leave".to_owned()], vec![("30 days", vec![0])]));
        for text in [r#"{"temperature": 22, "text": "warm today"}"#, "[1, 2]", "URL: https://x.example/ [1]"] {
            let read = answer(&json!({"content": texts(&[text])}));
            assert_eq!((read.text.as_str(), read.sources.len(), read.citations.len()), (text, 0, 0));
        }
    }

    #[test]
    fn an_answer_beside_its_sources_is_the_text() {
        let found = json!({"answer": "30 days [2].", "sources": [{"title": "A"}, {"title": "B"}]});
        let bodies = [
            json!({"content": texts(&[&found.to_string()]), "structuredContent": found}),
            json!({"content": [], "structuredContent": found}),
            json!({"content": texts(&["30 days [2]."]), "structuredContent": found}),
        ];
        for body in bodies {
            let read = answer(&body);
            assert_eq!((read.text.as_str(), names(&read)), ("30 days [2].", vec!["A".to_owned(), "B".to_owned()]));
            assert_eq!((read.grammar, read.citations.len()), (GRAMMAR, 0), "{body}");
        }
    }

    /// Some frameworks write each entry of a list into a text of its own, and the list into `structuredContent.result`.
    #[test]
    fn structured_content_that_repeats_the_texts_counts_once() {
        let entries = json!([{"title": "A", "content": "a b"}, {"title": "B", "content": "c d"}]);
        let blocks = texts(&[&entries[0].to_string(), &entries[1].to_string()]);
        let read = answer(&json!({"content": blocks, "structuredContent": {"result": entries}}));
        assert_eq!((names(&read), read.text.as_str()), (vec!["A".to_owned(), "B".to_owned()], "a b\n\nc d"));
        let more = json!({"results": [{"title": "A", "content": "a b"}, {"title": "C", "content": "e"}]});
        let read = answer(&json!({"content": texts(&[&entries[0].to_string()]), "structuredContent": more}));
        assert_eq!((names(&read), read.citations.len()), (vec!["A".to_owned(), "C".to_owned()], 1));
    }

    #[test]
    fn resources_are_sources_and_the_text_where_there_is_none() {
        let link =
            json!({"type": "resource_link", "uri": "note://hr/leave", "name": "leave", "mimeType": "text/plain"});
        let blob = json!({"type": "resource", "resource": {"uri": "file:///srv/a.pdf", "blob": "JVBERi0="}});
        let image = json!({"type": "image", "data": "", "mimeType": "image/png"});
        let read = answer(&json!({"content": [link, blob, image, null, {"type": "novel"}]}));
        assert_eq!(
            (read.text.as_str(), cited(&read)),
            ("leave\n\na.pdf", vec![("leave", vec![0]), ("a.pdf", vec![1])])
        );
        assert!(read.sources.iter().all(|source| source.url.is_none()), "a name is no link");
        assert_eq!(read.sources[1].pointer, "/result/content/1/resource");
        assert_eq!((read.warnings[0].code, read.warnings.len()), ("image", 1));
    }

    #[test]
    fn a_resource_of_structured_content_is_one_source() {
        let listed = json!({"sources": [{"id": "9", "title": "Form", "url": "file:///srv/a.md"}, {"url": "https://x.example/"}]});
        let resource = json!({"type": "resource", "resource": {"uri": "file:///srv/a.md", "text": "Form 7"}});
        let link = json!({"type": "resource_link", "uri": "https://x.example/", "name": "x"});
        let content = json!([{"type": "text", "text": "Use it [9]."}, link, resource]);
        let read = answer(&json!({"content": content, "structuredContent": listed}));
        assert_eq!(names(&read), ["Form", "x"]);
        assert_eq!(read.sources[0].content.as_deref(), Some("Form 7"));
    }
}
