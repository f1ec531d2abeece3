//! The outputs of a Mistral conversation: text, and references to what tools found.

use serde::Deserialize;
use serde_json::Value;

use super::IngestError;
use super::annotated::Annotated;
use super::chat::Content;
use super::json::{self, filled, text_or_number};
use super::location::{Located, web_url};
use super::responses::kind_of;
use super::span::Unit;
use crate::answer::{Answer, Source, SourceIndex, SourceKind};
use crate::report::Entry;

/// A reference to what a tool found: a page, or a file.
#[derive(Default, Deserialize)]
struct WireReference {
    /// Which tool found it.
    tool: Option<String>,
    title: Option<String>,
    url: Option<String>,
    description: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    file_id: Option<String>,
    file_name: Option<String>,
}

/// The text of the outputs and the references in it, as far as they have arrived.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    pub(super) annotated: Annotated,
    /// The length of the text, in bytes.
    length: usize,
    /// References behind the last piece of text.
    waiting: Vec<SourceIndex>,
    /// Where the first of these stands.
    pointer: String,
    pub(super) used_tools: bool,
}

impl Outputs {
    /// Takes a chunk of a message: a piece of text, or an object; returns its text. `pointer` leads to it from `place`.
    pub(super) fn take(
        &mut self,
        chunk: Value,
        place: &str,
        pointer: &str,
        warnings: &mut Vec<Entry>,
    ) -> Result<String, IngestError> {
        let kind = kind_of(&chunk).unwrap_or_default();
        let text = match (chunk, kind.as_str()) {
            (Value::String(text), _) => text,
            (chunk, "tool_reference" | "tool_file") if !is_made(&chunk) => {
                let reference: WireReference = json::member(chunk, pointer)?;
                self.refer(reference, format!("{place}{pointer}"), warnings);
                return Ok(String::new());
            }
            (chunk, _) => Content::Chunks(vec![chunk]).into_text(),
        };
        if !text.is_empty() {
            self.settle();
            self.annotated.grow(text.len());
            self.length += text.len();
        }
        Ok(text)
    }

    fn refer(&mut self, reference: WireReference, pointer: String, warnings: &mut Vec<Entry>) {
        let WireReference { tool, title, url, description, file_id, file_name } = reference;
        let Located { url, filepath: path, address } = web_url(url, || format!("{pointer}/url"), warnings);
        if self.waiting.is_empty() {
            self.pointer.clone_from(&pointer);
        }
        let source = Source {
            id: filled(file_id),
            title: filled(title),
            kind: Some(found_by(tool.as_deref().unwrap_or_default(), url.is_some())),
            url,
            address,
            filepath: filled(file_name).or(path),
            content: filled(description),
            pointer,
            ..Source::default()
        };
        self.used_tools = true;
        let key = source.id.clone().map(|id| format!("file {id}"));
        let index = match key {
            Some(key) => self.annotated.sources.known_as(&key, source),
            None => self.annotated.sources.page(source),
        };
        self.waiting.push(index);
    }

    /// Cites what the last piece of text is referred to, and returns it: each once, ascending.
    pub(super) fn settle(&mut self) -> Vec<SourceIndex> {
        let mut cited = std::mem::take(&mut self.waiting);
        cited.sort_unstable();
        cited.dedup();
        if !cited.is_empty() {
            self.annotated.grow(0);
            self.annotated.point(0, self.length, Unit::Utf8, cited.clone(), std::mem::take(&mut self.pointer));
        }
        cited
    }

    /// Gives the answer its sources and citations.
    pub(super) fn finish(mut self, answer: &mut Answer) {
        self.settle();
        self.annotated.finish(answer);
        answer.tools_invoked = Some(self.used_tools);
    }
}

/// What a tool finds; of one that is not known, a page has an address.
fn found_by(tool: &str, has_address: bool) -> SourceKind {
    match tool {
        "document_library" => SourceKind::Document,
        tool if tool.starts_with("web_search") => SourceKind::Web,
        _ if has_address => SourceKind::Web,
        _ => SourceKind::Tool,
    }
}

/// Whether a file was made by a tool for the answer, not found by it.
fn is_made(chunk: &Value) -> bool {
    matches!(chunk["tool"].as_str(), Some("image_generation" | "code_interpreter"))
}

/// Whether an output is a tool at work.
pub(super) fn is_tool(kind: &str) -> bool {
    kind.starts_with("tool.execution")
}
