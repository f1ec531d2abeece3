//! [Azure OpenAI On Your Data](https://learn.microsoft.com/azure/ai-services/openai/references/on-your-data) as a stream:
//! chunks of a chat completion, with the citations in `choices[0].delta.context`.

use serde::Deserialize;
use serde_json::Value;

use super::IngestError;
use super::azure_document::{AppMessages, Context, Document, merge_scores};
use super::azure_scores::AzureScores;
use super::chat::finish_reason;
use super::event::{Event, ReadEvents, StreamEvent};
use super::json::{self, list};
use crate::answer::{Answer, MarkerGrammar, Source};
use crate::report::{Entry, Kind};

#[derive(Deserialize)]
struct Chunk {
    #[serde(default, deserialize_with = "list")]
    choices: Vec<Choice>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    index: Option<u64>,
    delta: Option<Delta>,
    messages: Option<AppMessages>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<String>,
    context: Option<Context>,
}

/// The chunks of one streamed answer.
#[derive(Debug, Default)]
pub(super) struct AzureEvents {
    scores: AzureScores,
    /// Citations that have not become sources yet, with their pointers.
    citations: Vec<(String, Document)>,
    /// All documents retrieved so far. Citations take their scores from them; without citations they are the sources.
    retrieved: Vec<(String, Document)>,
    known: Known,
    /// Whether the chunks are those of the sample app, which has no end sign.
    is_app: bool,
}

/// Whether the sources come from citations or from retrieved documents.
#[derive(Debug, Default, PartialEq)]
enum Known {
    /// No sources yet.
    #[default]
    Nothing,
    /// The sources come from the citations.
    Citations,
    /// The sources are the retrieved documents, because the text began without citations.
    Retrieved,
}

impl ReadEvents for AzureEvents {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::AZURE_ON_YOUR_DATA
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let chunk: Chunk = json::read(json)?;
        if let Some(error) = chunk.error {
            said.push(StreamEvent::Error(json::provider_error(&error)));
            return Ok(());
        }
        // Only the first choice is the answer (rule N-09). Others come in chunks of their own, or beside it.
        let first = chunk.choices.into_iter().enumerate().find(|(_, choice)| choice.index.unwrap_or_default() == 0);
        let Some((at, Choice { delta, messages, finish_reason: reason, .. })) = first else { return Ok(()) };
        let place = format!("{}/choices/{at}", event.pointer());
        let (content, context) = match (delta, messages) {
            (None, Some(messages)) => {
                self.is_app = true;
                let (text, context) = messages.into_parts();
                (text, Some((context, place.clone())))
            }
            (delta, _) => {
                let Delta { content, context } = delta.unwrap_or_default();
                (content, context.map(|context| (context, format!("{place}/delta/context"))))
            }
        };
        if let Some((context, pointer)) = context {
            let (cited, retrieved) = context.into_documents(&pointer, notes);
            self.citations.extend(cited);
            self.retrieved.extend(retrieved);
        }
        // Some gateways send an empty reason with each chunk until the last.
        let reason = reason.filter(|reason| !reason.is_empty());
        let content = content.filter(|content| !content.is_empty());
        // The context may be spread over chunks, but it comes before the text.
        if content.is_some() || reason.is_some() {
            said.extend(self.sources(notes).map(StreamEvent::Sources));
        }
        said.extend(content.map(StreamEvent::Text));
        if let Some(reason) = reason {
            notes.extend(finish_reason(&reason, format!("{place}/finish_reason")));
            said.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, answer: &mut Answer) {
        // A stream that breaks off may have a context after its last text.
        let sources = self.sources(&mut answer.warnings);
        answer.sources.extend(sources.unwrap_or_default());
        answer.complete |= self.is_app && answer.error.is_none();
    }
}

impl AzureEvents {
    /// Chunks of an answer whose scores are read in this way.
    pub(super) fn new(scores: AzureScores) -> Self {
        Self { scores, ..Self::default() }
    }

    /// The sources added since the last call. Citations that come after the text began on retrieved documents are dropped
    /// with a note.
    fn sources(&mut self, notes: &mut Vec<Entry>) -> Option<Vec<Source>> {
        if self.known == Known::Retrieved {
            for (pointer, _) in self.citations.drain(..) {
                let message = "the text had begun on what was retrieved when this citation came";
                notes.push(Entry::in_input(Kind::Dropped, "late-citation", pointer, message));
            }
            return None;
        }
        let (known, found) = match (&self.known, self.citations.is_empty()) {
            (Known::Nothing, true) => (Known::Retrieved, self.retrieved.clone()),
            _ => (Known::Citations, std::mem::take(&mut self.citations)),
        };
        if found.is_empty() {
            return None;
        }
        let (pointers, mut documents): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        if known == Known::Citations {
            merge_scores(&mut documents, self.retrieved.iter().map(|(_, document)| document), &self.scores);
        }
        self.known = known;
        let named = pointers.into_iter().zip(documents);
        Some(named.map(|(pointer, document)| document.into_source(pointer, &self.scores, notes)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::ingest;

    #[test]
    fn in_a_stream_what_was_retrieved_takes_the_place_of_missing_citations() {
        let chunk = |delta: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
        let other =
            "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\n\ndata: {\"choices\":[]}\n\n";
        let context = |members: &str| chunk(&format!("{{\"role\":\"assistant\",\"context\":{{{members}}}}}"));
        let text = chunk("{\"content\":\"x [doc1]\"}");
        let titles = |body: &str| -> (String, Vec<String>) {
            let answer = ingest(body.as_bytes(), None).expect("an answer");
            (answer.text, answer.sources.into_iter().filter_map(|source| source.title).collect())
        };
        let expect = |names: &[&str]| ("x [doc1]".to_owned(), names.iter().map(|name| (*name).to_owned()).collect());
        let cited = "\"citations\":[{\"title\":\"A\"},{\"title\":\"B\"}]";
        let retrieved =
            "\"all_retrieved_documents\":[{\"title\":\"C\"},{\"title\":\"A\",\"original_search_score\":50}]";
        let both = format!("{}{other}{text}", context(&format!("{cited},{retrieved}")));
        assert_eq!(titles(&both), expect(&["A", "B"]));
        assert_eq!(ingest(both.as_bytes(), None).expect("an answer").sources[0].score, Some(0.5));
        assert_eq!(titles(&format!("{}{text}", context(retrieved))), expect(&["C", "A"]));
        assert_eq!(titles(&format!("{}{}{text}", context(retrieved), context(cited))), expect(&["A", "B"]));
        assert_eq!(titles(&format!("{text}{}", context(cited))), expect(&["A", "B"]));
        assert_eq!(titles(&format!("{}{text}{}", context(retrieved), context(cited))), expect(&["C", "A"]));
    }
}
