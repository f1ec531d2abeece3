//! The command `citewire`.

mod args;
mod causes;
mod check;
mod config;
mod confinement;
mod conversion_args;
mod convert;
mod documents;
mod eval;
mod eval_args;
mod explain;
mod first_steps;
mod healthcheck;
mod input;
mod mcp;
mod outcome;
mod outputs;
mod process;
mod prompt;
mod read_document;
mod report;
mod run;
mod send;
mod serve;
mod store;
mod support;
mod team;

pub use args::{Cli, Command};
pub use outcome::Outcome;
pub use run::run;
