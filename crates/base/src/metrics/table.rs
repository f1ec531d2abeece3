//! The table of all metrics: name, type, labels and help text.

/// The type of a metric, as Prometheus has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    /// Only grows, until the process ends.
    Counter,
    /// Goes up and down.
    Gauge,
    /// How many observations lay below each of these bounds, and their sum.
    Histogram(&'static [f64]),
}

/// One metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Family {
    /// Its name, which ends in the unit, and in `_total` for a counter.
    pub name: &'static str,
    /// Its type.
    pub kind: Type,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    /// Its help text: the thing that it counts or measures.
    pub help: &'static str,
}

/// Seconds from a fast answer of our own to a slow one of a model.
const SECONDS: &[f64] = &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

/// Seconds of a transaction, which are mostly those of the disk.
const DISK_SECONDS: &[f64] = &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5];

/// Seconds of a check without a model: from a citation with a short passage to thousands with long ones.
const CHECK_SECONDS: &[f64] = &[0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5];

macro_rules! families {
    ($($constant:ident = $name:literal, $kind:expr, [$($label:literal),*], $help:literal;)*) => {
        $(pub(super) const $constant: Family = Family { name: $name, kind: $kind, labels: &[$($label),*], help: $help };)*
        /// All metrics, in the order of the documentation.
        pub const METRICS: &[Family] = &[$($constant),*];
    };
}

families! {
    BUILD_INFO = "citewire_build_info", Type::Gauge, ["version"], "1, with the program's version.";
    REVISION_INFO = "citewire_revision_info", Type::Gauge, ["revision"], "1, with the digest of assistants and documents.";
    DOCUMENTS_WAITING = "citewire_documents_waiting", Type::Gauge, [], "Documents that wait for a reader.";
    DOCUMENTS_UNREADABLE = "citewire_documents_unreadable", Type::Gauge, ["assistant"], "Documents that cannot be read.";
    DOCUMENTS_PARTIAL = "citewire_documents_partial", Type::Gauge, ["assistant"], "Documents that are read in part.";
    START_TIME = "process_start_time_seconds", Type::Gauge, [], "Process start, in Unix seconds.";
    REQUESTS = "citewire_http_requests_total", Type::Counter, ["method", "route", "status"], "HTTP requests.";
    REQUEST_SECONDS = "citewire_http_request_duration_seconds", Type::Histogram(SECONDS), ["method", "route"],
        "Time until the response head.";
    TASK_RESTARTS = "citewire_task_restarts_total", Type::Counter, ["task"], "Background tasks that began again after a panic.";
    RATE_LIMITED = "citewire_rate_limited_total", Type::Counter, ["limit"], "Requests refused by rate limits.";
    CONVERSIONS = "citewire_conversions_total", Type::Counter, ["format", "outcome"], "Conversions into activities.";
    CLAIMS = "citewire_claims_total", Type::Counter, [], "Claims in converted answers.";
    SOURCES = "citewire_sources_total", Type::Counter, ["outcome"], "Sources of converted answers.";
    UNRESOLVED = "citewire_unresolved_markers_total", Type::Counter, [], "Markers without a source.";
    SUPPORT = "citewire_citations_support_total", Type::Counter, ["verdict"], "Citations held against their passages.";
    SUPPORT_REASONS = "citewire_support_reasons_total", Type::Counter, ["reason"], "Reasons of these verdicts.";
    SUPPORT_SECONDS = "citewire_support_check_seconds", Type::Histogram(CHECK_SECONDS), [], "Time to judge an answer's citations.";
    CONNECTIONS_LIMIT = "citewire_connections_limit", Type::Gauge, [], "Connections that may be open.";
    CONNECTIONS_BEYOND = "citewire_connections_beyond_limit_total", Type::Counter, [], "Connections beyond the limit.";
    SOCKETS = "citewire_sockets_open", Type::Gauge, [], "Open WebSocket streams.";
    UPLOADS = "citewire_uploads_open", Type::Gauge, [], "Uploads on their way.";
    DOWNLOADS = "citewire_downloads_open", Type::Gauge, [], "Documents on their way to readers.";
    LIVE_STREAMS = "citewire_live_streams_open", Type::Gauge, [], "Live answers in progress.";
    FIRST_UPDATE = "citewire_live_first_update_seconds", Type::Histogram(SECONDS), [],
        "Time to a live answer's first words.";
    QUEUE = "citewire_queue_entries", Type::Gauge, ["queue"], "Waiting entries.";
    QUEUE_AGE = "citewire_queue_oldest_entry_age_seconds", Type::Gauge, ["queue"], "Age of the oldest entry.";
    STORE_GROUPS = "citewire_store_group_duration_seconds", Type::Histogram(DISK_SECONDS), ["outcome"],
        "Time to commit changes.";
    STORE_CHANGES = "citewire_store_changes_total", Type::Counter, [], "Committed changes.";
    NODE_EVENTS = "citewire_node_events_total", Type::Counter, ["event"], "Events among nodes.";
    CLOCK_OFFSET = "citewire_clock_offset_seconds", Type::Gauge, [], "PostgreSQL's clock minus the node's.";
    BACKEND_CALLS = "citewire_backend_calls_total", Type::Counter, ["assistant", "kind", "outcome"],
        "Questions to back ends.";
    BACKEND_SECONDS = "citewire_backend_call_duration_seconds", Type::Histogram(SECONDS), ["assistant", "kind"],
        "Time until first response or failure.";
    APOLOGIES = "citewire_apologies_total", Type::Counter, ["kind"], "Texts that users got instead of an answer.";
    REFUSALS = "citewire_channel_refusals_total", Type::Counter, ["channel", "reason"],
        "Refused or failed calls to channels.";
    BUS_UP = "citewire_bus_up", Type::Gauge, [], "1 while the bus is connected.";
    BUS_PUBLISHED = "citewire_bus_published_total", Type::Counter, [], "Messages sent to the bus.";
    BUS_RECEIVED = "citewire_bus_received_total", Type::Counter, [], "Messages of other nodes.";
    BUS_REFUSED = "citewire_bus_refused_total", Type::Counter, [], "Messages without the signature of a node.";
    BUS_DROPPED = "citewire_bus_dropped_total", Type::Counter, [], "Messages not sent.";
    BUS_GAPS = "citewire_bus_gaps_total", Type::Counter, [], "Lost connections to the bus.";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the table in the document, as they have to be.
    #[test]
    fn the_documented_metrics_are_the_real_ones() {
        let document = include_str!("../../../../docs/operate/metrics.md");
        let rows: Vec<&str> = document.lines().filter(|line| line.starts_with("| `")).collect();
        let expected: Vec<String> = METRICS
            .iter()
            .map(|family| {
                let kind = match family.kind {
                    Type::Counter => "counter",
                    Type::Gauge => "gauge",
                    Type::Histogram(_) => "histogram",
                };
                let labels: Vec<String> = family.labels.iter().map(|label| format!("`{label}`")).collect();
                format!("| `{}` | {kind} | {} | {} |", family.name, labels.join(", "), family.help)
            })
            .collect();
        assert_eq!(rows, expected, "write these rows:\n{}", expected.join("\n"));
    }

    /// The alerts and the dashboard that operators copy.
    #[test]
    fn the_samples_for_operators_name_metrics_that_there_are() {
        let samples = [
            include_str!("../../../../samples/operate/alerts.yml"),
            include_str!("../../../../samples/operate/alerts.test.yml"),
            include_str!("../../../../samples/operate/grafana.json"),
        ];
        for word in samples.iter().flat_map(|sample| sample.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')) {
            if word.starts_with("citewire_") {
                let base = ["_bucket", "_count", "_sum"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
                assert!(METRICS.iter().any(|family| family.name == base), "{word}");
            }
        }
    }

    /// https://prometheus.io/docs/practices/naming/
    #[test]
    fn names_are_as_prometheus_wants_them() {
        for family in METRICS {
            let name = family.name;
            assert_eq!(name.ends_with("_total"), family.kind == Type::Counter, "{name}");
            assert!(name.starts_with("citewire_") || name.starts_with("process_"), "{name}");
            assert!(!matches!(family.kind, Type::Histogram(_)) || name.ends_with("_seconds"), "{name}");
            assert!(family.help.ends_with('.'), "{name}");
        }
    }
}
