//! citewire turns an answer with sources into a cited Bot Framework message.
//!
//! ```
//! use citewire::convert::{Conversion, convert};
//! use citewire::dialect::Dialect;
//!
//! let answer = r#"{
//!     "text": "Leave is 30 days [1].",
//!     "sources": [{ "title": "Leave policy", "url": "https://hr.contoso.example/leave" }]
//! }"#;
//! let converted = convert(answer.as_bytes(), &Conversion::to(Dialect::WebChat))?;
//! let message = &converted.activities[0];
//! assert_eq!(
//!     message.text.as_deref(),
//!     Some("Leave is 30 days [1].\n\n[1]: https://hr.contoso.example/leave \"Leave policy\""),
//! );
//! # Ok::<(), citewire::convert::ConvertError>(())
//! ```
//!
//! # The words
//!
//! A *source* is a document that a retrieval back end found. A *marker* is what a model writes where it uses one: `[1]`,
//! `[doc2]`, `【3†plan.pdf】`. A *citation* is a place in the text that rests on sources. A *claim* is what a channel gets
//! to know about one number of the text: a node of the schema.org graph in the activity. A *label* says how sensitive a
//! document is.
//!
//! # The way of an answer
//!
//! [`ingest`] reads a provider's JSON into an [`answer::Answer`]. [`cite`](mod@cite) finds the markers, numbers the sources
//! and writes the text. [`graph`] builds the Message and its Claims. A [`dialect`] shapes the [`activity`] for a channel.
//! [`convert`](mod@convert) is all of it in one call, with a [`report`] of everything that was merged, dropped or made
//! harmless. All of this is pure: the same input gives the same bytes.
//!
//! [`prompt`] stands before all that: it lists sources for a model and tells it how to cite them.
//!
//! [`check`](mod@check) goes the other way: it reads anybody's activity and says what users of a channel would see.
//!
//! # Features
//!
//! `server` (on by default) is the service and the command, everything with I/O. `check` (on by default) adds JSON-LD
//! expansion to the check. Without both, the crate is the pure core and builds in seconds.

pub mod activity;
pub mod answer;
pub mod check;
pub mod cite;
pub mod convert;
pub mod dialect;
pub mod graph;
pub mod ingest;
pub mod output;
pub mod prompt;
pub mod report;
pub mod text;
pub mod url;

#[cfg(feature = "server")]
pub mod assistant;
#[cfg(feature = "server")]
pub mod channels;
#[cfg(feature = "server")]
pub mod cli;
#[cfg(feature = "server")]
pub mod clock;
#[cfg(feature = "server")]
pub mod config;
#[cfg(feature = "server")]
pub mod document;
#[cfg(feature = "server")]
pub mod egress;
#[cfg(feature = "server")]
pub mod http;
#[cfg(feature = "server")]
pub mod metrics;
#[cfg(feature = "server")]
pub mod private_file;
#[cfg(feature = "server")]
pub mod redirects;
#[cfg(feature = "server")]
pub mod secret;
#[cfg(feature = "server")]
pub mod store;
#[cfg(feature = "server")]
pub mod telemetry;
#[cfg(feature = "server")]
pub mod upstream;
