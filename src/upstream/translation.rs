//! Converts the text of a model into a stream in citewire's own format that begins with the passages.

use bytes::Bytes;
use serde_json::{Value, json};

use super::manifest;
use crate::answer::{Answer, ProviderError, Source, TokenCounts};
use crate::ingest::{AnswerFormat, AnswerStream, IngestError, StreamEvent};
use crate::sse;

/// How a model cites its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cites {
    /// It writes the numbers of passages into its text.
    ByNumbers,
    /// It names the places of documents beside its text; the numbers are written for it.
    Documents,
}

/// What keeps a marker apart from a neighbour that would change its meaning.
const APART: char = '\u{200b}';

/// Converts the body of a model's answer into events of citewire's own format.
#[derive(Debug)]
pub(super) struct Translation {
    stream: AnswerStream,
    cites: Cites,
    given: usize,
    /// Which of the given documents the sources of the answer are, by the places of these, from 0.
    documents: Vec<Option<usize>>,
    /// The model's text as far as it was handed out or held back.
    text: String,
    /// Blanks at the end of the text, behind the place where a marker would go.
    blanks: String,
    /// The last character of the model that was handed out.
    last: Option<char>,
    /// Whether a marker that was written for the model was handed out last.
    behind_marker: bool,
    /// Whether there is text since the last marker that was written for the model.
    uncited: bool,
    /// What was handed out of the tokens that the answer took.
    told: TokenCounts,
    /// Whether the model's own sign of the end has come.
    done: bool,
    /// Whether nothing can follow.
    ended: bool,
}

impl Translation {
    /// Of an answer in the given format; `given` are the sources that the model can cite. The first event is ready at once.
    pub(super) fn new(from: impl Into<AnswerFormat>, cites: Cites, given: &[Source]) -> (Self, Bytes) {
        let sources: Vec<Value> = given.iter().map(manifest::source).collect();
        let translation = Self {
            stream: AnswerStream::new(from),
            cites,
            given: given.len(),
            documents: Vec::new(),
            text: String::new(),
            blanks: String::new(),
            last: None,
            behind_marker: false,
            uncited: false,
            told: TokenCounts::default(),
            done: false,
            ended: false,
        };
        let mut first = Events::default();
        first.push(&json!({ "sources": sources }));
        (translation, first.bytes())
    }

    /// Whether the model has said that its answer is whole.
    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Whether nothing can follow.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// What the next bytes say.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Bytes {
        let mut events = Events::default();
        if self.ended {
            return events.bytes();
        }
        match self.stream.push(bytes) {
            Ok(said) => {
                said.into_iter().for_each(|event| self.say(event, &mut events));
                self.count(self.stream.token_counts(), &mut events);
            }
            Err(error) => self.fail(&error, &mut events),
        }
        events.bytes()
    }

    /// What is known only when all bytes have arrived.
    pub(super) fn finish(&mut self) -> Bytes {
        let mut events = Events::default();
        if !self.ended {
            match std::mem::take(&mut self.stream).finish_counting() {
                Ok(answer) => self.rest(answer, &mut events),
                // What was done is done; else there was nothing.
                Err(_) if self.done => {}
                Err(error) => self.fail(&error, &mut events),
            }
            self.ended = true;
        }
        events.bytes()
    }

    /// Hands on what the provider says of tokens, when it says something new.
    fn count(&mut self, counts: TokenCounts, events: &mut Events) {
        if counts != std::mem::replace(&mut self.told, counts) {
            let TokenCounts { prompt, completion, total, .. } = counts;
            let counts = json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total});
            events.push(&json!({ "usage": counts }));
        }
    }

    fn say(&mut self, event: StreamEvent, events: &mut Events) {
        match event {
            StreamEvent::Text(text) => self.say_text(&text, events),
            StreamEvent::Sources(sources) => self.documents.extend(sources.iter().map(document)),
            StreamEvent::Cited(cited) => {
                let cited = cited.iter().filter_map(|source| *self.documents.get(source.0)?).collect();
                self.cite(cited, events);
            }
            StreamEvent::Error(error) => {
                self.say_blanks(events);
                events.push(&json!({ "error": error }));
                self.ended = true;
            }
            StreamEvent::Done if !self.done => {
                self.say_blanks(events);
                events.push(&json!({ "done": true }));
                self.done = true;
            }
            // Places of a provider's own citations, labels and the like are none of what the model was given.
            StreamEvent::Done | StreamEvent::Late | StreamEvent::Label(_) | StreamEvent::Interpreter(_) => {}
        }
    }

    fn say_text(&mut self, text: &str, events: &mut Events) {
        self.text.push_str(text);
        if self.cites == Cites::ByNumbers {
            events.delta(text);
            return;
        }
        let words = text.trim_end();
        if words.is_empty() {
            self.blanks.push_str(text);
            return;
        }
        let mut said = std::mem::take(&mut self.blanks);
        // Behind a marker that was written for the model, these would make it something else.
        if self.behind_marker && said.is_empty() && words.starts_with(['(', '[', ':']) {
            said.push(APART);
        }
        said.push_str(words);
        self.blanks = text[words.len()..].to_owned();
        self.last = words.chars().last();
        (self.behind_marker, self.uncited) = (false, true);
        events.delta(&said);
    }

    fn say_blanks(&mut self, events: &mut Events) {
        events.delta(&std::mem::take(&mut self.blanks));
    }

    /// Writes the numbers of documents behind the last word.
    fn cite(&mut self, cited: Vec<usize>, events: &mut Events) {
        let numbers: String =
            cited.into_iter().filter(|place| *place < self.given).map(|place| format!("[{}]", place + 1)).collect();
        if self.cites == Cites::ByNumbers || numbers.is_empty() || !self.uncited {
            return;
        }
        let apart = self.last.is_some_and(|last| matches!(last, '!' | ']' | '\\'));
        let apart = if apart { APART.to_string() } else { String::new() };
        events.delta(&(apart + &numbers));
        (self.behind_marker, self.uncited) = (true, false);
    }

    /// What a whole answer says, or the last events of a stream that ended without a blank line.
    fn rest(&mut self, answer: Answer, events: &mut Events) {
        let Answer { text, sources, citations, complete, error, token_counts, .. } = answer;
        self.count(token_counts, events);
        if self.documents.is_empty() {
            self.documents = sources.iter().map(document).collect();
        }
        if let Some(rest) = text.strip_prefix(self.text.as_str()).map(str::to_owned) {
            let mut from = text.len() - rest.len();
            // Places that have not been handed out, in their order.
            let mut places: Vec<_> = citations.iter().filter(|citation| citation.span.end() > from).collect();
            places.sort_by_key(|citation| citation.span.end());
            for citation in places {
                let end = citation.span.end();
                self.say_text(&text[from..end], events);
                let cited = citation.sources.iter().filter_map(|source| *self.documents.get(source.0)?).collect();
                self.cite(cited, events);
                from = end;
            }
            if from < text.len() {
                self.say_text(&text[from..], events);
            }
        }
        self.say_blanks(events);
        if let Some(error) = error {
            self.say(StreamEvent::Error(error), events);
        } else if complete {
            self.say(StreamEvent::Done, events);
        }
    }

    /// The answer cannot be read any further.
    fn fail(&mut self, error: &IngestError, events: &mut Events) {
        let (code, message) = (Some("unreadable".to_owned()), Some(error.to_string()));
        let unreadable = ProviderError { code, message, ..ProviderError::default() };
        self.say(StreamEvent::Error(unreadable), events);
    }
}

/// Which document of the request a source is, from 0.
fn document(source: &Source) -> Option<usize> {
    source.id.as_ref()?.parse().ok()
}

/// Server-sent events.
#[derive(Default)]
struct Events(Vec<u8>);

impl Events {
    fn push(&mut self, event: &Value) {
        self.0.extend_from_slice(&sse::event(event));
    }

    fn delta(&mut self, text: &str) {
        if !text.is_empty() {
            self.push(&json!({ "delta": text }));
        }
    }

    fn bytes(self) -> Bytes {
        self.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{Provider, ingest};

    fn given(count: usize) -> Vec<Source> {
        (1..=count).map(|n| Source { title: Some(format!("S{n}")), ..Source::default() }).collect()
    }

    /// What becomes of pieces; all events, and the answer that they are.
    fn translated(from: Provider, cites: Cites, pieces: &[&str]) -> (Vec<Value>, Answer) {
        let (mut translation, mut body) = {
            let (translation, first) = Translation::new(Some(from), cites, &given(3));
            (translation, first.to_vec())
        };
        for piece in pieces {
            body.extend_from_slice(&translation.push(piece.as_bytes()));
        }
        body.extend_from_slice(&translation.finish());
        let text = String::from_utf8(body.clone()).expect("UTF-8");
        let events = text.split_terminator("\n\n").map(|event| event.strip_prefix("data: ").expect("an event"));
        let events = events.map(|event| serde_json::from_str(event).expect("JSON")).skip(1).collect();
        (events, ingest(&body, Some(Provider::Native)).unwrap_or_default())
    }

    fn chunk(text: &str) -> String {
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
    }

    const STOP: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

    fn chat(pieces: &[&str]) -> (Vec<Value>, Answer) {
        translated(Provider::OpenAiChat, Cites::ByNumbers, pieces)
    }

    #[test]
    fn text_goes_on_as_it_comes() {
        let (events, answer) = chat(&[&chunk("Leave is "), &chunk("30 days [1]."), STOP, "data: [DONE]\n\n"]);
        assert_eq!(events, [json!({"delta": "Leave is "}), json!({"delta": "30 days [1]."}), json!({"done": true})]);
        assert_eq!((answer.sources.len(), answer.complete), (3, true));
    }

    #[test]
    fn an_answer_that_breaks_off_stays_incomplete() {
        let (events, answer) = chat(&[&chunk("Leave is ")]);
        assert_eq!((events.len(), answer.complete, answer.text.as_str()), (1, false, "Leave is "));
        let error = "data: {\"error\":{\"code\":429,\"type\":\"rate\",\"message\":\"slow down\"}}\n\n";
        let (events, answer) = chat(&[&chunk("Leave"), error, &chunk(" is")]);
        assert_eq!(events[1..], [json!({"error": {"code": "429", "type": "rate", "message": "slow down"}})]);
        assert_eq!((answer.complete, answer.text.as_str()), (false, "Leave"));
    }

    #[test]
    fn an_answer_that_comes_at_once_is_one_delta() {
        let whole = json!({"choices": [{"message": {"content": "Leave is 30 days [1]."}, "finish_reason": "stop"}]})
            .to_string();
        let (events, _) = chat(&[&whole[..20], &whole[20..]]);
        assert_eq!(events, [json!({"delta": "Leave is 30 days [1]."}), json!({"done": true})]);
    }

    #[test]
    fn the_last_event_may_lack_its_blank_line() {
        let (events, answer) = chat(&[&chunk("a"), chunk("b").trim_end()]);
        assert_eq!(events, [json!({"delta": "a"}), json!({"delta": "b"})]);
        assert!(!answer.complete);
    }

    #[test]
    fn what_cannot_be_read_is_an_error_and_keeps_what_came_before() {
        let (events, answer) =
            chat(&[&chunk("a"), "data: {\"choices\":[{\"delta\":{\"content\":5}}]}\n\n", &chunk("b")]);
        assert_eq!((events.len(), events[1]["error"]["code"].as_str()), (2, Some("unreadable")));
        assert_eq!((answer.complete, answer.text.as_str()), (false, "a"));
        let (events, _) = chat(&["<html>no</html>"]);
        assert_eq!((events.len(), events[0]["error"]["code"].as_str()), (1, Some("unreadable")));
    }

    fn block(text: &str, documents: &[usize]) -> String {
        let mut events = vec![json!({"type": "content_block_start", "content_block": {"type": "text", "text": ""}})];
        events.extend(documents.iter().map(|at| {
            let citation =
                json!({"type": "char_location", "document_index": at, "document_title": "S", "cited_text": "x"});
            json!({"type": "content_block_delta", "delta": {"type": "citations_delta", "citation": citation}})
        }));
        events.push(json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}));
        events.push(json!({"type": "content_block_stop"}));
        events.iter().map(|event| format!("data: {event}\n\n")).collect()
    }

    #[test]
    fn documents_are_cited_behind_the_last_word_of_a_block() {
        let stop = "data: {\"type\":\"message_stop\"}\n\n";
        let blocks = [
            block("Leave is 30 days. ", &[1]),
            block("(Ask early!)", &[]),
            block(" Now! ", &[0, 2, 7]),
            block("(x)", &[]),
        ];
        let pieces: Vec<&str> = blocks.iter().map(String::as_str).chain([stop]).collect();
        let (_, answer) = translated(Provider::Anthropic, Cites::Documents, &pieces);
        assert_eq!(answer.text, "Leave is 30 days.[2] (Ask early!) Now!\u{200b}[1][3] (x)");
        assert!(answer.complete);
        let (_, answer) = translated(Provider::Anthropic, Cites::Documents, &[&block("a", &[0]), &block("(b)", &[0])]);
        assert_eq!(answer.text, "a[1]\u{200b}(b)[1]");
    }

    #[test]
    fn a_whole_answer_cites_the_same_documents() {
        let cited = |at: usize| json!([{"type": "char_location", "document_index": at, "cited_text": "x"}]);
        let whole = json!({"type": "message", "stop_reason": "end_turn", "content": [
            {"type": "text", "text": "Leave is 30 days. ", "citations": cited(1)}, {"type": "text", "text": "Ask. "},
            {"type": "text", "text": "Now.", "citations": cited(0)}]});
        let (_, answer) = translated(Provider::Anthropic, Cites::Documents, &[&whole.to_string()]);
        assert_eq!(answer.text, "Leave is 30 days.[2] Ask. Now.[1]");
    }
}
