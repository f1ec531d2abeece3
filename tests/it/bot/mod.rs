//! A bot behind the embedded channel. Tests with a number prove that point of the conformance checklist
//! (`docs/reference/direct-line.md`).

mod cited;
mod connector;
mod failures;
mod real;
mod replies;
mod told;
