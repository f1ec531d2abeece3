//! OpenAI's Responses format: a list of `output` items. xAI and Perplexity use it too, each with a variant.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::IngestError;
use super::agent_documents::AgentDocuments;
use super::annotated_parts::{AnnotatedParts, Part};
use super::json::{self, filled, list, text_or_number};
use super::location::{Located, web_url};
use super::openai_annotation::{annotation, annotations};
use super::perplexity_page::WirePage;
use super::web_results::{consulted, is_web_search, web_results};
use crate::answer::{Answer, MarkerGrammar, Source, SourceKind};
use crate::report::{At, Entry, Kind};

/// The members of a whole response.
pub(super) const RESPONSE_MEMBERS: &[&str] = &[
    "background",
    "billing",
    "completed_at",
    "conversation",
    "created_at",
    "error",
    "frequency_penalty",
    "id",
    "incomplete_details",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "object",
    "output",
    "parallel_tool_calls",
    "presence_penalty",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "status",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "usage",
    "user",
];

/// The variant of the Responses format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    OpenAi,
    Xai,
    Perplexity,
}

impl Flavour {
    pub(super) fn grammar(self) -> MarkerGrammar {
        match self {
            Self::OpenAi => MarkerGrammar::ANNOTATED,
            Self::Xai => MarkerGrammar::NONE,
            Self::Perplexity => MarkerGrammar::BRACKETED_IDS,
        }
    }
}

/// Whether a model is one of xAI's.
pub(super) fn is_grok(model: Option<&str>) -> bool {
    model.is_some_and(|model| model.to_ascii_lowercase().contains("grok"))
}

/// A response, whole or as an event carries it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WireResponse {
    pub(super) status: Option<String>,
    pub(super) model: Option<String>,
    #[serde(default, deserialize_with = "list")]
    pub(super) output: Vec<Value>,
    #[serde(default, deserialize_with = "addresses")]
    pub(super) citations: Vec<Option<String>>,
    #[serde(default, deserialize_with = "json::reported")]
    pub(super) error: Option<Value>,
}

/// Reads a list of addresses. Any other value counts as empty: only xAI has this list, and another service's `citations`
/// must not fail the answer.
fn addresses<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Option<String>>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_array().into_iter().flatten().map(|entry| entry.as_str().map(str::to_owned)).collect())
}

#[derive(Default, Deserialize)]
struct WireMessage {
    #[serde(default, deserialize_with = "list")]
    content: Vec<Value>,
    /// Annotations beside `content` have no place in the text.
    #[serde(default, deserialize_with = "list")]
    annotations: Vec<Value>,
}

#[derive(Debug, Default, Deserialize)]
struct WirePart {
    text: Option<String>,
    refusal: Option<String>,
    #[serde(default, deserialize_with = "list")]
    annotations: Vec<Value>,
}

#[derive(Deserialize)]
struct WireFileSearch {
    #[serde(default, deserialize_with = "list")]
    results: Vec<Option<WireFileHit>>,
}

/// A passage that a file search found.
#[derive(Deserialize)]
struct WireFileHit {
    #[serde(default, deserialize_with = "text_or_number")]
    file_id: Option<String>,
    filename: Option<String>,
    score: Option<f64>,
    text: Option<String>,
    attributes: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct WireSearchResults {
    #[serde(default, deserialize_with = "list")]
    results: Vec<Option<WirePage>>,
}

/// The content of a response, read whole or gathered from events.
#[derive(Debug, Default)]
pub(super) struct Reply {
    pub(super) parts: Vec<Part>,
    files: BTreeMap<String, Source>,
    results: Vec<Source>,
    found: AgentDocuments,
    /// Results of web searches, if the response includes them.
    pages: Vec<Source>,
    /// Pages that searches consulted, as `include` asks for. Whether the answer uses them is not told.
    consulted: Vec<Source>,
    pub(super) used_tools: bool,
    /// Whether there was an item of kind `message`.
    pub(super) has_message: bool,
    citations: Vec<Source>,
    /// Notes for the report.
    warnings: Vec<Entry>,
}

impl Reply {
    /// Reads a whole response. `pointer` is its JSON pointer.
    pub(super) fn of(response: WireResponse, pointer: &str) -> Result<Self, IngestError> {
        let mut reply = Self::default();
        for (at, item) in response.output.into_iter().enumerate() {
            reply.take(item, &format!("{pointer}/output/{at}"))?;
        }
        reply.take_citations(response.citations, &format!("{pointer}/citations"));
        Ok(reply)
    }

    /// Prefixes all JSON pointers with `place`, the pointer of the event that carried the response.
    pub(super) fn under(mut self, place: &str) -> Self {
        let annotations = self.parts.iter_mut().flat_map(|part| &mut part.annotations).map(|(pointer, _)| pointer);
        let found = self.results.iter_mut().chain(&mut self.pages).chain(&mut self.consulted);
        let sources = self.files.values_mut().chain(found).chain(&mut self.citations).chain(self.found.documents_mut());
        for pointer in annotations.chain(sources.map(|source| &mut source.pointer)) {
            pointer.insert_str(0, place);
        }
        for entry in &mut self.warnings {
            if let At::Pointer(pointer) = &mut entry.at {
                pointer.insert_str(0, place);
            }
        }
        self
    }

    /// Takes over what tools found, when this reply has no output of a tool: the last event of a stream may leave them out.
    pub(super) fn find_as(&mut self, other: &mut Self) {
        if self.found.is_empty() {
            self.found = std::mem::take(&mut other.found);
            self.used_tools |= !self.found.is_empty();
        }
    }

    /// All of the text.
    pub(super) fn text(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect()
    }

    /// Appends the content of a later item.
    pub(super) fn append(&mut self, other: Self) {
        self.parts.extend(other.parts);
        for (id, file) in other.files {
            self.files.entry(id).or_insert(file);
        }
        self.results.extend(other.results);
        self.found.append(other.found);
        self.pages.extend(other.pages);
        self.consulted.extend(other.consulted);
        self.citations.extend(other.citations);
        self.warnings.extend(other.warnings);
        self.used_tools |= other.used_tools;
        self.has_message |= other.has_message;
    }

    /// Reads one item of `output`. `pointer` is its JSON pointer.
    pub(super) fn take(&mut self, item: Value, pointer: &str) -> Result<(), IngestError> {
        let kind = kind_of(&item);
        self.used_tools |= kind.as_deref().is_some_and(is_search);
        match kind.as_deref() {
            Some("message") => {
                self.has_message = true;
                let message: WireMessage = json::member(item, pointer)?;
                for (at, part) in message.content.into_iter().enumerate() {
                    let pointer = format!("{pointer}/content/{at}");
                    self.parts.extend(WirePart::read(part, &pointer)?);
                }
                let annotations = annotations(message.annotations, &format!("{pointer}/annotations"))?;
                self.parts.extend((!annotations.is_empty()).then(|| Part { text: String::new(), annotations }));
            }
            Some("file_search_call") => {
                let search: WireFileSearch = json::member(item, pointer)?;
                for (at, hit) in search.results.into_iter().enumerate() {
                    let Some(hit) = hit else { continue };
                    let Some(id) = filled(hit.file_id) else { continue };
                    let source = Source {
                        kind: Some(SourceKind::Document),
                        filepath: filled(hit.filename.clone()),
                        title: filled(hit.filename),
                        content: filled(hit.text),
                        score: hit.score.filter(|score| (0.0..=1.0).contains(score)),
                        metadata: hit.attributes.unwrap_or_default(),
                        pointer: format!("{pointer}/results/{at}"),
                        ..Source::default()
                    };
                    // The best passage of a file comes first.
                    self.files.entry(id).or_insert(source);
                }
            }
            Some("search_results") => {
                let found: WireSearchResults = json::member(item, pointer)?;
                let results = found.results.into_iter().map(Option::unwrap_or_default).collect();
                self.take_results(results, pointer);
            }
            Some("azure_ai_search_call_output") => {
                self.found.search(&item["output"], &format!("{pointer}/output"), &mut self.warnings);
            }
            // Some versions of the service name the kind in `name`.
            Some("remote_function_call_output") if item["name"] == "azure_ai_search_call_output" => {
                self.found.search(&item["output"], &format!("{pointer}/output"), &mut self.warnings);
            }
            Some("mcp_call") => self.found.mcp(&item["output"], &format!("{pointer}/output"), &mut self.warnings),
            Some(kind) if is_web_search(kind) => {
                self.pages.extend(web_results(&item, pointer, &mut self.warnings));
                self.consulted.extend(consulted(&item["action"], &format!("{pointer}/action"), &mut self.warnings));
            }
            // A citation as an item of its own has no place in the text.
            Some("url_citation") => {
                let annotation =
                    annotation(item, pointer).transpose()?.map(|annotation| (pointer.to_owned(), annotation));
                self.parts.push(Part { text: String::new(), annotations: annotation.into_iter().collect() });
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn take_results(&mut self, results: Vec<WirePage>, pointer: &str) {
        let results = results.into_iter().enumerate();
        let named = results.map(|(at, page)| page.into_source(format!("{pointer}/results/{at}"), &mut self.warnings));
        self.results.extend(named);
        self.used_tools = true;
    }

    /// Reads xAI's `citations`: all pages that the model saw, used or not.
    fn take_citations(&mut self, citations: Vec<Option<String>>, pointer: &str) {
        for (at, url) in citations.into_iter().enumerate() {
            let pointer = format!("{pointer}/{at}");
            let Located { url, filepath, address } = web_url(url, || pointer.clone(), &mut self.warnings);
            if url.is_some() || filepath.is_some() {
                let kind = Some(SourceKind::Web);
                self.citations.push(Source { url, address, filepath, kind, pointer, ..Source::default() });
            }
        }
    }

    /// The variant, if the items reveal it.
    pub(super) fn flavour(&self) -> Option<Flavour> {
        match (self.results.is_empty(), self.citations.is_empty()) {
            (false, _) => Some(Flavour::Perplexity),
            (true, false) => Some(Flavour::Xai),
            (true, true) => None,
        }
    }

    /// Writes text, sources, citations and the use of tools into the answer.
    pub(super) fn finish(self, flavour: Flavour, answer: &mut Answer) {
        answer.grammar = flavour.grammar();
        let Self { parts, files, results, found, pages, consulted, used_tools, citations, warnings, .. } = self;
        answer.warnings.extend(warnings);
        let is_xai = flavour == Flavour::Xai;
        let mut seen = if is_xai { citations } else { Vec::new() };
        let used_tools = used_tools || is_xai && !seen.is_empty();
        seen.extend(consulted);
        if parts.iter().all(|part| part.annotations.is_empty()) {
            seen.extend(hits(&files));
        }
        if flavour == Flavour::Perplexity {
            answer.text = parts.into_iter().map(|part| part.text).collect();
            answer.sources = results;
        } else {
            let linked_markers = is_xai;
            let results = pages.into();
            AnnotatedParts { parts, files, results, found, seen, linked_markers, ..AnnotatedParts::default() }
                .finish(answer);
        }
        // With sources but without a tool call, the use of tools is unknown.
        answer.tools_invoked = (used_tools || answer.sources.is_empty()).then_some(used_tools);
    }
}

/// The passages that a file search found, in the order of the response, for an answer that cites none.
fn hits(files: &BTreeMap<String, Source>) -> Vec<Source> {
    let named = files.iter().map(|(id, file)| Source { id: Some(id.clone()), ..file.clone() });
    let mut hits: Vec<Source> = named.collect();
    hits.sort_by_key(|hit| (hit.pointer.len(), hit.pointer.clone()));
    hits
}

impl WirePart {
    /// Reads one part; `None` when it is no text of the answer.
    fn read(part: Value, pointer: &str) -> Result<Option<Part>, IngestError> {
        let kind = kind_of(&part).unwrap_or_default();
        let part: Self = match kind.as_str() {
            "output_text" | "text" | "refusal" => json::member(part, pointer)?,
            _ => return Ok(None),
        };
        let text = if kind == "refusal" { part.refusal } else { part.text };
        let Some(text) = text else { return Ok(None) };
        Ok(Some(Part { text, annotations: annotations(part.annotations, &format!("{pointer}/annotations"))? }))
    }
}

/// The `type` of an item.
pub(super) fn kind_of(item: &Value) -> Option<String> {
    item.get("type").and_then(Value::as_str).map(str::to_owned)
}

/// Whether an item of this kind is the call of a tool that finds sources, or its results.
pub(super) fn is_search(kind: &str) -> bool {
    kind.ends_with("search_call")
        || is_web_search(kind)
        || matches!(kind, "mcp_call" | "search_results" | "fetch_url_results")
}

/// Reads a whole response. Without `flavour`, its items and its model tell the variant.
pub(super) fn parse(body: &str, flavour: Option<Flavour>) -> Result<Answer, IngestError> {
    let mut response: WireResponse = json::read(body)?;
    let mut answer = Answer::default();
    let told = is_grok(response.model.as_deref()).then_some(Flavour::Xai);
    let (status, error) = (response.status.take(), response.error.take());
    let reply = Reply::of(response, "")?;
    if !reply.has_message {
        return Err(match error {
            Some(error) => json::error_instead(&error),
            None => IngestError::member("/output", "holds no message; the text of the answer is required"),
        });
    }
    let flavour = flavour.or(reply.flavour()).or(told).unwrap_or(Flavour::OpenAi);
    answer.error = error.as_ref().map(json::provider_error);
    answer.complete = answer.error.is_none() && is_complete(status.as_deref());
    if !answer.complete {
        answer.warnings.extend(incomplete(status.as_deref(), "/status".to_owned()));
    }
    reply.finish(flavour, &mut answer);
    Ok(answer)
}

/// Whether a response with this status is complete. A missing status counts as complete.
pub(super) fn is_complete(status: Option<&str>) -> bool {
    status.is_none_or(|status| status == "completed")
}

/// A note that the response ended early; `None` without a status.
pub(super) fn incomplete(status: Option<&str>, pointer: String) -> Option<Entry> {
    let message = format!("the response ended as {:?}, so the answer may lack its end", status?);
    Some(Entry::in_input(Kind::Note, "finish-reason", pointer, message))
}
