//! [Azure OpenAI On Your Data](https://learn.microsoft.com/azure/ai-services/openai/references/on-your-data), whole
//! responses: citations in `choices[0].message.context`. Also what
//! [its sample app](https://github.com/microsoft/sample-app-aoai-chatGPT) makes of them, `choices[0].messages`, and what that app
//! reads from Prompt Flow, `reply` with `documents`.

use serde::Deserialize;
use serde_json::Value;

use super::azure_document::{AppMessages, Citations, Context, Documents, merge_scores};
use super::azure_events::AzureEvents;
use super::azure_scores::AzureScores;
use super::chat::{CHAT_MEMBERS, first_choice};
use super::chat::{ChatKind, finish_reason};
use super::format::{Format, Members};
use super::json;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::AzureOnYourData,
    sign: "`context`",
    members: &[CHAT_MEMBERS, &["apim-request-id", "documents", "history_metadata", "reply"]],
    is_whole: |members| ChatKind::AzureOnYourData.is_whole(members) || is_reply(members),
    is_event: |members| ChatKind::of(members) == Some(ChatKind::AzureOnYourData),
    parse: |body| parse(body, &AzureScores::default()),
    reader: || Box::new(AzureEvents::default()),
};

#[derive(Deserialize)]
struct Response {
    choices: Option<Vec<Choice>>,
    reply: Option<String>,
    #[serde(default)]
    documents: Citations,
}

#[derive(Deserialize)]
struct Choice {
    message: Option<WireMessage>,
    messages: Option<AppMessages>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct WireMessage {
    content: Option<String>,
    context: Option<Context>,
}

/// Whether an answer is one of Prompt Flow, by the default names of its outputs.
fn is_reply(members: &Members) -> bool {
    let documents = members.get("documents");
    members.get("reply").is_some_and(Value::is_string)
        && documents.is_some_and(|documents| documents.is_array() || documents["citations"].is_array())
}

/// Reads a whole response.
pub(super) fn parse(body: &str, scores: &AzureScores) -> Result<Answer, IngestError> {
    let Response { choices, reply, documents } = json::read(body)?;
    let mut warnings = Vec::new();
    if let (None, Some(text)) = (&choices, reply) {
        return Ok(answer(text, documents.under("/documents"), scores, warnings));
    }
    let choice = first_choice(choices)?;
    let (content, context, pointer) = match (choice.message, choice.messages) {
        (None, Some(messages)) => {
            let (text, context) = messages.into_parts();
            (text, context, "/choices/0")
        }
        (message, _) => {
            let missing = || IngestError::member("/choices/0/message", "missing; the answer is required");
            let WireMessage { content, context } = message.ok_or_else(missing)?;
            (content, context.unwrap_or_default(), "/choices/0/message/context")
        }
    };
    let text = content.ok_or_else(|| {
        IngestError::member("/choices/0/message/content", "missing; the text of the answer is required")
    })?;
    let (mut cited, retrieved) = context.into_documents(pointer, &mut warnings);
    if cited.is_empty() {
        // Without citations, the retrieved documents are the sources.
        cited = retrieved;
    } else {
        let documents = cited.iter_mut().map(|(_, document)| document);
        merge_scores(documents, retrieved.iter().map(|(_, document)| document), scores);
    }
    if let Some(reason) = choice.finish_reason {
        warnings.extend(finish_reason(&reason, "/choices/0/finish_reason".to_owned()));
    }
    Ok(answer(text, cited, scores, warnings))
}

fn answer(text: String, cited: Documents, scores: &AzureScores, mut warnings: Vec<Entry>) -> Answer {
    let sources = cited.into_iter().map(|(pointer, document)| document.into_source(pointer, scores, &mut warnings));
    let sources = sources.collect();
    Answer { text, sources, grammar: MarkerGrammar::AZURE_ON_YOUR_DATA, complete: true, warnings, ..Answer::default() }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(body: &str) -> Result<Answer, IngestError> {
        parse(body, &AzureScores::default())
    }

    fn response(context: &Value) -> String {
        json!({"choices": [{"message": {"content": "x [doc1]", "context": context}}]}).to_string()
    }

    fn answer(context: &Value) -> Answer {
        read(&response(context)).expect("an answer")
    }

    fn scores(context: &Value) -> Vec<Option<f64>> {
        answer(context).sources.iter().map(|source| source.score).collect()
    }

    #[test]
    fn citations_stand_in_the_message_or_in_a_delta_and_any_member_may_be_missing() {
        let context = json!({"citations": [
            {"title": "A", "content": "c", "url": "https://x/a", "filepath": "a.pdf", "chunk_id": 0, "metadata": {"dept": "HR"},
             "original_search_score": 50, "rerank_score": null, "filter_reason": null},
            {"title": null, "content": null, "url": null, "filepath": null, "chunk_id": null, "metadata": null, "score": null},
            {}]});
        let delta = json!({"choices": [{"index": 0, "delta": {"content": "x [doc1]", "context": context}}]});
        let streamed = super::super::ingest(format!("data: {delta}\n\n").as_bytes(), None).expect("an answer");
        for found in [answer(&context), streamed] {
            let [full, nulls, empty] = &found.sources[..] else { panic!("{:#?}", found.sources) };
            assert_eq!((full.title.as_deref(), full.content.as_deref()), (Some("A"), Some("c")));
            assert_eq!((full.filepath.as_deref(), full.score), (Some("a.pdf"), Some(0.5)));
            assert_eq!(full.metadata["dept"], "HR");
            for unknown in [nulls, empty] {
                assert_eq!(
                    (&unknown.title, &unknown.url, &unknown.content, unknown.score),
                    (&None, &None, &None, None)
                );
            }
        }
    }

    #[test]
    fn what_was_retrieved_takes_the_place_of_missing_citations() {
        let answer = answer(&json!({"all_retrieved_documents": [{"title": "A"}]}));
        assert_eq!(answer.sources[0].title.as_deref(), Some("A"));
        assert_eq!(answer.sources[0].pointer, "/choices/0/message/context/all_retrieved_documents/0");
    }

    #[test]
    fn scores_come_from_the_retrieved_document_that_matches() {
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
    fn chunks_of_one_document_have_its_last_score_unless_each_finds_its_own() {
        let chunk = |id: u32, score: Option<u32>| json!({"title": "A", "chunk_id": id, "original_search_score": score});
        let context = json!({"citations": [chunk(0, None), chunk(1, None)],
            "all_retrieved_documents": [chunk(0, Some(10)), chunk(1, Some(20)), {"title": "B", "chunk_id": "0", "rerank_score": 1}]});
        assert_eq!(scores(&context), [Some(0.2), Some(0.2)]);
        let exact = AzureScores { exact_match: true, ..AzureScores::default() };
        let delta = json!({"choices": [{"index": 0, "delta": {"content": "x", "context": context}}]});
        let stream = format!("data: {delta}\n\n");
        for body in [response(&context), stream, format!("[{delta}]")] {
            let answer = super::super::ingest_azure_on_your_data(body.as_bytes(), exact).expect("an answer");
            let found: Vec<_> = answer.sources.iter().map(|source| source.score).collect();
            assert_eq!(found, [Some(0.1), Some(0.2)], "{body}");
        }
    }

    #[test]
    fn before_2024_the_citations_stood_in_the_message_of_a_tool() {
        let tool = json!({"citations": [{"title": "A", "chunk_id": 0}, {"title": "B"}], "intent": "[]"});
        let context = json!({"messages": [
            {"role": "tool", "content": tool.to_string(), "end_turn": false}, {"role": "tool", "content": "no JSON"}]});
        let found = answer(&context);
        let titles: Vec<_> = found.sources.iter().filter_map(|source| source.title.as_deref()).collect();
        assert_eq!(titles, ["A", "B"]);
        assert_eq!(found.sources[1].pointer, "/choices/0/message/context/messages/0/content/citations/1");
        assert_eq!(found.warnings[0].code, "tool-message");
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
            (r#"{"choices": [{}]}"#, "/choices/0/message: missing; the answer is required"),
            (
                r#"{"choices": [{"message": {}}]}"#,
                "/choices/0/message/content: missing; the text of the answer is required",
            ),
            (r#"{"choices": 3}"#, "/choices: invalid type: integer `3`, expected a sequence"),
        ] {
            assert_eq!(read(body).expect_err(body).to_string(), message);
        }
    }

    #[test]
    fn a_cut_answer_is_noted() {
        let body = r#"{"choices": [{"message": {"content": "x"}, "finish_reason": "length"}]}"#;
        assert_eq!(read(body).expect("an answer").warnings[0].code, "finish-reason");
    }
}
