//! What the operator can see of a running server.

use std::env;
use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// Writes log lines to stderr, as far as the filter lets them through: a level, or directives such as
/// `citewire=debug,warn`. A second call changes nothing.
///
/// # Errors
/// When the filter cannot be read.
pub fn start(filter: &str) -> Result<(), ParseError> {
    let filter = EnvFilter::builder().parse(filter)?;
    // Colours are for people who look at a terminal and have not asked to be spared (no-color.org).
    let colours = io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(colours);
    // What cannot be written there is not complained about there either, which would end the task that logs.
    let subscriber = lines.log_internal_errors(false).finish();
    // Only the first subscriber of a process counts, and that is the one wanted.
    tracing::subscriber::set_global_default(subscriber).ok();
    Ok(())
}
