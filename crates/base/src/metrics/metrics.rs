//! The handle with which the server counts.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use prometheus::core::Collector;
use prometheus::{
    Encoder as _, Gauge, GaugeVec, Histogram, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Registry,
    TextEncoder,
};

use super::parts::{BackEndFigures, BusFigures, ChannelFigures, StoreFigures, TaskFigures, buckets, named};
use super::queue::{Queue, Queues};
use super::table;

/// The documents of an assistant that are not searched as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentCounts {
    /// Documents that cannot be read.
    pub unreadable: usize,
    /// Documents of which a part cannot be read.
    pub partial: usize,
}

/// Counts the events of a server. Cheap to clone; clones count into the same metrics.
#[derive(Clone, Debug)]
pub struct Metrics(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    registry: Registry,
    revision: IntGaugeVec,
    documents_waiting: IntGauge,
    documents_unreadable: IntGaugeVec,
    documents_partial: IntGaugeVec,
    requests: IntCounterVec,
    request_seconds: HistogramVec,
    rate_limited: IntCounterVec,
    conversions: IntCounterVec,
    claims: IntCounter,
    unresolved: IntCounter,
    sources: IntCounterVec,
    support: IntCounterVec,
    support_reasons: IntCounterVec,
    support_seconds: Histogram,
    connections_limit: IntGauge,
    connections_beyond: IntCounter,
    sockets: IntGauge,
    uploads: IntGauge,
    downloads: IntGauge,
    live_streams: IntGauge,
    apologies: IntCounterVec,
    first_update: Histogram,
    queues: Queues,
    queue: IntGaugeVec,
    queue_age: GaugeVec,
}

/// The number of sources of an answer by the name of their outcome.
pub type SourceOutcomes = [(&'static str, usize); 5];

/// The outcome of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// It was converted.
    Converted {
        /// How many sources it cites.
        claims: usize,
        /// How many of its markers name no source.
        unresolved: usize,
        /// How many of its sources had each outcome.
        sources: SourceOutcomes,
    },
    /// It cannot be read as an answer.
    Unusable,
    /// It lacks the grounding that was asked for.
    Ungrounded,
    /// Its sources contradict it, and support was asked for.
    Conflicting,
    /// It broke off before anything of use had arrived.
    BrokenOff,
    /// It has no words.
    Empty,
}

/// A rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Conversations that an address starts on the page.
    PageSessions,
    /// Posts of the holder of a token.
    Posts,
    /// Credentials of an address that are not good.
    FailedCredentials,
    /// Uploads at one time.
    Uploads,
    /// Requests for documents, and downloads at one time.
    Downloads,
}

impl Limit {
    const ALL: [Self; 5] = [Self::PageSessions, Self::Posts, Self::FailedCredentials, Self::Uploads, Self::Downloads];

    const fn label(self) -> &'static str {
        match self {
            Self::PageSessions => "page_sessions",
            Self::Posts => "posts",
            Self::FailedCredentials => "failed_credentials",
            Self::Uploads => "uploads",
            Self::Downloads => "downloads",
        }
    }
}

/// An apology that a user got instead of an answer, by its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apology {
    /// The back end failed, or the answer could not be recorded.
    Failure,
    /// There was too much to do, here or there.
    Busy,
    /// Too many processes ended while they answered the question.
    GivenUp,
    /// The answer did not rest on what it has to rest on.
    Refusal,
    /// Too many questions of the conversation waited.
    Waiting,
    /// The question was too long.
    TooLong,
    /// The question had no words.
    Wordless,
}

impl Apology {
    const ALL: [Self; 7] =
        [Self::Failure, Self::Busy, Self::GivenUp, Self::Refusal, Self::Waiting, Self::TooLong, Self::Wordless];

    const fn label(self) -> &'static str {
        match self {
            Self::Failure => "failure",
            Self::Busy => "busy",
            Self::GivenUp => "given_up",
            Self::Refusal => "refusal",
            Self::Waiting => "waiting",
            Self::TooLong => "too_long",
            Self::Wordless => "wordless",
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// Nothing counted so far.
    #[must_use]
    pub fn new() -> Self {
        let registry = Registry::new();
        macro_rules! added {
            ($metric:expr) => {{
                let metric = $metric.expect("the table has good names");
                registry.register(Box::new(metric.clone())).expect("each name stands in the table once");
                metric
            }};
        }
        registry.register(TaskFigures::collector()).expect("each name stands in the table once");
        let build = added!(IntGaugeVec::new(named(table::BUILD_INFO), table::BUILD_INFO.labels));
        build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        let started = added!(Gauge::with_opts(named(table::START_TIME)));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        started.set(now.as_secs_f64());
        let rate_limited = added!(IntCounterVec::new(named(table::RATE_LIMITED), table::RATE_LIMITED.labels));
        for limit in Limit::ALL {
            // A series that is there from the beginning shows the first time as well.
            rate_limited.with_label_values(&[limit.label()]);
        }
        let apologies = added!(IntCounterVec::new(named(table::APOLOGIES), table::APOLOGIES.labels));
        for kind in Apology::ALL {
            apologies.with_label_values(&[kind.label()]);
        }
        Self(Arc::new(Inner {
            apologies,
            revision: added!(IntGaugeVec::new(named(table::REVISION_INFO), table::REVISION_INFO.labels)),
            documents_waiting: added!(IntGauge::with_opts(named(table::DOCUMENTS_WAITING))),
            documents_unreadable: added!(IntGaugeVec::new(
                named(table::DOCUMENTS_UNREADABLE),
                table::DOCUMENTS_UNREADABLE.labels
            )),
            documents_partial: added!(IntGaugeVec::new(
                named(table::DOCUMENTS_PARTIAL),
                table::DOCUMENTS_PARTIAL.labels
            )),
            requests: added!(IntCounterVec::new(named(table::REQUESTS), table::REQUESTS.labels)),
            request_seconds: added!(HistogramVec::new(buckets(table::REQUEST_SECONDS), table::REQUEST_SECONDS.labels)),
            rate_limited,
            conversions: added!(IntCounterVec::new(named(table::CONVERSIONS), table::CONVERSIONS.labels)),
            claims: added!(IntCounter::with_opts(named(table::CLAIMS))),
            sources: added!(IntCounterVec::new(named(table::SOURCES), table::SOURCES.labels)),
            support: added!(IntCounterVec::new(named(table::SUPPORT), table::SUPPORT.labels)),
            support_reasons: added!(IntCounterVec::new(named(table::SUPPORT_REASONS), table::SUPPORT_REASONS.labels)),
            support_seconds: added!(Histogram::with_opts(buckets(table::SUPPORT_SECONDS))),
            unresolved: added!(IntCounter::with_opts(named(table::UNRESOLVED))),
            connections_limit: added!(IntGauge::with_opts(named(table::CONNECTIONS_LIMIT))),
            connections_beyond: added!(IntCounter::with_opts(named(table::CONNECTIONS_BEYOND))),
            sockets: added!(IntGauge::with_opts(named(table::SOCKETS))),
            uploads: added!(IntGauge::with_opts(named(table::UPLOADS))),
            downloads: added!(IntGauge::with_opts(named(table::DOWNLOADS))),
            live_streams: added!(IntGauge::with_opts(named(table::LIVE_STREAMS))),
            first_update: added!(Histogram::with_opts(buckets(table::FIRST_UPDATE))),
            queues: Queues::default(),
            queue: added!(IntGaugeVec::new(named(table::QUEUE), table::QUEUE.labels)),
            queue_age: added!(GaugeVec::new(named(table::QUEUE_AGE), table::QUEUE_AGE.labels)),
            registry,
        }))
    }

    /// All figures in the text format of Prometheus, version 0.0.4.
    #[must_use]
    pub fn text(&self) -> String {
        let inner = &*self.0;
        for (name, (length, oldest)) in inner.queues.states() {
            self.queue(name, length, oldest);
        }
        let mut text = Vec::new();
        TextEncoder::new().encode(&inner.registry.gather(), &mut text).expect("a vector takes everything");
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The media type of [`text`](Self::text).
    pub const MEDIA_TYPE: &'static str = prometheus::TEXT_FORMAT;

    /// Tells the figures of a store as well.
    pub fn watch_store(&self, figures: &StoreFigures) {
        self.watch(figures.collectors());
        self.watch_queue("store", &figures.queue);
    }

    /// Tells the figures of a channel that is somewhere else as well.
    pub fn watch_channel(&self, figures: &ChannelFigures) {
        self.watch(figures.collectors());
    }

    /// Tells the figures of the bus as well.
    pub fn watch_bus(&self, figures: &BusFigures) {
        self.watch(figures.collectors());
    }

    /// Tells the figures of back ends as well.
    pub fn watch_back_ends(&self, figures: &BackEndFigures) {
        self.watch(figures.collectors());
    }

    /// Tells of a queue as well, under a name for the label `queue`.
    pub fn watch_queue(&self, name: &'static str, queue: &Queue) {
        self.0.queues.watch(name, queue);
    }

    /// Sets how many entries of a queue wait, and for how long the oldest of them.
    pub fn queue(&self, name: &'static str, length: usize, oldest: Duration) {
        self.0.queue.with_label_values(&[name]).set(i64::try_from(length).unwrap_or(i64::MAX));
        self.0.queue_age.with_label_values(&[name]).set(oldest.as_secs_f64());
    }

    /// The revision of the assistants, where there are any, takes the place of the one before.
    pub fn revision(&self, revision: Option<&str>) {
        self.0.revision.reset();
        if let Some(revision) = revision {
            self.0.revision.with_label_values(&[revision]).set(1);
        }
    }

    /// Sets how many documents wait until they can be read, and how many of each assistant cannot be read or are read in part.
    pub fn documents<'a>(&self, waiting: usize, of_assistants: impl IntoIterator<Item = (&'a str, DocumentCounts)>) {
        let gauge = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.0.documents_waiting.set(gauge(waiting));
        self.0.documents_unreadable.reset();
        self.0.documents_partial.reset();
        for (assistant, DocumentCounts { unreadable, partial }) in of_assistants {
            self.0.documents_unreadable.with_label_values(&[assistant]).set(gauge(unreadable));
            self.0.documents_partial.with_label_values(&[assistant]).set(gauge(partial));
        }
    }

    /// Registers collectors. One that is registered already stays as it is.
    fn watch(&self, collectors: Vec<Box<dyn Collector>>) {
        for collector in collectors {
            self.0.registry.register(collector).ok();
        }
    }

    /// A request was answered: its method, the pattern of its route where it has one, and the status.
    pub fn request(&self, method: &str, route: Option<&'static str>, status: u16, taken: Duration) {
        const METHODS: [&str; 6] = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"];
        let method = METHODS.into_iter().find(|known| *known == method).unwrap_or("other");
        let route = route.unwrap_or("other");
        let status = match status / 100 {
            1 => "1xx",
            2 => "2xx",
            3 => "3xx",
            4 => "4xx",
            _ => "5xx",
        };
        self.0.requests.with_label_values(&[method, route, status]).inc();
        self.0.request_seconds.with_label_values(&[method, route]).observe(taken.as_secs_f64());
    }

    /// A user gets this instead of an answer.
    pub fn apology(&self, kind: Apology) {
        self.0.apologies.with_label_values(&[kind.label()]).inc();
    }

    /// A limit refused a call.
    pub fn limited(&self, limit: Limit) {
        self.0.rate_limited.with_label_values(&[limit.label()]).inc();
    }

    /// An answer was given to convert, in a format of this slug, or in any.
    pub fn conversion(&self, format: Option<&'static str>, conversion: Conversion) {
        let outcome = match conversion {
            Conversion::Converted { claims, unresolved, sources } => {
                self.sources(sources);
                self.0.claims.inc_by(claims as u64);
                self.0.unresolved.inc_by(unresolved as u64);
                "converted"
            }
            Conversion::Unusable => "unusable",
            Conversion::Ungrounded => "ungrounded",
            Conversion::Conflicting => "conflicting",
            Conversion::BrokenOff => "broken_off",
            Conversion::Empty => "empty",
        };
        self.0.conversions.with_label_values(&[format.unwrap_or("auto"), outcome]).inc();
    }

    /// An answer had these sources.
    pub fn sources(&self, sources: SourceOutcomes) {
        for (outcome, count) in sources {
            if count > 0 {
                self.0.sources.with_label_values(&[outcome]).inc_by(count as u64);
            }
        }
    }

    /// A citation was held against its passage, with this verdict for these reasons.
    pub fn support(&self, verdict: &str, reasons: impl IntoIterator<Item = &'static str>) {
        self.0.support.with_label_values(&[verdict]).inc();
        for reason in reasons {
            self.0.support_reasons.with_label_values(&[reason]).inc();
        }
    }

    /// The citations of an answer were judged in this time.
    pub fn support_checked(&self, taken: Duration) {
        self.0.support_seconds.observe(taken.as_secs_f64());
    }

    /// Sets how many connections may be open.
    pub fn connections_limit(&self, most: usize) {
        self.0.connections_limit.set(i64::try_from(most).unwrap_or(i64::MAX));
    }

    /// A connection has come beyond those that may be open.
    pub fn connection_without_place(&self) {
        self.0.connections_beyond.inc();
    }

    /// A socket is open, until the guard is dropped.
    pub fn socket(&self) -> Open {
        Open::new(&self.0.sockets)
    }

    /// An upload is on its way, until the guard is dropped.
    pub fn upload(&self) -> Open {
        Open::new(&self.0.uploads)
    }

    /// A document is on its way to a reader, until the guard is dropped.
    pub fn download(&self) -> Open {
        Open::new(&self.0.downloads)
    }

    /// A live answer begins, and is open until the guard is dropped.
    pub fn live_stream(&self) -> LiveStream {
        let first_update = Some((self.0.first_update.clone(), Instant::now()));
        LiveStream { _open: Open::new(&self.0.live_streams), first_update }
    }
}

/// An open connection, counted until it is dropped.
#[derive(Debug)]
#[must_use = "dropped, it is open no more"]
pub struct Open(IntGauge);

impl Open {
    fn new(gauge: &IntGauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A running livestream, counted until it is dropped.
#[derive(Debug)]
#[must_use = "dropped, it is open no more"]
pub struct LiveStream {
    _open: Open,
    /// Where the time to the first update goes, and when it began; `None` behind the first update.
    first_update: Option<(Histogram, Instant)>,
}

impl LiveStream {
    /// Words of the answer are shown.
    pub fn updated(&mut self) {
        if let Some((histogram, begun)) = self.first_update.take() {
            histogram.observe(begun.elapsed().as_secs_f64());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Type;
    use super::super::{Channel, Group, METRICS};
    use super::*;

    fn has(metrics: &Metrics, line: &str) {
        let text = metrics.text();
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }

    /// A metric without a series is not in the text, so each is counted once here.
    #[test]
    fn every_metric_of_the_table_is_told_with_its_type_and_help() {
        let metrics = Metrics::new();
        metrics.request("GET", Some("/healthz"), 200, Duration::from_millis(2));
        metrics.limited(Limit::Posts);
        metrics.revision(Some("8c1f0be2a94d"));
        metrics.support("conflict", ["number-missing"]);
        metrics.documents(1, [("hr", DocumentCounts { unreadable: 2, partial: 1 })]);
        let sources = [("cited", 2), ("listed", 0), ("merged", 0), ("uncited", 0), ("unread", 3)];
        metrics.conversion(Some("openai"), Conversion::Converted { claims: 2, unresolved: 1, sources });
        let (store, back_ends) = (StoreFigures::default(), BackEndFigures::default());
        TaskFigures::of("test of the table").restarted();
        metrics.watch_bus(&BusFigures::default());
        let channels = [Channel::Connector, Channel::DirectLineClient].map(ChannelFigures::new);
        metrics.watch_store(&store);
        metrics.watch_back_ends(&back_ends);
        channels.iter().for_each(|channel| metrics.watch_channel(channel));
        store.group(Group::Committed(3), Duration::from_millis(1));
        back_ends.call("docs", "local", "answered", Duration::from_millis(1));
        channels.iter().for_each(|channel| channel.refusal("throttled"));
        for family in METRICS {
            let kind = match family.kind {
                Type::Counter => "counter",
                Type::Gauge => "gauge",
                Type::Histogram(_) => "histogram",
            };
            has(&metrics, &format!("# HELP {} {}", family.name, family.help));
            has(&metrics, &format!("# TYPE {} {kind}", family.name));
        }
        let text = metrics.text();
        let told = text.lines().filter(|line| line.starts_with("# TYPE")).count();
        assert_eq!(told, METRICS.len(), "{text}");
        has(&metrics, "citewire_claims_total 2");
        has(&metrics, r#"citewire_sources_total{outcome="unread"} 3"#);
        has(&metrics, "citewire_unresolved_markers_total 1");
        has(&metrics, "citewire_store_changes_total 3");
        has(&metrics, r#"citewire_channel_refusals_total{channel="connector",reason="throttled"} 1"#);
        has(&metrics, r#"citewire_channel_refusals_total{channel="direct_line_client",reason="throttled"} 1"#);
        has(&metrics, r#"citewire_conversions_total{format="openai",outcome="converted"} 1"#);
    }

    /// A stranger who invents methods and paths would otherwise fill the memory.
    #[test]
    fn methods_and_paths_that_are_not_ours_are_one_series() {
        let metrics = Metrics::new();
        for method in ["BREW", "WHEN", "brew"] {
            metrics.request(method, None, 404, Duration::ZERO);
        }
        has(&metrics, r#"citewire_http_requests_total{method="other",route="other",status="4xx"} 3"#);
    }

    #[test]
    fn what_is_open_is_counted_until_it_is_dropped() {
        let metrics = Metrics::new();
        let (first, second) = (metrics.socket(), metrics.clone().socket());
        has(&metrics, "citewire_sockets_open 2");
        drop((first, second));
        has(&metrics, "citewire_sockets_open 0");
        let mut stream = metrics.live_stream();
        has(&metrics, "citewire_live_streams_open 1");
        stream.updated();
        stream.updated();
        has(&metrics, "citewire_live_first_update_seconds_count 1");
        drop(stream);
        has(&metrics, "citewire_live_streams_open 0");
    }

    #[test]
    fn a_revision_takes_the_place_of_the_one_before_and_goes_with_the_last_assistant() {
        let metrics = Metrics::new();
        let told = |revision| {
            metrics.revision(revision);
            let text = metrics.text();
            text.lines()
                .filter(|line| line.starts_with("citewire_revision_info"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(told(Some("a")), [r#"citewire_revision_info{revision="a"} 1"#]);
        assert_eq!(told(Some("b")), [r#"citewire_revision_info{revision="b"} 1"#]);
        assert_eq!(told(None), Vec::<String>::new());
    }

    #[test]
    fn queues_are_told_with_the_age_of_their_oldest_entry() {
        let metrics = Metrics::new();
        let (turns, store) = (Queue::default(), StoreFigures::default());
        metrics.watch_queue("turns", &turns);
        metrics.watch_store(&store);
        let _waiting = turns.enter();
        has(&metrics, r#"citewire_queue_entries{queue="turns"} 1"#);
        has(&metrics, r#"citewire_queue_entries{queue="store"} 0"#);
        has(&metrics, r#"citewire_queue_oldest_entry_age_seconds{queue="store"} 0"#);
    }
}
