//! Background tasks that begin again after a panic.
//!
//! A bug in one of them costs what it was at, never the process or the other tasks.

use std::panic::AssertUnwindSafe;
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

/// Makes the tasks of one runtime on one thread end as by a panic, for tests.
#[cfg(any(test, feature = "testing"))]
pub mod trip {
    use std::any::Any;
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::future::{Future, poll_fn};
    use std::pin::pin;
    use std::rc::Rc;
    use std::task::{Poll, Waker};

    use tokio::sync::Notify;

    #[derive(Default)]
    struct Task {
        begun: usize,
        is_set: bool,
        waker: Option<Waker>,
    }

    thread_local! {
        static TASKS: RefCell<BTreeMap<&'static str, Task>> = RefCell::default();
        static BEGUN: Rc<Notify> = Rc::default();
    }

    fn with<T>(name: &'static str, change: impl FnOnce(&mut Task) -> T) -> T {
        TASKS.with_borrow_mut(|tasks| change(tasks.entry(name).or_default()))
    }

    /// Makes the task of this name panic when it is polled next, which is now.
    ///
    /// # Panics
    /// When the task has not run yet.
    pub fn trip(name: &'static str) {
        let waker = with(name, |task| {
            task.is_set = true;
            task.waker.take()
        });
        waker.expect("it has run").wake();
    }

    /// Waits until the task has begun so often.
    pub async fn begun(name: &'static str, times: usize) {
        let changed = BEGUN.with(Rc::clone);
        while with(name, |task| task.begun) < times {
            changed.notified().await;
        }
    }

    pub(super) async fn tripped<T>(
        name: &'static str,
        task: impl Future<Output = Result<T, Box<dyn Any + Send>>>,
    ) -> Result<T, Box<dyn Any + Send>> {
        let mut task = pin!(task);
        let mut is_new = true;
        poll_fn(|context| {
            let is_set = with(name, |task| {
                task.waker = Some(context.waker().clone());
                task.begun += usize::from(std::mem::take(&mut is_new));
                std::mem::take(&mut task.is_set)
            });
            BEGUN.with(|begun| begun.notify_waiters());
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
