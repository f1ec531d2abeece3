//! Converts the answer of a back end into a chat completion.

use std::sync::Arc;

use serde_json::json;

use super::CompletionError;
use crate::answer::{Answer, TokenCounts};
use crate::answer_events::{AnswerBroken, AnswerEvents};
use crate::assistant::{Assistant, Case};
use crate::channels::log_report;
use crate::convert::{Conversion, Grounding, grounded};
use crate::dialect::Dialect;
use crate::ingest::StreamEvent;
use crate::output::{Chat, ChatForm, ChatOptions, ChatStream, ChatUpdate, FinishReason, Output, report};
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
}

impl Writing {
    /// An answer of this assistant, of which nothing was taken.
    pub(super) fn new(
        assistant: Arc<Assistant>,
        question: String,
        events: AnswerEvents<ReplyParts>,
        form: ChatForm,
    ) -> Self {
        // Of the conversion, only what holds for every output means something here.
        let conversion = assistant.conversion(Dialect::WebChat);
        let wanted = assistant.options().citations;
        let mut chat = ChatStream::new(ChatOptions {
            form: if wanted { form } else { ChatForm::Uncited },
            withhold_encrypted: conversion.options.withhold_encrypted,
            ..ChatOptions::default()
        });
        if conversion.options.require_grounding != Grounding::NotRequired {
            // Only the whole answer tells whether it is grounded.
            chat.hold();
        }
        Self { assistant, question, conversion, events, chat }
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
        let Self { assistant, question, conversion, events, chat } = self;
        let case = Case::new(&assistant, None, &question);
        let mut answer = match (events.finish_counting(), failure) {
            (Ok(answer), None) => answer,
            (Ok(mut answer), Some(failure)) => {
                answer.complete = false;
                return Ok(Self::written(chat, answer, &conversion, Some(failure)));
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
            return Ok(Self::written(chat, answer, &conversion, Some(CompletionError::Reported)));
        }
        let wanted = conversion.options.require_grounding;
        if let Err(reason) = grounded(&answer, wanted) {
            case.refused(&reason);
            let refusal = Written::refusal(&assistant.options().refusal);
            return Ok(Written { token_counts: answer.token_counts, ..refusal });
        }
        let failure = (!answer.complete).then_some(CompletionError::BrokenOff);
        if let Some(failure) = &failure {
            case.failed(FAILED, failure);
        }
        Ok(Self::written(chat, answer, &conversion, failure))
    }

    fn written(
        chat: ChatStream,
        mut answer: Answer,
        conversion: &Conversion,
        failure: Option<CompletionError>,
    ) -> Written {
        if failure.is_some() && conversion.options.require_grounding != Grounding::NotRequired {
            // An answer that is not whole is not known to be grounded.
            return Written { chat: Chat::default(), rest: String::new(), failure, token_counts: answer.token_counts };
        }
        conversion.labels.complete(&mut answer);
        answer.rescore(&conversion.options.scoring());
        log_report(&report(&answer, Output::OpenWebUi));
        let ChatUpdate { chat, rest, .. } = chat.finish(&answer);
        Written { chat, rest, failure, token_counts: answer.token_counts }
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
        Self { chat, rest: text.to_owned(), failure: None, token_counts: TokenCounts::default() }
    }
}
