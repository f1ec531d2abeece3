//! AssistantHub: the answer with the `citations` object beside it (`docs/guides/assistanthub.md`).

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::chat_completion::{Completion, finish_reason, message_choices};
use super::download_links::DownloadLinks;
use super::hub_citations::HubCitations;
use super::numbered::Numbered;
use crate::answer::Answer;

/// Options of [`assistanthub`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssistantHubOptions {
    /// The download addresses of the sources.
    pub links: DownloadLinks,
    /// Whether encrypted documents lose their excerpts.
    pub withhold_encrypted: bool,
}

/// An answer for clients of AssistantHub. It serializes to a whole completion without the members that only the sender
/// knows: `id`, `created` and `model`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantHub {
    /// The text, in which `[n]` is the n-th source.
    pub content: String,
    /// The sources; `None` if the answer has none (rule AH-02), or broke off before it cited one.
    pub citations: Option<HubCitations>,
    /// Whether the provider gave its own sign that the answer is whole.
    complete: bool,
}

/// Writes an answer for AssistantHub. Each source keeps its place in the provider's list. A bibliography at the end that
/// repeats the sources is removed, and its numbers are not counted as citations (rule AH-04). All other text stays,
/// including numbers without a source.
#[must_use]
pub fn assistanthub(answer: &Answer, options: &AssistantHubOptions) -> AssistantHub {
    let numbered = Numbered::without_bibliography(answer);
    let citations = HubCitations::of(&numbered, &options.links, options.withhold_encrypted);
    AssistantHub { content: numbered.cited.text, citations, complete: answer.complete }
}

impl AssistantHub {
    /// The answer as a whole completion with `citations` beside its choices. The caller adds `usage` and `retrieval`.
    #[must_use]
    pub fn whole(&self, completion: &Completion) -> Map<String, Value> {
        self.cited(completion.whole(&self.content, self.complete))
    }

    /// The last chunk of a stream, the only one with `citations`. The caller adds `usage` and `retrieval`, and ends the
    /// stream with `[DONE]`. `None` for an answer without the provider's end sign (rule AH-06).
    #[must_use]
    pub fn finish_chunk(&self, completion: &Completion) -> Option<Map<String, Value>> {
        let choices = json!([{"index": 0, "delta": {}, "finish_reason": finish_reason(true)}]);
        self.complete.then(|| self.cited(completion.chunk(choices)))
    }

    fn cited(&self, mut members: Map<String, Value>) -> Map<String, Value> {
        if let Some(citations) = &self.citations {
            members.insert("citations".into(), json!(citations));
        }
        members
    }
}

impl Serialize for AssistantHub {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = Map::new();
        members.insert("object".into(), "chat.completion".into());
        members.insert("choices".into(), message_choices(&self.content, self.complete));
        self.cited(members).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{MarkerGrammar, Source, SourceIndex};

    fn answer(text: &str) -> Answer {
        let source = |id: &str, score: f64| Source {
            id: Some(id.into()),
            title: Some(format!("{id}.pdf")),
            content: Some("p".into()),
            score: Some(score),
            ..Source::default()
        };
        let sources = vec![source("a", 0.5), source("b", 0.7), source("a", 0.9), source("b", 0.7)];
        Answer {
            text: text.into(),
            sources,
            grammar: MarkerGrammar::ASSISTANT_HUB,
            complete: true,
            ..Answer::default()
        }
    }

    fn written(answer: &Answer) -> Value {
        json!(assistanthub(answer, &AssistantHubOptions::default()))
    }

    fn referenced(text: &str) -> (Value, Option<Value>) {
        let citations = written(&answer(text))["citations"].clone();
        (citations["referenced_indices"].clone(), citations.get("auto_populated").cloned())
    }

    fn content(text: &str) -> String {
        assistanthub(&answer(text), &AssistantHubOptions::default()).content
    }

    #[test]
    fn without_sources_there_is_no_member() {
        let bare = Answer { sources: Vec::new(), ..answer("x [1]") };
        assert_eq!(written(&bare).get("citations"), None);
    }

    #[test]
    fn what_is_unknown_is_left_out_and_the_rest_has_its_type() {
        let mut given = answer("x [1]");
        given.sources.truncate(1);
        let entry = json!({"index": 1, "document_id": "a", "document_name": "a.pdf", "score": 0.5, "excerpt": "p"});
        assert_eq!(written(&given)["citations"]["sources"], json!([entry]));
        given.sources[0].media_type = Some("application/pdf".into());
        given.sources[0].metadata = [("rerank_score".to_owned(), json!(7.5))].into_iter().collect();
        given.sources[0].url = "https://x/a.pdf".parse().ok();
        let full = json!({"index": 1, "document_id": "a", "document_name": "a.pdf", "content_type": "application/pdf",
            "score": 0.5, "rerank_score": 7.5, "excerpt": "p", "download_url": "https://x/a.pdf"});
        assert_eq!(written(&given)["citations"]["sources"], json!([full]));
        given.sources[0] = Source::default();
        let bare =
            json!({"index": 1, "document_id": "1", "document_name": "Unknown Document", "score": 0.0, "excerpt": ""});
        assert_eq!(written(&given)["citations"]["sources"], json!([bare]));
    }

    #[test]
    fn all_chunks_are_sources_of_their_own_cited_or_not() {
        let sources = written(&answer("x [2]"))["citations"]["sources"].clone();
        let indices: Vec<_> = sources.as_array().into_iter().flatten().map(|source| source["index"].clone()).collect();
        assert_eq!(indices, [1, 2, 3, 4]);
    }

    #[test]
    fn numbers_and_lists_of_them_are_references() {
        assert_eq!(referenced("x [1, 3] [2](y) [a] `[4]`"), (json!([1, 2, 3]), None));
        assert_eq!(content("x [1, 3]"), "x [1][3]");
    }

    #[test]
    fn indices_are_unique_ascending_and_in_range_and_the_text_stays() {
        let text = "x [3] [1][3] [9] [0]";
        assert_eq!(referenced(text), (json!([1, 3]), None));
        assert_eq!(content(text), text);
    }

    #[test]
    fn a_list_of_references_at_the_end_is_removed_and_not_counted() {
        for list in ["[1] a.pdf\n[2] b.pdf", "References:\n[1] a.pdf\n[2] b.pdf", "## Sources\n\n- [1] A\n- [2] B"] {
            let text = format!("x [3].\n\n{list}\n");
            assert_eq!(content(&text), "x [3].", "{list:?}");
            assert_eq!(referenced(&text), (json!([3]), None), "{list:?}");
        }
    }

    #[test]
    fn where_nothing_is_cited_each_document_has_its_best_chunk() {
        assert_eq!(referenced("x"), (json!([2, 3]), Some(json!(true))));
        assert_eq!(referenced("x [9]"), (json!([2, 3]), Some(json!(true))));
        let told = Answer { shown: Some([3, 0, 9, 3].map(SourceIndex).into()), ..answer("x") };
        assert_eq!(written(&told)["citations"]["referenced_indices"], json!([1, 4]));
    }

    #[test]
    fn an_empty_answer_refers_to_nothing() {
        assert_eq!(referenced(" \n"), (json!([]), None));
    }

    #[test]
    fn a_whole_response_has_the_citations_beside_its_choices() {
        let completion = Completion { id: "c".into(), created: 7, model: "m".into() };
        let whole = assistanthub(&answer("x [2]"), &AssistantHubOptions::default()).whole(&completion);
        let names: Vec<&str> = whole.keys().map(String::as_str).collect();
        assert_eq!(names.len(), 6);
        assert_eq!((&whole["object"], &whole["created"]), (&json!("chat.completion"), &json!(7)));
        assert_eq!(whole["choices"][0]["message"]["content"], "x [2]");
        assert_eq!(whole["citations"]["referenced_indices"], json!([2]));
    }

    #[test]
    fn the_last_chunk_has_the_citations_unless_the_answer_was_cut() {
        let completion = Completion { id: "c".into(), created: 7, model: "m".into() };
        let options = AssistantHubOptions::default();
        let chunk = assistanthub(&answer("x [2]"), &options).finish_chunk(&completion).expect("an end");
        assert_eq!(chunk["object"], "chat.completion.chunk");
        assert_eq!(chunk["choices"], json!([{"index": 0, "delta": {}, "finish_reason": "stop"}]));
        assert_eq!(chunk["citations"]["referenced_indices"], json!([2]));
        let cut = Answer { complete: false, ..answer("x [2]") };
        assert_eq!(assistanthub(&cut, &options).finish_chunk(&completion), None);
        assert_eq!(written(&cut)["choices"][0]["finish_reason"], Value::Null);
    }
}
