//! Background tasks that begin again after a panic.
//!
//! A bug in one of them costs what it was at, never the process or the other tasks.

use std::io;
use std::panic::AssertUnwindSafe;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::metrics::TaskFigures;

/// The pause before a task begins again. It doubles with each panic.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The time of work after which the pauses of a task start from the first one again.
const STEADY_AFTER: Duration = Duration::from_secs(120);

/// Runs a task until it ends by itself. After a panic, which is logged and counted, it begins again, unless `end` is cancelled. It
/// finds its state as the panic has left it.
pub async fn supervise<S: Send>(
    name: &'static str,
    end: CancellationToken,
    mut state: S,
    mut task: impl for<'s> FnMut(&'s mut S) -> BoxFuture<'s, ()> + Send,
) {
    let figures = TaskFigures::of(name);
    let mut pause = FIRST_PAUSE;
    loop {
        let begun = Instant::now();
        let running = AssertUnwindSafe(task(&mut state)).catch_unwind();
        #[cfg(any(test, feature = "testing"))]
        let running = trip::tripped(name, running);
        if running.await.is_ok() {
            return;
        }
        if begun.elapsed() >= STEADY_AFTER {
            pause = FIRST_PAUSE;
        }
        figures.restarted();
        // The message of the panic has gone to stderr already.
        tracing::error!(task = name, ?pause, "a background task failed because of a bug in citewire, and begins again");
        tokio::select! {
            () = end.cancelled() => return,
            () = sleep(pause) => {}
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Runs work on a thread of its own, so that other work never makes it wait.
///
/// # Errors
/// When the system gives no thread or no runtime.
pub fn on_own_thread(name: &str, work: impl AsyncFnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    #[cfg(any(test, feature = "testing"))]
    let trips = trip::Trips::of_this_thread();
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        #[cfg(any(test, feature = "testing"))]
        trips.enter();
        runtime.block_on(work());
    })
}

/// Makes tasks end as by a panic, for tests: those of the test's own thread, and of the threads that were started from it.
#[cfg(any(test, feature = "testing"))]
pub mod trip {
    use std::any::Any;
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::future::{Future, poll_fn};
    use std::pin::pin;
    use std::sync::{Arc, Mutex, PoisonError};
    use std::task::{Poll, Waker};

    use tokio::sync::Notify;

    #[derive(Default)]
    struct Task {
        begun: usize,
        is_set: bool,
        waker: Option<Waker>,
    }

    #[derive(Default)]
    pub(super) struct Trips {
        tasks: Mutex<BTreeMap<&'static str, Task>>,
        begun: Notify,
    }

    thread_local! {
        static TRIPS: RefCell<Arc<Trips>> = RefCell::default();
    }

    impl Trips {
        pub(super) fn of_this_thread() -> Arc<Self> {
            TRIPS.with_borrow(Arc::clone)
        }

        /// Makes these the ones of this thread.
        pub(super) fn enter(self: Arc<Self>) {
            TRIPS.set(self);
        }

        fn with<T>(&self, name: &'static str, change: impl FnOnce(&mut Task) -> T) -> T {
            change(self.tasks.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default())
        }
    }

    /// Makes the task of this name panic when it is polled next, which is now.
    ///
    /// # Panics
    /// When the task has not run yet.
    pub fn trip(name: &'static str) {
        let waker = Trips::of_this_thread().with(name, |task| {
            task.is_set = true;
            task.waker.take()
        });
        waker.expect("it has run").wake();
    }

    /// Waits until the task has begun so often.
    pub async fn begun(name: &'static str, times: usize) {
        let trips = Trips::of_this_thread();
        loop {
            let mut changed = pin!(trips.begun.notified());
            changed.as_mut().enable();
            if trips.with(name, |task| task.begun) >= times {
                return;
            }
            changed.await;
        }
    }

    pub(super) async fn tripped<T>(
        name: &'static str,
        task: impl Future<Output = Result<T, Box<dyn Any + Send>>>,
    ) -> Result<T, Box<dyn Any + Send>> {
        let mut task = pin!(task);
        let mut is_new = true;
        poll_fn(|context| {
            let trips = Trips::of_this_thread();
            let is_set = trips.with(name, |task| {
                task.waker = Some(context.waker().clone());
                task.begun += usize::from(std::mem::take(&mut is_new));
                std::mem::take(&mut task.is_set)
            });
            trips.begun.notify_waiters();
            if is_set {
                let panic: Box<dyn Any + Send> = Box::new(format!("a test has made the task {name} panic"));
                return Poll::Ready(Err(panic));
            }
            task.as_mut().poll(context)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_begins_again_after_growing_pauses() {
        let (begun, mut times) = (Instant::now(), Vec::new());
        let restarts = TaskFigures::of("test").restarts();
        supervise("test", CancellationToken::new(), &mut times, |times| {
            Box::pin(async {
                times.push(begun.elapsed().as_millis());
                assert!(times.len() >= 4, "a bug");
            })
        })
        .await;
        assert_eq!(times, [0, 100, 300, 700]);
        assert_eq!(TaskFigures::of("test").restarts() - restarts, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_has_worked_for_long_pauses_shortly() {
        let (mut pauses, last) = (Vec::new(), Instant::now());
        supervise("test of a steady one", CancellationToken::new(), (&mut pauses, last), |(pauses, last)| {
            Box::pin(async {
                pauses.push(last.elapsed().as_millis());
                if pauses.len() == 4 {
                    return;
                }
                sleep(if pauses.len() == 3 { STEADY_AFTER } else { Duration::ZERO }).await;
                *last = Instant::now();
                panic!("a bug");
            })
        })
        .await;
        assert_eq!(pauses, [0, 100, 200, 100]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_ends_with_the_server_in_its_pause() {
        let (end, mut runs) = (CancellationToken::new(), 0);
        let task = supervise("test of an end", end.clone(), &mut runs, |runs| {
            **runs += 1;
            Box::pin(async { panic!("a bug") })
        });
        tokio::join!(task, async { end.cancel() });
        assert_eq!(runs, 1);
    }
}
