//! A document of Azure OpenAI On Your Data with its two scores, and the rule by which a citation takes the scores of the
//! retrieved documents (rule AZ-02).

use std::collections::HashMap;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::azure_scores::{AzureScores, Told};
use super::json::{self, filled, list, object, text_or_number};
use super::location::{Located, web_url};
use crate::answer::{Source, SourceKind};
use crate::report::{Entry, Kind};

/// A citation or a retrieved document; any member may be absent or null.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Document {
    content: Option<String>,
    title: Option<String>,
    url: Option<String>,
    filepath: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    chunk_id: Option<String>,
    #[serde(default, deserialize_with = "object")]
    metadata: Option<Map<String, Value>>,
    original_search_score: Option<f64>,
    rerank_score: Option<f64>,
    filter_reason: Option<String>,
    score: Option<f64>,
}

impl Document {
    pub(super) fn into_source(self, pointer: String, scores: &AzureScores, warnings: &mut Vec<Entry>) -> Source {
        let score = scores.score(self.told());
        let raw = self.told().raw();
        let Located { url, filepath: path_in_url, address } = web_url(self.url, || format!("{pointer}/url"), warnings);
        Source {
            title: filled(self.title),
            url,
            address,
            chunk_id: filled(self.chunk_id),
            kind: Some(SourceKind::Document),
            filepath: filled(self.filepath).or(path_in_url),
            content: filled(self.content),
            score,
            raw_scores: (raw.rerank.is_some() || raw.search.is_some()).then_some(raw),
            metadata: self.metadata.unwrap_or_default(),
            pointer,
            ..Source::default()
        }
    }
}

/// Copies the scores of retrieved documents to the citations that they match (rule AZ-02).
pub(super) fn merge_scores<'c, 'd>(
    citations: impl IntoIterator<Item = &'c mut Document>,
    retrieved: impl IntoIterator<Item = &'d Document>,
    scores: &AzureScores,
) {
    let mut by_key: HashMap<Key<'d>, &'d Document> = HashMap::new();
    for document in retrieved {
        if document.original_search_score.is_some() || document.rerank_score.is_some() {
            // If several documents share a key, the last one wins.
            by_key.extend(document.keys(scores).into_iter().flatten().map(|key| (key, document)));
        }
    }
    for citation in citations {
        let found = citation.keys(scores).into_iter().flatten().find_map(|key| by_key.get(&key).copied());
        if let Some(document) = found {
            let Document { original_search_score, rerank_score, filter_reason, .. } = document.clone();
            citation.original_search_score = original_search_score.or(citation.original_search_score);
            citation.rerank_score = rerank_score.or(citation.rerank_score);
            citation.filter_reason = filter_reason.or(citation.filter_reason.take());
        }
    }
}

/// The members in which a citation and a retrieved document may agree, in the order of rule AZ-02.
#[derive(PartialEq, Eq, Hash)]
enum Key<'d> {
    Title(&'d str),
    Filepath(&'d str),
    TitleAndChunk(&'d str, &'d str),
    Chunk(&'d str),
    Content(&'d str),
}

const CONTENT_KEY_CHARS: usize = 100;

impl Document {
    fn told(&self) -> Told<'_> {
        let Self { original_search_score, rerank_score, score, .. } = *self;
        Told { original_search_score, rerank_score, filter_reason: self.filter_reason.as_deref(), score }
    }

    fn keys(&self, scores: &AzureScores) -> [Option<Key<'_>>; 5] {
        fn some(text: &Option<String>) -> Option<&str> {
            text.as_deref().filter(|text| !text.trim().is_empty())
        }
        let (title, chunk) = (some(&self.title), some(&self.chunk_id));
        let content = some(&self.content).map(|content| {
            let end = content.char_indices().nth(CONTENT_KEY_CHARS).map_or(content.len(), |(end, _)| end);
            &content[..end]
        });
        let by_title = title.map(Key::Title);
        let by_path = some(&self.filepath).map(Key::Filepath);
        let by_both = title.zip(chunk).map(|(title, chunk)| Key::TitleAndChunk(title, chunk));
        let (by_chunk, by_content) = (chunk.map(Key::Chunk), content.map(Key::Content));
        if scores.exact_match {
            [by_both, by_title, by_path, by_chunk, by_content]
        } else {
            [by_title, by_path, by_both, by_chunk, by_content]
        }
    }
}

/// The documents that the service found. Before API version 2024-02-15-preview they were JSON in the content of a tool's
/// message.
#[derive(Default, Deserialize)]
pub(super) struct Context {
    #[serde(default)]
    citations: Citations,
    #[serde(default, deserialize_with = "list")]
    all_retrieved_documents: Vec<Document>,
    #[serde(default, deserialize_with = "list")]
    messages: Vec<ToolMessage>,
}

#[derive(Deserialize)]
struct ToolMessage {
    content: Option<String>,
}

/// A list of citations. Prompt Flow has it in an object with the member `citations`.
#[derive(Default)]
pub(super) struct Citations {
    /// The JSON pointer of the list, from the member on.
    below: &'static str,
    list: Vec<Document>,
}

impl Citations {
    /// The citations with their JSON pointers. `pointer` is that of the member.
    pub(super) fn under(self, pointer: &str) -> Documents {
        let named = self.list.into_iter().enumerate();
        named.map(|(at, document)| (format!("{pointer}{}/{at}", self.below), document)).collect()
    }
}

impl<'de> Deserialize<'de> for Citations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Nested {
            #[serde(default, deserialize_with = "list")]
            citations: Vec<Document>,
        }
        struct CitationsVisitor;
        impl<'de> Visitor<'de> for CitationsVisitor {
            type Value = Citations;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of citations")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, citations: A) -> Result<Citations, A::Error> {
                let list = Deserialize::deserialize(SeqAccessDeserializer::new(citations))?;
                Ok(Citations { below: "", list })
            }
            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Citations, A::Error> {
                let Nested { citations } = Deserialize::deserialize(MapAccessDeserializer::new(members))?;
                Ok(Citations { below: "/citations", list: citations })
            }
            fn visit_unit<E>(self) -> Result<Citations, E> {
                Ok(Citations::default())
            }
        }
        deserializer.deserialize_any(CitationsVisitor)
    }
}

/// The messages of a choice, as Microsoft's sample app passes them on: the tool's has the context as JSON, and the assistant's
/// the text.
#[derive(Default, Deserialize)]
pub(super) struct AppMessages(Vec<AppMessage>);

#[derive(Default, Deserialize)]
struct AppMessage {
    role: Option<String>,
    content: Option<String>,
}

impl AppMessages {
    /// The text of the assistant, if it said anything, and the context. In the context, messages keep their places.
    pub(super) fn into_parts(self) -> (Option<String>, Context) {
        let mut text: Option<String> = None;
        let mut messages = Vec::new();
        for AppMessage { role, content } in self.0 {
            if role.as_deref() == Some("tool") {
                messages.push(ToolMessage { content });
                continue;
            }
            messages.push(ToolMessage { content: None });
            if let (Some("assistant"), Some(content)) = (role.as_deref(), content) {
                text.get_or_insert_default().push_str(&content);
            }
        }
        (text, Context { messages, ..Context::default() })
    }
}

/// Documents with their JSON pointers.
pub(super) type Documents = Vec<(String, Document)>;

/// Adds to each document its JSON pointer.
fn under(pointer: &str, list: &str, documents: Vec<Document>) -> Documents {
    documents.into_iter().enumerate().map(|(at, document)| (format!("{pointer}/{list}/{at}"), document)).collect()
}

impl Context {
    /// Returns the cited and the retrieved documents. `pointer` is the JSON pointer of the context. A tool message that
    /// holds no such JSON becomes a warning.
    pub(super) fn into_documents(self, pointer: &str, warnings: &mut Vec<Entry>) -> (Documents, Documents) {
        let named = |list: &str, documents| under(pointer, list, documents);
        let mut cited = self.citations.under(&format!("{pointer}/citations"));
        let mut retrieved = named("all_retrieved_documents", self.all_retrieved_documents);
        for (at, message) in self.messages.into_iter().enumerate() {
            let Some(content) = filled(message.content) else { continue };
            let pointer = format!("{pointer}/messages/{at}/content");
            match json::read::<Self>(&content) {
                Ok(inner) => {
                    // The content is a JSON text of its own; the pointer goes on into it.
                    cited.extend(inner.citations.under(&format!("{pointer}/citations")));
                    retrieved.extend(under(&pointer, "all_retrieved_documents", inner.all_retrieved_documents));
                }
                // Other tools write other JSON, or plain text.
                Err(error) => {
                    let message = format!("the message of the tool holds no citations: {error}");
                    warnings.push(Entry::in_input(Kind::Note, "tool-message", pointer, message));
                }
            }
        }
        (cited, retrieved)
    }
}
