//! Answers through the core: what each becomes in every format, dialect and output, whole and streamed.
#![expect(clippy::panic, reason = "that is how the words of these tests say that an expectation failed")]
#![expect(clippy::disallowed_methods, reason = "samples are read from files")]

// ---- What tests are given
/// The samples of `samples/answers`.
mod samples;
/// The share of a long list of cases that one run tries.
mod share;

// ---- Reading
/// citewire's own activities, read and converted again.
mod activities;
/// Answers of every format with one member damaged.
mod damaged;
/// Lists of sources that gateways put beside chat completions.
mod gateways;
/// Mappings that are proposed for invented formats, and what they read.
mod proposals;

// ---- Citing
/// Streams that are cited block by block, and from outside their text.
mod block_streams;
/// Answers that break off.
mod broken_off;
/// The promises about verdicts, for any text and any passages.
mod cited_passages;
/// The parts that badges stand for, and the verdicts about them.
mod claims;
/// Every byte of an answer, shown or named.
mod conservation;
/// Texts and lists that are far longer than any answer.
mod hostile;
/// Places that providers give by offsets.
mod places;
/// Pages that a list names twice.
mod repeated_pages;
/// The name of a source without title.
mod source_names;
/// Verdicts about citations: in every sample, in streams, and in what readers see.
mod support;

// ---- Channels
/// The payload of each channel by a schema from its vendor's page, and the same words and sources in all of them.
mod channels;

// ---- Outputs and streams
/// Answers for Open WebUI and AssistantHub.
mod chat_outputs;
/// A streamed answer as readers see it, by the kind of its format.
mod formats_streamed;
/// Links that lead to the cited sentence.
mod sentence_links;
/// The complaints of users of citation bots about streams, one test each.
mod user_asks_streamed;
