//! Metrics of parts that are built before the server, such as the store. The server adds them to its [`Metrics`](super::Metrics).

use std::sync::LazyLock;
use std::time::Duration;

use prometheus::core::Collector;
use prometheus::{Gauge, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts};

use super::queue::Queue;
use super::table::{self, Family, Type};

/// The metrics of a store. Clones count into the same metrics.
#[derive(Clone, Debug)]
pub struct StoreFigures {
    /// Changes that wait until they are on the disk.
    pub queue: Queue,
    groups: HistogramVec,
    changes: IntCounter,
    events: IntCounterVec,
    clock_offset: Gauge,
}

/// The outcome of a group of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// It is on the disk: so many changes.
    Committed(usize),
    /// It is not.
    Failed,
}

/// Something that happens where several nodes serve a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeEvent {
    /// A line of turns was taken from a dead node.
    TakenOver,
    /// The database took no heartbeat.
    HeartbeatMissed,
    /// Other nodes were not heard for a while.
    Gap,
    /// The sweep found a change of which no other node had told.
    MissedSignal,
    /// A caller was told that nobody knows whether a change was recorded.
    Doubtful,
}

impl NodeEvent {
    const ALL: [Self; 5] = [Self::TakenOver, Self::HeartbeatMissed, Self::Gap, Self::MissedSignal, Self::Doubtful];

    const fn label(self) -> &'static str {
        match self {
            Self::TakenOver => "taken_over",
            Self::HeartbeatMissed => "heartbeat_missed",
            Self::Gap => "gap",
            Self::MissedSignal => "missed_signal",
            Self::Doubtful => "doubtful",
        }
    }
}

impl Default for StoreFigures {
    fn default() -> Self {
        let groups = histograms(table::STORE_GROUPS);
        for outcome in ["committed", "failed"] {
            // A series that is there from the beginning shows the first time as well.
            groups.with_label_values(&[outcome]);
        }
        let changes = IntCounter::with_opts(named(table::STORE_CHANGES)).expect("the table has good names");
        let events = IntCounterVec::new(named(table::NODE_EVENTS), table::NODE_EVENTS.labels);
        let events = events.expect("the table has good names");
        for event in NodeEvent::ALL {
            events.with_label_values(&[event.label()]);
        }
        let clock_offset = Gauge::with_opts(named(table::CLOCK_OFFSET)).expect("the table has good names");
        Self { queue: Queue::default(), groups, changes, events, clock_offset }
    }
}

impl StoreFigures {
    /// A group of changes was written, or was not.
    pub fn group(&self, group: Group, taken: Duration) {
        let outcome = match group {
            Group::Committed(changes) => {
                self.changes.inc_by(changes as u64);
                "committed"
            }
            Group::Failed => "failed",
        };
        self.groups.with_label_values(&[outcome]).observe(taken.as_secs_f64());
    }

    /// Counts events of one kind.
    pub fn node_events(&self, event: NodeEvent, count: usize) {
        self.events.with_label_values(&[event.label()]).inc_by(count as u64);
    }

    /// Sets by how many seconds the clock of the database is ahead of the one of this machine.
    pub fn clock_offset(&self, seconds: f64) {
        self.clock_offset.set(seconds);
    }

    pub(super) fn collectors(&self) -> Vec<Box<dyn Collector>> {
        let (groups, changes) = (Box::new(self.groups.clone()), Box::new(self.changes.clone()));
        vec![groups, changes, Box::new(self.events.clone()), Box::new(self.clock_offset.clone())]
    }
}

/// The metrics of a background task, by its name. They belong to the process, as its panics do.
#[derive(Clone, Debug)]
pub struct TaskFigures(IntCounter);

/// All background tasks of the process.
static TASKS: LazyLock<IntCounterVec> = LazyLock::new(|| {
    IntCounterVec::new(named(table::TASK_RESTARTS), table::TASK_RESTARTS.labels).expect("the table has good names")
});

impl TaskFigures {
    /// Those of the task with this name.
    #[must_use]
    pub fn of(task: &'static str) -> Self {
        // A series that is there from the beginning shows the first time as well.
        Self(TASKS.with_label_values(&[task]))
    }

    /// The task began again after a panic.
    pub fn restarted(&self) {
        self.0.inc();
    }

    /// How often it began again.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.0.get()
    }

    pub(super) fn collector() -> Box<dyn Collector> {
        Box::new(TASKS.clone())
    }
}

/// The metrics of the bus between nodes. Clones count into the same metrics.
#[derive(Clone, Debug)]
pub struct BusFigures {
    up: IntGauge,
    published: IntCounter,
    received: IntCounter,
    refused: IntCounter,
    dropped: IntCounter,
    gaps: IntCounter,
}

impl Default for BusFigures {
    fn default() -> Self {
        let counter = |family| IntCounter::with_opts(named(family)).expect("the table has good names");
        Self {
            up: IntGauge::with_opts(named(table::BUS_UP)).expect("the table has good names"),
            published: counter(table::BUS_PUBLISHED),
            received: counter(table::BUS_RECEIVED),
            refused: counter(table::BUS_REFUSED),
            dropped: counter(table::BUS_DROPPED),
            gaps: counter(table::BUS_GAPS),
        }
    }
}

impl BusFigures {
    /// There is a connection, or none.
    pub fn set_up(&self, is_up: bool) {
        self.up.set(i64::from(is_up));
    }

    /// Counts messages that were sent.
    pub fn published(&self, messages: usize) {
        self.published.inc_by(messages as u64);
    }

    /// A message of another node has come.
    pub fn received(&self) {
        self.received.inc();
    }

    /// A message without the signature of a node has come. Returns how many have by now.
    pub fn refused(&self) -> u64 {
        self.refused.inc();
        self.refused.get()
    }

    /// Counts messages that were not sent.
    pub fn dropped(&self, messages: usize) {
        self.dropped.inc_by(messages as u64);
    }

    /// The connection was lost.
    pub fn gap(&self) {
        self.gaps.inc();
    }

    pub(super) fn collectors(&self) -> Vec<Box<dyn Collector>> {
        let counters = [&self.published, &self.received, &self.refused, &self.dropped, &self.gaps];
        let counters = counters.into_iter().map(|counter| Box::new(counter.clone()) as Box<dyn Collector>);
        std::iter::once(Box::new(self.up.clone()) as Box<dyn Collector>).chain(counters).collect()
    }
}

/// The metrics of a remote channel. Clones count into the same metrics.
#[derive(Clone, Debug)]
pub struct ChannelFigures(IntCounterVec);

/// A remote channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Azure Bot Service and agents, called by the Connector protocol.
    Connector,
    /// A Direct Line that is not ours.
    DirectLineClient,
}

impl ChannelFigures {
    /// Nothing counted so far.
    #[must_use]
    pub fn new(channel: Channel) -> Self {
        let channel = match channel {
            Channel::Connector => "connector",
            Channel::DirectLineClient => "direct_line_client",
        };
        let [name, labels @ ..] = table::REFUSALS.labels else { unreachable!("the first label is the channel") };
        let options = named(table::REFUSALS).const_label(*name, channel);
        Self(IntCounterVec::new(options, labels).expect("the table has good names"))
    }

    /// The channel refused a call, or it failed on the way.
    pub fn refusal(&self, reason: &'static str) {
        self.0.with_label_values(&[reason]).inc();
    }

    pub(super) fn collectors(&self) -> Vec<Box<dyn Collector>> {
        vec![Box::new(self.0.clone())]
    }
}

/// The metrics of back ends. Clones count into the same metrics.
#[derive(Clone, Debug)]
pub struct BackEndFigures {
    calls: IntCounterVec,
    seconds: HistogramVec,
}

impl Default for BackEndFigures {
    fn default() -> Self {
        let calls = IntCounterVec::new(named(table::BACKEND_CALLS), table::BACKEND_CALLS.labels);
        Self { calls: calls.expect("the table has good names"), seconds: histograms(table::BACKEND_SECONDS) }
    }
}

impl BackEndFigures {
    /// A back end began to answer, or failed. The assistant is one of the configuration.
    pub fn call(&self, assistant: &str, kind: &'static str, outcome: &'static str, taken: Duration) {
        self.calls.with_label_values(&[assistant, kind, outcome]).inc();
        self.seconds.with_label_values(&[assistant, kind]).observe(taken.as_secs_f64());
    }

    pub(super) fn collectors(&self) -> Vec<Box<dyn Collector>> {
        vec![Box::new(self.calls.clone()), Box::new(self.seconds.clone())]
    }
}

fn histograms(family: Family) -> HistogramVec {
    HistogramVec::new(buckets(family), family.labels).expect("the table has good names")
}

/// A metric of the table, without its labels.
pub(super) fn named(family: Family) -> Opts {
    Opts::new(family.name, family.help)
}

/// A histogram of the table, without its labels.
pub(super) fn buckets(family: Family) -> HistogramOpts {
    let options = HistogramOpts::new(family.name, family.help);
    match family.kind {
        Type::Histogram(bounds) => options.buckets(bounds.to_vec()),
        Type::Counter | Type::Gauge => options,
    }
}
