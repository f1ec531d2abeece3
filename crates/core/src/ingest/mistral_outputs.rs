//! The outputs of a Mistral conversation: text, and references to tool results.

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

/// A reference to a tool result: a web page or a file.
#[derive(Default, Deserialize)]
struct WireReference {
    /// The tool that found it, for example `web_search`.
    tool: Option<String>,
    title: Option<String>,
    url: Option<String>,
    description: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    file_id: Option<String>,
    file_name: Option<String>,
}

/// The text and references that have arrived so far.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    pub(super) annotated: Annotated,
    /// Length of the text, in bytes.
    length: usize,
    /// Sources that references behind the last text chunk name.
    waiting: Vec<SourceIndex>,
    /// JSON pointer of the first of these references.
    pointer: String,
    pub(super) used_tools: bool,
}

impl Outputs {
    /// Reads one chunk of a message, a string or an object, and returns its text. `pointer` is its JSON pointer below `place`.
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

    /// Cites the sources of the references behind the last text chunk, and returns them without duplicates, ascending.
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

    /// Writes sources, citations and the use of tools into the answer.
    pub(super) fn finish(mut self, answer: &mut Answer) {
        self.settle();
        self.annotated.finish(answer);
        answer.tools_invoked = Some(self.used_tools);
    }
}

/// The kind of source that a tool finds. For an unknown tool, a source with an address is a web page.
fn found_by(tool: &str, has_address: bool) -> SourceKind {
    match tool {
        "document_library" => SourceKind::Document,
        tool if tool.starts_with("web_search") => SourceKind::Web,
        _ if has_address => SourceKind::Web,
        _ => SourceKind::Tool,
    }
}

/// Whether a tool created the file for the answer. Such a file is no source.
fn is_made(chunk: &Value) -> bool {
    matches!(chunk["tool"].as_str(), Some("image_generation" | "code_interpreter"))
}

/// Whether an output or event of this kind reports the run of a tool.
pub(super) fn is_tool(kind: &str) -> bool {
    kind.starts_with("tool.execution")
}
