//! Older shapes of the grounding of [Gemini and Vertex AI](https://ai.google.dev/api/generate-content): citations beside the
//! candidate, attributions that contain a source each, and plain lists of sources (rule RC-02). Entries of an unknown shape
//! are skipped.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::annotated::Annotated;
use super::json::filled;
use super::location::{Located, location};
use super::span::Unit;
use crate::answer::{Source, SourceIndex, SourceKind};
use crate::report::Entry;

/// Members with the address of a page. Names for the page itself come before those that may hold a redirect (rule RC-02).
const ADDRESSES: [&str; 8] =
    ["sourceUrl", "source_url", "pageUrl", "page_url", "sourceUri", "source_uri", "url", "uri"];

/// Members in which the page may be nested.
const NESTED: [&str; 6] = ["web", "retrievedContext", "retrieved_context", "source", "reference", "support"];

/// The entries of the older lists, each with its JSON pointer.
#[derive(Debug, Default)]
pub(super) struct Legacy {
    /// Sources that claims name by id or index.
    cited: Vec<(String, Value)>,
    claims: Vec<(String, Value)>,
    /// Sources that no claim names.
    seen: Vec<(String, Value)>,
    /// The claims that [`add_new`](Self::add_new) has added, as JSON.
    known: HashSet<String>,
}

/// The entries of a list with their JSON pointers; empty if the value is no list.
fn entries(list: Option<Value>, pointer: &str) -> impl Iterator<Item = (String, Value)> {
    let entries = if let Some(Value::Array(entries)) = list { entries } else { Vec::new() };
    let pointer = pointer.to_owned();
    entries.into_iter().enumerate().map(move |(at, entry)| (format!("{pointer}/{at}"), entry))
}

/// A member whose name is in camel or snake case.
fn member<'v>(value: &'v Value, names: [&str; 2]) -> &'v Value {
    let [camel, snake] = names;
    if value[camel].is_null() { &value[snake] } else { &value[camel] }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => filled(Some(text.clone())),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn number(value: &Value) -> Option<usize> {
    text(value)?.trim().parse().ok()
}

impl Legacy {
    pub(super) fn add_cited(&mut self, list: Option<Value>, pointer: &str) {
        self.cited.extend(entries(list, pointer));
    }

    pub(super) fn add_claims(&mut self, list: Option<Value>, pointer: &str) {
        self.claims.extend(entries(list, pointer));
    }

    pub(super) fn add_seen(&mut self, list: Option<Value>, pointer: &str) {
        self.seen.extend(entries(list, pointer));
    }

    /// Adds the claims that are new. Each event of a stream has claims of its own, and may repeat earlier ones.
    pub(super) fn add_new(&mut self, newer: Self) {
        for (pointer, claim) in newer.claims {
            if self.known.insert(claim.to_string()) {
                self.claims.push((pointer, claim));
            }
        }
    }

    /// Replaces each list that the newer metadata contains.
    pub(super) fn renew(&mut self, newer: Self) {
        let Self { cited, claims, seen, .. } = newer;
        for (mine, newer) in [(&mut self.cited, cited), (&mut self.claims, claims), (&mut self.seen, seen)] {
            if !newer.is_empty() {
                *mine = newer;
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        [&self.cited, &self.claims, &self.seen].into_iter().all(Vec::is_empty)
    }

    /// Adds sources and claims. `parts` are the text parts in which offsets count. If it is empty, they count in the whole text.
    pub(super) fn annotate(self, parts: &[usize], annotated: &mut Annotated, warnings: &mut Vec<Entry>) {
        let mut by_id = HashMap::new();
        let mut cited = Vec::new();
        for (pointer, value) in self.cited {
            let source = source(&value, pointer, warnings).map(|source| annotated.sources.page(source));
            let id = [["id", "id"], ["sourceId", "source_id"]].iter().find_map(|names| text(member(&value, *names)));
            if let (Some(id), Some(source)) = (id, source) {
                by_id.entry(id).or_insert(source);
            }
            cited.push(source);
        }
        for (pointer, claim) in self.claims {
            let own = source(&claim, pointer.clone(), warnings).map(|source| annotated.sources.page(source));
            let named = || named(&claim, &by_id, &cited);
            let mut sources = own.map_or_else(named, |own| vec![own]);
            if let Some(title) = filled(claim["title"].as_str().map(str::to_owned)).filter(|_| sources.is_empty()) {
                // A work without an address, such as a book or a license.
                let source = Source { title: Some(title.clone()), pointer: pointer.clone(), ..Source::default() };
                sources.push(annotated.sources.known_as(&format!("title {title}"), source));
            }
            // Claims of one kind hold their offsets in `segment`, those of the other kind hold them directly.
            let segment = if claim["segment"].is_object() { &claim["segment"] } else { &claim };
            let offset = |names: [&str; 2]| number(member(segment, names));
            let part = offset(["partIndex", "part_index"]).and_then(|part| parts.get(part)).or(parts.first());
            let span = (offset(["startIndex", "start_index"]), offset(["endIndex", "end_index"]), Unit::Utf8);
            let quote = claim["segment"]["text"].as_str().map(str::to_owned);
            annotated.quoted_span(part.copied().unwrap_or_default(), span, quote, sources, pointer);
        }
        for (pointer, value) in self.seen {
            if let Some(source) = source(&value, pointer, warnings) {
                annotated.sources.page(source);
            }
        }
    }
}

/// The sources that a claim names by id or index.
fn named(claim: &Value, by_id: &HashMap<String, SourceIndex>, cited: &[Option<SourceIndex>]) -> Vec<SourceIndex> {
    let ids = member(claim, ["sourceIds", "source_ids"]).as_array().into_iter().flatten();
    let ids = std::iter::once(member(claim, ["sourceId", "source_id"])).chain(ids);
    let ids = ids.filter_map(|id| by_id.get(&text(id)?).copied());
    let places = member(claim, ["sourceIndices", "source_indices"]).as_array().into_iter().flatten();
    let places = places.filter_map(|place| cited.get(number(place)?).copied().flatten());
    ids.chain(places).collect()
}

/// The source of an entry; `None` if it has no address.
pub(super) fn source(value: &Value, pointer: String, warnings: &mut Vec<Entry>) -> Option<Source> {
    let holders: Vec<&Value> = std::iter::once(value).chain(NESTED.iter().map(|name| &value[*name])).collect();
    let find = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| holders.iter().find_map(|holder| filled(holder[*name].as_str().map(str::to_owned))))
    };
    // An entry may be a string with the address.
    let alone = value.as_str().filter(|text| text.contains("://")).map(str::to_owned);
    let address = alone.or_else(|| find(&ADDRESSES))?;
    let Located { url, filepath, address } = location(Some(address), || pointer.clone(), warnings);
    let score = member(value, ["confidenceScore", "confidence_score"]).as_f64();
    Some(Source {
        title: find(&["title"]),
        content: find(&["snippet", "text", "content"]),
        score: score.filter(|score| (0.0..=1.0).contains(score)),
        kind: kind(value),
        url,
        address,
        filepath,
        pointer,
        ..Source::default()
    })
}

/// The kind of an entry: a document if it has `retrievedContext`, else that of `sourceType`, else a web page.
fn kind(value: &Value) -> Option<SourceKind> {
    if !member(value, ["retrievedContext", "retrieved_context"]).is_null() {
        Some(SourceKind::Document)
    } else {
        let word = member(value, ["sourceType", "source_type"]).as_str().and_then(SourceKind::named);
        word.or(Some(SourceKind::Web))
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "JSON that is made for a call reads better without borrowing")]
mod tests {
    use serde_json::json;

    use super::super::annotated::cited;
    use super::super::ingest;
    use crate::answer::Answer;

    fn answer(candidate: serde_json::Value) -> Answer {
        ingest(json!({"candidates": [candidate]}).to_string().as_bytes(), None).expect("an answer")
    }

    fn addresses(answer: &Answer) -> Vec<&str> {
        answer.sources.iter().filter_map(|source| source.url.as_ref().map(crate::url::WebUrl::as_str)).collect()
    }

    #[test]
    fn claims_name_cited_sources_by_id_or_place_or_bring_their_own() {
        let answer = answer(json!({
            "content": {"parts": [{"text": "Süß. Gut. Fein."}]},
            "groundingMetadata": {
                "cited_sources": [{"id": 5, "uri": "https://x.example/a", "title": "A"}, null, {"url": "https://x.example/b"}],
                "citations": [
                    {"sourceId": "5", "end_index": 6},
                    {"source_indices": [2, 9], "startIndex": "7", "endIndex": 11},
                    {"sourceIds": ["nobody"], "startIndex": 0, "endIndex": 3},
                    "odd",
                ],
                "groundingAttributions": [{"segment": {"startIndex": 12, "endIndex": 17},
                    "web": {"uri": "https://x.example/c", "title": "C"}, "confidenceScore": 0.75}],
                "webSearchSources": [{"url": "https://x.example/d"}, {"title": "no address"}],
            },
            "citationMetadata": {"citationSources": [{"startIndex": 7, "endIndex": 11, "uri": "https://x.example/e"}]},
        }));
        assert_eq!(cited(&answer), [("Süß.", vec![0]), ("Gut.", vec![1]), ("Fein.", vec![2]), ("Gut.", vec![4])]);
        assert_eq!(addresses(&answer), ["a", "b", "c", "d", "e"].map(|page| format!("https://x.example/{page}")));
        assert_eq!((answer.sources[2].score, answer.sources[2].title.as_deref()), (Some(0.75), Some("C")));
        assert_eq!(answer.sources[0].pointer, "/candidates/0/groundingMetadata/cited_sources/0");
        assert_eq!(answer.sources[4].pointer, "/candidates/0/citationMetadata/citationSources/0");
        // The page without an address is in the report.
        let odd: Vec<_> = answer.warnings.iter().map(|entry| entry.code).collect();
        assert_eq!((answer.tools_invoked, odd), (Some(true), vec!["sources-unread"]));
    }

    #[test]
    fn the_page_itself_wins_over_what_leads_to_it() {
        let redirect = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/A";
        let answer = answer(json!({"content": {"parts": [{"text": "x"}]}, "groundingMetadata": {"sources": [
            {"uri": redirect, "web": {"sourceUrl": "https://x.example/page"}},
            {"web": {"uri": redirect}},
            {"uri": "javascript:alert(1)"},
        ]}}));
        assert_eq!(addresses(&answer), ["https://x.example/page", redirect]);
        assert_eq!(answer.warnings[0].code, "url-scheme");
    }
}
