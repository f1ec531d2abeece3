//! Azure OpenAI On Your Data, whole responses: citations in `choices[0].message.context` (rules S0-01 to S0-33).

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::azure_events::AzureEvents;
use super::chat::{ChatKind, finish_reason};
use super::format::Format;
use super::json::{self, filled, list, text_or_number};
use super::native::web_url;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source};
use crate::report::{Entry, Kind};

pub(super) const FORMAT: Format = Format {
    provider: Provider::AzureOnYourData,
    slug: "azure-oyd",
    sign: "`context`",
    is_whole: |members| ChatKind::AzureOnYourData.is_whole(members),
    is_event: |members| ChatKind::of(members) == Some(ChatKind::AzureOnYourData),
    parse,
    reader: || Box::new(AzureEvents::default()),
};

#[derive(Deserialize)]
struct Response {
    choices: Option<Vec<Choice>>,
}

#[derive(Deserialize)]
struct Choice {
    message: Option<WireMessage>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct WireMessage {
    content: Option<String>,
    context: Option<Context>,
}

/// What the service found. Before API version 2024-02-15-preview it stood as JSON in the content of a tool's message.
#[derive(Default, Deserialize)]
pub(super) struct Context {
    #[serde(default, deserialize_with = "list")]
    pub(super) citations: Vec<Document>,
    #[serde(default, deserialize_with = "list")]
    pub(super) all_retrieved_documents: Vec<Document>,
    #[serde(default, deserialize_with = "list")]
    messages: Vec<ToolMessage>,
}

#[derive(Deserialize)]
struct ToolMessage {
    content: Option<String>,
}

/// Documents with their JSON pointers.
pub(super) type Documents = Vec<(String, Document)>;

impl Context {
    /// What is cited, and what was retrieved; `pointer` leads to the context.
    pub(super) fn into_documents(self, pointer: &str, oddities: &mut Vec<Entry>) -> (Documents, Documents) {
        let named = |list: &str, documents: Vec<Document>| -> Documents {
            let pointer = |at| format!("{pointer}/{list}/{at}");
            documents.into_iter().enumerate().map(|(at, document)| (pointer(at), document)).collect()
        };
        let mut cited = named("citations", self.citations);
        let mut retrieved = named("all_retrieved_documents", self.all_retrieved_documents);
        for (at, message) in self.messages.into_iter().enumerate() {
            let Some(content) = filled(message.content) else { continue };
            let pointer = format!("{pointer}/messages/{at}/content");
            match json::read::<Self>(&content) {
                Ok(inner) => {
                    let here = |document| (pointer.clone(), document);
                    cited.extend(inner.citations.into_iter().map(here));
                    retrieved.extend(inner.all_retrieved_documents.into_iter().map(here));
                }
                // Other tools write something else, or nothing that is JSON.
                Err(error) => {
                    let message = format!("the message of the tool holds no citations: {error}");
                    oddities.push(Entry::in_input(Kind::Note, "tool-message", pointer, message));
                }
            }
        }
        (cited, retrieved)
    }
}

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

pub(super) fn parse(body: &str) -> Result<Answer, IngestError> {
    let response: Response = json::read(body)?;
    let choice = response
        .choices
        .ok_or_else(|| IngestError::member("/choices", "missing; the answer of the model is wanted"))?
        .into_iter()
        .next()
        .ok_or_else(|| IngestError::member("/choices", "empty; the first choice is the answer"))?;
    let message =
        choice.message.ok_or_else(|| IngestError::member("/choices/0/message", "missing; the answer is wanted"))?;
    let text = message.content.ok_or_else(|| {
        IngestError::member("/choices/0/message/content", "missing; the text of the answer is wanted")
    })?;
    let mut oddities = Vec::new();
    let context = message.context.unwrap_or_default();
    let (mut cited, retrieved) = context.into_documents("/choices/0/message/context", &mut oddities);
    if cited.is_empty() {
        // Rule S0-03: without citations, what was retrieved takes their place.
        cited = retrieved;
    } else {
        let documents = cited.iter_mut().map(|(_, document)| document);
        merge_scores(documents, retrieved.iter().map(|(_, document)| document));
    }
    if let Some(reason) = choice.finish_reason {
        oddities.extend(finish_reason(&reason, "/choices/0/finish_reason".to_owned()));
    }
    let sources = cited.into_iter().map(|(pointer, document)| document.into_source(pointer, &mut oddities)).collect();
    Ok(Answer {
        text,
        sources,
        grammar: MarkerGrammar::AZURE_ON_YOUR_DATA,
        complete: true,
        oddities,
        ..Answer::default()
    })
}

impl Document {
    pub(super) fn into_source(self, pointer: String, oddities: &mut Vec<Entry>) -> Source {
        let score = ScoreScale::default().score(&self);
        let (url, path_in_url) = web_url(self.url, || format!("{pointer}/url"), oddities);
        Source {
            title: filled(self.title),
            url,
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

    fn answer(context: &Value) -> Answer {
        parse(&json!({"choices": [{"message": {"content": "x [doc1]", "context": context}}]}).to_string())
            .expect("an answer")
    }

    fn scores(context: &Value) -> Vec<Option<f64>> {
        answer(context).sources.iter().map(|source| source.score).collect()
    }

    #[test]
    fn s0_03_what_was_retrieved_takes_the_place_of_missing_citations() {
        let answer = answer(&json!({"all_retrieved_documents": [{"title": "A"}]}));
        assert_eq!(answer.sources[0].title.as_deref(), Some("A"));
        assert_eq!(answer.sources[0].pointer, "/choices/0/message/context/all_retrieved_documents/0");
    }

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

    #[test]
    fn s0_30_to_33_scores_come_from_the_retrieved_document_that_matches() {
        let found = scores(&json!({
            "citations": [{"title": "A"}, {"filepath": "b"}, {"chunk_id": 3}, {"content": "same start"}, {"title": "Z"}],
            "all_retrieved_documents": [
                {"title": "A", "original_search_score": 10},
                {"title": "A", "original_search_score": 20},
                {"title": "A"},
                {"filepath": "b", "original_search_score": 30},
                {"chunk_id": "3", "original_search_score": 40},
                {"content": "same start", "original_search_score": 50},
            ],
        }));
        assert_eq!(found, [Some(0.2), Some(0.3), Some(0.4), Some(0.5), None]);
    }

    #[test]
    fn before_2024_the_citations_stood_in_the_message_of_a_tool() {
        let tool = json!({"citations": [{"title": "A", "chunk_id": 0}, {"title": "B"}], "intent": "[]"});
        let context = json!({"messages": [
            {"role": "tool", "content": tool.to_string(), "end_turn": false}, {"role": "tool", "content": "no JSON"}]});
        let found = answer(&context);
        let titles: Vec<_> = found.sources.iter().filter_map(|source| source.title.as_deref()).collect();
        assert_eq!(titles, ["A", "B"]);
        assert_eq!(found.sources[1].pointer, "/choices/0/message/context/messages/0/content");
        assert_eq!(found.oddities[0].code, "tool-message");
        let delta = json!({"choices": [{"index": 0, "delta": {"role": "assistant", "context": context}}]});
        let text = json!({"choices": [{"index": 0, "delta": {"content": "x [doc2]"}}]});
        let body = format!("data: {delta}\n\ndata: {text}\n\n");
        let streamed = super::super::ingest(body.as_bytes(), None).expect("an answer");
        assert_eq!((streamed.sources.len(), streamed.sources[1].title.as_deref()), (2, Some("B")));
    }

    #[test]
    fn an_unusable_response_names_what_is_missing() {
        for (body, message) in [
            (r#"{"choices": []}"#, "/choices: empty; the first choice is the answer"),
            (r#"{"choices": [{}]}"#, "/choices/0/message: missing; the answer is wanted"),
            (
                r#"{"choices": [{"message": {}}]}"#,
                "/choices/0/message/content: missing; the text of the answer is wanted",
            ),
            (r#"{"choices": 3}"#, "/choices: invalid type: integer `3`, expected a sequence"),
        ] {
            assert_eq!(parse(body).expect_err(body).to_string(), message);
        }
    }

    #[test]
    fn a_cut_answer_is_noted() {
        let body = r#"{"choices": [{"message": {"content": "x"}, "finish_reason": "length"}]}"#;
        assert_eq!(parse(body).expect("an answer").oddities[0].code, "finish-reason");
    }
}
