//! The server and the command of citewire.
//!
//! An answer is converted by the pure core, [`citewire_core`], whose modules stand here as well. [`check`] reads anybody's
//! activity and says what users of a channel would see. What is left is the server: [`http`], [`channels`], [`store`],
//! [`assistant`] and the [`cli`], with what they are made of.

pub use citewire_check as check;
pub use citewire_core::{activity, answer, cite, convert, dialect, graph, ingest, output, prompt, report, text, url};

pub mod answer_events;
pub mod assistant;
pub mod bucket;
pub mod bus;
pub mod channels;
pub mod cli;
pub mod clock;
pub mod config;
mod digest;
pub mod document;
pub mod egress;
mod expiring_map;
pub mod host_names;
pub mod http;
pub mod metrics;
pub mod private_file;
pub mod redirects;
pub mod sealing;
pub mod secret;
pub mod secret_source;
mod sse;
pub mod store;
mod supervision;
pub mod telemetry;
pub mod upstream;
