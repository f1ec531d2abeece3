//! Answers for Open WebUI and AssistantHub: the samples against files that were written by hand from the rules, and what holds
//! for every answer.

mod invariants;
mod page;
mod samples;
