//! Provider formats: the only place that knows a provider's JSON.
//!
//! One format a file: its wire types, and how they become an [`Answer`](crate::answer::Answer). Providers deviate from
//! their documents, so everything is lenient and what is odd is reported; only what makes the answer unusable is an
//! error. An answer comes whole or as a stream; a format that has both makes the same answer of both.

mod annotated;
mod annotated_parts;
mod assistanthub;
mod azsearch_demo;
mod azure_agents;
mod azure_document;
mod azure_events;
mod azure_on_your_data;
mod carrier;
mod chat;
mod error;
mod escaped_markers;
mod event;
mod format;
mod json;
mod lines;
mod linked_markers;
mod mistral;
mod mistral_chat;
mod mistral_events;
mod native;
mod native_events;
mod openai_annotation;
mod openai_assistants;
mod openai_chat;
mod openai_responses;
mod perplexity;
mod perplexity_agent;
mod provider;
mod responses;
mod responses_events;
mod span;
mod sse;
mod stream;
mod threads;
mod threads_events;
mod told_later;
mod xai;

use provider::{at_once, document};

pub use error::{EventPlace, IngestError};
pub use event::StreamEvent;
pub use provider::{Provider, UnknownProvider};
pub use stream::{AnswerStream, ingest, ingest_whole, is_stream};
