//! citewire turns an answer with sources into a cited Bot Framework message.

pub mod activity;
pub mod answer;
pub mod check;
pub mod cite;
pub mod convert;
pub mod dialect;
pub mod graph;
pub mod ingest;
pub mod report;
pub mod text;
pub mod url;

#[cfg(feature = "server")]
pub mod channels;
#[cfg(feature = "server")]
pub mod cli;
#[cfg(feature = "server")]
pub mod clock;
#[cfg(feature = "server")]
pub mod config;
#[cfg(feature = "server")]
pub mod egress;
#[cfg(feature = "server")]
pub mod http;
#[cfg(feature = "server")]
pub mod secret;
#[cfg(feature = "server")]
pub mod store;
#[cfg(feature = "server")]
pub mod telemetry;
