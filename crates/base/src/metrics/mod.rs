//! The metrics of the server, which Prometheus reads at `GET /metrics`.
//!
//! Every name, help text and label stands in `table.rs`. A server counts with one handle, [`Metrics`]; a part that is built before it, such as the
//! store, has figures of its own, which the server takes into its handle. A label never has a value that a caller has chosen, so that no
//! caller can make the number of series grow.

mod metrics;
mod parts;
mod queue;
mod table;

pub use metrics::{Apology, Conversion, DocumentCounts, Limit, LiveStream, Metrics, Open, SourceOutcomes};
pub use parts::{BackEndFigures, BusFigures, Channel, ChannelFigures, Group, NodeEvent, StoreFigures, TaskFigures};
pub use queue::{Queue, Waiting};
pub use table::{Family, METRICS, Type};
