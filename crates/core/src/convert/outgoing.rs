//! An answer that goes on to a chat client while it arrives.

use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use super::slack_stream::SlackStream;
use super::{Conversion, ConvertError, grounded, supported};
use crate::ingest::{AnswerStream, StreamEvent};
use crate::output::{
    Chat, ChatForm, ChatOptions, ChatStream, ChatUpdate, Completion, Output, WebUiSource, report_judged,
};
use crate::report::Report;
use crate::text::echo;
use crate::url::Tracking;

/// The form that an answer takes while it arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutgoingForm {
    /// For Open WebUI: chunks of a chat completion, and one chunk with a `source` event for each source behind the text. A pipe
    /// can hand them on as they are, and Open WebUI stores the sources.
    #[default]
    Chunks,
    /// For Open WebUI: `message` events with the text, then one `source` event for each source. They are what the event emitter
    /// of a pipe takes.
    Events,
    /// For Open WebUI: `message` events with the text, then one `chat:completion` event with an empty text, `done` and all
    /// sources (rule OW-02). Open WebUI does not store these sources.
    Completion,
    /// For Slack: the calls of a stream, each as `method` and `arguments`. They lack what the sender knows: the channel, the thread,
    /// and the `ts` that the first call returns.
    Slack,
    /// For clients of AssistantHub: chunks of a chat completion, the last of which has `citations` (rule AH-06).
    AssistantHub,
}

/// No form of events for Open WebUI has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("events: unknown form {:?}; known forms: chunks, events, completion, slack", echo(given))]
pub struct UnknownOutgoingForm {
    /// The text as given.
    pub given: String,
}

impl FromStr for OutgoingForm {
    type Err = UnknownOutgoingForm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Self::Chunks, Self::Events, Self::Completion, Self::Slack]
            .into_iter()
            .find(|form| form.to_string() == name)
            .ok_or_else(|| UnknownOutgoingForm { given: name.to_owned() })
    }
}

impl fmt::Display for OutgoingForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chunks => "chunks",
            Self::Events => "events",
            Self::Completion => "completion",
            Self::Slack => "slack",
            Self::AssistantHub => "assistanthub",
        })
    }
}

/// The end of an answer that went on to a chat client.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// Values that are left to give out.
    pub values: Vec<Value>,
    /// The report of the answer, with the account of its sources.
    pub report: Report,
}

/// Turns the bytes of a provider's stream into what a chat client reads, piece by piece.
///
/// Each value that is given out is one JSON object: a chunk or an event. Text that was given out does not change.
#[derive(Debug)]
pub struct Outgoing {
    stream: AnswerStream,
    chat: ChatStream,
    /// The calls, in the form for Slack.
    slack: Option<SlackStream>,
    form: OutgoingForm,
    completion: Completion,
    conversion: Conversion,
    tracking: Option<Tracking>,
    has_begun: bool,
}

impl Outgoing {
    /// An answer of which nothing has arrived. Of the conversion, its channel means nothing here.
    ///
    /// Where the options may refuse the answer, or pages are merged by their addresses, only the whole answer tells what to write: then
    /// everything comes at the end.
    #[must_use]
    pub fn new(form: OutgoingForm, completion: Completion, conversion: &Conversion) -> Self {
        let Conversion { from, options, .. } = conversion;
        let chat_form = if form == OutgoingForm::AssistantHub { ChatForm::Places } else { ChatForm::Badges };
        let withhold_encrypted = options.withhold_encrypted;
        Self {
            stream: AnswerStream::new(from),
            chat: ChatStream::new(ChatOptions { form: chat_form, withhold_encrypted, ..ChatOptions::default() }),
            slack: (form == OutgoingForm::Slack).then(|| SlackStream::new(conversion)),
            form,
            completion,
            tracking: options.ref_is_tracking.then(|| options.tracking()),
            conversion: conversion.clone(),
            has_begun: false,
        }
    }

    /// Whether the answer can be given out: some of it was read, and nothing has to wait for its end.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Takes the next bytes; returns what can be given out now.
    ///
    /// # Errors
    /// When an event makes the answer unusable. [`failed`](Self::failed) then gives what is left to say.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Value>, ConvertError> {
        let events = self.stream.push(bytes)?;
        if events.is_empty() || self.waits() {
            return Ok(Vec::new());
        }
        let mut out = self.begin();
        let grammar = self.stream.grammar().unwrap_or_default();
        if let Some(slack) = &mut self.slack {
            return Ok(slack.take(events, grammar));
        }
        for event in events {
            match event {
                StreamEvent::Text(delta) => self.chat.add_text(&delta, grammar),
                StreamEvent::Sources(sources) => self.chat.add_sources(sources),
                StreamEvent::Cited(sources) => self.chat.cite_here(sources),
                StreamEvent::Late => self.chat.hold(),
                StreamEvent::Label(_)
                | StreamEvent::Interpreter(_)
                | StreamEvent::Code(_)
                | StreamEvent::Note(_)
                | StreamEvent::Error(_)
                | StreamEvent::Done => {}
            }
        }
        if let Some(text) = self.chat.news().map(str::to_owned) {
            out.push(self.text(&text));
        }
        Ok(out)
    }

    /// Gives out the rest when the body has ended. An answer that lacks its end, or whose provider reported an error,
    /// ends with an `error`; clients of AssistantHub know it by the missing last chunk (rule AH-06).
    ///
    /// # Errors
    /// When the body is unusable, or the options refuse the answer.
    pub fn end(self) -> Result<Ended, ConvertError> {
        self.finish(None)
    }

    /// Gives out the rest when the body broke off for this reason.
    ///
    /// # Errors
    /// When nothing that arrived can be shown.
    pub fn failed(self, reason: &str) -> Result<Ended, ConvertError> {
        self.finish(Some(reason.to_owned()))
    }

    /// The one object that says why an answer ended early.
    #[must_use]
    pub fn error(reason: &str) -> Value {
        json!({"error": {"message": reason, "type": "server_error", "code": null, "param": null}})
    }

    fn finish(mut self, failure: Option<String>) -> Result<Ended, ConvertError> {
        let mut out = self.begin();
        let Self { stream, chat, slack, tracking, conversion, .. } = &mut self;
        let mut answer = std::mem::take(stream).finish()?;
        if let Some(tracking) = *tracking {
            answer.merge_pages(tracking);
        }
        grounded(&answer, conversion.options.require_grounding)?;
        let judged = supported(&answer, conversion)?;
        conversion.labels.complete(&mut answer);
        answer.rescore(&conversion.options.scoring());
        let reported = answer.error.as_ref().map(|error| match &error.message {
            Some(message) => format!("the provider reported an error: {message}"),
            None => "the provider reported an error".to_owned(),
        });
        let broken = (!answer.complete).then(|| "the answer broke off".to_owned());
        let failure = failure.or(reported).or(broken);
        answer.complete &= failure.is_none();
        if let Some(slack) = slack.take() {
            let (calls, report) = slack.end(answer)?;
            out.extend(calls);
            out.extend(failure.as_deref().map(Self::error));
            return Ok(Ended { values: out, report });
        }
        let chat = std::mem::replace(chat, ChatStream::new(ChatOptions::default()));
        let report = report_judged(&answer, self.output(), judged.as_ref());
        let ChatUpdate { chat, rest, .. } = chat.finish(&answer);
        if !rest.is_empty() {
            out.push(self.text(&rest));
        }
        out.extend(self.sources(&chat, failure.is_none()));
        match failure {
            Some(failure) if self.form != OutgoingForm::AssistantHub => out.push(Self::error(&failure)),
            Some(_) => {}
            None if self.has_chunks() => out.extend(chat.finish_chunk(&self.completion).map(Value::Object)),
            None => {}
        }
        Ok(Ended { values: out, report })
    }

    fn output(&self) -> Output {
        match self.form {
            OutgoingForm::AssistantHub => Output::AssistantHub,
            OutgoingForm::Chunks | OutgoingForm::Events | OutgoingForm::Completion | OutgoingForm::Slack => {
                Output::OpenWebUi
            }
        }
    }

    /// Whether only the whole answer tells what to write.
    fn waits(&self) -> bool {
        self.conversion.options.may_refuse() || self.tracking.is_some()
    }

    fn has_chunks(&self) -> bool {
        matches!(self.form, OutgoingForm::Chunks | OutgoingForm::AssistantHub)
    }

    fn begin(&mut self) -> Vec<Value> {
        if std::mem::replace(&mut self.has_begun, true) || !self.has_chunks() {
            return Vec::new();
        }
        vec![Value::Object(self.completion.role_chunk())]
    }

    fn text(&self, text: &str) -> Value {
        if self.has_chunks() {
            Value::Object(self.completion.content_chunk(text))
        } else {
            json!({"type": "message", "data": {"content": text}})
        }
    }

    fn sources(&self, chat: &Chat, done: bool) -> Vec<Value> {
        match self.form {
            OutgoingForm::Chunks => chat.event_chunks(&self.completion).map(Value::Object).collect(),
            OutgoingForm::Events => chat.events.iter().map(|event| json!(event)).collect(),
            OutgoingForm::Completion => {
                let sources: Vec<&WebUiSource> = chat.events.iter().map(|event| &event.data).collect();
                vec![json!({"type": "chat:completion", "data": {"content": "", "done": done, "sources": sources}})]
            }
            OutgoingForm::AssistantHub | OutgoingForm::Slack => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Grounding;
    use super::*;
    use crate::dialect::Dialect;

    const SOURCES: &str = r#"{"sources": [{"title": "A"}, {"title": "B"}]}"#;

    fn outgoing(form: OutgoingForm) -> Outgoing {
        let completion = Completion { id: "c".into(), created: 7, model: "m".into() };
        Outgoing::new(form, completion, &Conversion::to(Dialect::WebChat))
    }

    fn push(outgoing: &mut Outgoing, event: &str) -> Vec<Value> {
        outgoing.push(format!("data: {event}\n\n").as_bytes()).expect("an event")
    }

    #[test]
    fn text_comes_as_events_and_the_sources_in_one_completion_event_without_text() {
        let mut answer = outgoing(OutgoingForm::Completion);
        assert_eq!(push(&mut answer, SOURCES), [] as [Value; 0]);
        assert!(answer.has_begun());
        let text = push(&mut answer, r#"{"delta": "x [2] y"}"#);
        assert_eq!(text, [json!({"type": "message", "data": {"content": "x [1] y"}})]);
        push(&mut answer, r#"{"done": true}"#);
        let end = answer.end().expect("an end").values;
        assert_eq!(end.len(), 1);
        assert_eq!((&end[0]["type"], &end[0]["data"]["content"]), (&json!("chat:completion"), &json!("")));
        assert_eq!(
            (&end[0]["data"]["done"], &end[0]["data"]["sources"][0]["source"]["name"]),
            (&json!(true), &json!("B"))
        );
    }

    #[test]
    fn chunks_for_assistanthub_end_with_the_citations() {
        let mut answer = outgoing(OutgoingForm::AssistantHub);
        let begin = push(&mut answer, SOURCES);
        assert_eq!(begin[0]["choices"][0]["delta"]["role"], "assistant");
        assert_eq!(push(&mut answer, r#"{"delta": "x [2] y"}"#)[0]["choices"][0]["delta"]["content"], "x [2] y");
        push(&mut answer, r#"{"done": true}"#);
        let end = answer.end().expect("an end").values;
        assert_eq!(end.last().expect("a chunk")["citations"]["referenced_indices"], json!([2]));
    }

    #[test]
    fn slack_gets_a_stream_with_the_sources_in_its_last_call() {
        let mut answer = outgoing(OutgoingForm::Slack);
        let sources =
            r#"{"sources": [{"title": "A", "url": "https://x.example/a"}, {"title": "B", "content": "b *c*"}]}"#;
        assert_eq!(push(&mut answer, sources), [] as [Value; 0]);
        let call = |method: &str, text: &str| json!({"method": method, "arguments": {"chunks": [{"type": "markdown_text", "text": text}]}});
        let mut calls = push(&mut answer, r#"{"delta": "x [1] y "}"#);
        calls.extend(push(&mut answer, r#"{"delta": "<b>z</b> [2] end"}"#));
        push(&mut answer, r#"{"done": true}"#);
        let end = answer.end().expect("an end");
        calls.extend(end.values);
        let source = json!({"type": "url", "url": "https://x.example/a", "text": "[1] A"});
        let chunk = json!({"type": "task_update", "id": "sources", "title": "Sources", "status": "complete", "sources": [source]});
        assert_eq!(calls.pop(), Some(json!({"method": "chat.stopStream", "arguments": {"chunks": [chunk]}})));
        assert_eq!(calls.pop(), Some(call("chat.appendStream", "\n\n[2] B: b c")));
        assert_eq!(calls[0]["method"], "chat.startStream");
        assert!(calls[1..].iter().all(|call| call["method"] == "chat.appendStream"));
        let said: String = calls.iter().filter_map(|call| call["arguments"]["chunks"][0]["text"].as_str()).collect();
        assert_eq!(said.replace('\u{200b}', ""), "x [1] y z [2] end");
        assert_eq!(end.report.sources.cited, 2);
    }

    #[test]
    fn an_answer_that_breaks_off_keeps_its_text_and_sources_and_says_so() {
        let mut answer = outgoing(OutgoingForm::Events);
        push(&mut answer, SOURCES);
        push(&mut answer, r#"{"delta": "x [2] y"}"#);
        let end = answer.end().expect("an end").values;
        assert_eq!((end.len(), &end[0]["type"]), (2, &json!("source")));
        assert_eq!(end[1]["error"]["message"], "the answer broke off");
    }

    #[test]
    fn what_needs_the_whole_answer_does_not_begin_before_its_end() {
        let mut conversion = Conversion::to(Dialect::WebChat);
        conversion.options.require_grounding = Grounding::Any;
        let mut answer = Outgoing::new(OutgoingForm::Chunks, Completion::default(), &conversion);
        assert_eq!(push(&mut answer, r#"{"delta": "x"}"#), [] as [Value; 0]);
        assert!(!answer.has_begun());
        push(&mut answer, r#"{"done": true}"#);
        assert!(matches!(answer.end(), Err(ConvertError::GroundingNoTools | ConvertError::GroundingNoCitations)));
    }

    #[test]
    fn forms_of_events_are_known_by_their_names() {
        for form in [OutgoingForm::Chunks, OutgoingForm::Events, OutgoingForm::Completion, OutgoingForm::Slack] {
            assert_eq!(form.to_string().parse(), Ok(form));
        }
        assert!("assistanthub".parse::<OutgoingForm>().is_err());
    }
}
