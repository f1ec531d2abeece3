//! A bot behind the embedded channel. Tests with a number prove that point of the conformance checklist
//! (`docs/direct-line.md`).

mod connector;
mod failures;
mod replies;
mod told;
