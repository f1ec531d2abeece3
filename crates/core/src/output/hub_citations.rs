//! The `citations` object of AssistantHub (rules AH-01 to AH-05).

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use serde::Serialize;
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation as _;

use super::document_name::document_name;
use super::download_links::DownloadLinks;
use super::numbered::{Numbered, passage};
use crate::answer::{Answer, Source};

/// The longest excerpt in characters (Unicode scalar values), without the `...` at its end.
const MAX_EXCERPT_CHARS: usize = 200;

/// All sources of an answer, and the numbers of those that it cites.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HubCitations {
    /// Every source, cited or not, in the order of their numbers.
    pub sources: Vec<HubSource>,
    /// The numbers that the text cites, each once, ascending. If `auto_populated`, the numbers of the sources that the
    /// provider used, else of each document's best chunk (rule AH-05).
    pub referenced_indices: Vec<usize>,
    /// Whether the text cites nothing, so that `referenced_indices` was filled in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub auto_populated: bool,
}

/// One source: a chunk of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HubSource {
    /// The number, from 1.
    pub index: usize,
    /// The id of the document: `id` of the source, else `document_id` in its metadata, else its path, else its address, else
    /// the number.
    pub document_id: String,
    /// The name of the document; never empty.
    pub document_name: String,
    /// The media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The relevance, 0 to 1; 0 if unknown, because clients expect a number.
    pub score: f64,
    /// The score of the reranker, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank_score: Option<f64>,
    /// The page of the document, from 1. AssistantHub does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The beginning of the passage, at most 200 characters; a cut passage ends in `...`.
    pub excerpt: String,
    /// The download address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download_url: Option<String>,
}

impl HubCitations {
    /// The citations of an answer, with its sources in the provider's order. `None` if it has no source (rule AH-02), or
    /// broke off before it cited one.
    pub(super) fn of(numbered: &Numbered<'_>, links: &DownloadLinks, withhold_encrypted: bool) -> Option<Self> {
        let order: Vec<usize> = (0..numbered.answer.sources.len()).collect();
        Self::in_order(numbered.answer, &numbered.cited(), &order, links, withhold_encrypted)
    }

    /// The citations of an answer. `cited` holds the places of the cited sources, `order` the places of all sources to list,
    /// in the order of their numbers. Places count from 0.
    pub(super) fn in_order(
        answer: &Answer,
        cited: &[usize],
        order: &[usize],
        links: &DownloadLinks,
        withhold_encrypted: bool,
    ) -> Option<Self> {
        let broke_off_uncited = !answer.complete && cited.is_empty() && answer.listed_uncited().is_empty();
        if answer.sources.is_empty() || broke_off_uncited {
            return None;
        }
        let listed = order.iter().filter_map(|place| answer.sources.get(*place)).enumerate();
        let sources: Vec<HubSource> =
            listed.map(|(at, source)| HubSource::new(at + 1, source, links, withhold_encrypted)).collect();
        let numbers = |places: &[usize]| {
            let places: BTreeSet<usize> = places.iter().copied().collect();
            let listed = order.iter().enumerate();
            listed.filter(|(_, place)| places.contains(place)).map(|(at, _)| at + 1).collect::<Vec<_>>()
        };
        let cited = numbers(cited);
        // An empty answer has no references.
        let auto_populated = cited.is_empty() && !answer.text.trim().is_empty();
        let told = (answer.shown.is_some() || !answer.complete).then(|| numbers(&answer.listed_uncited()));
        let referenced_indices = match (auto_populated, told.filter(|told| !told.is_empty())) {
            (false, _) => cited,
            // The sources that the provider reports as used.
            (true, Some(told)) => told,
            (true, None) => {
                let once: BTreeSet<usize> =
                    numbers(&answer.without_repeated_pages(0..answer.sources.len())).into_iter().collect();
                best_chunks(sources.iter().filter(|source| once.contains(&source.index)))
            }
        };
        Some(Self { sources, referenced_indices, auto_populated })
    }
}

/// The number of each document's best chunk; the first wins among equal scores (rule AH-05).
fn best_chunks<'s>(sources: impl Iterator<Item = &'s HubSource>) -> Vec<usize> {
    let mut best: BTreeMap<&str, &HubSource> = BTreeMap::new();
    for source in sources {
        let known = best.entry(&source.document_id).or_insert(source);
        if source.score > known.score {
            *known = source;
        }
    }
    let mut numbers: Vec<usize> = best.values().map(|source| source.index).collect();
    numbers.sort_unstable();
    numbers
}

impl HubSource {
    fn new(index: usize, source: &Source, links: &DownloadLinks, withhold_encrypted: bool) -> Self {
        let rerank_score = source.metadata.get("rerank_score").and_then(Value::as_f64);
        Self {
            index,
            document_id: document_id(source).unwrap_or_else(|| index.to_string()),
            document_name: document_name(source),
            content_type: source.media_type.clone(),
            score: source.score.filter(|score| (0.0..=1.0).contains(score)).unwrap_or(0.0),
            rerank_score: rerank_score.filter(|score| (0.0..=10.0).contains(score)),
            page: source.page.map(NonZeroU32::get),
            excerpt: excerpt(passage(source, withhold_encrypted).unwrap_or_default()),
            download_url: links.address(source),
        }
    }
}

/// The id of the document of a source; `None` if the source has no id, path or address.
pub(super) fn document_id(source: &Source) -> Option<String> {
    let named = || source.metadata.get("document_id").and_then(Value::as_str).map(str::to_owned);
    let address = || source.url.as_ref().map(|url| url.as_str().to_owned());
    source.id.clone().or_else(named).or_else(|| source.filepath.clone()).or_else(address)
}

/// The first characters of a passage, cut between grapheme clusters.
fn excerpt(passage: &str) -> String {
    let Some((limit, _)) = passage.char_indices().nth(MAX_EXCERPT_CHARS) else { return passage.to_owned() };
    let ends = passage.grapheme_indices(true).map(|(at, _)| at);
    let end = ends.take_while(|at| *at <= limit).last().unwrap_or_default();
    format!("{}...", &passage[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_two_hundred_characters_and_dots() {
        assert_eq!(excerpt(&"ä".repeat(200)), "ä".repeat(200));
        assert_eq!(excerpt(&"ä".repeat(201)), format!("{}...", "ä".repeat(200)));
        // The emoji is one grapheme cluster of five code points, which a cut by code points would split.
        let family = "👩‍👩‍👧";
        let passage = format!("{}{family} and more", "a".repeat(198));
        assert_eq!(excerpt(&passage), format!("{}...", "a".repeat(198)));
        assert_eq!(excerpt(&format!("{}{family}", "a".repeat(195))), format!("{}{family}", "a".repeat(195)));
    }
}
