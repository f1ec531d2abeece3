//! Tracks all tasks of the server, so that none outlives it.

use std::future::Future;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Starts tasks, signals them to end, and waits until they have ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    ending: CancellationToken,
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
        self.ending.cancelled().await;
    }

    /// Where tasks are started that belong to the server.
    pub(crate) fn tracker(&self) -> TaskTracker {
        self.tracker.clone()
    }

    /// What is cancelled when the server shuts down.
    pub(crate) fn end_token(&self) -> CancellationToken {
        self.ending.clone()
    }

    /// Whether the server is shutting down.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.is_cancelled()
    }

    /// Tells every task to end.
    pub(crate) fn end(&self) {
        self.ending.cancel();
        self.tracker.close();
    }

    /// Waits until every task has ended.
    pub(crate) async fn ended(&self) {
        self.tracker.wait().await;
    }
}
