//! Parses the arguments and runs the command.

use std::ffi::OsString;
use std::io::{self, Write as _};

use clap::Parser as _;

use super::causes::with_causes;
use super::{
    Cli, Command, Outcome, check, config, convert, documents, eval, healthcheck, mcp, prompt, read_document, send,
    serve, store,
};

/// Runs the command that the arguments name, the name of the program first. Errors go to stderr.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Outcome {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too, and are no failure.
            let outcome = if error.use_stderr() { Outcome::Unusable } else { Outcome::Done };
            error.print().ok();
            return outcome;
        }
    };
    let outcome = match &cli.command {
        Command::Serve(args) => serve::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Check(args) => check::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Prompt(args) => prompt::run(args),
        Command::Send(args) => send::run(args),
        Command::Store(args) => store::run(args),
        Command::Config(args) => config::run(args),
        Command::Documents(args) => documents::run(args),
        Command::Mcp(args) => mcp::run(args),
        Command::Healthcheck(args) => healthcheck::run(args),
        Command::ReadDocument(args) => read_document::run(args),
    };
    outcome.unwrap_or_else(|error| {
        writeln!(io::stderr(), "citewire: {}", with_causes(&error)).ok();
        Outcome::Unusable
    })
}
