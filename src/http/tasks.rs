//! Tracks all tasks of the server, so that none outlives it.

use std::future::Future;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::channels::Ending;

/// Starts tasks, signals them to end, and waits until they have ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    /// The signals by which turns end.
    turns: Ending,
    closing: CancellationToken,
}

impl Tasks {
    /// Starts a task on the current worker. It must end soon after [`ending`](Self::ending).
    pub(crate) fn spawn_local(&self, task: impl Future<Output = ()> + 'static) {
        self.tracker.spawn_local(task);
    }

    /// Starts a task on the runtime. It must end soon after [`ending`](Self::ending).
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tracker.spawn(task);
    }

    /// Resolves when the server shuts down.
    pub(crate) async fn ending(&self) {
        self.closing.cancelled().await;
    }

    /// The tracker of tasks that belong to the server.
    pub(crate) fn tracker(&self) -> TaskTracker {
        self.tracker.clone()
    }

    /// The token that is cancelled when the server shuts down.
    pub(crate) fn end_token(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// The signals by which turns end.
    pub(crate) fn end_of_turns(&self) -> Ending {
        self.turns.clone()
    }

    /// Whether the server is shutting down: it is not to be sent anything new.
    pub(crate) fn is_draining(&self) -> bool {
        self.turns.begun.is_cancelled()
    }

    /// Whether the server is shutting down, and begins nothing any more.
    pub(crate) fn is_ending(&self) -> bool {
        self.closing.is_cancelled()
    }

    /// Lets no more turns begin. All else goes on.
    pub(crate) fn drain(&self) {
        self.turns.begun.cancel();
    }

    /// Tells every task to end.
    pub(crate) fn begin_to_end(&self) {
        self.drain();
        self.closing.cancel();
        self.tracker.close();
    }

    /// Waits until every task has ended. Tasks that go on after `time` are told to end at once.
    pub(crate) async fn ended_within(&self, time: Duration) {
        if timeout(time, self.tracker.wait()).await.is_err() {
            self.turns.over.cancel();
            self.tracker.wait().await;
        }
    }
}
