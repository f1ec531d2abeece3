//! Provider formats: the only place that knows a provider's JSON.
//!
//! One format a file: its wire types, and how they become an [`Answer`](crate::answer::Answer). Providers deviate from
//! their documents, so everything is lenient and what is odd is reported; only what makes the answer unusable is an
//! error. An answer comes whole or as a stream; a format that has both makes the same answer of both.

mod annotated;
mod annotated_parts;
mod anthropic;
mod anthropic_citation;
mod assistanthub;
mod azsearch_demo;
mod azure_agents;
mod azure_document;
mod azure_events;
mod azure_on_your_data;
mod azure_scores;
mod bedrock;
mod bedrock_citation;
mod bedrock_converse;
mod bedrock_rag;
mod bedrock_reference;
mod carrier;
mod chat;
mod cohere;
mod cohere_citation;
mod document;
mod error;
mod escaped_markers;
mod event;
mod finish_reason;
mod format;
mod formats;
mod gemini;
mod gemini_grounding;
mod gemini_interactions;
mod gemini_legacy;
mod growing_answer;
mod halves;
mod json;
mod langchain;
mod lines;
mod linked_markers;
mod llamaindex;
mod location;
mod mistral;
mod mistral_chat;
mod mistral_events;
mod native;
mod native_events;
mod openai_annotation;
mod openai_assistants;
mod openai_chat;
mod openai_responses;
mod openwebui;
mod openwebui_source;
mod perplexity;
mod perplexity_agent;
mod perplexity_page;
mod provider;
mod responses;
mod responses_events;
mod retrieved;
mod search_in_vain;
mod source_objects;
mod span;
mod sse;
mod stream;
mod thinking;
mod threads;
mod threads_events;
mod token_counts;
mod told_later;
mod unread;
mod vercel_ai_sdk;
mod web_results;
mod xai;

pub use halves::handed_down;

pub use azure_scores::AzureScores;
pub use error::{EventPlace, IngestError};
pub use event::StreamEvent;
pub use provider::{Provider, UnknownProvider};
pub use retrieved::{Retrieved, retrieved};
pub use search_in_vain::{SearchInVain, search_in_vain};
pub use source_objects::source_objects;
pub use stream::{AnswerStream, ingest, ingest_azure_on_your_data, ingest_whole, is_stream};
