//! Answers in the response body of the call, and the caller that waits for them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use super::turns::{Fingerprint, TurnQueue};
use crate::sse;

/// One who waits for answers. Dropped before it is over, the call is given up, and its activity may come again: a sender whose
/// connection broke has nothing of the answer.
#[derive(Debug)]
pub(super) struct Waiting<J> {
    gone: CancellationToken,
    again: Option<Fingerprint>,
    turns: Arc<TurnQueue<J>>,
    over: bool,
}

impl<J> Waiting<J> {
    pub(super) fn new(gone: CancellationToken, again: Option<Fingerprint>, turns: Arc<TurnQueue<J>>) -> Self {
        Self { gone, again, turns, over: false }
    }

    /// Nobody waits any more, and the answer was handed over as far as there is one.
    pub(super) fn finish(mut self) {
        self.over = true;
        self.gone.cancel();
    }
}

impl<J> Drop for Waiting<J> {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        // Before anyone can see that it was given up: the sender may be back at once.
        if let Some(fingerprint) = self.again {
            self.turns.let_come_again(fingerprint);
        }
        self.gone.cancel();
    }
}

/// The body of a response with server-sent events.
pub struct EventBody(Pin<Box<dyn Stream<Item = Bytes> + Send>>);

impl EventBody {
    /// What the bot says, until it has said everything.
    pub(super) fn following<J: Send + 'static>(events: Receiver<Bytes>, waiting: Waiting<J>) -> Self {
        let following = futures_util::stream::unfold((events, Some(waiting)), |(mut events, mut waiting)| async move {
            match events.recv().await {
                Some(event) => Some((event, (events, waiting))),
                None => {
                    if let Some(waiting) = waiting.take() {
                        waiting.finish();
                    }
                    None
                }
            }
        });
        Self(Box::pin(following))
    }

    /// No events.
    pub(super) fn empty() -> Self {
        Self(Box::pin(futures_util::stream::empty()))
    }

    /// The outcome of an invoke.
    pub(super) fn of_invoke(body: &Value) -> Self {
        let outcome = sse::named_event("invokeResponse", &json!({"status": 200, "body": body}));
        Self(Box::pin(futures_util::stream::once(std::future::ready(outcome))))
    }
}

impl Stream for EventBody {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.0.as_mut().poll_next(context)
    }
}

impl std::fmt::Debug for EventBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventBody").finish_non_exhaustive()
    }
}
