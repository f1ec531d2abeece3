//! Messages and the check: what channels get, held against the rules that the check knows.
#![expect(clippy::panic, reason = "that is how the words of these tests say that an expectation failed")]

// ---- What tests are given
/// Answers as `expected.json` describes them.
mod described;
/// The samples of `samples/answers`.
#[path = "../../../core/tests/answers/samples.rs"]
mod samples;
/// The share of a long list of cases that one run tries.
#[path = "../../../core/tests/answers/share.rs"]
#[expect(dead_code, reason = "only tests of the core shorten a text")]
mod share;

// ---- The check itself
/// Documents and every finding that each deserves, by fixtures.
mod check;
/// The cases by which real clients prove the findings.
mod drawn;
/// Mended activities: what is changed, what is left, and that nothing is lost.
mod mend;
/// Every sample's message in the check of its channel.
mod own_output;
/// Remedies that once lost something, or made new findings.
mod remedies;

// ---- Samples through the whole pipeline
/// The sample answers and the activities that they become.
mod golden;
/// The sample of every provider against the promises of its format.
mod providers;
/// Streams against whole answers.
mod streams;

// ---- Rules for every message
/// Rules of every livestream.
mod livestream;
/// Rules of every message to Teams and every plain text.
mod teams;
/// The complaints of users of citation bots, one test each.
mod user_asks;
