//! Messages of [LangChain](https://docs.langchain.com/oss/python/langchain/messages), as its serializers write them:
//! `model_dump` of Python (flat), `dumps` of Python and `toJSON` of JavaScript (constructor form), `toDict` (in `data`).

use serde_json::{Map, Value};

use super::IngestError;
use super::annotated::Annotated;
use super::gemini_grounding::Grounding;
use super::json::{self, filled};
use super::langchain_citation::{Cite, unread};
use super::langchain_document::{Document, is_document};
use super::location::{Located, web_url};
use crate::answer::Source;
use crate::report::Entry;

/// The sender of a message, and whether the message is a piece of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Model,
    ModelChunk,
    User,
    Tool,
    Other,
}

/// A message, taken out of its envelope.
#[derive(Debug)]
pub(super) struct Envelope {
    pub(super) role: Role,
    fields: Map<String, Value>,
    pointer: String,
}

/// The members of a flat message, and those of its envelopes that other formats do not have.
pub(super) const MESSAGE_MEMBERS: &[&str] = &[
    "additional_kwargs",
    "artifact",
    "chunk_position",
    "content",
    "content_blocks",
    "example",
    "id",
    "invalid_tool_calls",
    "kwargs",
    "lc",
    "name",
    "response_metadata",
    "status",
    "tool_call_chunks",
    "tool_call_id",
    "tool_calls",
    "usage_metadata",
];

/// The role in the constructor form, by the name of the class: `AIMessage`, `AIMessageChunk`.
fn role_of(name: &str) -> Option<Role> {
    Some(match name {
        "ai" | "AIMessage" => Role::Model,
        "AIMessageChunk" => Role::ModelChunk,
        "human" | "HumanMessage" | "HumanMessageChunk" => Role::User,
        "tool" | "ToolMessage" | "ToolMessageChunk" => Role::Tool,
        "system" | "SystemMessage" | "developer" | "function" | "FunctionMessage" | "remove" | "RemoveMessage" => {
            Role::Other
        }
        _ => return None,
    })
}

/// The role of a message, and the member that holds its fields; `None` for anything else.
pub(super) fn envelope_of(members: &Map<String, Value>) -> Option<(Role, Option<&'static str>)> {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let has_content = |fields: &Value| fields.get("content").is_some();
    if members.contains_key("lc") && text("type") == Some("constructor") {
        let class = members.get("id")?.as_array()?.last()?.as_str()?;
        return role_of(class)
            .filter(|_| members.get("kwargs").is_some_and(has_content))
            .map(|role| (role, Some("kwargs")));
    }
    let role = role_of(text("type")?)?;
    match members.get("data") {
        Some(data) if has_content(data) => Some((role, Some("data"))),
        _ => members.contains_key("content").then_some((role, None)),
    }
}

/// Whether a value is a message.
pub(super) fn is_message(value: &Value) -> bool {
    value.as_object().is_some_and(|members| envelope_of(members).is_some())
}

impl Envelope {
    /// Opens the envelope; `None` when the value is no message. `pointer` is its JSON pointer.
    pub(super) fn open(value: Value, pointer: String) -> Option<Self> {
        let Value::Object(mut members) = value else { return None };
        let (role, inside) = envelope_of(&members)?;
        let Some(name) = inside else { return Some(Self { role, fields: members, pointer }) };
        let Some(Value::Object(fields)) = members.remove(name) else { return None };
        Some(Self { role, fields, pointer: format!("{pointer}/{name}") })
    }

    /// The id of the message.
    pub(super) fn id(&self) -> Option<String> {
        filled(self.fields.get("id").and_then(Value::as_str).map(str::to_owned))
    }

    /// The documents that a tool found, which are no part of what the model reads.
    pub(super) fn documents(&mut self, found: &mut Vec<Source>, warnings: &mut Vec<Entry>) -> Result<(), IngestError> {
        let artifact = self.fields.remove("artifact").unwrap_or_default();
        documents(artifact, &format!("{}/artifact", self.pointer), found, warnings)
    }

    /// The content of the message.
    pub(super) fn into_content(mut self) -> MessageContent {
        let mut content = MessageContent::default();
        let mut take = |name: &str| self.fields.remove(name).unwrap_or_default();
        let (own, blocks) = (take("content"), take("content_blocks"));
        let (metadata, more) = (take("response_metadata"), take("additional_kwargs"));
        content.take_blocks(own, &format!("{}/content", self.pointer));
        if content.blocks.is_empty() {
            // JavaScript writes the blocks of a message twice; only a message without `content` needs the second list.
            content.take_blocks(blocks, &format!("{}/content_blocks", self.pointer));
        }
        content.take_kwargs(more, &format!("{}/additional_kwargs", self.pointer));
        let is_grounded = ["grounding_metadata", "groundingMetadata"].iter().any(|name| metadata[*name].is_object());
        content.grounding = is_grounded.then(|| (metadata, format!("{}/response_metadata", self.pointer)));
        content
    }
}

/// Adds the documents of a list, which may be nested in an object, as `artifact` may be.
pub(super) fn documents(
    value: Value,
    pointer: &str,
    found: &mut Vec<Source>,
    warnings: &mut Vec<Entry>,
) -> Result<(), IngestError> {
    match value {
        Value::Array(entries) => {
            for (at, entry) in entries.into_iter().enumerate() {
                documents(entry, &format!("{pointer}/{at}"), found, warnings)?;
            }
        }
        document if is_document(&document) => {
            let document: Document = json::member(document, pointer)?;
            found.push(document.into_source(pointer.to_owned(), warnings));
        }
        Value::Object(members) => {
            for (name, member) in members.into_iter().filter(|(_, member)| member.is_array()) {
                let name = name.replace('~', "~0").replace('/', "~1");
                documents(member, &format!("{pointer}/{name}"), found, warnings)?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    Ok(())
}

/// A block of text. Offsets of its citations count from its start.
#[derive(Clone, Debug, Default)]
struct Block {
    /// The number or name by which pieces of a streamed block are joined.
    index: Value,
    text: String,
    cites: Vec<Cite>,
}

/// The text and citations of a message of the model, whole or in pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageContent {
    blocks: Vec<Block>,
    /// `response_metadata` with the grounding of Google, and its JSON pointer.
    grounding: Option<(Value, String)>,
    /// Pages that a search of Perplexity or xAI found; `[N]` counts them from 1.
    pages: Vec<Value>,
    pages_at: String,
    pub(super) used_tools: bool,
}

impl MessageContent {
    /// The content of a chain's answer: a text, blocks, or a message.
    ///
    /// # Errors
    /// When it is anything else.
    pub(super) fn of(value: Value, pointer: String) -> Result<Self, IngestError> {
        if is_message(&value) {
            return Ok(Envelope::open(value, pointer).map(Envelope::into_content).unwrap_or_default());
        }
        let mut content = Self::default();
        match value {
            Value::String(_) | Value::Array(_) | Value::Null => content.take_blocks(value, &pointer),
            Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                return Err(IngestError::member(pointer, "a string, a list of blocks or a message is required"));
            }
        }
        Ok(content)
    }

    fn take_blocks(&mut self, content: Value, pointer: &str) {
        match content {
            Value::String(text) => self.blocks.extend(Some(text).filter(|text| !text.is_empty()).map(Block::of)),
            Value::Array(entries) => {
                for (at, entry) in entries.into_iter().enumerate() {
                    self.take_block(entry, &format!("{pointer}/{at}"));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
        }
    }

    fn take_block(&mut self, entry: Value, pointer: &str) {
        self.blocks.extend(entry.as_str().map(|text| Block::of(text.to_owned())));
        let Value::Object(mut members) = entry else { return };
        let kind = members.get("type").and_then(Value::as_str).unwrap_or("text").to_owned();
        let mut take = |name: &str| members.remove(name).unwrap_or_default();
        match kind.as_str() {
            "text" | "output_text" | "refusal" => {
                let (text, refusal) = (take("text"), take("refusal"));
                let mut block = Block { index: take("index"), ..Block::default() };
                block.text = text.as_str().or(refusal.as_str()).unwrap_or_default().to_owned();
                block.take_cites(take("annotations"), &format!("{pointer}/annotations"));
                block.take_cites(take("citations"), &format!("{pointer}/citations"));
                self.blocks.push(block);
            }
            "non_standard" => self.take_block(take("value"), &format!("{pointer}/value")),
            kind if is_tool(kind) => self.used_tools = true,
            // Reasoning, calls of the caller's tools, images.
            _ => {}
        }
    }

    fn take_kwargs(&mut self, mut more: Value, pointer: &str) {
        let mut take = |name: &str| more.get_mut(name).map(Value::take).unwrap_or_default();
        if let (Some(block), list @ Value::Array(_)) = (self.blocks.first_mut(), take("annotations")) {
            block.take_cites(list, &format!("{pointer}/annotations"));
        }
        for name in ["search_results", "citations"] {
            if let Value::Array(pages) = take(name)
                && !pages.is_empty()
                && self.pages.is_empty()
            {
                (self.pages, self.pages_at) = (pages, format!("{pointer}/{name}"));
            }
        }
    }

    /// Adds a later piece of the message. Returns the text that goes behind the known text.
    pub(super) fn append(&mut self, piece: Self) -> String {
        let mut behind = String::new();
        for (at, block) in piece.blocks.into_iter().enumerate() {
            let last = self.blocks.len().checked_sub(1);
            // Without an index, the first block of a piece goes on with the last one; blocks beside it are further ones.
            let known = if block.index.is_null() {
                last.filter(|_| at == 0)
            } else {
                self.blocks.iter().rposition(|known| known.index == block.index)
            };
            match known {
                Some(at) => {
                    if Some(at) == last {
                        behind.push_str(&block.text);
                    }
                    self.blocks[at].text.push_str(&block.text);
                    self.blocks[at].cites.extend(block.cites);
                }
                None => {
                    behind.push_str(&block.text);
                    self.blocks.push(block);
                }
            }
        }
        self.grounding = piece.grounding.or(self.grounding.take());
        if !piece.pages.is_empty() {
            (self.pages, self.pages_at) = (piece.pages, piece.pages_at);
        }
        self.used_tools |= piece.used_tools;
        behind
    }

    pub(super) fn text(&self) -> String {
        self.blocks.iter().map(|block| block.text.as_str()).collect()
    }

    /// Whether something besides the text cites sources.
    pub(super) fn cites(&self) -> bool {
        self.grounding.is_some() || self.blocks.iter().any(|block| !block.cites.is_empty())
    }

    /// Adds the sources and citations of the message. Its text must be the whole text of the answer.
    pub(super) fn annotate(self, annotated: &mut Annotated, warnings: &mut Vec<Entry>) {
        for (at, page) in self.pages.into_iter().enumerate() {
            // Markers count pages, so equal ones are not merged.
            annotated.sources.push(page_source(&page, format!("{}/{at}", self.pages_at), warnings));
        }
        let (mut parts, mut is_cited) = (Vec::new(), false);
        for block in self.blocks {
            let part = annotated.begin_part();
            parts.push(part);
            annotated.grow(block.text.len());
            is_cited |= !block.cites.is_empty();
            let mut of_block = Vec::new();
            for cite in block.cites {
                cite.add(annotated, part, &mut of_block, warnings);
            }
            annotated.block(part, of_block);
        }
        if let Some((mut metadata, pointer)) = self.grounding.filter(|_| !is_cited) {
            let json = metadata.to_string();
            let name =
                if metadata["grounding_metadata"].is_object() { "grounding_metadata" } else { "groundingMetadata" };
            match json::member::<Grounding>(metadata[name].take(), &format!("{pointer}/{name}")) {
                Ok(grounding) => grounding.found_at(&pointer, &json).annotate(&parts, annotated, warnings),
                Err(error) => warnings.push(unread(pointer, &error)),
            }
        }
    }
}

impl Block {
    fn of(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    fn take_cites(&mut self, list: Value, pointer: &str) {
        let Value::Array(list) = list else { return };
        let cites = list.into_iter().enumerate().filter(|(_, value)| value.is_object());
        self.cites.extend(cites.map(|(at, value)| Cite { value, pointer: format!("{pointer}/{at}") }));
    }
}

/// Whether a block is the call or the result of a tool that the provider ran.
fn is_tool(kind: &str) -> bool {
    kind.starts_with("server_tool_") || kind.ends_with("_tool_result") || kind == "web_search_call"
}

/// A page that a search found: an object, or its address alone.
fn page_source(page: &Value, pointer: String, warnings: &mut Vec<Entry>) -> Source {
    let text = |name: &str| filled(page[name].as_str().map(str::to_owned));
    let address = filled(page.as_str().map(str::to_owned)).or_else(|| text("url"));
    let Located { url, filepath, address } = web_url(address, || pointer.clone(), warnings);
    Source {
        title: text("title"),
        url,
        filepath,
        address,
        content: text("snippet"),
        modified: text("last_updated").or_else(|| text("date")),
        pointer,
        ..Source::default()
    }
}
