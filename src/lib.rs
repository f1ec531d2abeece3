//! The server and the command of citewire.
//!
//! An answer is converted by the pure core, [`citewire_core`], whose modules stand here as well. [`check`] reads anybody's
//! activity and says what users of a channel would see. What is left is the server: [`http`], [`channels`], [`store`],
//! [`assistant`] and the [`cli`], with what they are made of.

pub use citewire_assistants::{assistant, bucket, document, upstream};
pub use citewire_base::{clock, egress, host_names, metrics, private_file, sealing, secret, secret_source};
use citewire_base::{digest, expiring_map, sse, supervision};
pub use citewire_calls as calls;
pub use citewire_channels as channels;
pub use citewire_channels::{answer_events, bus};
pub use citewire_check as check;
pub use citewire_core::{
    activity, answer, cite, claims, convert, dialect, graph, ingest, output, prompt, report, text, url,
};
pub use citewire_store as store;

pub mod cli;
pub mod config;
pub mod http;
pub mod redirects;
pub mod telemetry;
