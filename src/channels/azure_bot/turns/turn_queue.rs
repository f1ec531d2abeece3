//! The queue of turns: one line per conversation, and a limit of turns at the same time.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::fingerprint::Fingerprint;
use super::{Full, TurnLimits};
use crate::expiring_map::ExpiringMap;
use crate::metrics::{self, Queue};

/// What became of an activity that was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::channels::azure_bot) enum Offered {
    /// It has its place in the line of its conversation.
    Taken,
    /// It came before, and is not run again.
    Repeated,
    /// There is no room, by this limit.
    Full(Full),
    /// The server is ending.
    Closed,
}

/// The lines. One that is empty and not served is no line.
#[derive(Debug)]
pub(in crate::channels::azure_bot) struct TurnQueue<J> {
    limits: TurnLimits,
    state: Mutex<QueueState<J>>,
    fresh: Notify,
    queue: Queue,
}

#[derive(Debug)]
struct QueueState<J> {
    lines: BTreeMap<Arc<str>, ConversationQueue<J>>,
    /// Lines in which something waits and nothing runs, in the order in which they are served.
    ready: VecDeque<Arc<str>>,
    /// The activities of the last minutes.
    seen: ExpiringMap<Fingerprint, ()>,
    waiting: usize,
    waiting_bytes: usize,
    closed: bool,
}

#[derive(Debug)]
struct ConversationQueue<J> {
    jobs: VecDeque<QueuedTurn<J>>,
    /// What runs, by what ends it.
    running: Option<CancellationToken>,
}

#[derive(Debug)]
struct QueuedTurn<J> {
    job: J,
    bytes: usize,
    forgotten: CancellationToken,
    _queued: metrics::Waiting,
}

/// An activity that is offered.
#[derive(Clone, Copy, Debug)]
pub(in crate::channels::azure_bot) struct Offer<'a> {
    /// The conversation.
    pub(in crate::channels::azure_bot) line: &'a str,
    /// By what it is known, where it has a name.
    pub(in crate::channels::azure_bot) fingerprint: Option<Fingerprint>,
    /// How much room it takes.
    pub(in crate::channels::azure_bot) bytes: usize,
    /// What is cancelled when its conversation is forgotten.
    pub(in crate::channels::azure_bot) forgotten: &'a CancellationToken,
}

/// A job whose turn has come. Its line goes on when this is dropped, however that comes about.
#[derive(Debug)]
pub(in crate::channels::azure_bot) struct RunningTurn<J> {
    job: Option<J>,
    line: Arc<str>,
    turns: Arc<TurnQueue<J>>,
}

impl<J> RunningTurn<J> {
    /// What is to be done. There is something once.
    pub(in crate::channels::azure_bot) fn take(&mut self) -> Option<J> {
        self.job.take()
    }
}

impl<J> Drop for RunningTurn<J> {
    fn drop(&mut self) {
        self.turns.finish(&self.line);
    }
}

impl<J> TurnQueue<J> {
    pub(in crate::channels::azure_bot) fn new(limits: TurnLimits) -> Self {
        let remember_for = TimeDelta::from_std(limits.remember_for).unwrap_or(TimeDelta::MAX);
        let state = QueueState {
            lines: BTreeMap::new(),
            ready: VecDeque::new(),
            seen: ExpiringMap::new(limits.remembered, remember_for),
            waiting: 0,
            waiting_bytes: 0,
            closed: false,
        };
        Self { limits, state: Mutex::new(state), fresh: Notify::new(), queue: Queue::default() }
    }

    /// What waits, and for how long.
    pub(in crate::channels::azure_bot) fn queue(&self) -> &Queue {
        &self.queue
    }

    fn state(&self) -> MutexGuard<'_, QueueState<J>> {
        // No call below can panic half-way through a change, so what a poisoned lock guards is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a job at the end of its line. What is refused is not remembered: it will come again.
    pub(in crate::channels::azure_bot) fn offer(&self, offer: Offer<'_>, job: J, now: DateTime<Utc>) -> Offered {
        let Offer { line, fingerprint, bytes, forgotten } = offer;
        let mut state = self.state();
        if fingerprint.is_some_and(|fingerprint| state.seen.get(&fingerprint, now).is_some()) {
            return Offered::Repeated;
        }
        if state.closed {
            return Offered::Closed;
        }
        let TurnLimits { waiting, waiting_each, waiting_bytes, .. } = self.limits;
        let in_line = state.lines.get(line).map_or(0, |line| line.jobs.len());
        if state.waiting >= waiting {
            return Offered::Full(Full::Waiting);
        }
        if in_line >= waiting_each {
            return Offered::Full(Full::WaitingEach);
        }
        if state.waiting_bytes.saturating_add(bytes) > waiting_bytes {
            return Offered::Full(Full::WaitingBytes);
        }
        if let Some(fingerprint) = fingerprint {
            state.seen.insert_new(fingerprint, (), now);
        }
        state.waiting += 1;
        state.waiting_bytes += bytes;
        let waiting = QueuedTurn { job, bytes, forgotten: forgotten.clone(), _queued: self.queue.enter() };
        let QueueState { lines, ready, .. } = &mut *state;
        match lines.get_mut(line) {
            Some(line) => line.jobs.push_back(waiting),
            None => {
                let name: Arc<str> = Arc::from(line);
                lines.insert(Arc::clone(&name), ConversationQueue { jobs: VecDeque::from([waiting]), running: None });
                ready.push_back(name);
                self.fresh.notify_one();
            }
        }
        Offered::Taken
    }

    /// Whether an activity that needs no line came before and was done with.
    pub(in crate::channels::azure_bot) fn is_repeated(
        &self,
        fingerprint: Option<Fingerprint>,
        now: DateTime<Utc>,
    ) -> bool {
        fingerprint.is_some_and(|fingerprint| self.state().seen.get(&fingerprint, now).is_some())
    }

    /// Remembers an activity that needed no line and was done with.
    pub(in crate::channels::azure_bot) fn remember(&self, fingerprint: Option<Fingerprint>, now: DateTime<Utc>) {
        if let Some(fingerprint) = fingerprint {
            self.state().seen.insert_new(fingerprint, (), now);
        }
    }

    /// Lets an activity come again: whoever waited for its outcome has gone without it.
    pub(in crate::channels::azure_bot) fn let_come_again(&self, fingerprint: Fingerprint) {
        self.state().seen.remove(&fingerprint);
    }

    /// Lets go of everything that waits in a line, and tells it and what runs there. Returns how much waited.
    pub(in crate::channels::azure_bot) fn forget(&self, line: &str) -> usize {
        let mut state = self.state();
        let Some(found) = state.lines.get_mut(line) else { return 0 };
        if let Some(running) = &found.running {
            running.cancel();
        }
        let jobs = std::mem::take(&mut found.jobs);
        for waiting in &jobs {
            waiting.forgotten.cancel();
        }
        if found.running.is_none() {
            state.lines.remove(line);
            state.ready.retain(|name| **name != *line);
        }
        state.waiting -= jobs.len();
        state.waiting_bytes -= jobs.iter().map(|waiting| waiting.bytes).sum::<usize>();
        // Whoever waits for something to do may have nothing to wait for.
        self.fresh.notify_one();
        jobs.len()
    }

    /// How many wait.
    #[cfg(test)]
    pub(in crate::channels::azure_bot) fn waiting(&self) -> usize {
        self.state().waiting
    }

    /// The next turn, if anything waits that may run.
    fn try_next(self: &Arc<Self>) -> Option<RunningTurn<J>> {
        let mut state = self.state();
        while let Some(name) = state.ready.pop_front() {
            let Some(line) = state.lines.get_mut(&name) else { continue };
            let Some(QueuedTurn { job, bytes, forgotten, _queued }) = line.jobs.pop_front() else { continue };
            line.running = Some(forgotten);
            state.waiting -= 1;
            state.waiting_bytes -= bytes;
            return Some(RunningTurn { job: Some(job), line: name, turns: Arc::clone(self) });
        }
        None
    }

    /// The next turn, as soon as there is one; `None` when nothing waits and nothing more is taken in. One caller at a time.
    async fn next(self: &Arc<Self>) -> Option<RunningTurn<J>> {
        loop {
            if let Some(turn) = self.try_next() {
                return Some(turn);
            }
            if self.is_over() {
                return None;
            }
            self.fresh.notified().await;
        }
    }

    fn is_over(&self) -> bool {
        let state = self.state();
        state.closed && state.waiting == 0
    }

    fn finish(&self, name: &Arc<str>) {
        let mut state = self.state();
        let QueueState { lines, ready, .. } = &mut *state;
        let Some(line) = lines.get_mut(name) else { return };
        line.running = None;
        if line.jobs.is_empty() {
            lines.remove(name);
        } else {
            // Behind the others: a conversation that always has more keeps nobody out.
            ready.push_back(Arc::clone(name));
            self.fresh.notify_one();
        }
    }
}

impl<J: Send + 'static> TurnQueue<J> {
    /// Gives every job its turn, until `ending`. Each runs as a task of its own, so that one that panics takes nothing else
    /// along. Then nothing more is taken in, and those who wait get their turn as well, which is to be short: what is left when
    /// the time for that is over is let go of. Returns how much that was.
    pub(in crate::channels::azure_bot) async fn run<F, R>(
        self: Arc<Self>,
        serve: F,
        tasks: TaskTracker,
        ending: CancellationToken,
    ) -> usize
    where
        F: Fn(RunningTurn<J>) -> R,
        R: Future<Output = ()> + Send + 'static,
    {
        let places = Arc::new(Semaphore::new(self.limits.at_once));
        let start = async || {
            let place = Arc::clone(&places).acquire_owned().await;
            let Some(turn) = self.next().await else { return false };
            let serving = serve(turn);
            tasks.spawn(async move {
                let _place = place;
                serving.await;
            });
            true
        };
        loop {
            tokio::select! {
                biased;
                () = ending.cancelled() => break,
                _ = start() => {}
            }
        }
        self.state().closed = true;
        let last = async { while start().await {} };
        tokio::time::timeout(self.limits.last_words, last).await.ok();
        self.abandon()
    }

    fn abandon(&self) -> usize {
        let mut state = self.state();
        state.ready.clear();
        for line in state.lines.values_mut() {
            line.jobs.clear();
        }
        state.lines.retain(|_, line| line.running.is_some());
        state.waiting_bytes = 0;
        std::mem::take(&mut state.waiting)
    }
}
