//! Converts the events of a model into the events of an answer whose numbers name the passages that the model was given.

use super::numbered::sources_event;
use crate::answer::{Answer, ProviderError, Source, TokenCounts};
use crate::answer_events::AnswerPart;
use crate::ingest::{AnswerFormat, AnswerStream, IngestError, StreamEvent};

/// How a model cites its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cites {
    /// It writes the numbers of passages into its text.
    ByNumbers,
    /// It names the places of documents beside its text; the numbers are written for it.
    Documents,
}

/// Keeps a marker apart from a neighbour that would change its meaning.
const APART: char = '\u{200b}';

/// Converts the answer of a model.
#[derive(Debug)]
pub(super) struct Translation {
    stream: AnswerStream,
    cites: Cites,
    given: usize,
    /// The given documents that are the sources of the answer, by the places of these, from 0.
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
    /// Whether the model's own sign of the end has come.
    done: bool,
    /// Whether nothing can follow.
    ended: bool,
}

impl Translation {
    /// Of an answer in the given format; `given` are the sources that the model can cite. The first part is ready at once.
    pub(super) fn new(from: impl Into<AnswerFormat>, cites: Cites, given: &[Source]) -> (Self, AnswerPart) {
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
            done: false,
            ended: false,
        };
        (translation, sources_event(given).into())
    }

    /// Whether the model has said that its answer is whole.
    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// Whether nothing can follow.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The part that the next bytes make.
    pub(super) fn push(&mut self, bytes: &[u8]) -> AnswerPart {
        let mut events = Vec::new();
        if !self.ended {
            match self.stream.push(bytes) {
                Ok(said) => said.into_iter().for_each(|event| self.say(event, &mut events)),
                Err(error) => self.fail(&error, &mut events),
            }
        }
        AnswerPart::Events { events, token_counts: self.stream.token_counts() }
    }

    /// The part that is known only when all bytes have arrived.
    pub(super) fn finish(&mut self) -> AnswerPart {
        let (mut events, mut token_counts) = (Vec::new(), TokenCounts::default());
        if !self.ended {
            match std::mem::take(&mut self.stream).finish_counting() {
                Ok(answer) => {
                    token_counts = answer.token_counts;
                    self.rest(answer, &mut events);
                }
                // An answer that was whole stays whole; else there was nothing.
                Err(_) if self.done => {}
                Err(error) => self.fail(&error, &mut events),
            }
            self.ended = true;
        }
        AnswerPart::Events { events, token_counts }
    }

    fn say(&mut self, event: StreamEvent, events: &mut Vec<StreamEvent>) {
        match event {
            StreamEvent::Text(text) => self.say_text(&text, events),
            StreamEvent::Sources(sources) => self.documents.extend(sources.iter().map(document)),
            StreamEvent::Cited(cited) => {
                let cited = cited.iter().filter_map(|source| *self.documents.get(source.0)?).collect();
                self.cite(cited, events);
            }
            StreamEvent::Error(error) => {
                self.say_blanks(events);
                events.push(StreamEvent::Error(error));
                self.ended = true;
            }
            StreamEvent::Done if !self.done => {
                self.say_blanks(events);
                events.push(StreamEvent::Done);
                self.done = true;
            }
            // Places of a provider's own citations, labels and the like are none of what the model was given.
            StreamEvent::Done
            | StreamEvent::Late
            | StreamEvent::Label(_)
            | StreamEvent::Interpreter(_)
            | StreamEvent::Code(_)
            | StreamEvent::Note(_) => {}
        }
    }

    fn say_text(&mut self, text: &str, events: &mut Vec<StreamEvent>) {
        self.text.push_str(text);
        if self.cites == Cites::ByNumbers {
            push_text(text, events);
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
        push_text(&said, events);
    }

    fn say_blanks(&mut self, events: &mut Vec<StreamEvent>) {
        push_text(&std::mem::take(&mut self.blanks), events);
    }

    /// Writes the numbers of documents behind the last word.
    fn cite(&mut self, cited: Vec<usize>, events: &mut Vec<StreamEvent>) {
        let numbers: String =
            cited.into_iter().filter(|place| *place < self.given).map(|place| format!("[{}]", place + 1)).collect();
        if self.cites == Cites::ByNumbers || numbers.is_empty() || !self.uncited {
            return;
        }
        let apart = self.last.is_some_and(|last| matches!(last, '!' | ']' | '\\'));
        let apart = if apart { APART.to_string() } else { String::new() };
        push_text(&(apart + &numbers), events);
        (self.behind_marker, self.uncited) = (true, false);
    }

    /// Hands on a whole answer, or the last events of a stream that ended without a blank line.
    fn rest(&mut self, answer: Answer, events: &mut Vec<StreamEvent>) {
        let Answer { text, sources, citations, complete, error, .. } = answer;
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
    fn fail(&mut self, error: &IngestError, events: &mut Vec<StreamEvent>) {
        let (code, message) = (Some("unreadable".to_owned()), Some(error.to_string()));
        let unreadable = ProviderError { code, message, ..ProviderError::default() };
        self.say(StreamEvent::Error(unreadable), events);
    }
}

/// The document of the request that a source is, from 0.
fn document(source: &Source) -> Option<usize> {
    source.id.as_ref()?.parse().ok()
}

fn push_text(text: &str, events: &mut Vec<StreamEvent>) {
    if !text.is_empty() {
        events.push(StreamEvent::Text(text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ingest::Provider;

    fn given(count: usize) -> Vec<Source> {
        (1..=count).map(|n| Source { title: Some(format!("S{n}")), ..Source::default() }).collect()
    }

    /// The events behind the sources that pieces become, and the answer that they make.
    fn translated(from: Provider, cites: Cites, pieces: &[&str]) -> (Vec<StreamEvent>, Answer) {
        let (mut translation, first) = Translation::new(Some(from), cites, &given(3));
        let mut parts = vec![first];
        parts.extend(pieces.iter().map(|piece| translation.push(piece.as_bytes())));
        parts.push(translation.finish());
        let mut answer = AnswerStream::new(AnswerFormat::own());
        let mut events = Vec::new();
        for part in parts {
            let AnswerPart::Events { events: said, token_counts } = part else { panic!("events") };
            events.extend(answer.take(said, token_counts));
        }
        events.remove(0);
        (events, answer.finish().unwrap_or_default())
    }

    fn text(text: &str) -> StreamEvent {
        StreamEvent::Text(text.to_owned())
    }

    /// The code of the error at the end.
    fn code(events: &[StreamEvent]) -> Option<&str> {
        let Some(StreamEvent::Error(error)) = events.last() else { return None };
        error.code.as_deref()
    }

    fn chunk(text: &str) -> String {
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
    }

    const STOP: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

    fn chat(pieces: &[&str]) -> (Vec<StreamEvent>, Answer) {
        translated(Provider::OpenAiChat, Cites::ByNumbers, pieces)
    }

    #[test]
    fn text_goes_on_as_it_comes() {
        let (events, answer) = chat(&[&chunk("Leave is "), &chunk("30 days [1]."), STOP, "data: [DONE]\n\n"]);
        assert_eq!(events, [text("Leave is "), text("30 days [1]."), StreamEvent::Done]);
        assert_eq!((answer.sources.len(), answer.complete), (3, true));
    }

    #[test]
    fn an_answer_that_breaks_off_stays_incomplete() {
        let (events, answer) = chat(&[&chunk("Leave is ")]);
        assert_eq!((events.len(), answer.complete, answer.text.as_str()), (1, false, "Leave is "));
        let error = "data: {\"error\":{\"code\":429,\"type\":\"rate\",\"message\":\"slow down\"}}\n\n";
        let (events, answer) = chat(&[&chunk("Leave"), error, &chunk(" is")]);
        assert_eq!((events.len(), code(&events)), (2, Some("429")));
        assert_eq!((answer.complete, answer.text.as_str()), (false, "Leave"));
    }

    #[test]
    fn an_answer_that_comes_at_once_is_one_delta() {
        let whole = json!({"choices": [{"message": {"content": "Leave is 30 days [1]."}, "finish_reason": "stop"}]})
            .to_string();
        let (events, _) = chat(&[&whole[..20], &whole[20..]]);
        assert_eq!(events, [text("Leave is 30 days [1]."), StreamEvent::Done]);
    }

    #[test]
    fn the_last_event_may_lack_its_blank_line() {
        let (events, answer) = chat(&[&chunk("a"), chunk("b").trim_end()]);
        assert_eq!(events, [text("a"), text("b")]);
        assert!(!answer.complete);
    }

    #[test]
    fn what_cannot_be_read_is_an_error_and_keeps_what_came_before() {
        let (events, answer) =
            chat(&[&chunk("a"), "data: {\"choices\":[{\"delta\":{\"content\":5}}]}\n\n", &chunk("b")]);
        assert_eq!((events.len(), code(&events)), (2, Some("unreadable")));
        assert_eq!((answer.complete, answer.text.as_str()), (false, "a"));
        let (events, _) = chat(&["<html>no</html>"]);
        assert_eq!((events.len(), code(&events)), (1, Some("unreadable")));
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
