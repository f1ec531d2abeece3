//! Runs one turn, from the queue to its outcome.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::turn_queue::RunningTurn;
use super::{Turn, TurnHandler, TurnOutcome};
use crate::channels::azure_bot::conversation::ConnectorRecords;
use crate::channels::azure_bot::inbound::Kind;

/// So long an answer may take to come to its end once it has to, and what follows it.
const LAST_WORDS: Duration = Duration::from_secs(8);

/// A turn, and who waits for its answers.
#[derive(Debug)]
pub(in crate::channels::azure_bot) struct Job {
    turn: Turn,
    /// When its answers have to be there.
    deadline: Option<Instant>,
    /// Hears that the turn was served. Dropped before that, it tells that there was no turn.
    tell: oneshot::Sender<()>,
}

impl Job {
    pub(in crate::channels::azure_bot) fn new(
        turn: Turn,
        deadline: Option<Instant>,
        tell: oneshot::Sender<()>,
    ) -> Self {
        Self { turn, deadline, tell }
    }
}

/// Serves a turn that has left the queue.
pub(in crate::channels::azure_bot) async fn serve(
    mut running: RunningTurn<Job>,
    handler: Arc<dyn TurnHandler>,
    records: ConnectorRecords,
    ending: CancellationToken,
) {
    let Some(Job { turn, deadline, tell }) = running.take() else { return };
    answer(&turn, deadline, &*handler, &records, &ending).await;
    // Not every sender waits for it.
    tell.send(()).ok();
}

async fn answer(
    turn: &Turn,
    deadline: Option<Instant>,
    handler: &dyn TurnHandler,
    records: &ConnectorRecords,
    ending: &CancellationToken,
) {
    if turn.forgotten.is_cancelled() {
        return;
    }
    if ending.is_cancelled() || deadline.is_some_and(|deadline| deadline <= Instant::now()) {
        turn.ending.cancel();
    }
    if let Err(error) = records.meet(&turn.reference).await {
        tracing::error!(conversation.id = %turn.conversation, %error, "a conversation reference could not be stored");
    }
    if turn.inbound.asks() == Kind::Nothing {
        return;
    }
    let ended = match AssertUnwindSafe(respond(handler, turn, deadline, ending)).catch_unwind().await {
        Ok(ended) => ended,
        Err(_) => {
            // What it says has gone to stderr already.
            tracing::error!(conversation.id = %turn.conversation, "an answer failed because of a bug in citewire");
            let apology = timeout(LAST_WORDS, AssertUnwindSafe(handler.apologize(turn)).catch_unwind());
            if !matches!(apology.await, Ok(Ok(()))) {
                tracing::error!(conversation.id = %turn.conversation, "the failure message could not be sent to a user");
            }
            TurnOutcome::Failed
        }
    };
    let holds_the_user = turn.reference.is_agent() && turn.inbound.asks() != Kind::Arrival;
    if holds_the_user && !turn.forgotten.is_cancelled() {
        match timeout(LAST_WORDS, turn.hand_back(ended)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(conversation.id = %turn.conversation, %error, "the end of a conversation could not be sent to its agent");
            }
            Err(_) => {
                tracing::warn!(conversation.id = %turn.conversation, "the end of a conversation could not be sent to its agent in time");
            }
        }
    }
}

/// Has the turn answered; tells it when it has to come to its end.
async fn respond(
    handler: &dyn TurnHandler,
    turn: &Turn,
    deadline: Option<Instant>,
    ending: &CancellationToken,
) -> TurnOutcome {
    let responding = async {
        tokio::select! {
            biased;
            // Nobody waits any more. Whatever it is at, or waits for, ends here.
            () = turn.forgotten.cancelled() => TurnOutcome::Failed,
            ended = handler.respond(turn) => ended,
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
    turn.ending.cancel();
    timeout(LAST_WORDS, responding).await.unwrap_or_else(|_| {
        tracing::error!(conversation.id = %turn.conversation, "an answer was abandoned: it did not end in time");
        TurnOutcome::Failed
    })
}
