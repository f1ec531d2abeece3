//! Converts answers with sources to cited Bot Framework activities. Conversions are pure: the same input gives the same bytes.
//!
//! ```
//! use citewire_core::convert::{Conversion, convert};
//! use citewire_core::dialect::Dialect;
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
//! # Ok::<(), citewire_core::convert::ConvertError>(())
//! ```
//!
//! A stream works the same way, with bytes in pieces as they arrive from the provider:
//!
//! ```
//! use citewire_core::convert::{Conversion, Streaming, Update};
//! use citewire_core::dialect::Dialect;
//!
//! let mut streaming = Streaming::new(Conversion::to(Dialect::WebChat));
//! streaming.push(b"data: {\"sources\": [{\"url\": \"https://hr.contoso.example/leave\"}]}\n\n")?;
//! let update = streaming.push(b"data: {\"delta\": \"Leave is 30 days [1]. It\"}\n\n")?;
//! assert_eq!(update, Some(Update::Text("Leave is 30 days [1]. It")));
//! streaming.push(b"data: {\"done\": true}\n\n")?;
//! let converted = streaming.finish()?;
//! let message = converted.activities.last().and_then(|message| message.text.as_deref());
//! assert_eq!(message, Some("Leave is 30 days [1]. It\n\n[1]: https://hr.contoso.example/leave \"hr.contoso.example\""));
//! # Ok::<(), citewire_core::convert::ConvertError>(())
//! ```
//!
//! Records are for programs that render an answer themselves: its text, the offsets of its numbers, and its sources.
//!
//! ```
//! use citewire_core::ingest::ingest;
//! use citewire_core::output::records;
//!
//! let answer = ingest(br#"{"text": "Leave is 30 days [1].", "sources": [{"url": "https://hr.contoso.example/leave"}]}"#, None)?;
//! let records = serde_json::to_value(records(&answer, &[]))?;
//! assert_eq!(records["sources"][0]["url"], "https://hr.contoso.example/leave");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Terms
//!
//! A *source* is a document that a retrieval back end found. A *marker* is the model's reference to a source: `[1]`, `[doc2]`,
//! `【3†plan.pdf】`. A *citation* is a place in the text that rests on sources. A *claim* describes one number of the text for
//! the channel: it is a node of the schema.org graph in the activity. A *label* says how sensitive a document is.
//!
//! # Data flow
//!
//! [`ingest`] reads a provider's JSON into an [`answer::Answer`]. [`cite`](mod@cite) finds the markers, numbers the sources
//! and writes the text. [`graph`] builds the Message and its Claims. A [`dialect`] shapes the [`activity`] for a channel.
//! [`convert`](mod@convert) does all of it in one call, with a [`report`] of everything that was merged, dropped or made
//! harmless.
//!
//! Before an answer exists, [`prompt`] lists sources for a model and tells it how to cite them. [`output`] writes an answer
//! in formats other than activities: records, chat completions, Open WebUI, AssistantHub.

pub mod activity;
pub mod answer;
pub mod cite;
pub mod claims;
pub mod convert;
pub mod dialect;
pub mod graph;
pub mod ingest;
pub mod output;
pub mod prompt;
pub mod report;
pub mod text;
pub mod url;
