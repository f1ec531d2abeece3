//! Rewritten answers as the Markdown engines of Web Chat read them.
//!
//! `tests/engines/judge.mjs` runs markdown-it (the engine of Web Chat 4.18.1), mdast (which finds its definitions) and
//! micromark with GFM (the engine of later versions). What a rewrite should have become is told from what the same engine
//! makes of the answer before: `expectation` shares no code with the rewrite.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the engines are programs that are started and asked"
)]
#![expect(clippy::panic, reason = "that is how the words of these tests say that an expectation failed")]
#![expect(clippy::wildcard_enum_match_arm, reason = "of all that engines report, few kinds matter in each place")]

/// Answers as models write them.
mod answers;
/// Many generated cases of a property.
mod blocks;
mod cases;
/// The findings of a channel's check in rewritten answers.
mod checked;
/// The demands on every rewritten answer.
mod demands;
/// The flow that engines should read, told from what they read before.
mod expectation;
/// The flow of an answer, in a form in which engines can be compared.
mod flow;
/// The forms of markers, as the documentation and a sample have them.
mod forms;
/// Answers that have made rewriters stumble.
mod generator;
/// Answers as they arrive, and what becomes of them.
mod given;
/// How much of a stream is held back.
mod held;
mod incremental;
/// The engines, as one child process.
mod judge;
/// The meaning of brackets, read without any code of the rewrite.
mod marker;
/// The properties of whole answers.
mod property;
/// The parser behind the rewrite, read like the other engines.
mod pulldown;
/// The rules of the writer, each with an example: what the page about engines says.
mod rules;
/// The text that is shown of answers that have not ended.
mod so_far;
/// The properties of citations that come beside the text.
mod spans;
/// Every example of the CommonMark specification with a marker in it.
mod specification;
mod tables;
