//! Answers in the response body of the call, and the caller that waits for them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use super::conversation::ConnectorRecords;
use super::turns::{Calls, Ticket};
use crate::activity::ConversationId;
use crate::sse;
use crate::store::ChangeListener;

/// One who waits for answers. Dropped before it is over, the call is given up, and its activity may come again: a sender whose
/// connection broke has nothing of the answer.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) gone: CancellationToken,
    pub(super) calls: Arc<Calls>,
    pub(super) ticket: Ticket,
    pub(super) conversation: ConversationId,
    pub(super) records: ConnectorRecords,
    pub(super) over: bool,
}

impl Waiting {
    /// Ends the wait: the answer was handed over as far as there is one.
    pub(super) fn finish(mut self) {
        self.over = true;
        self.gone.cancel();
    }

    /// There will be no turn.
    fn let_go(&self) {
        drop(self.calls.take(&self.ticket));
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.let_go();
        if self.over {
            return;
        }
        let (gone, records, id) = (self.gone.clone(), self.records.clone(), self.conversation.clone());
        match (self.ticket.name.take(), Handle::try_current()) {
            (Some(name), Ok(runtime)) => {
                runtime.spawn(async move {
                    // Before anyone can see that it was given up: the sender may be back at once.
                    records.let_come_again(&id, &name).await;
                    gone.cancel();
                });
            }
            (_, _) => gone.cancel(),
        }
    }
}

/// The body of a response with server-sent events.
pub struct EventBody(Pin<Box<dyn Stream<Item = Bytes> + Send>>);

impl EventBody {
    /// The events of the bot, until it has said everything, or its conversation is deleted before the turn has come.
    pub(super) fn following(events: Receiver<Bytes>, waiting: Waiting, listener: Option<ChangeListener>) -> Self {
        let state = (events, Some(waiting), listener);
        let following = futures_util::stream::unfold(state, |(mut events, mut waiting, mut listener)| async move {
            let event = tokio::select! {
                biased;
                event = events.recv() => event,
                () = deleted(&mut listener) => {
                    listener = None;
                    if let Some(waiting) = &waiting {
                        waiting.let_go();
                    }
                    events.recv().await
                }
            };
            match event {
                Some(event) => Some((event, (events, waiting, listener))),
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

/// Resolves when the conversation is deleted.
async fn deleted(listener: &mut Option<ChangeListener>) {
    match listener {
        Some(listener) => listener.closed().await,
        None => std::future::pending().await,
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
