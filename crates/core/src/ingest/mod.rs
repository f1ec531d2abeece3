//! Provider formats: the only place that knows a provider's JSON.
//!
//! Each format has a file with its wire types and their conversion to an [`Answer`](crate::answer::Answer). Providers
//! deviate from their documentation, so parsers are lenient and report oddities as warnings; they fail only when the answer
//! is unusable. A format with whole and streamed answers yields the same [`Answer`](crate::answer::Answer) for both.

mod account;
mod agent_framework;
mod annotated;
mod annotated_parts;
mod answer_format;
mod anthropic;
mod anthropic_citation;
mod anthropic_pages;
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
mod chat;
mod cohere;
mod cohere_citation;
mod deferred_format;
mod dify;
mod document;
mod empty_search;
mod error;
mod escaped_markers;
mod event;
mod finish_reason;
mod format;
mod formats;
mod framing;
mod gateway;
mod gateway_source;
mod gemini;
mod gemini_grounding;
mod gemini_interactions;
mod gemini_legacy;
mod growing_answer;
mod haystack;
mod json;
mod json_walk;
mod known_members;
mod langchain;
mod langchain_citation;
mod langchain_document;
mod langchain_message;
mod langchain_run;
mod lines;
mod linked_markers;
mod llamaindex;
mod location;
mod manifest;
mod mapping;
mod mistral;
mod mistral_chat;
mod mistral_events;
mod mistral_outputs;
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
mod pydantic_ai;
mod pydantic_citation;
mod responses;
mod responses_events;
mod retrieved;
mod search_service;
mod source_like;
mod source_objects;
mod span;
mod sse;
mod stream;
mod surrogate_joiner;
mod surrogates;
mod thinking;
mod threads;
mod threads_events;
mod token_counts;
mod unread;
mod vercel_ai_sdk;
mod vercel_message;
mod web_results;
mod xai;

pub use surrogates::handed_down;

pub use answer_format::{AnswerFormat, UnknownFormat};
pub use azure_scores::AzureScores;
pub use empty_search::{EmptySearch, empty_search};
pub use error::{EventPlace, IngestError};
pub use event::StreamEvent;
pub use mapping::{
    EventOptions, FormOption, Mapping, MappingError, MappingOptions, Mappings, MarkerOptions, Names, OffsetUnit,
    Several, SourceOptions, SpanOptions, StreamOptions, propose,
};
pub use provider::{Provider, UnknownProvider};
pub use retrieved::{Retrieved, retrieved};
pub use source_objects::source_objects;
pub use stream::{AnswerStream, ingest, ingest_azure_on_your_data, ingest_whole, is_stream};
