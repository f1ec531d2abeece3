//! Converts the answer of a back end into a chat completion.

use std::sync::Arc;

use serde_json::{Value, json};

use super::CompletionError;
use crate::answer::{Answer, TokenCounts};
use crate::answer_events::{AnswerBroken, AnswerEvents};
use crate::assistant::{Assistant, Case};
use crate::channels::{count_support, log_report, stopwatch};
use crate::claims::{Claims, support_lines};
use crate::convert::{Conversion, grounded, supported};
use crate::dialect::Dialect;
use crate::ingest::StreamEvent;
use crate::metrics::Metrics;
use crate::output::{Chat, ChatForm, ChatOptions, ChatStream, ChatUpdate, FinishReason, Output, report};
use crate::report::Report;
use crate::upstream::ReplyParts;

/// The log line for a question without an answer, or with half of one.
const FAILED: &str = "a completion failed";

/// An answer that is being written.
pub(super) struct Writing {
    assistant: Arc<Assistant>,
    /// The question.
    question: String,
    conversion: Conversion,
    events: AnswerEvents<ReplyParts>,
    chat: ChatStream,
    metrics: Metrics,
}

/// A finished answer.
pub(super) struct Written {
    /// The part to show.
    pub(super) chat: Chat,
    /// The part of its text that was not shown before.
    pub(super) rest: String,
    /// Why it did not come to its end.
    pub(super) failure: Option<CompletionError>,
    /// The usage as its provider says.
    pub(super) token_counts: TokenCounts,
    /// Facts that only citewire gives: the verdicts about its citations.
    pub(super) extras: Option<Value>,
}

impl Writing {
    /// An answer of this assistant, of which nothing was taken.
    pub(super) fn new(
        assistant: Arc<Assistant>,
        question: String,
        events: AnswerEvents<ReplyParts>,
        form: ChatForm,
        metrics: Metrics,
    ) -> Self {
        // Of the conversion, only what holds for every output means something here.
        let conversion = Conversion { stopwatch: Some(stopwatch(&metrics)), ..assistant.conversion(Dialect::WebChat) };
        let wanted = assistant.options().citations;
        let mut chat = ChatStream::new(ChatOptions {
            form: if wanted { form } else { ChatForm::Uncited },
            withhold_encrypted: conversion.options.withhold_encrypted,
            ..ChatOptions::default()
        });
        if conversion.options.may_refuse() {
            // Only the whole answer tells whether readers may see it.
            chat.hold();
        }
        Self { assistant, question, conversion, events, chat, metrics }
    }

    /// Takes the next part; returns the text that can be shown now. `None` when nothing more comes.
    pub(super) async fn next(&mut self) -> Option<Result<Option<&str>, CompletionError>> {
        let events = match self.events.next().await? {
            Ok(events) => events,
            Err(AnswerBroken::Unreadable(error)) => return Some(Err(error.into())),
            Err(AnswerBroken::Source(error)) => return Some(Err(error.into())),
        };
        let grammar = self.events.grammar();
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
        Some(Ok(self.chat.news()))
    }

    /// Says to the operator why there is no answer.
    pub(super) fn log(&self, failure: &CompletionError) {
        log(&self.assistant, &self.question, failure);
    }

    /// The completion when nothing more comes; `failure` says why nothing more does, where that is not the end of the body.
    ///
    /// # Errors
    /// When there is nothing to show at all.
    pub(super) fn end(self, failure: Option<CompletionError>) -> Result<Written, CompletionError> {
        if let Some(failure) = &failure {
            self.log(failure);
        }
        let Self { assistant, question, conversion, events, chat, metrics } = self;
        let case = Case::new(&assistant, None, &question);
        let mut answer = match (events.finish_counting(), failure) {
            (Ok(answer), None) => answer,
            (Ok(mut answer), Some(failure)) => {
                answer.complete = false;
                return Ok(Self::written(chat, answer, &conversion, Some(failure), None));
            }
            (Err(_), Some(failure)) => return Err(failure),
            (Err(error), None) => {
                case.unreadable(FAILED, &error);
                return Err(error.into());
            }
        };
        if let Some(error) = answer.error.take() {
            case.reported(FAILED, &json!(error));
            answer.complete = false;
            return Ok(Self::written(chat, answer, &conversion, Some(CompletionError::Reported), None));
        }
        let wanted = conversion.options.require_grounding;
        let judged = match grounded(&answer, wanted).and_then(|()| supported(&answer, &conversion)) {
            Ok(judged) => judged.filter(|_| conversion.citations),
            Err(reason) => {
                case.refused(&reason);
                let refusal = Written::refusal(&assistant.options().refusal);
                return Ok(Written { token_counts: answer.token_counts, ..refusal });
            }
        };
        let failure = (!answer.complete).then_some(CompletionError::BrokenOff);
        if let Some(failure) = &failure {
            case.failed(FAILED, failure);
        }
        let judged = judged.as_ref().map(|claims| Judged { claims, metrics: &metrics });
        Ok(Self::written(chat, answer, &conversion, failure, judged))
    }

    fn written(
        chat: ChatStream,
        mut answer: Answer,
        conversion: &Conversion,
        failure: Option<CompletionError>,
        judged: Option<Judged<'_>>,
    ) -> Written {
        let token_counts = answer.token_counts;
        if failure.is_some() && conversion.options.may_refuse() {
            // An answer that is not whole is not known to be fit for readers.
            return Written { chat: Chat::default(), rest: String::new(), failure, token_counts, extras: None };
        }
        conversion.labels.complete(&mut answer);
        answer.rescore(&conversion.options.scoring());
        log_report(&report(&answer, Output::OpenWebUi));
        let ChatUpdate { chat, rest, .. } = chat.finish(&answer);
        let extras = judged.map(|judged| judged.extras(&chat));
        Written { chat, rest, failure, token_counts, extras }
    }
}

/// The verdicts about the citations of an answer, and where they are counted.
struct Judged<'a> {
    claims: &'a Claims,
    metrics: &'a Metrics,
}

impl Judged<'_> {
    /// The member `citewire` of a completion: `support` with the numbers of its text, and `uncited_sentences`.
    fn extras(&self, chat: &Chat) -> Value {
        let lines = support_lines(&self.claims.claims, &chat.numbers);
        count_support(self.metrics, &lines);
        let mut report = Report::default();
        report.judge(lines, self.claims.uncited);
        json!({"support": report.support, "uncited_sentences": report.uncited_sentences})
    }
}

/// Says to the operator why there is no answer, or only half of one.
pub(super) fn log(assistant: &Assistant, question: &str, failure: &CompletionError) {
    let case = Case::new(assistant, None, question);
    match failure {
        CompletionError::Upstream(error) => case.failed(FAILED, error),
        CompletionError::Unusable(error) => case.unreadable(FAILED, error),
        CompletionError::NotJson(_)
        | CompletionError::Member { .. }
        | CompletionError::NoQuestion
        | CompletionError::UnknownModel { .. }
        | CompletionError::Form(_)
        | CompletionError::Reported
        | CompletionError::BrokenOff
        | CompletionError::ShuttingDown => {}
    }
}

impl Written {
    /// A text of the operator's in place of an answer that rests on nothing.
    fn refusal(text: &str) -> Self {
        Self { rest: text.to_owned(), ..Self::of_text(text, FinishReason::ContentFilter) }
    }

    /// A text that is not the answer of a back end.
    pub(super) fn of_text(text: &str, finish_reason: FinishReason) -> Self {
        let chat = Chat { content: text.to_owned(), finish_reason: Some(finish_reason), ..Chat::default() };
        let rest = text.to_owned();
        Self { chat, rest, failure: None, token_counts: TokenCounts::default(), extras: None }
    }
}
