//! A document of Azure OpenAI On Your Data, its two scores, and how a citation comes to those of what was retrieved
//! (rules S0-20 to S0-33).

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::json::{filled, text_or_number};
use super::location::{Located, web_url};
use crate::answer::{Source, SourceKind};
use crate::report::Entry;

/// A citation or a retrieved document (rule S0-02); any member may be absent or null.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Document {
    content: Option<String>,
    title: Option<String>,
    url: Option<String>,
    filepath: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    chunk_id: Option<String>,
    metadata: Option<Map<String, Value>>,
    original_search_score: Option<f64>,
    rerank_score: Option<f64>,
    filter_reason: Option<String>,
    score: Option<f64>,
}

impl Document {
    pub(super) fn into_source(self, pointer: String, oddities: &mut Vec<Entry>) -> Source {
        let score = ScoreScale::default().score(&self);
        let Located { url, filepath: path_in_url, address } = web_url(self.url, || format!("{pointer}/url"), oddities);
        Source {
            title: filled(self.title),
            url,
            address,
            chunk_id: filled(self.chunk_id),
            kind: Some(SourceKind::Document),
            filepath: filled(self.filepath).or(path_in_url),
            content: filled(self.content),
            score,
            metadata: self.metadata.unwrap_or_default(),
            pointer,
            ..Source::default()
        }
    }
}

/// What a full score is, for each of the two kinds (rule S0-23).
struct ScoreScale {
    rerank_max: f64,
    bm25_max: f64,
}

impl Default for ScoreScale {
    fn default() -> Self {
        Self { rerank_max: 4.0, bm25_max: 100.0 }
    }
}

impl ScoreScale {
    /// Rules S0-20 to S0-23, and N-15: what is not between 0 and 1 then is no score.
    fn score(&self, document: &Document) -> Option<f64> {
        let scaled = |score: f64, max: f64| if score > 1.0 { (score / max).min(1.0) } else { score };
        let rerank = document.rerank_score.map(|score| scaled(score, self.rerank_max));
        let bm25 = document.original_search_score.map(|score| scaled(score, self.bm25_max));
        let reranked = document.filter_reason.as_deref() == Some("rerank");
        let score = if reranked { rerank.or(bm25) } else { bm25.or(rerank) };
        score.or(document.score).filter(|score| (0.0..=1.0).contains(score))
    }
}

/// Copies the scores of retrieved documents to the citations that they match (rules S0-30 to S0-33).
pub(super) fn merge_scores<'c, 'd>(
    citations: impl IntoIterator<Item = &'c mut Document>,
    retrieved: impl IntoIterator<Item = &'d Document>,
) {
    let mut by_key: HashMap<Key<'d>, &'d Document> = HashMap::new();
    for document in retrieved {
        if document.original_search_score.is_some() || document.rerank_score.is_some() {
            // The last one wins where several share a key (rule S0-32).
            by_key.extend(document.keys().into_iter().flatten().map(|key| (key, document)));
        }
    }
    for citation in citations {
        let found = citation.keys().into_iter().flatten().find_map(|key| by_key.get(&key).copied());
        if let Some(document) = found {
            let Document { original_search_score, rerank_score, filter_reason, .. } = document.clone();
            citation.original_search_score = original_search_score.or(citation.original_search_score);
            citation.rerank_score = rerank_score.or(citation.rerank_score);
            citation.filter_reason = filter_reason.or(citation.filter_reason.take());
        }
    }
}

/// What a citation and a retrieved document may have in common, in the order of rule S0-31.
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
    fn keys(&self) -> [Option<Key<'_>>; 5] {
        fn some(text: &Option<String>) -> Option<&str> {
            text.as_deref().filter(|text| !text.trim().is_empty())
        }
        let (title, chunk) = (some(&self.title), some(&self.chunk_id));
        let content = some(&self.content).map(|content| {
            let end = content.char_indices().nth(CONTENT_KEY_CHARS).map_or(content.len(), |(end, _)| end);
            &content[..end]
        });
        [
            title.map(Key::Title),
            some(&self.filepath).map(Key::Filepath),
            title.zip(chunk).map(|(title, chunk)| Key::TitleAndChunk(title, chunk)),
            chunk.map(Key::Chunk),
            content.map(Key::Content),
        ]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn s0_20_to_23_a_score_is_chosen_by_the_reason_and_scaled() {
        let score =
            |document: Value| ScoreScale::default().score(&serde_json::from_value(document).expect("a document"));
        assert_eq!(
            score(json!({"rerank_score": 3.2, "original_search_score": 50, "filter_reason": "rerank"})),
            Some(0.8)
        );
        assert_eq!(
            score(json!({"rerank_score": 3.2, "original_search_score": 50, "filter_reason": "score"})),
            Some(0.5)
        );
        assert_eq!(score(json!({"rerank_score": 3.2, "original_search_score": 50})), Some(0.5));
        assert_eq!(score(json!({"rerank_score": 9})), Some(1.0));
        assert_eq!(score(json!({"original_search_score": 0.03})), Some(0.03));
        assert_eq!(score(json!({"score": 0.4})), Some(0.4));
        assert_eq!(score(json!({"score": 7})), None);
        assert_eq!(score(json!({})), None);
    }
}
