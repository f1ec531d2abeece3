//! citewire turns an answer with sources into a cited Bot Framework message.
#![warn(missing_docs)]

pub mod activity;
pub mod check;
pub mod convert;
pub mod dialect;
pub mod graph;
pub mod ingest;
pub mod report;
