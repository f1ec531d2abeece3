//! One call in its turn.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::turns::Turn;
use super::{Call, CallEnd, Responder};
use crate::channels::azure_bot::conversation::ConnectorRecords;
use crate::channels::azure_bot::inbound::Kind;

/// So long an answer may take to come to its end once it has to, and what follows it.
const LAST_WORDS: Duration = Duration::from_secs(8);

/// A call, and who waits for its answers.
#[derive(Debug)]
pub(in crate::channels::azure_bot) struct Job {
    call: Call,
    /// When its answers have to be there.
    deadline: Option<Instant>,
    /// Hears that the call was served. Dropped before that, it tells that there was no turn.
    tell: oneshot::Sender<()>,
}

impl Job {
    pub(in crate::channels::azure_bot) fn new(
        call: Call,
        deadline: Option<Instant>,
        tell: oneshot::Sender<()>,
    ) -> Self {
        Self { call, deadline, tell }
    }
}

/// Serves a call whose turn has come.
pub(in crate::channels::azure_bot) async fn serve(
    mut turn: Turn<Job>,
    responder: Arc<dyn Responder>,
    records: ConnectorRecords,
    ending: CancellationToken,
) {
    let Some(Job { call, deadline, tell }) = turn.take() else { return };
    answer(&call, deadline, &*responder, &records, &ending).await;
    // Not every sender waits for it.
    tell.send(()).ok();
}

async fn answer(
    call: &Call,
    deadline: Option<Instant>,
    responder: &dyn Responder,
    records: &ConnectorRecords,
    ending: &CancellationToken,
) {
    if call.forgotten.is_cancelled() {
        return;
    }
    if ending.is_cancelled() || deadline.is_some_and(|deadline| deadline <= Instant::now()) {
        call.ending.cancel();
    }
    if let Err(error) = records.meet(&call.reference).await {
        tracing::error!(conversation.id = %call.conversation, %error, "a conversation cannot be kept");
    }
    if call.inbound.asks() == Kind::Nothing {
        return;
    }
    let ended = match AssertUnwindSafe(respond(responder, call, deadline, ending)).catch_unwind().await {
        Ok(ended) => ended,
        Err(_) => {
            // What it says has gone to stderr already.
            tracing::error!(conversation.id = %call.conversation, "an answer has failed by a fault of citewire");
            let apology = timeout(LAST_WORDS, AssertUnwindSafe(responder.apologise(call)).catch_unwind());
            if !matches!(apology.await, Ok(Ok(()))) {
                tracing::error!(conversation.id = %call.conversation, "a user could not be told that there is no answer");
            }
            CallEnd::Failed
        }
    };
    let holds_the_user = call.reference.is_agent() && call.inbound.asks() != Kind::Arrival;
    if holds_the_user && !call.forgotten.is_cancelled() {
        match timeout(LAST_WORDS, call.hand_back(ended)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(conversation.id = %call.conversation, %error, "a conversation could not be given back to its agent");
            }
            Err(_) => {
                tracing::warn!(conversation.id = %call.conversation, "a conversation could not be given back to its agent in time");
            }
        }
    }
}

/// Has the call answered; tells it when it has to come to its end.
async fn respond(
    responder: &dyn Responder,
    call: &Call,
    deadline: Option<Instant>,
    ending: &CancellationToken,
) -> CallEnd {
    let responding = async {
        tokio::select! {
            biased;
            // Nobody waits any more. Whatever it is at, or waits for, ends here.
            () = call.forgotten.cancelled() => CallEnd::Failed,
            ended = responder.respond(call) => ended,
        }
    };
    let mut responding = std::pin::pin!(responding);
    let time_is_up = async {
        match deadline {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        ended = &mut responding => return ended,
        () = ending.cancelled() => {}
        () = time_is_up => {}
    }
    call.ending.cancel();
    timeout(LAST_WORDS, responding).await.unwrap_or_else(|_| {
        tracing::error!(conversation.id = %call.conversation, "an answer did not come to its end in time");
        CallEnd::Failed
    })
}
