//! Logs why a question got no answer or an incomplete one.
//!
//! An operator reads what is wrong and where. Questions, answers and keys do not belong there, however they came into an error.

use std::error::Error;
use std::time::Duration;

use serde_json::Value;

use super::sink::{Interruption, TimeUp, Undelivered, Words};
use super::{Assistant, AssistantOptions};
use crate::activity::ConversationId;
use crate::channels::{Incomplete, NoAnswer};
use crate::metrics::Apology;
use crate::report::Report;

/// The log line for a question without an answer.
pub(super) const UNANSWERED: &str = "a question got no answer";

/// The log line for half an answer.
const INCOMPLETE: &str = "an answer is incomplete";

/// A question whose failure is logged.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The assistant that was asked.
    pub assistant: &'a Assistant,
    /// The conversation; `None` outside conversations of ours.
    pub id: Option<&'a ConversationId>,
    /// The text of the question.
    pub question: &'a str,
}

impl<'a> Case<'a> {
    /// A question to an assistant.
    #[must_use]
    pub fn new(assistant: &'a Assistant, id: Option<&'a ConversationId>, question: &'a str) -> Self {
        Self { assistant, id, question }
    }

    /// Logs why an answer has to end before it begins; returns the words for its readers.
    pub(super) fn interrupted(&self, why: Interruption) -> Words<'a> {
        match why {
            Interruption::Stopped => self.stopped(),
            Interruption::TimeUp(TimeUp::Limit(limit)) => {
                self.too_slow(limit);
                self.failure()
            }
            Interruption::TimeUp(TimeUp::Turn) | Interruption::Leaving | Interruption::Deleted => self.failure(),
        }
    }

    /// Logs why readers have no answer; returns the words for them.
    pub(super) fn undelivered(&self, cause: &Undelivered, time_up: Option<TimeUp>) -> Words<'a> {
        let (id, assistant) = (self.id.map(tracing::field::display), self.assistant.name());
        match (cause, time_up) {
            (Undelivered::Stopped, _) => return self.stopped(),
            (Undelivered::NoAnswer(cause), Some(TimeUp::Limit(limit))) if !cause.is_refused() => self.too_slow(limit),
            (Undelivered::NoAnswer(cause), _) => return self.unanswered(cause).into(),
            // Neither is the back end's doing.
            (Undelivered::Unrecorded(error), _) => {
                tracing::error!(conversation.id = id, assistant, %error, "an answer could not be recorded");
            }
            (Undelivered::Unsent(error), _) => {
                tracing::error!(conversation.id = id, assistant, %error, "an answer could not be sent");
            }
        }
        self.failure()
    }

    /// Logs why there is not more of an answer.
    pub(super) fn delivered_in_part<E: Error>(&self, why: &Incomplete<E>, report: &Report, time_up: Option<TimeUp>) {
        match (why, time_up) {
            (Incomplete::NoEnd, Some(TimeUp::Limit(limit))) => self.too_slow(limit),
            (Incomplete::NoEnd, Some(TimeUp::Turn)) => {
                let (id, assistant) = (self.id.map(tracing::field::display), self.assistant.name());
                tracing::info!(
                    conversation.id = id,
                    assistant,
                    "an answer was cut off because its time limit has passed"
                );
            }
            (why, _) => self.incomplete(why, report),
        }
    }

    fn options(&self) -> &'a AssistantOptions {
        self.assistant.options()
    }

    fn failure(&self) -> Words<'a> {
        (Apology::Failure, self.options().failure.as_str()).into()
    }

    fn stopped(&self) -> Words<'a> {
        Words { kind: None, text: &self.options().stopped }
    }

    /// Logs why an answer is none; returns the words that its user reads instead.
    pub fn unanswered<E: Error>(&self, cause: &NoAnswer<E>) -> (Apology, &'a str) {
        let options = self.options();
        match cause {
            cause if cause.is_refused() => {
                self.refused(cause);
                return (Apology::Refusal, &options.refusal);
            }
            NoAnswer::Convert(_) => self.unreadable(UNANSWERED, cause),
            NoAnswer::Nothing(report) => self.ended(UNANSWERED, report),
            NoAnswer::Body(_) => self.failed(UNANSWERED, cause),
        }
        (Apology::Failure, &options.failure)
    }

    /// Logs why an answer is incomplete.
    pub fn incomplete<E: Error>(&self, why: &Incomplete<E>, report: &Report) {
        match why {
            Incomplete::Body(error) => self.failed(INCOMPLETE, error),
            Incomplete::NoEnd => self.ended(INCOMPLETE, report),
            Incomplete::TooLong => {
                self.log(INCOMPLETE, "the answer is longer than the channel takes (direct_line.max_answer_bytes)");
            }
            // The reader knows.
            Incomplete::Stopped => {}
        }
    }

    /// Logs a fault of ours or of the call, whose errors hold nothing of what was said.
    pub fn failed(&self, what: &str, error: &dyn Error) {
        self.log(what, &with_causes(error));
    }

    /// Logs that a back end has sent no answer. The error may repeat parts of it.
    pub fn unreadable(&self, what: &str, error: &dyn Error) {
        // Its words are those of its causes.
        let words = without_quotes(&error.to_string());
        self.log(what, &self.assistant.fit_to_be_logged(&words, self.question));
    }

    /// The answer ended as an answer should not. The provider may have said why.
    pub fn ended(&self, what: &str, report: &Report) {
        match &report.error {
            Some(error) => self.reported(what, error),
            None if report.complete => self.log(what, "the answer is empty"),
            None => self.log(what, "the answer ended without its end marker"),
        }
    }

    /// The provider said in its answer that something went wrong.
    pub fn reported(&self, what: &str, error: &Value) {
        let words = self.assistant.fit_to_be_logged(&reported(error), self.question);
        self.log(what, &format!("the back end reported an error: {words}"));
    }

    /// The time that an answer may take was over before its end.
    pub fn too_slow(&self, limit: Duration) {
        self.log(
            "an answer took too long",
            &format!("the limit is {} s (direct_line.answer_seconds)", limit.as_secs_f32()),
        );
    }

    /// Too many questions are being answered.
    pub fn no_turn(&self) {
        self.log(UNANSWERED, "too many questions are being answered (direct_line.max_turns)");
    }

    /// The answer does not rest on what it has to rest on: a rule at work, and nothing to mend.
    pub fn refused(&self, reason: &dyn Error) {
        let assistant = self.assistant.name();
        tracing::info!(conversation.id = self.id.map(tracing::field::display), assistant, %reason, "an answer was refused");
    }

    fn log(&self, what: &str, error: &str) {
        let (assistant, host) = (self.assistant.name(), self.assistant.host());
        tracing::warn!(
            conversation.id = self.id.map(tracing::field::display),
            assistant,
            upstream.host = host,
            error,
            "{what}"
        );
    }
}

/// An error and what it goes back to, in one line.
fn with_causes(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words.push_str(": ");
        words.push_str(&error.to_string());
        cause = error.source();
    }
    words
}

/// The words of a provider about an error. The code `unreadable` is our own, for an answer that could not be read to its end.
fn reported(error: &Value) -> String {
    let text = |name: &str| error.get(name).and_then(Value::as_str);
    let words: Vec<&str> = ["code", "type", "message"].into_iter().filter_map(text).collect();
    match words.as_slice() {
        [] => "no details".to_owned(),
        ["unreadable", ..] => without_quotes(&words.join(": ")),
        words => words.join(": "),
    }
}

/// The text without quotations, in which a parser repeats what it has met. A quote without an end was cut.
fn without_quotes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            '"' if !escaped => {
                kept.push_str(if quoted { "\"" } else { "\"…" });
                quoted = !quoted;
            }
            _ if !quoted => kept.push(c),
            _ => {}
        }
        escaped = quoted && c == '\\' && !escaped;
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::convert::{Conversion, convert};
    use crate::dialect::Dialect;

    #[test]
    fn what_stands_between_quotes_is_not_repeated() {
        let met = r#"/text: invalid type: string "leave \"is\" 30 days\\", expected a list, or "x"."#;
        assert_eq!(without_quotes(met), r#"/text: invalid type: string "…", expected a list, or "…"."#);
        assert_eq!(without_quotes(r#"string "cut in the mid"#), "string \"…");
    }

    #[test]
    fn errors_of_answers_that_cannot_be_read_lose_what_they_repeat() {
        for body in [
            json!({"text": "a", "sources": "the secret answer"}),
            json!({"text": ["the secret answer"]}),
            json!({"text": "a", "sources": [{"page": "the secret answer"}]}),
            json!({"choices": "the secret answer"}),
        ] {
            let error = convert(body.to_string().as_bytes(), &Conversion::to(Dialect::WebChat)).expect_err("no answer");
            let words = without_quotes(&error.to_string());
            assert!(!words.contains("secret") && !words.is_empty(), "{words}");
        }
    }

    #[test]
    fn a_providers_error_is_told_in_its_own_words() {
        assert_eq!(reported(&json!({"code": "429", "type": "rate", "message": "slow down"})), "429: rate: slow down");
        assert_eq!(reported(&json!({})), "no details");
        let unreadable = json!({"code": "unreadable", "message": "event 2: string \"the secret answer\""});
        assert_eq!(reported(&unreadable), "unreadable: event 2: string \"…\"");
    }
}
