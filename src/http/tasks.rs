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
    ending: Ending,
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
        self.ending.begun.cancelled().await;
    }

    /// Where tasks are started that belong to the server.
    pub(crate) fn tracker(&self) -> TaskTracker {
        self.tracker.clone()
    }

    /// What is cancelled when the server shuts down.
    pub(crate) fn end_token(&self) -> CancellationToken {
        self.ending.begun.clone()
    }

    /// How the server shuts down.
    pub(crate) fn end(&self) -> Ending {
        self.ending.clone()
    }

    /// Whether the server is shutting down.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.begun.is_cancelled()
    }

    /// Tells every task to end.
    pub(crate) fn begin_to_end(&self) {
        self.ending.begun.cancel();
        self.tracker.close();
    }

    /// Waits until every task has ended. What goes on after so long a time is told to end at once.
    pub(crate) async fn ended_within(&self, time: Duration) {
        if timeout(time, self.tracker.wait()).await.is_err() {
            self.ending.over.cancel();
            self.tracker.wait().await;
        }
    }
}
