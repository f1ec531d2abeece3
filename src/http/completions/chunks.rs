//! Writes a chat completion as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, stream};
use serde_json::{Value, json};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::CompletionError;
use super::writing::{Writing, Written};
use crate::answer::TokenCounts;
use crate::http::tasks::Tasks;
use crate::output::{Chat, ChatForm, Completion, Usage};
use crate::prompt::estimate_tokens;
use crate::sse::{done, event};

/// Says nothing, and keeps whoever stands between from closing a connection that says nothing. It also shows at once when the
/// client is gone.
const COMMENT: &str = ": the answer is being written\n\n";

/// The form of a completion.
pub(super) struct Telling {
    /// The members that its chunks have in common.
    pub(super) completion: Completion,
    /// The form of its citations.
    pub(super) form: ChatForm,
    /// An estimate of the tokens that were sent to the model, or to the assistant where that has none.
    pub(super) asked_tokens: usize,
    /// How many tokens the model takes at once, where that is set.
    pub(super) context_window: Option<u64>,
    /// The passages found in the assistant's documents, for clients of AssistantHub (rule AH-06).
    pub(super) retrieval: Option<Value>,
    /// Whether a chunk behind the end says what the completion took.
    pub(super) tells_usage: bool,
    /// How often something is said while there is nothing to say.
    pub(super) comment_every: Duration,
}

/// A completion on its way. Dropping it stops the back end.
struct Chunks {
    telling: Telling,
    /// The answer; `None` when all of it was written.
    coming: Option<Writing>,
    out: VecDeque<Bytes>,
    comments: Interval,
    tasks: Tasks,
}

/// The events of a completion whose back end has begun to answer.
pub(super) fn chunks(
    telling: Telling,
    writing: Writing,
    tasks: Tasks,
) -> impl Stream<Item = Result<Bytes, Infallible>> + 'static {
    let mut comments = interval_at(Instant::now() + telling.comment_every, telling.comment_every);
    comments.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let out = VecDeque::from([event(&telling.completion.role_chunk())]);
    let chunks = Chunks { telling, coming: Some(writing), out, comments, tasks };
    stream::unfold(chunks, Chunks::next)
}

/// The body that tells a client of an error.
pub(super) fn error_body(error: &CompletionError) -> Value {
    json!({"error": {"message": error.to_string(), "type": "server_error", "code": error.problem().code, "param": error.param()}})
}

impl Chunks {
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            if let Some(bytes) = self.out.pop_front() {
                return Some((Ok(bytes), self));
            }
            let writing = self.coming.as_mut()?;
            tokio::select! {
                biased;
                () = self.tasks.ending() => self.end(Some(CompletionError::ShuttingDown)),
                taken = writing.next() => match taken {
                    Some(Ok(Some(text))) => self.out.push_back(event(&self.telling.completion.content_chunk(text))),
                    Some(Ok(None)) => {}
                    Some(Err(error)) => self.end(Some(error)),
                    None => self.end(None),
                },
                _ = self.comments.tick() => self.out.push_back(Bytes::from_static(COMMENT.as_bytes())),
            }
        }
    }

    /// Says what there is to say at the end.
    fn end(&mut self, failure: Option<CompletionError>) {
        let Some(writing) = self.coming.take() else { return };
        match writing.end(failure) {
            Ok(written) => self.out.extend(self.telling.end(written)),
            Err(error) => self.out.extend(self.telling.failed(&error)),
        }
    }
}

impl Telling {
    /// The usage of the completion: as the provider counted, else as citewire estimates.
    pub(super) fn usage(&self, chat: &Chat, counted: TokenCounts) -> Usage {
        let usage = Usage::of(counted, self.asked_tokens, estimate_tokens(&chat.content));
        Usage { context_window: self.context_window, ..usage }
    }

    fn end(&self, written: Written) -> Vec<Bytes> {
        let Written { chat, rest, failure, token_counts, extras } = written;
        let mut events = Vec::new();
        if !rest.is_empty() {
            events.push(event(&self.completion.content_chunk(&rest)));
        }
        events.extend(chat.event_chunks(&self.completion).map(|chunk| event(&chunk)));
        if let Some(failure) = failure {
            events.extend(self.failed(&failure));
            return events;
        }
        let usage = self.usage(&chat, token_counts);
        let mut finish = chat.finish_chunk(&self.completion);
        if let Some((finish, extras)) = finish.as_mut().zip(extras) {
            finish.insert("citewire".into(), extras);
        }
        if self.form == ChatForm::Places
            && let Some(finish) = &mut finish
        {
            // Its clients look for it there.
            finish.insert("usage".into(), json!(usage));
            finish.extend(self.retrieval.iter().map(|found| ("retrieval".to_owned(), found.clone())));
        } else if self.tells_usage {
            events.extend(finish.take().map(|finish| event(&finish)));
            events.push(event(&self.completion.usage_chunk(usage)));
        }
        events.extend(finish.map(|finish| event(&finish)));
        events.push(done());
        events
    }

    /// The end of an answer that failed: Open WebUI keeps what it has, and shows the message; readers of AssistantHub know
    /// it by the missing finish chunk, and expect nothing else (rule AH-06).
    fn failed(&self, failure: &CompletionError) -> Vec<Bytes> {
        let mut events = Vec::new();
        if self.form != ChatForm::Places {
            events.push(event(&error_body(failure)));
        }
        events.push(done());
        events
    }
}
