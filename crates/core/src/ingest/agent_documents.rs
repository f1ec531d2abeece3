//! The documents that tools found for an agent of [Microsoft
//! Foundry](https://learn.microsoft.com/azure/foundry/agents/how-to/tools/ai-search): the output of Azure AI Search, or of a
//! knowledge base behind MCP. Annotations have the address of that service, the same for all documents, and name a document
//! by its `get_url`, by `doc_1` (its place in the output), or by the marker `【4:1†source】` in the text.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use super::json::filled;
use super::location::{Located, location};
use crate::answer::{Source, SourceKind, contradict};
use crate::report::Entry;
use crate::url::WebUrl;

/// The outputs of the tools of one answer.
#[derive(Debug, Default)]
pub(super) struct AgentDocuments {
    all: Vec<Source>,
    /// The documents that annotations name.
    named: BTreeSet<usize>,
    searches: Vec<Search>,
    passages: Vec<Passage>,
    /// Whether a tool behind MCP was called: its address is no document.
    calls_mcp: bool,
}

/// The output of one search.
#[derive(Debug)]
struct Search {
    /// Its documents, as places in `all`.
    documents: Range<usize>,
    /// Addresses of the service, one for each document.
    get_urls: Vec<String>,
}

/// A document in the output of a knowledge base.
#[derive(Debug)]
struct Passage {
    /// The marker before it: `【5:0†source】`.
    marker: Option<String>,
    /// Its `ref_id`, or its place in the list.
    place: Option<usize>,
    /// Its place in `all`.
    document: usize,
}

/// The words of an annotation about its document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mention<'m> {
    pub(super) get_url: Option<&'m str>,
    /// The text of the span.
    pub(super) marker: Option<&'m str>,
}

/// Names of members with the address of a document, the best first.
const ADDRESSES: [&str; 6] = ["blob_url", "url", "source_url", "link", "uri", "filepath"];
const TITLES: [&str; 5] = ["title", "name", "filename", "file_name", "source"];
const PASSAGES: [&str; 4] = ["content", "snippet", "text", "chunk"];
/// Names of members with a list of documents.
const LISTS: [&str; 5] = ["documents", "references", "results", "value", "content"];

impl AgentDocuments {
    /// Whether no tool had an output.
    pub(super) fn is_empty(&self) -> bool {
        self.searches.is_empty() && self.passages.is_empty() && !self.calls_mcp
    }

    /// Adds the outputs of later tools.
    pub(super) fn append(&mut self, other: Self) {
        let before = self.all.len();
        self.all.extend(other.all);
        self.searches.extend(other.searches.into_iter().map(|search| Search {
            documents: before + search.documents.start..before + search.documents.end,
            ..search
        }));
        let passages = other.passages.into_iter();
        self.passages.extend(passages.map(|passage| Passage { document: before + passage.document, ..passage }));
        self.calls_mcp |= other.calls_mcp;
    }

    /// All documents.
    pub(super) fn documents_mut(&mut self) -> impl Iterator<Item = &mut Source> {
        self.all.iter_mut()
    }

    /// Reads the output of a search: an object, or its JSON.
    pub(super) fn search(&mut self, output: &Value, pointer: &str, warnings: &mut Vec<Entry>) {
        let parsed = output.as_str().and_then(|text| serde_json::from_str(text).ok());
        let output = parsed.as_ref().unwrap_or(output);
        let get_urls = output["get_urls"].as_array().into_iter().flatten();
        let get_urls: Vec<String> = get_urls.map(|url| url.as_str().unwrap_or_default().to_owned()).collect();
        let before = self.all.len();
        for (at, value) in output["documents"].as_array().into_iter().flatten().enumerate() {
            self.all.push(document(value, format!("{pointer}/documents/{at}"), warnings));
        }
        let documents = before..self.all.len();
        if !documents.is_empty() || !get_urls.is_empty() {
            self.searches.push(Search { documents, get_urls });
        }
    }

    /// Reads the output of a tool behind MCP: JSON, or texts that a marker each precedes.
    pub(super) fn mcp(&mut self, output: &Value, pointer: &str, warnings: &mut Vec<Entry>) {
        self.calls_mcp = true;
        let Some(text) = output.as_str() else {
            return self.passages(output, None, pointer, warnings, 0);
        };
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            return self.passages(&value, None, pointer, warnings, 0);
        }
        let mut rest = text;
        while let Some((marker, behind)) = first_marker(rest) {
            let length = behind.find('【').unwrap_or(behind.len());
            let body = behind[..length].trim();
            if !body.is_empty() {
                let value = serde_json::from_str(body).unwrap_or_else(|_| Value::from(body));
                self.passages(&value, Some(marker), pointer, warnings, 0);
            }
            rest = &behind[length..];
        }
    }

    /// Adds the documents in a value: an object, a list of them, or an object with such a list.
    fn passages(
        &mut self,
        value: &Value,
        marker: Option<&str>,
        pointer: &str,
        warnings: &mut Vec<Entry>,
        depth: usize,
    ) {
        let listed = value.as_object().and_then(|members| LISTS.iter().find_map(|name| members.get(*name)?.as_array()));
        let Some(entries) = value.as_array().or(listed).filter(|_| depth < MAX_DEPTH) else {
            let place = value.get("ref_id").and_then(number).or_else(|| marker.and_then(place_in_marker));
            let document = document(value, pointer.to_owned(), warnings);
            if document.title.is_some() || document.url.is_some() || document.content.is_some() {
                let marker = marker.map(str::to_owned);
                self.passages.push(Passage { marker, place, document: self.all.len() });
                self.all.push(document);
            }
            return;
        };
        for (at, entry) in entries.iter().enumerate() {
            // The content of a tool result is a list of texts, each with JSON.
            let text = entry.get("text").and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
            let before = self.passages.len();
            self.passages(text.as_ref().unwrap_or(entry), marker, pointer, warnings, depth + 1);
            if let Some(passage) = self.passages.get_mut(before).filter(|passage| passage.place.is_none()) {
                passage.place = Some(at);
            }
        }
    }

    /// Whether the address of a source is that of a service, not of a document. The source then keeps it as written only.
    pub(super) fn is_of_service(&self, source: &mut Source) -> bool {
        if let Some(url) = source.url.take_if(|url| self.calls_mcp && url.is_mcp()) {
            source.address = Some(url.as_str().to_owned());
            return true;
        }
        let is_service = |address: &str| address.parse::<WebUrl>().is_ok_and(|url| url.is_service());
        source.url.is_none() && source.address.as_deref().is_some_and(is_service)
    }

    /// Completes a source with the address of a service by the document that its annotation names. Returns the key that all
    /// annotations of the document share; `None` when its address is known, which is the key then.
    pub(super) fn complete(&mut self, source: &mut Source, mention: Mention<'_>) -> Option<String> {
        let counted = source.title.as_deref().and_then(|title| number_of(title.strip_prefix("doc_")?));
        let shown = source.title.take_if(|_| counted.is_some());
        let (document, get_url) = self.find(source, counted, mention);
        if let Some(document) = document.and_then(|document| self.all.get(document)) {
            source.fill_in(document.clone());
        }
        self.named.extend(document);
        // The address of the service is none for readers, unlike that of a file in a store.
        let opened = get_url.as_deref().filter(|_| source.url.is_none()).and_then(|url| url.parse::<WebUrl>().ok());
        if let Some(url) = opened.filter(|url| !url.is_service()) {
            (source.url, source.address) = (Some(url), None);
        }
        source.kind = Some(SourceKind::Document);
        source.title = source.title.take().or(shown);
        if source.url.is_some() {
            return None;
        }
        let service = source.address.take();
        let address = get_url.or(service).unwrap_or_default();
        Some(format!("found {address} {}", source.title.as_deref().unwrap_or_default()))
    }

    /// The document of an annotation, as its place in `all`, and the address under which the service has it.
    fn find(&self, source: &Source, counted: Option<usize>, mention: Mention<'_>) -> (Option<usize>, Option<String>) {
        if let Some(get_url) = mention.get_url {
            return (self.searches.iter().find_map(|search| self.got(search, get_url)), Some(get_url.to_owned()));
        }
        let fits = |document: &usize| self.all.get(*document).is_some_and(|document| !contradict(document, source));
        let place = counted.or_else(|| mention.marker.and_then(place_in_marker));
        // Several searches may each count from 0, and then a place names no document.
        if let ([search], Some(place)) = (self.searches.as_slice(), place) {
            let document = search.documents.clone().nth(place).filter(fits);
            let get_url = search.get_urls.get(place).filter(|_| document.is_some() || counted.is_some());
            if document.is_some() || get_url.is_some() {
                return (document, get_url.cloned());
            }
        }
        let is_marked = |passage: &&Passage| passage.marker.is_some() && passage.marker.as_deref() == mention.marker;
        let is_placed = |passage: &&Passage| passage.marker.is_none() && place.is_some() && passage.place == place;
        let passages = || self.passages.iter();
        let passage = passages().filter(is_marked).chain(passages().filter(is_placed));
        let found = passage.map(|passage| passage.document).find(fits);
        (found.or_else(|| self.titled(source.title.as_deref()?)), None)
    }

    /// The document that the service has under an address.
    fn got(&self, search: &Search, get_url: &str) -> Option<usize> {
        let listed = search.get_urls.iter().position(|url| url == get_url);
        let listed = listed.and_then(|at| search.documents.clone().nth(at));
        let is_got = |at: &usize| self.all.get(*at).is_some_and(|document| is_got(document, get_url));
        listed.or_else(|| search.documents.clone().find(is_got))
    }

    /// The only document with this title.
    fn titled(&self, title: &str) -> Option<usize> {
        let mut titled = (0..self.all.len()).filter(|at| self.all[*at].title.as_deref() == Some(title));
        titled.next().filter(|_| titled.next().is_none())
    }

    /// The documents that no annotation names.
    pub(super) fn into_rest(self) -> impl Iterator<Item = Source> {
        let Self { all, named, .. } = self;
        all.into_iter().enumerate().filter(move |(at, _)| !named.contains(at)).map(|(_, document)| document)
    }
}

/// The first marker in a text, and the text behind it.
fn first_marker(text: &str) -> Option<(&str, &str)> {
    let from = &text[text.find('【')?..];
    let end = from.find('】')? + '】'.len_utf8();
    Some(from.split_at(end))
}

/// How deep lists of documents are read.
const MAX_DEPTH: usize = 8;

fn document(value: &Value, pointer: String, warnings: &mut Vec<Entry>) -> Source {
    let text = |names: &[&str]| {
        let members = value.as_object();
        names.iter().find_map(|name| filled(members?.get(*name)?.as_str().map(str::to_owned)))
    };
    let Located { url, filepath, address } = location(text(&ADDRESSES), || pointer.clone(), warnings);
    Source {
        id: value.get("id").and_then(|id| filled(id.as_str().map(str::to_owned))),
        title: text(&TITLES),
        kind: Some(SourceKind::Document),
        content: text(&PASSAGES).or_else(|| filled(value.as_str().map(str::to_owned))),
        metadata: value.as_object().cloned().unwrap_or_default(),
        url,
        filepath,
        address,
        pointer,
        ..Source::default()
    }
}

/// Whether an address of the service gets the document with this id: `…/docs/k1?api-version=…`, `…/docs('k1')`.
fn is_got(document: &Source, get_url: &str) -> bool {
    let path = get_url.split(['?', '#']).next().unwrap_or_default();
    let key =
        path.rsplit_once("/docs/").or_else(|| path.rsplit_once("/docs('")).map(|(_, key)| key.trim_end_matches("')"));
    document.id.is_some() && document.id.as_deref() == key
}

/// The place in a marker: 1 in `【4:1†source】`.
fn place_in_marker(marker: &str) -> Option<usize> {
    let (place, _) = marker.strip_prefix('【')?.split_once('†')?;
    number_of(place.rsplit(':').next()?)
}

fn number_of(text: &str) -> Option<usize> {
    text.trim().parse().ok()
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).or_else(|| number_of(value.as_str()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SERVICE: &str = "https://s.search.windows.net/";

    fn completed(
        documents: &mut AgentDocuments,
        title: &str,
        mention: Mention<'_>,
    ) -> (Option<String>, Option<String>) {
        let mut source = Source { title: Some(title.into()), address: Some(SERVICE.into()), ..Source::default() };
        assert!(documents.is_of_service(&mut source));
        documents.complete(&mut source, mention);
        assert_eq!(source.address, None);
        (source.title, source.url.map(|url| url.as_str().to_owned()))
    }

    fn told(title: &str, url: &str) -> (Option<String>, Option<String>) {
        (Some(title.to_owned()), Some(url.to_owned()).filter(|url| !url.is_empty()))
    }

    fn search(titles: &[&str]) -> Value {
        let documents =
            titles.iter().map(|title| json!({"id": title, "title": title, "url": format!("https://x/{title}")}));
        json!({"documents": documents.collect::<Vec<_>>(), "get_urls": []})
    }

    const NONE: Mention<'static> = Mention { get_url: None, marker: None };

    #[test]
    fn a_document_is_found_by_its_place_in_one_search_and_by_its_title_in_several() {
        let mut documents = AgentDocuments::default();
        documents.search(&json!(search(&["A", "B"]).to_string()), "/output/1/output", &mut Vec::new());
        assert_eq!(completed(&mut documents, "doc_1", NONE), told("B", "https://x/B"));
        assert_eq!(completed(&mut documents, "doc_9", NONE), told("doc_9", ""));
        let marked = Mention { get_url: None, marker: Some("【4:0†source】") };
        assert_eq!(completed(&mut documents, "A", marked), told("A", "https://x/A"));
        // The place leads to a document of another name.
        assert_eq!(completed(&mut documents, "C", marked), told("C", ""));
        documents.search(&search(&["C"]), "/output/3/output", &mut Vec::new());
        assert_eq!(completed(&mut documents, "doc_0", NONE), told("doc_0", ""));
        assert_eq!(completed(&mut documents, "C", NONE), told("C", "https://x/C"));
        let got =
            Mention { get_url: Some("https://s.search.windows.net/indexes/i/docs/A?api-version=1"), marker: None };
        assert_eq!(completed(&mut documents, "doc_7", got), told("A", "https://x/A"));
    }

    #[test]
    fn a_knowledge_base_names_documents_by_marker_or_reference() {
        let mut documents = AgentDocuments::default();
        let entry = |n: u32| json!({"ref_id": n, "title": format!("T{n}"), "blob_url": format!("https://x/{n}")});
        documents.mcp(
            &json!(format!("Found:\n【5:1†source】\n{}\n【5:2†source】plain words", entry(1))),
            "/o",
            &mut Vec::new(),
        );
        let marked = |marker| Mention { get_url: None, marker: Some(marker) };
        assert_eq!(completed(&mut documents, "doc_1", marked("【5:1†source】")), told("T1", "https://x/1"));
        assert_eq!(completed(&mut documents, "doc_2", marked("【5:2†source】")), told("doc_2", ""));
        let mut nested = AgentDocuments::default();
        let text = json!([entry(3), entry(4)]).to_string();
        nested.mcp(&json!({"content": [{"type": "text", "text": text}]}), "/o", &mut Vec::new());
        assert_eq!(completed(&mut nested, "doc_4", NONE), told("T4", "https://x/4"));
        assert_eq!(nested.into_rest().count(), 1);
    }
}
