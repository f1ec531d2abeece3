//! The back ends that answer questions.
//!
//! An [`Upstream`] takes the messages of a conversation and returns the events of an answer while it
//! arrives. It does not depend on channels and readers.

mod address;
mod answer_format;
mod anthropic;
mod ask;
mod azure;
mod chat;
mod embeddings;
mod endpoint;
mod error;
mod extract;
mod failed_call;
mod fault;
mod first_words;
mod gemini;
mod http;
mod interface;
mod json_service;
mod keys;
mod limits;
mod listing;
mod local;
mod local_options;
mod models;
mod numbered;
mod openai;
mod openai_responses;
mod options;
mod refusal;
mod reply;
mod reranker;
mod retrieval;
mod sentinel;
mod translation;
mod turns;
mod upstream;

pub use address::{Address, InvalidAddress};
pub use answer_format::AnswerFormat;
pub use anthropic::AnthropicOptions;
pub use ask::{Ask, ChatMessage, Speaker};
pub use azure::{AzureOptions, FieldsMapping, OneOrMore};
pub use embeddings::EmbeddingsOptions;
pub use error::UpstreamError;
pub use failed_call::{CallProblem, FailedCall, failed_call};
pub use fault::UpstreamFault;
pub use gemini::GeminiOptions;
pub use http::HttpOptions;
pub use limits::CallLimits;
pub use listing::{Listing, ListingStyle};
pub use local::Local;
pub use local_options::LocalOptions;
pub use models::models;
pub use openai::OpenAiOptions;
pub use openai_responses::OpenAiResponsesOptions;
pub use options::{NamedSchemas, Surroundings, UpstreamOptions};
pub use reply::{Reply, ReplyParts, Retrieval};
pub use reranker::{Reranker, RerankerOptions};
pub use retrieval::Retriever;
pub use upstream::Upstream;
